"""OpenAlex: all locations of the work, also those in repositories that Unpaywall misses.

A look-up of one work is free, with a key or without; a key raises the daily limit. Files that OpenAlex stores itself
are left out: each needs a key and costs money, and an address with a key must not be published.
"""

from harvester.fulltext.services import openalex
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    key = known.settings.get("openalex_key", "")
    url = address("https://api.openalex.org/works/https://doi.org/", known.doi, mailto=known.email, api_key=key)
    return described(url, fetch, openalex.read)


STEP = Step("openalex", 50, "Asks OpenAlex for all locations of the DOI.", has_doi, _find)
