"""Semantic Scholar: the open copy that it has seen, often an author's own."""

from __future__ import annotations

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described, has_doi
from harvester.wire import semantic_scholar
from harvester.wire.http import Fetch

_KEY = "semantic_scholar_key"


def _find(known: Known, fetch: Fetch) -> Found:
    url = address("https://api.semanticscholar.org/graph/v1/paper/DOI:", known.doi, fields=semantic_scholar.FIELDS)
    return described(url, fetch, semantic_scholar.read, (("x-api-key", known.settings[_KEY]),))


STEP = Step("semantic_scholar", 55, "Asks Semantic Scholar for an open copy of the DOI.", has_doi, _find, needs=_KEY)
