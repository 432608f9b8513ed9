"""Europe PMC: the files of the life sciences, with a second place for each open one: PubMed Central's bucket."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.fulltext.known_copies import Copy
from harvester.fulltext.services import europe_pmc
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import described, phrase
from harvester.http.messages import Fetch

_SEARCH = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"


def _find(known: Known, fetch: Fetch) -> StepResult:
    pmcid = known.identifiers.value("pmcid")
    query = f"DOI:{phrase(known.doi)}" if known.doi else f"PMCID:{pmcid}"
    url = f"{_SEARCH}?{urlencode({'query': query, 'resultType': 'core', 'format': 'json', 'pageSize': 5})}"
    result = described(url, fetch, lambda fetched: europe_pmc.read(fetched, known.doi, pmcid))
    if not known.doi and not _is_own(known):
        result = replace(result, description=None)  # it may describe a related work
    return result if result.outcome is Outcome.SUCCESS else _rendered(known, result)


def _is_own(known: Known) -> bool:
    best = known.identifiers.best("pmcid")
    return best is not None and best.is_certain


def _rendered(known: Known, result: StepResult) -> StepResult:
    """Return the address derived from the record's own PMCID if the service names no file."""
    copies = tuple(
        Copy(europe_pmc.rendered(pmcid), mime_type="application/pdf", evidence=f"pmcid:{pmcid}", is_open=True)
        for pmcid in known.identifiers.all("pmcid")
    )
    return replace(result, outcome=Outcome.SUCCESS, copies=copies) if copies else result


STEP = Step(
    "europe_pmc",
    49,
    "Asks Europe PMC for open and free files of the DOI or PMCID.",
    lambda known: bool(known.doi or known.identifiers.value("pmcid")),
    _find,
)
