"""The pages of a work: which of their links lead to the file; at most two levels deep, on the same site.

Whoever comes here was sent by the record, by the DOI or by a service; most hosts have nothing else to say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery._visiting import Visit, is_pdf, visit
from harvester.discovery._walking import pages_of
from harvester.wire.copies import Copy, without_repetitions
from harvester.wire.http import Fetch
from harvester.wire.urls import host_of, site_of

_MOST_LEVELS = 2
_MOST_FURTHER = 3  # pages that one page may lead to


@dataclass(slots=True)
class _Walk:
    """One walk through the pages of a work."""

    fetch: Fetch
    seen: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    full_texts: list[Copy] = field(default_factory=list)  # the text in other forms: as XML, as a page
    ends: list[Found] = field(default_factory=list)  # of pages that led to no file
    withheld: list[Copy] = field(default_factory=list)  # pages that say when their file may be had

    def go(self, url: str, level: int) -> None:
        """Take what a page tells, and go on to the pages that it says have the file."""
        if url in self.seen:
            return
        self.seen.add(url)
        visited = visit(url, self.fetch)
        if visited.outcome is not Outcome.SUCCESS or visited.fetched is None:
            self._end(visited.outcome, visited)
        elif is_pdf(visited):
            self.copies.append(Copy(url, mime_type="application/pdf", evidence="page:is the file"))
        elif visited.page is None:
            self._end(Outcome.WRONG_MIMETYPE, visited)
        else:
            self._take(visited, level)

    def _end(self, outcome: Outcome, visited: Visit) -> None:
        self.ends.append(Found(outcome, host=host_of(visited.url)))

    def _take(self, visited: Visit, level: int) -> None:
        assert visited.page is not None
        told = visited.page.copies
        self.full_texts += visited.page.full_texts
        self.copies += [copy for copy in told if not copy.is_page]
        further = [copy.url for copy in told if copy.is_page and site_of(copy.url) == site_of(visited.url)]
        if visited.page.open_from:
            self.withheld.append(Copy(visited.url, True, evidence="page:embargo", open_from=visited.page.open_from))
        if not told:
            self._end(Outcome.FULL_TEXT_HTML if visited.page.is_article else Outcome.NO_PDF_LINK, visited)
        elif further and set(further) <= self.seen:
            self._end(Outcome.LINK_LOOP, visited)
        elif level >= _MOST_LEVELS and further:
            self._end(Outcome.MAX_HOPS, visited)
        elif len(further) == len(told):  # no file here
            for url in further[:_MOST_FURTHER]:
                self.go(url, level + 1)


def _find(known: Known, fetch: Fetch) -> Found:
    return walk(pages_of(known), fetch)


def walk(pages: Iterable[str], fetch: Fetch) -> Found:
    """Return the files that the first of some pages leads to, or why there are none; and the text in other forms."""
    under_way = _Walk(fetch)
    for url in pages:
        under_way.go(url, 1)
        if under_way.copies:
            return Found(Outcome.SUCCESS, without_repetitions([*under_way.copies, *under_way.full_texts]))
    end = next((each for each in under_way.ends if each.outcome is Outcome.FULL_TEXT_HTML), None)
    end = end or next(iter(under_way.ends), Found(Outcome.NO_PDF_LINK))
    return replace(end, copies=without_repetitions([*under_way.withheld, *under_way.full_texts]))


STEP = Step(
    "landing_page",
    80,
    "Reads which links of the work's pages lead to the file.",
    lambda known: bool(pages_of(known)),
    _find,
)
