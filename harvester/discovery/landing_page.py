"""The pages of a work: its signposts, and which links lead to the file; at most two levels deep, on the same site.

Whoever comes here was sent by the record, by the DOI or by a service; most hosts have nothing else to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery._visiting import Visit, is_pdf, visit
from harvester.wire import signposting
from harvester.wire.copies import Copy, without_repetitions
from harvester.wire.http import Fetch, Request
from harvester.wire.landing_page import site_of

_MOST_PAGES = 3  # where a search begins
_MOST_LEVELS = 2
_MOST_FURTHER = 3  # pages that one page may lead to


def pages_of(known: Known) -> tuple[str, ...]:
    """Return where to look: what the record and services name, and where the DOI or handle resolves to."""
    handle = known.identifiers.value("handle")
    resolved = [f"https://doi.org/{known.doi}"] if known.doi else [f"https://hdl.handle.net/{handle}"] if handle else []
    named = [copy.url for copy in known.pages if "//doi.org/" not in copy.url]
    return tuple(dict.fromkeys([*named[:1], *resolved, *named[1:]]))[:_MOST_PAGES]


@dataclass(slots=True)
class _Walk:
    """One walk through the pages of a work."""

    fetch: Fetch
    seen: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def go(self, url: str, level: int) -> None:
        """Take what a page tells, and go on to the pages that it says have the file."""
        if url in self.seen:
            return
        self.seen.add(url)
        visited = visit(url, self.fetch)
        if visited.outcome is not Outcome.SUCCESS or visited.fetched is None:
            self.outcomes.append(visited.outcome)
        elif is_pdf(visited):
            self.copies.append(Copy(url, mime_type="application/pdf", evidence="page:is the file"))
        elif visited.page is None:
            self.outcomes.append(Outcome.WRONG_MIMETYPE)
        else:
            self._take(visited, level)

    def _take(self, visited: Visit, level: int) -> None:
        assert visited.page is not None
        told = [*self._signposted(visited), *visited.page.copies]
        self.copies += [copy for copy in told if not copy.is_page]
        further = [copy.url for copy in told if copy.is_page and site_of(copy.url) == site_of(visited.url)]
        if not told:
            self.outcomes.append(Outcome.NO_PDF_LINK)
        elif further and set(further) <= self.seen:
            self.outcomes.append(Outcome.LINK_LOOP)
        elif level >= _MOST_LEVELS and further:
            self.outcomes.append(Outcome.MAX_HOPS)
        elif len(further) == len(told):  # no file here
            for url in further[:_MOST_FURTHER]:
                self.go(url, level + 1)

    def _signposted(self, visited: Visit) -> list[Copy]:
        """Return what signposts lead to: of the answer's headers, else of the page's head, else of a link set."""
        assert visited.fetched is not None
        assert visited.page is not None
        told = signposting.of_answer(visited.fetched)
        own = told if told.items or told.linksets else signposting.read(visited.url, visited.page.links)
        if not own.items and own.linksets:
            headers = (("Accept", own.linksets[0].type or "application/linkset+json"),)
            own = signposting.of_linkset(self.fetch(Request(own.linksets[0].href, headers=headers)), visited.url)
        return [copy for copy in own.copies if copy.mime_type in ("", "application/pdf")]


def _find(known: Known, fetch: Fetch) -> Found:
    walk = _Walk(fetch)
    for url in pages_of(known):
        walk.go(url, 1)
        if walk.copies:
            break
    if walk.copies:
        return Found(Outcome.SUCCESS, without_repetitions(walk.copies))
    return Found(walk.outcomes[0] if walk.outcomes else Outcome.NO_PDF_LINK)


STEP = Step(
    "landing_page",
    80,
    "Reads the signposts and links of the work's pages.",
    lambda known: bool(pages_of(known)),
    _find,
)
