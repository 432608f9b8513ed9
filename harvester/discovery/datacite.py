"""DataCite: the works that Crossref does not know, data and theses among them."""

from __future__ import annotations

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described
from harvester.wire import datacite
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    return described(address("https://api.datacite.org/dois/", known.doi), fetch, datacite.read)


STEP = Step(
    "datacite",
    20,
    "Asks DataCite for a work that Crossref does not know.",
    lambda known: bool(known.doi) and not known.described,
    _find,
    is_for_files=False,
    is_first=True,
)
