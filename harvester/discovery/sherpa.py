"""SHERPA/RoMEO, now Open Policy Finder: what the publisher permits with which version; for every item with an ISSN."""

from __future__ import annotations

from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.wire import open_policy_finder
from harvester.wire.http import Fetch, Request

_ADDRESS = "https://api.openpolicyfinder.jisc.ac.uk/retrieve"
_MOST_ISSNS = 2  # of print and of online


def _find(known: Known, fetch: Fetch) -> Found:
    for issn in known.identifiers.all("issn")[:_MOST_ISSNS]:
        asked = {"item-type": "publication", "format": "Json", "filter": f'[["issn","equals","{issn}"]]'}
        headers = (("x-api-key", known.settings["policy_key"]), ("Accept", "application/json"))
        policy = open_policy_finder.read(fetch(Request(f"{_ADDRESS}?{urlencode(asked)}", headers=headers)))
        if policy is not None:
            return Found(Outcome.SUCCESS, policy=policy, note=f"{policy.title} is {policy.colour}.")
    return Found(Outcome.NOT_FOUND)


STEP = Step(
    "sherpa",
    90,
    "Asks Open Policy Finder what the publisher of the ISSN permits.",
    lambda known: bool(known.identifiers.all("issn")),
    _find,
    needs="policy_key",
    is_for_files=False,
)
