"""Unpaywall: every open copy that it knows, not only the one that it ranks first."""

from __future__ import annotations

from harvester.fulltext.services import unpaywall
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    return described(address("https://api.unpaywall.org/v2/", known.doi, email=known.email), fetch, unpaywall.read)


STEP = Step(
    "unpaywall", 30, "Asks Unpaywall for all open copies of the DOI.", has_doi, _find, needs="email", is_first=True
)
