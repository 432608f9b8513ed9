"""The record's own links: all addresses in its statements. No service is asked.

Links that look like files are fetched and compared with the record, because a relation may lead to another work. All
other links are pages to read.
"""

import re
from collections.abc import Iterator

from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.pages.landing_rules import NAMES_PDF, NOT_IN_ADDRESS
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.http.messages import Fetch

_ELEMENTS = ("identifier", "source", "relation", "format", "description")  # own addresses come first
_ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:)\]]")
_RESOLVERS = re.compile(r"^https?://(?:(?:dx\.)?doi\.org|hdl\.handle\.net|creativecommons\.org|orcid\.org)/")


def _links(known: Known) -> Iterator[Copy]:
    for element in _ELEMENTS:
        for url in (url for text in known.work.texts(element) for url in _ADDRESS.findall(text)):
            if not _RESOLVERS.match(url) and not NOT_IN_ADDRESS.search(url):
                yield Copy(url, is_page=not NAMES_PDF.search(url), evidence=f"dc:{element}")


def _copies(known: Known) -> tuple[Copy, ...]:
    page = known.work.landing_page
    return tuple(copy for copy in without_repetitions(list(_links(known))) if copy.url != page)


def _find(known: Known, _fetch: Fetch) -> StepResult:
    copies = _copies(known)
    files = any(not copy.is_page for copy in copies)
    return StepResult(Outcome.SUCCESS if files else Outcome.NO_PDF_LINK, copies)


STEP = Step(
    "own_links",
    45,
    "Takes the links that the record names itself.",
    lambda known: bool(_copies(known)),
    _find,
    is_first=True,
)
