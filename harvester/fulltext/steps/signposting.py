"""Signposting: typed links of the work's pages, in headers, heads and link sets, to its files.

The DOI in `cite-as` is used for a record that has none.
"""

from __future__ import annotations

from collections.abc import Iterable

from gateway.model import Outcome
from harvester.fulltext.identifiers import Identifier, Identifiers, dois_in
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.pages import signposting
from harvester.fulltext.pages.signposting import Signposts
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._pages import pages_of, retracted_page
from harvester.fulltext.steps._visit import Visit, is_pdf, visit
from harvester.http.messages import Fetch
from harvester.http.urls import host_of

_PDF = "application/pdf"


def _find(known: Known, fetch: Fetch) -> StepResult:
    return follow(known, pages_of(known), fetch)


def follow(known: Known, pages: Iterable[str], fetch: Fetch) -> StepResult:
    """Return the files in the signposts of the first successful page, or why there are none."""
    ends: list[StepResult] = []
    for url in pages:
        visited = visit(url, fetch)
        if is_pdf(visited):
            return StepResult(Outcome.SUCCESS, (Copy(url, mime_type=_PDF, evidence="page:is the file"),))
        result = _result_of(known, url, visited, fetch)
        if result.copies or _has_links(visited):
            return result
        ends.append(result)
    return ends[0]


def _has_links(visited: Visit) -> bool:
    """Return whether a page has links to files: then `landing_page` reads no further page either."""
    return visited.page is not None and any(not copy.is_page for copy in visited.page.copies)


def _result_of(known: Known, asked: str, visited: Visit, fetch: Fetch) -> StepResult:
    """Return the files in the signposts of the page `asked` for, or else of its link set, or why there are none."""
    if visited.outcome is not Outcome.SUCCESS or visited.page is None:
        outcome = Outcome.WRONG_MIMETYPE if visited.outcome is Outcome.SUCCESS else visited.outcome
        return StepResult(outcome, host=host_of(visited.url))
    own = _of_page(visited)
    signposts, host = own, host_of(visited.url)
    if own.linksets and not own.items:
        listed = visit(own.linksets[0].href, fetch, own.linksets[0].type or "application/linkset+json")
        host = host_of(listed.url)
        if listed.outcome is not Outcome.SUCCESS or listed.fetched is None:
            return StepResult(listed.outcome, identifiers=_cited(known, own), host=host)
        signposts = signposting.of_linkset(listed.fetched, visited.url)
    terms = visited.page.terms
    files = [copy for copy in signposts.copies if copy.mime_type in ("", _PDF)]
    copies = without_repetitions([visited.page.page_terms.of(copy.url).on(copy) for copy in files])
    if copies and terms.retracted:
        copies += (retracted_page(asked, terms),)
    end = Outcome.SUCCESS if copies else Outcome.NO_PDF_LINK
    return StepResult(end, copies, identifiers=_cited(known, signposts) or _cited(known, own), host=host)


def _of_page(visited: Visit) -> Signposts:
    """Return the signposts of the headers, else of the page's head."""
    assert visited.fetched is not None
    assert visited.page is not None
    signposts = signposting.of_answer(visited.fetched)
    return signposts if signposts.items or signposts.linksets else signposting.read(visited.url, visited.page.links)


def _cited(known: Known, signposts: Signposts) -> Identifiers | None:
    """Return the identifiers with the DOI in `cite-as`, if the record has none."""
    dois = () if known.doi else dois_in(signposts.cite_as)
    return (
        Identifiers((*(Identifier("doi", doi, "cite-as") for doi in dois), *known.identifiers.entries))
        if dois
        else None
    )


STEP = Step(
    "signposting",
    70,
    "Follows the signposts of the work's pages: typed links in headers, heads and link sets.",
    lambda known: bool(pages_of(known)),
    _find,
)
