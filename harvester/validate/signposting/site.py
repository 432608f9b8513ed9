"""Facts about a landing page and what it links to, requested when a check first needs them."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urljoin

from gateway.core.typed_links import JSON, TEXT
from harvester.http.urls import host_of
from harvester.validate.check import Undecided, rules
from harvester.validate.client import essence
from harvester.validate.signposting.declared import Declared, is_http, is_same, of_header, of_json, of_page, of_text
from harvester.validate.signposting.visits import Visit, Visits

RULES = rules(__file__, "FAIR Signposting Profile")
HTML = "text/html, application/xhtml+xml, */*;q=0.5"
_PAGES = ("text/html", "application/xhtml+xml")
# Pages have links of the first relations, content and metadata of the others (FAIR Signposting Profile §2.1).
_OF_PAGES = frozenset(("cite-as", "describedby", "item"))
_OF_PARTS = ("collection", "describes")
_WELL_KNOWN = "/.well-known/api-catalog"


class LinkSet(NamedTuple):
    """A link set that the page names: the link to it, its answer, its form (empty: unknown), and its links."""

    declared: Declared
    visit: Visit
    form: str
    links: tuple[Declared, ...]


class Target(NamedTuple):
    """A resource that the page links to, and its answer to HEAD."""

    declared: Declared
    head: Visit


class Site:
    """The facts of one landing page. Raise Undecided where a fact is missing, or a limit is reached."""

    def __init__(self, url: str, conversation: Visits, part: Visit | None = None) -> None:
        self.url = url
        self.conversation = conversation
        self.part = part
        self._targets: dict[str, tuple[Target, ...]] = {}

    @property
    def asked(self) -> Visit:
        """The answer of the page to GET, of any status."""
        return self.conversation.ask(self.url, accept=HTML)

    @property
    def page(self) -> Visit:
        """The answer of the page to GET. Raise Undecided unless its status is one of success."""
        visit = self.asked
        if not visit.is_success:
            raise Undecided(f"The page brings {visit.ended}.")
        return visit

    @property
    def address(self) -> str:
        """The address of the page, after all redirects. Raise Undecided as `page` does."""
        return self.page.url

    @property
    def head(self) -> Visit:
        """The answer of the page to HEAD."""
        return self.conversation.ask(self.address, method="HEAD", accept=HTML)

    def is_page(self, url: str) -> bool:
        """Return whether an address is that of the page. Raise Undecided as `page` does."""
        return is_same(url, self.address)

    # -- links ----------------------------------------------------------------------------------------------------

    @cached_property
    def _level1(self) -> tuple[Declared, ...]:
        of_elements = of_page(self.page) if self.page.media_type in _PAGES else iter(())
        return (*of_header(self.page), *of_elements)

    def level1(self, rel: str = "") -> list[Declared]:
        """Return the links from the page, of one relation or of all, in its headers and its head."""
        self.page  # noqa: B018 - the check consults it
        return [one for one in self._level1 if (not rel or one.link.rel == rel) and self.is_page(one.link.anchor)]

    @cached_property
    def _linksets(self) -> tuple[LinkSet, ...]:
        links = {(one.link.href, one.link.type): one for one in reversed(self.level1("linkset"))}
        return tuple(self.linkset_at(one) for one in reversed(links.values()))

    @property
    def linksets(self) -> tuple[LinkSet, ...]:
        """The link sets that the page names. Raise Undecided when there is none."""
        if not self._linksets:
            raise Undecided("The page names no link set.")
        return self._linksets

    def linkset_at(self, declared: Declared) -> LinkSet:
        """Return the link set that a link leads to."""
        stated = declared.link.type
        visit = self.conversation.ask(declared.link.href, accept=stated)
        form = next((form for form in (stated, visit.media_type) if form in (TEXT, JSON)), "")
        readers = {TEXT: of_text, JSON: of_json}
        links = tuple(readers[form](visit)) if visit.is_success and form else ()
        return LinkSet(declared, visit, form, links)

    @cached_property
    def _level2(self) -> dict[str, list[Declared]]:
        by_relation: dict[str, list[Declared]] = {}
        for linkset in self._linksets:
            for one in linkset.links:
                if self.is_page(one.link.anchor):
                    by_relation.setdefault(one.link.rel, []).append(one)
        return by_relation

    def links(self, rel: str) -> list[Declared]:
        """Return the links of a relation from the page at both levels, each target and media type once."""
        both = [*self.level1(rel), *self._level2.get(rel, ())]
        return list({(one.link.href, essence(one.link.type)): one for one in reversed(both)}.values())[::-1]

    # -- what the page links to ------------------------------------------------------------------------------------

    def targets(self, rel: str) -> tuple[Target, ...]:
        """Return the first targets of a relation, as many as the limit allows, each with its answer to HEAD."""
        if rel not in self._targets:
            links = {one.link.href: one for one in reversed(self.links(rel)) if is_http(one.link.href)}
            part = () if self.part is None else {self.part.request.url: None, self.part.url: None}
            first = [links.pop(url) for url in part if url in links]
            chosen = [*first, *list(links.values())[::-1]][: self.conversation.limits.links]
            ask = self.conversation.ask
            self._targets[rel] = tuple(
                Target(one, ask(one.link.href, method="HEAD", accept=accepted(one))) for one in chosen
            )
        return self._targets[rel]

    def own(self, rel: str) -> list[Target]:
        """Return the targets on the host of the page that answer with success: on others it may have no say."""
        host = host_of(self.address)
        return [target for target in self.targets(rel) if target.head.is_success and host_of(target.head.url) == host]

    @property
    def with_headers(self) -> Iterator[Visit]:
        """The answers that have a Link header: of the page, the link sets, the metadata and the content."""
        visits: Iterable[Visit] = (
            self.page,
            *(linkset.visit for linkset in self._linksets),
            *(target.head for rel in ("describedby", "item") for target in self.targets(rel)),
        )
        seen: set[int] = set()
        for visit in visits:
            if visit.link_header and id(visit) not in seen:
                seen.add(id(visit))
                yield visit

    @property
    def declared(self) -> Iterator[Declared]:
        """All links in headers and link sets; those of `link` elements follow other rules."""
        for visit in self.with_headers:
            yield from of_header(visit)
        for linkset in self._linksets:
            yield from linkset.links

    # -- the catalogue of the host ---------------------------------------------------------------------------------

    @property
    def catalog_links(self) -> list[Declared]:
        """The api-catalog links of the page and of the catalogue."""
        known = [one for one in of_header(self.page) if one.link.rel == "api-catalog"]
        return known or [one for one in of_header(self.catalog_head) if one.link.rel == "api-catalog"]

    @property
    def catalog_address(self) -> str:
        """Where the catalogue should be."""
        return urljoin(self.address, _WELL_KNOWN)

    @property
    def catalog_head(self) -> Visit:
        """The answer of the catalogue to HEAD."""
        return self.conversation.ask(self.catalog_address, method="HEAD", accept=JSON)

    @property
    def catalog(self) -> Visit:
        """The catalogue. Raise Undecided when the host has none."""
        linked = next((one.link.href for one in of_header(self.page) if one.link.rel == "api-catalog"), "")
        visit = self.conversation.ask(linked or self.catalog_address, accept=JSON)
        if not visit.is_success:
            raise Undecided(f"The host has no FAIRiCat: {self.catalog_address} brings {visit.ended}.")
        return visit


def page_of(visit: Visit) -> str:
    """Return the landing page that content or metadata names, the first of several; empty for what is a page itself.

    HTML that names several may be a page that is in several collections.
    """
    own = [one.link for one in of_header(visit) if is_same(one.link.anchor, visit.url)]
    if {link.rel for link in own} & _OF_PAGES:
        return ""
    pages = list(dict.fromkeys(link.href for link in own if link.rel in _OF_PARTS and is_http(link.href)))
    return pages[0] if len(pages) == 1 or (pages and visit.media_type not in _PAGES) else ""


def accepted(declared: Declared) -> str:
    """Return what to accept at the target of a link: its type, else anything."""
    return essence(declared.link.type) or "*/*"
