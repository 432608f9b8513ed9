"""DOAJ: articles of open journals, and their pages.

It is not asked for a work that a service calls closed: Unpaywall knows the journals of DOAJ.
"""

from __future__ import annotations

from urllib.parse import quote

from harvester.fulltext.services import doaj
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
    query = quote(f"doi:{phrase(known.doi)}", safe="")
    url = f"https://doaj.org/api/v4/search/articles/{query}?pageSize=5"
    return described(url, fetch, lambda fetched: doaj.read(fetched, known.doi))


def _wants(known: Known) -> bool:
    return has_doi(known) and all(description.is_open is not False for description in known.described)


STEP = Step("doaj", 64, "Asks DOAJ for the article of the DOI in an open journal.", _wants, _find)
