"""BASE: open copies in repositories that few others list. It needs a key, and allows no commercial use."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.fulltext.services import base_search
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, has_doi, phrase
from harvester.http.messages import Fetch

_KEY = "base_key"
_ADDRESS = "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi"


def _find(known: Known, fetch: Fetch) -> StepResult:
    query = {"func": "PerformSearch", "query": f"dcdoi:{phrase(known.doi)}", "hits": 5, "format": "json"}
    url = f"{_ADDRESS}?{urlencode({**query, 'apikey': known.settings[_KEY]})}"
    return described(url, fetch, lambda fetched: base_search.read(fetched, known.doi))


STEP = Step("base", 62, "Asks BASE for open copies of the DOI in repositories.", has_doi, _find, needs=_KEY)
