"""The record's own links: whatever addresses it names itself, in whichever statement; nobody needs to be asked.

What looks like a file is fetched and held against the record, since a relation may as well lead to another work;
everything else is a page to be looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.wire.copies import Copy, without_repetitions
from harvester.wire.http import Fetch
from harvester.wire.landing_rules import NAMES_PDF, NOT_IN_ADDRESS

_ELEMENTS = ("identifier", "source", "relation", "format", "description")  # what is the work's own comes first
_ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:)\]]")
_RESOLVERS = re.compile(r"^https?://(?:(?:dx\.)?doi\.org|hdl\.handle\.net|creativecommons\.org|orcid\.org)/")


def _links(known: Known) -> Iterator[Copy]:
    for wanted in _ELEMENTS:
        for element, text, _ in known.work.statements:
            for url in _ADDRESS.findall(text) if element == wanted else ():
                if not _RESOLVERS.match(url) and not NOT_IN_ADDRESS.search(url):
                    yield Copy(url, is_page=not NAMES_PDF.search(url), evidence=f"dc:{element}")


def _copies(known: Known) -> tuple[Copy, ...]:
    page = known.work.landing_page
    return tuple(copy for copy in without_repetitions(list(_links(known))) if copy.url != page)


def _find(known: Known, _fetch: Fetch) -> Found:
    copies = _copies(known)
    files = any(not copy.is_page for copy in copies)
    return Found(Outcome.SUCCESS if files else Outcome.NO_PDF_LINK, copies)


STEP = Step(
    "own_links",
    45,
    "Takes the links that the record names itself.",
    lambda known: bool(_copies(known)),
    _find,
    is_first=True,
)
