"""bioRxiv and medRxiv: the latest version of a preprint and its licence, from the API of the server."""

from harvester.fulltext.services import openrxiv
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described
from harvester.http.messages import Fetch


def _server(known: Known) -> str:
    return openrxiv.server_of(known.doi, tuple(description.container for description in known.described))


def _find(known: Known, fetch: Fetch) -> StepResult:
    url = address(f"https://api.biorxiv.org/details/{_server(known)}/", known.doi) + "/na/json"
    return described(url, fetch, lambda fetched: openrxiv.read(fetched, known.doi))


STEP = Step(
    "openrxiv",
    46,
    "Asks bioRxiv or medRxiv for the latest version of a preprint.",
    lambda known: bool(_server(known)),
    _find,
)
