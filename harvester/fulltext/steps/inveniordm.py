"""Zenodo and other sites of InvenioRDM: the files of a record, whose page does not name them without scripts."""

from dataclasses import replace

from harvester.fulltext.services import inveniordm
from harvester.fulltext.services.inveniordm import Place
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import of_repository
from harvester.http.messages import Fetch


def _place(known: Known) -> Place | None:
    named = (known.doi, *(copy.url for copy in known.pages))
    return next((place for address in named if (place := inveniordm.place_of(address))), None)


def _find(known: Known, fetch: Fetch) -> StepResult:
    place = _place(known)
    assert place is not None
    result = of_repository(
        place.address, fetch, lambda fetched: inveniordm.read(fetched, place.site), is_certain=place.is_certain
    )
    own = (inveniordm.place_of(known.doi), inveniordm.place_of(known.work.landing_page))
    return result if place in own else replace(result, description=None)  # a page named by a service is of a copy


STEP = Step(
    "inveniordm",
    47,
    "Asks Zenodo or another InvenioRDM for the files of a record.",
    lambda known: bool(_place(known)),
    _find,
)
