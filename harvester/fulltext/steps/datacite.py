"""DataCite: the works that Crossref does not know, data and theses among them."""

from harvester.fulltext.services import datacite
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described
from harvester.http.messages import Fetch


def _find(known: Known, fetch: Fetch) -> StepResult:
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
