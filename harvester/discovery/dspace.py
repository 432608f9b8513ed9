"""DSpace 7 and later: the files of an item, where its page told of none to a program that runs no scripts.

One request. Whether a site with handles has this interface only its answer tells; pages of older ones have their files.
"""

from __future__ import annotations

from dataclasses import replace

from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import of_repository
from harvester.wire import dspace
from harvester.wire.dspace import Place
from harvester.wire.http import Fetch


def _place(known: Known) -> Place | None:
    return next((place for copy in known.pages if (place := dspace.place_of(copy.url))), None)


def _find(known: Known, fetch: Fetch) -> Found:
    place = _place(known)
    assert place is not None
    found = of_repository(place.address, fetch, lambda fetched: dspace.read(fetched, place))
    is_own = place == dspace.place_of(known.work.landing_page)
    return found if is_own else replace(found, description=None)  # a page that a service names is of a copy


STEP = Step(
    "dspace",
    84,
    "Asks DSpace 7 for the files of an item whose page names none.",
    lambda known: bool(_place(known)),
    _find,
)
