"""bioRxiv and medRxiv: the latest version of a preprint and its licence, from the interface of the server itself."""

from __future__ import annotations

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import address, described
from harvester.wire import openrxiv
from harvester.wire.http import Fetch


def _server(known: Known) -> str:
    return openrxiv.server_of(known.doi, tuple(each.container for each in known.described))


def _find(known: Known, fetch: Fetch) -> Found:
    url = address(f"https://api.biorxiv.org/details/{_server(known)}/", known.doi) + "/na/json"
    return described(url, fetch, lambda fetched: openrxiv.read(fetched, known.doi))


STEP = Step(
    "openrxiv",
    46,
    "Asks bioRxiv or medRxiv for the latest version of a preprint.",
    lambda known: bool(_server(known)),
    _find,
)
