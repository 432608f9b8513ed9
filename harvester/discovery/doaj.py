"""DOAJ: that an article is of an open journal, and where its page is.

Of a work that a service calls closed it is not asked: Unpaywall knows the journals of DOAJ.
"""

from __future__ import annotations

from urllib.parse import quote

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described, has_doi, phrase
from harvester.wire import doaj
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    query = quote(f"doi:{phrase(known.doi)}", safe="")
    url = f"https://doaj.org/api/v4/search/articles/{query}?pageSize=5"
    return described(url, fetch, lambda fetched: doaj.read(fetched, known.doi))


def _wants(known: Known) -> bool:
    return has_doi(known) and all(each.is_open is not False for each in known.described)


STEP = Step("doaj", 64, "Asks DOAJ for the article of the DOI in an open journal.", _wants, _find)
