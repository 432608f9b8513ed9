"""DSpace 7 and later: the files of an item whose page names none without scripts.

One request. Only the answer shows whether a site has this API; pages of older versions name their files.
"""

from dataclasses import replace

from harvester.fulltext.services import dspace
from harvester.fulltext.services.dspace import Place
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import of_repository
from harvester.http.messages import Fetch


def _place(known: Known) -> Place | None:
    return next((place for copy in known.pages if (place := dspace.place_of(copy.url))), None)


def _find(known: Known, fetch: Fetch) -> StepResult:
    place = _place(known)
    assert place is not None
    result = of_repository(place.address, fetch, lambda fetched: dspace.read(fetched, place))
    is_own = place == dspace.place_of(known.work.landing_page)
    return result if is_own else replace(result, description=None)  # a page named by a service is of a copy


STEP = Step(
    "dspace",
    84,
    "Asks DSpace 7 for the files of an item whose page names none.",
    lambda known: bool(_place(known)),
    _find,
)
