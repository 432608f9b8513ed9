"""The pages of a work, and their links to the file; at most two levels deep, on the same site.

The record, the DOI or a service leads to these pages. Most hosts have no other interface.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from gateway.core.model import Outcome
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.pages.page_license import NO_TERMS, Terms
from harvester.fulltext.steps import Step, StepResult
from harvester.fulltext.steps._pages import NEXT, pages_of, retracted_page
from harvester.fulltext.steps._visit import Visit, is_pdf, visit
from harvester.http.messages import Fetch
from harvester.http.urls import host_of, site_of

LAST_LEVEL = 2
_MOST_FURTHER = 3  # pages that one page may lead to


@dataclass(slots=True)
class _Walk:
    """One walk through the pages of a work."""

    fetch: Fetch
    seen: set[str] = field(default_factory=set)
    copies: list[Copy] = field(default_factory=list)
    full_texts: list[Copy] = field(default_factory=list)  # the text as XML or HTML
    supplements: list[Copy] = field(default_factory=list)
    ends: list[StepResult] = field(default_factory=list)  # results of pages without a file
    withheld: list[Copy] = field(default_factory=list)  # pages that state an embargo
    retracted: list[Copy] = field(default_factory=list)  # pages that state a retraction
    led_to: list[Copy] = field(default_factory=list)  # targets of redirects: their addresses may show the software
    following: list[Copy] = field(default_factory=list)  # pages that were not read, because files were named too

    def go(self, url: str, level: int, before: Terms = NO_TERMS) -> None:
        """Read a page, and continue with the pages to which it leads; `before` are the terms of the page before."""
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
            if visited.page.terms.retracted:
                self.retracted.append(retracted_page(url, visited.page.terms))
            self._take(visited, level, before)

    def with_other_forms(self, copies: list[Copy]) -> tuple[Copy, ...]:
        """Return copies, the text in other forms, the targets of redirects, and supplements."""
        return without_repetitions([*copies, *self.full_texts, *self.led_to, *self.retracted, *self.supplements])

    def _end(self, outcome: Outcome, visited: Visit) -> None:
        self.ends.append(StepResult(outcome, host=host_of(visited.url)))

    def _take(self, visited: Visit, level: int, before: Terms) -> None:
        assert visited.page is not None
        if visited.hops:
            self.led_to.append(Copy(visited.url, is_page=True, evidence="page:led to"))
        copies = visited.page.copies
        self.full_texts += visited.page.full_texts
        self.supplements += [before.on(copy) for copy in visited.page.supplements]
        self.copies += [before.on(copy) for copy in copies if not copy.is_page]
        further = [copy.url for copy in copies if copy.is_page and site_of(copy.url) == site_of(visited.url)]
        if visited.page.open_from:
            self.withheld.append(Copy(visited.url, True, evidence="page:embargo", open_from=visited.page.open_from))
        if not copies:
            self._end(Outcome.FULL_TEXT_HTML if visited.page.is_article else Outcome.NO_PDF_LINK, visited)
        elif further and set(further) <= self.seen:
            self._end(Outcome.LINK_LOOP, visited)
        elif level >= LAST_LEVEL and further:
            self._end(Outcome.MAX_HOPS, visited)
        elif len(further) == len(copies):  # no file here
            for url in further[:_MOST_FURTHER]:
                self.go(url, level + 1, visited.page.page_terms.of(url))
        else:
            self.following += [Copy(url, is_page=True, evidence=NEXT) for url in further if url not in self.seen]


def walk(pages: Iterable[str], fetch: Fetch, level: int = 1) -> StepResult:
    """Return the files to which the first successful page leads, or why there are none; and the text in other forms.

    Links on pages of the last level are not followed.
    """
    under_way = _Walk(fetch)
    for url in pages:
        under_way.go(url, level)
        if under_way.copies:
            return StepResult(Outcome.SUCCESS, under_way.with_other_forms([*under_way.copies, *under_way.following]))
    end = next((end for end in under_way.ends if end.outcome is Outcome.FULL_TEXT_HTML), None)
    end = end or next(iter(under_way.ends), StepResult(Outcome.NO_PDF_LINK))
    return replace(end, copies=under_way.with_other_forms(under_way.withheld))


STEP = Step(
    "landing_page",
    80,
    "Reads which links of the work's pages lead to the file.",
    lambda known: bool(pages_of(known)),
    lambda known, fetch: walk(pages_of(known), fetch),
    finds_supplements=True,
)
