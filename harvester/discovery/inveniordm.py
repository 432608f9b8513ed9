"""Zenodo and other sites of InvenioRDM: the files of a record, whose page is a shell without them."""

from __future__ import annotations

from dataclasses import replace

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import of_repository
from harvester.wire import inveniordm
from harvester.wire.http import Fetch
from harvester.wire.inveniordm import Place


def _place(known: Known) -> Place | None:
    named = (known.doi, *(copy.url for copy in known.pages))
    return next((place for each in named if (place := inveniordm.place_of(each))), None)


def _find(known: Known, fetch: Fetch) -> Found:
    place = _place(known)
    assert place is not None
    found = of_repository(place.address, fetch, lambda fetched: inveniordm.read(fetched, place.site))
    own = (inveniordm.place_of(known.doi), inveniordm.place_of(known.work.landing_page))
    return found if place in own else replace(found, description=None)  # a page that a service names is of a copy


STEP = Step(
    "inveniordm",
    47,
    "Asks Zenodo or another InvenioRDM for the files of a record.",
    lambda known: bool(_place(known)),
    _find,
)
