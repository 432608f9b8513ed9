"""Semantic Scholar: the open copy that it knows, often the author's own."""

from __future__ import annotations

from harvester.fulltext.services import semantic_scholar
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.messages import Fetch

_KEY = "semantic_scholar_key"


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address("https://api.semanticscholar.org/graph/v1/paper/DOI:", known.doi, fields=semantic_scholar.FIELDS)
    return described(url, fetch, semantic_scholar.read, (("x-api-key", known.settings[_KEY]),))


STEP = Step("semantic_scholar", 55, "Asks Semantic Scholar for an open copy of the DOI.", has_doi, _find, needs=_KEY)
