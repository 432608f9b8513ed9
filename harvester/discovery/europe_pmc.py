"""Europe PMC: the files of the life sciences, with a second place for each open one: PubMed Central's bucket."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery._describing import described, phrase
from harvester.wire import europe_pmc
from harvester.wire.copies import Copy
from harvester.wire.http import Fetch

_SEARCH = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"


def _find(known: Known, fetch: Fetch) -> Found:
    pmcid = known.identifiers.value("pmcid")
    query = f"DOI:{phrase(known.doi)}" if known.doi else f"PMCID:{pmcid}"
    url = f"{_SEARCH}?{urlencode({'query': query, 'resultType': 'core', 'format': 'json', 'pageSize': 5})}"
    found = described(url, fetch, lambda fetched: europe_pmc.read(fetched, known.doi, pmcid))
    if not known.doi and not _is_own(known):
        found = replace(found, description=None)  # it may describe a work that the record only relates to
    return found if found.outcome is Outcome.SUCCESS else _rendered(known, found)


def _is_own(known: Known) -> bool:
    best = known.identifiers.best("pmcid")
    return best is not None and best.is_certain


def _rendered(known: Known, found: Found) -> Found:
    """Return the address that follows from the record's own PMCID where the service names no file."""
    copies = tuple(
        Copy(europe_pmc.rendered(pmcid), mime_type="application/pdf", evidence=f"pmcid:{pmcid}", is_open=True)
        for pmcid in known.identifiers.all("pmcid")
    )
    return replace(found, outcome=Outcome.SUCCESS, copies=copies) if copies else found


STEP = Step(
    "europe_pmc",
    49,
    "Asks Europe PMC for open and free files of the DOI or PMCID.",
    lambda known: bool(known.doi or known.identifiers.value("pmcid")),
    _find,
)
