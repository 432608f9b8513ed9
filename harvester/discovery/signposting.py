"""Signposting: the typed links of the work's pages, in headers, heads and link sets, say which files are its own.

A page that says which DOI it is cited by (`cite-as`) gives it to a record that has none.
"""

from __future__ import annotations

from collections.abc import Iterable

from gateway.model import Outcome
from harvester.discovery import Found, Known, Step
from harvester.discovery._visiting import Visit, is_pdf, visit
from harvester.discovery._walking import pages_of
from harvester.wire import signposting
from harvester.wire.copies import Copy, without_repetitions
from harvester.wire.http import Fetch
from harvester.wire.identifiers import Found as Identifier
from harvester.wire.identifiers import Identifiers, dois_in
from harvester.wire.signposting import Signposts
from harvester.wire.urls import host_of

_PDF = "application/pdf"


def _find(known: Known, fetch: Fetch) -> Found:
    return follow(known, pages_of(known), fetch)


def follow(known: Known, pages: Iterable[str], fetch: Fetch) -> Found:
    """Return the files that the first of some pages has signposts to, or why there are none."""
    ends: list[Found] = []
    for url in pages:
        visited = visit(url, fetch)
        if is_pdf(visited):
            return Found(Outcome.SUCCESS, (Copy(url, mime_type=_PDF, evidence="page:is the file"),))
        found = _told(known, visited, fetch)
        if found.copies or _has_links(visited):
            return found
        ends.append(found)
    return ends[0]


def _has_links(visited: Visit) -> bool:
    """Tell whether a page has links to files: then `landing_page` looks at no further page either."""
    return visited.page is not None and any(not copy.is_page for copy in visited.page.copies)


def _told(known: Known, visited: Visit, fetch: Fetch) -> Found:
    """Return the files that one page, or its link set when it names none, has signposts to, or why there are none."""
    if visited.outcome is not Outcome.SUCCESS or visited.page is None:
        outcome = Outcome.WRONG_MIMETYPE if visited.outcome is Outcome.SUCCESS else visited.outcome
        return Found(outcome, host=host_of(visited.url))
    own = _of_page(visited)
    told, host = own, host_of(visited.url)
    if own.linksets and not own.items:
        listed = visit(own.linksets[0].href, fetch, own.linksets[0].type or "application/linkset+json")
        host = host_of(listed.url)
        if listed.outcome is not Outcome.SUCCESS or listed.fetched is None:
            return Found(listed.outcome, identifiers=_cited(known, own), host=host)
        told = signposting.of_linkset(listed.fetched, visited.url)
    copies = without_repetitions([copy for copy in told.copies if copy.mime_type in ("", _PDF)])
    end = Outcome.SUCCESS if copies else Outcome.NO_PDF_LINK
    return Found(end, copies, identifiers=_cited(known, told) or _cited(known, own), host=host)


def _of_page(visited: Visit) -> Signposts:
    """Return the signposts of the headers, else of the page's head."""
    assert visited.fetched is not None
    assert visited.page is not None
    told = signposting.of_answer(visited.fetched)
    return told if told.items or told.linksets else signposting.read(visited.url, visited.page.links)


def _cited(known: Known, told: Signposts) -> Identifiers | None:
    """Return the identifiers with the DOI that the page is cited by, where the record has none."""
    dois = () if known.doi else dois_in(told.cite_as)
    return (
        Identifiers((*(Identifier("doi", doi, "cite-as") for doi in dois), *known.identifiers.found)) if dois else None
    )


STEP = Step(
    "signposting",
    70,
    "Follows the signposts of the work's pages: typed links in headers, heads and link sets.",
    lambda known: bool(pages_of(known)),
    _find,
)
