"""Unpaywall: every open copy that it knows, not only the one it thinks best."""

from __future__ import annotations

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described, has_doi
from harvester.wire import unpaywall
from harvester.wire.http import Fetch


def _find(known: Known, fetch: Fetch) -> Found:
    return described(address("https://api.unpaywall.org/v2/", known.doi, email=known.email), fetch, unpaywall.read)


STEP = Step(
    "unpaywall", 30, "Asks Unpaywall for all open copies of the DOI.", has_doi, _find, needs="email", is_first=True
)
