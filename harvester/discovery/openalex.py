"""OpenAlex: all locations of the work; it repairs what Unpaywall misses in repositories.

A look-up of one work is free, with a key or without; a key raises the limit of a day. The files that OpenAlex keeps
itself are left out: each asks for a key and is paid for, and an address with a key is no place to name.
"""

from __future__ import annotations

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described, has_doi
from harvester.wire import openalex
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    key = known.settings.get("openalex_key", "")
    url = address("https://api.openalex.org/works/https://doi.org/", known.doi, mailto=known.email, api_key=key)
    return described(url, fetch, openalex.read)


STEP = Step("openalex", 50, "Asks OpenAlex for all locations of the DOI.", has_doi, _find)
