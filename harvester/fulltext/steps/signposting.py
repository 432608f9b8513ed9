"""Signposting: typed links of the work's pages, in headers, heads and link sets, to its files.

The DOI in `cite-as` is used for a record that has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.model import Outcome
from gateway.core.typed_links import SUPPLEMENT, Link, links_of_text
from gateway.fulltext.licenses import is_open, license_of
from harvester.fulltext.identifiers import Identifier, Identifiers
from harvester.fulltext.known_copies import Copy, without_repetitions
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._pages import pages_of, retracted_page
from harvester.fulltext.steps._visit import Visit, is_pdf, visit
from harvester.http.json_answers import linkset
from harvester.http.messages import Fetch, Fetched
from harvester.http.urls import host_of

_PDF = "application/pdf"


def follow(known: Known, pages: Iterable[str], fetch: Fetch) -> StepResult:
    """Return the files in the signposts of the first successful page, or why there are none."""
    ends: list[StepResult] = []
    for url in pages:
        visited = visit(url, fetch)
        if is_pdf(visited):
            return StepResult(Outcome.SUCCESS, (Copy(url, mime_type=_PDF, evidence="page:is the file"),))
        result = _result_of(known, url, visited, fetch)
        # If the page has links to files, `landing_page` reads no further page either.
        if result.outcome is Outcome.SUCCESS or (
            visited.page is not None and any(not copy.is_page for copy in visited.page.copies)
        ):
            return result
        ends.append(result)
    return ends[0]


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
        signposts = of_linkset(listed.fetched, visited.url)
    terms = visited.page.terms
    files = [copy for copy in signposts.copies if copy.mime_type in ("", _PDF)]
    copies = without_repetitions([visited.page.page_terms.of(copy.url).on(copy) for copy in files])
    end = Outcome.SUCCESS if copies else Outcome.NO_PDF_LINK
    beside = tuple(copy.url for copy in copies)
    supplements = [visited.page.page_terms.of(copy.url).on(copy) for copy in signposts.supplements(beside)]
    if copies:  # else `landing_page` reads this page
        supplements += [copy._replace(beside=(*copy.beside, *beside)) for copy in visited.page.supplements]
    copies += (retracted_page(asked, terms),) if copies and terms.retracted else ()
    copies = without_repetitions([*copies, *supplements])
    return StepResult(end, copies, identifiers=_cited(known, signposts) or _cited(known, own), host=host)


def _of_page(visited: Visit) -> Signposts:
    """Return the signposts of the headers, else of the page's head."""
    assert visited.fetched is not None
    assert visited.page is not None
    signposts = of_answer(visited.fetched)
    return signposts if signposts.items or signposts.linksets else read(visited.url, visited.page.links)


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
    lambda known, fetch: follow(known, pages_of(known), fetch),
    finds_supplements=True,
)

# --- Signposts (signposting.org, levels 1 and 2): typed links of a page to its files, licence and identifier. Pure


class Signposts(NamedTuple):
    """The typed links of one page."""

    items: tuple[Link, ...] = ()
    cite_as: str = ""
    licenses: tuple[str, ...] = ()
    item_licenses: tuple[tuple[str, str], ...] = ()  # (item, licence)
    described_by: tuple[Link, ...] = ()
    linksets: tuple[Link, ...] = ()
    typed_supplements: tuple[Link, ...] = ()

    def supplements(self, files: tuple[str, ...]) -> tuple[Copy, ...]:
        """Return the links to supplements, beside these files of the page."""
        links = self.typed_supplements
        return tuple(
            self._licensed(link.href)._replace(mime_type=link.type, is_supplement=True, beside=files) for link in links
        )

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The items as copies, PDFs first; the licence is that of the page, unless the item has one of its own."""
        in_order = sorted(self.items, key=lambda link: link.type != "application/pdf")
        return tuple(self._licensed(link.href)._replace(mime_type=link.type) for link in in_order)

    def _licensed(self, item: str) -> Copy:
        """Return an item as a copy with its licence; several different ones are a doubt."""
        copy = Copy(item, evidence="signposting:item")
        stated = dict.fromkeys((*self.licenses, *(url for href, url in self.item_licenses if href == item)))
        named = {license_of(url): url for url in stated}
        if len(named) > 1:
            named.pop("other-oa", None)  # open, under another licence that is named too
        if len(named) > 1 and any(map(is_open, named)):
            return copy._replace(doubt=f"The typed links of the page name different licences: {' and '.join(stated)}.")
        name, url = next(iter(named.items()), ("", ""))
        return copy._replace(license=name, license_url=url)


def read(page: str, links: tuple[Link, ...]) -> Signposts:
    """Return the signposts of the page at this address, without links that have another anchor."""
    own = [link for link in links if link.anchor.partition("#")[0] == page.partition("#")[0]]
    licenses = (link for link in links if link.rel == "license")

    typed = {link.anchor for link in links if link.rel == "type" and "suppl" in link.href.lower()}

    def of(rel: str) -> tuple[Link, ...]:
        return tuple(dict.fromkeys(link for link in own if link.rel == rel))

    return Signposts(
        items=tuple(link for link in of("item") if link.href not in typed),
        typed_supplements=(*of(SUPPLEMENT), *(link for link in of("item") if link.href in typed)),
        cite_as=next((link.href for link in of("cite-as")), ""),
        licenses=tuple(link.href for link in of("license")),
        item_licenses=tuple((link.anchor, link.href) for link in licenses if link not in own),
        described_by=of("describedby"),
        linksets=of("linkset"),
    )


def of_answer(fetched: Fetched) -> Signposts:
    """Return the signposts in the headers of an answer."""
    return read(fetched.url, fetched.links)


def of_linkset(fetched: Fetched, page: str) -> Signposts:
    """Return the signposts of a page in a link set, in either of its two forms (RFC 9264)."""
    is_text = fetched.header("Content-Type").partition(";")[0].strip().lower() == "application/linkset"
    if is_text:
        return read(page, tuple(links_of_text(fetched.body.decode("utf-8", "replace"), fetched.url)))
    return read(page, linkset(fetched.body, fetched.url))
