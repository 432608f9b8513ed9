"""BASE: open copies in repositories that few others list. It asks for a key, and for no commercial use."""

from __future__ import annotations

from urllib.parse import urlencode

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described, has_doi, phrase
from harvester.wire import base
from harvester.wire.http import Fetch

_KEY = "base_key"
_ADDRESS = "https://api.base-search.net/cgi-bin/BaseHttpSearchInterface.fcgi"


def _find(known: Known, fetch: Fetch) -> Found:
    query = {"func": "PerformSearch", "query": f"dcdoi:{phrase(known.doi)}", "hits": 5, "format": "json"}
    url = f"{_ADDRESS}?{urlencode({**query, 'apikey': known.settings[_KEY]})}"
    return described(url, fetch, lambda fetched: base.read(fetched, known.doi))


STEP = Step("base", 62, "Asks BASE for open copies of the DOI in repositories.", has_doi, _find, needs=_KEY)
