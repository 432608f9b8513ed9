"""From any address to the documents of a source: up to the Source Description, and down to all lists.

a page -> its links, /.well-known/resourcesync, robots.txt -> Source Description -> Capability List -> lists -> parts
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gateway.errors import AnswerTooLarge, ConfigurationError, NotResourceSync
from harvester.sources.resourcesync.leads import WELL_KNOWN, at_root, leads_of_headers, leads_of_page, leads_of_robots
from harvester.validate.check import Undecided
from harvester.validate.resourcesync.documents import judge
from harvester.validate.resourcesync.downloads import Download, Downloads
from harvester.validate.resourcesync.judged import Judged
from harvester.validate.resourcesync.kinds import KINDS
from harvester.validate.resourcesync.memory import Memory
from harvester.validate.resourcesync.model import Document, Listed, Observer
from harvester.validate.resourcesync.observed import Observed, Unobserved
from harvester.validate.resourcesync.packages import PackageRules
from harvester.validate.resourcesync.reading import TERMS
from harvester.validate.signposting.declared import normal_form

_XML = ("application/xml", "text/xml", "application/gzip", "application/x-gzip")
_TERMS = TERMS.encode()
_ZIP = b"PK\x03\x04"
_HIGHEST = 4  # documents from a list to the Source Description
_DEEPEST = 3  # indexes in indexes
_MOST_SITEMAPS = 3  # of a robots.txt
_MOST_ARCHIVED = 3  # documents of an archive
_BEGINNING = 500_000  # bytes of a page; its head stands at the beginning
# Resource Lists first: a change that comes meanwhile is then in the Change List.
_ORDER = ("resourcelist", "resourcedump", "changelist", "changedump")


@dataclass(slots=True)
class Set:
    """One set of resources: its Capability List, the documents of its lists by capability, and what was kept."""

    capability_list: Document
    observed: Observed
    roots: dict[str, Document] = field(default_factory=dict)  # the list or index that the Capability List names


class Walk:
    """The documents of a source, each of which is read once."""

    def __init__(self, downloads: Downloads, judged: Judged, memory: Memory, now: float) -> None:
        """Take the requests, the verdicts, the memory of earlier runs, and the Unix time."""
        self.downloads, self.judged, self.memory, self.now = downloads, judged, memory, now
        self.documents: list[Document] = []
        self.sets: list[Set] = []
        self.parts: list[tuple[Document, list[tuple[Listed, Document]]]] = []  # of indexes
        self.limit = ""  # why not everything was read
        self._known: dict[tuple[object, ...], Document | None] = {}
        self._visited: set[str] = set()
        self._packages = PackageRules(downloads, judged, memory, now)
        self._packages.documents = self.documents

    # -- up and down ----------------------------------------------------------------------------------------------

    def begin(self, url: str) -> None:
        """Visit everything from an address.

        Raise NotResourceSync when it leads to no document, ConfigurationError when the limits allow none, and the
        FetchError.
        """
        starts: list[Document] = []
        try:
            self._begin(url, starts)
            for start in starts:
                self.follow(self._climbed(start))
        except Undecided as reason:
            self.limit = str(reason)
        if not self.documents:
            if self.limit:
                raise ConfigurationError(f"{self.limit} No document was read.")
            raise NotResourceSync(
                f"{url} is not a ResourceSync document, and its links, {WELL_KNOWN} and robots.txt do not lead to one."
            )

    def _begin(self, url: str, starts: list[Document]) -> None:
        """Add the documents that an address leads to. Raise Undecided at a limit, and the FetchError."""
        download = self.downloads.get(url)
        if download.refusal is not None and not isinstance(download.refusal, AnswerTooLarge):
            raise download.refusal
        try:
            starts.extend(self._starts(url, download))
        finally:
            download.close()

    def _starts(self, url: str, download: Download) -> Iterator[Document]:
        beginning = download.beginning
        if beginning.startswith(_ZIP):
            self._packages.judge(download, Listed(url, {}), None)
            return
        if _is_sitemap(beginning):
            document = self._read(url, download, self._observer(None))
            yield document
            self._discover(url)
            return
        is_led = False
        for rule, lead in self._leads(download):
            document_of_lead = self.document(lead)
            is_led = is_led or document_of_lead is not None
            if document_of_lead is not None:
                self._judge_lead(rule, document_of_lead)
                yield document_of_lead
        description = self._discover(url)
        if description is not None:
            yield description
        elif not is_led:
            yield from self._of_robots(url)

    def _leads(self, download: Download) -> Iterator[tuple[str, str]]:
        headers = () if download.fetched is None else download.fetched.headers
        for lead in leads_of_headers(headers, download.url):
            yield "discovery.link", lead
        for lead in leads_of_page(download.beginning[:_BEGINNING], download.url):
            yield "discovery.page", lead

    def _judge_lead(self, rule: str, document: Document) -> None:
        is_wrong = document.capability != "capabilitylist"
        sentence = f"resourcesync leads to {document.url}, whose capability is {document.capability or 'unknown'}."
        self.judged.faults(document.shown, rule, [sentence] if is_wrong else [])

    def _discover(self, url: str) -> Document | None:
        """Judge what is at the well-known address, and what robots.txt names. Return the Source Description."""
        address = at_root(url, WELL_KNOWN)
        known = self._known.get(normal_form(address))
        document = known
        if known is None:
            download = self.downloads.get(address)
            try:
                missing = [] if download.is_success else [f"{address} brings {download.ended}."]
                self.judged.faults(download, "discovery.well-known", missing)
                if download.is_success:
                    document = self._read(address, download, Unobserved())
            finally:
                download.close()
        else:
            self.judged.applied(known.shown, ("discovery.well-known",))
        if document is not None:
            is_wrong = document.capability != "description"
            sentence = f"Its capability is {document.capability or 'unknown'}."
            self.judged.faults(document.shown, "discovery.description", [sentence] if is_wrong else [])
        return document if document is not None and document.capability else None

    def _of_robots(self, url: str) -> Iterator[Document]:
        """Yield the ResourceSync documents that robots.txt names; plain sitemaps are none."""
        for sitemap in self.sitemaps(url):
            download = self.downloads.get(sitemap)
            try:
                if _TERMS in download.beginning:
                    yield self._read(sitemap, download, self._observer(None))
            finally:
                download.close()

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the first sitemaps that robots.txt of the host names."""
        download = self.downloads.get(at_root(url, "/robots.txt"))
        try:
            return leads_of_robots(download.beginning, download.url)[:_MOST_SITEMAPS] if download.is_success else ()
        finally:
            download.close()

    def _climbed(self, start: Document) -> Document:
        """Return the document to begin with: the Capability List of a list; read its Source Description too."""
        document = start
        for _ in range(_HIGHEST):
            if document.capability in ("description", "capabilitylist"):
                break
            above = next(iter(document.linked("up")), "")
            higher = self.document(above) if above else None
            if higher is None:
                return start
            document = higher
        if document.capability == "capabilitylist":
            for above in document.linked("up")[:1]:
                self.document(above)
            if start.capability not in ("capabilitylist", "description") and not _names(document, start):
                self.follow(start)
        return document

    def follow(self, document: Document, depth: int = 0) -> None:
        """Visit what a document lists. Raise Undecided at a limit."""
        if document.url in self._visited or depth > _DEEPEST:
            return
        self._visited.add(document.url)
        if document.capability == "description":
            for listed in document.listed[: self.downloads.limits.lists]:
                below = self.document(listed.loc)
                if below is not None:
                    expected = "description" if document.is_index else "capabilitylist"
                    self._judge_same("capabilities.same", below, expected, document)
                    self.follow(below, depth + 1)
        elif document.capability == "capabilitylist":
            self._follow_set(document)
        elif document.kind is not None:
            self._follow_list(document, self._observer(document))

    def _follow_set(self, capability_list: Document) -> None:
        observed = self._observer(None)
        assert isinstance(observed, Observed)
        resource_set = Set(capability_list, observed)
        self.sets.append(resource_set)
        by_order = sorted(capability_list.listed, key=lambda listed: _rank(listed.md.get("capability", "")))
        for listed in by_order:
            capability = listed.md.get("capability", "")
            if capability in ("change-notification", "framework-notification"):
                continue  # the address of a topic
            observer: Observer = Unobserved() if capability in resource_set.roots else observed
            if capability == "resourcelist" and observer is observed:
                observed.before = self.memory.inventory(listed.loc)
            root = self.document(listed.loc, observer)
            if root is None:
                continue
            if capability in KINDS:
                self._judge_same("capabilities.same", root, capability, capability_list)
                resource_set.roots.setdefault(capability, root)
            self._follow_list(root, observer)

    def _follow_list(self, document: Document, observed: Observer, depth: int = 0) -> None:
        self._visited.add(document.url)
        if document.kind is None:
            return
        if document.is_index and depth < _DEEPEST:
            parts: list[tuple[Listed, Document]] = []
            self.parts.append((document, parts))
            for listed in document.listed:
                part = self.document(listed.loc, observed)
                if part is None:
                    continue
                parts.append((listed, part))
                self._judge_same("index.same", part, document.capability, document)
                self._follow_list(part, observed, depth + 1)
        elif document.kind.lists == "packages":
            self._packages.of_dump(document)
        elif document.capability.endswith("-archive"):
            for listed in document.listed[:_MOST_ARCHIVED]:
                old = self.document(listed.loc, Unobserved())
                if old is not None:
                    self._judge_same("archive.same", old, document.capability.removesuffix("-archive"), document)

    def _judge_same(self, rule: str, document: Document, expected: str, by: Document) -> None:
        sentence = f"{by.url} lists it as {expected}, and its capability is {document.capability or 'unknown'}."
        is_wrong = bool(document.md.get("capability")) and document.capability not in ("", expected)
        self.judged.faults(document.shown, rule, [sentence] if is_wrong else [])

    # -- documents ------------------------------------------------------------------------------------------------

    def _observer(self, _document: Document | None) -> Observed:
        return Observed(self.downloads.limits.fetch, is_compared=self.memory.is_kept)

    def known(self, url: str) -> Document | None:
        """Return a document that was read, by its address."""
        return self._known.get(normal_form(url))

    def document(self, url: str, observer: Observer | None = None) -> Document | None:
        """Return the document at an address; None when there is none. Raise Undecided at a limit."""
        key = normal_form(url)
        if key not in self._known:
            download = self.downloads.get(url)
            try:
                failed = [f"It brings {download.ended}."] if download.is_failure else []
                self.judged.faults(download, "answer.works", failed)
                self._known[key] = None
                if download.is_success:
                    self._read(url, download, observer or self._observer(None))
            finally:
                download.close()
        return self._known[key]

    def _read(self, url: str, download: Download, observer: Observer) -> Document:
        is_xml = download.media_type in _XML or download.media_type.endswith("+xml")
        stated = download.header("Content-Type") or "missing"
        self.judged.faults(download, "answer.content-type", [] if is_xml else [f"Content-Type is {stated}."])
        document = Document(tuple(dict.fromkeys((url, download.url))), download)
        judge(document, download.parts, self.judged, observer, self.now)
        self.documents.append(document)
        for address in document.urls:
            self._known[normal_form(address)] = document
        self.memory.document(document)
        return document


def _is_sitemap(beginning: bytes) -> bool:
    """Return whether bytes look like a document, with whatever faults."""
    head = beginning[:2000].lower()
    return beginning.startswith(b"\x1f\x8b") or b"<urlset" in head or b":urlset" in head or b"sitemapindex" in head


def _names(capability_list: Document, document: Document) -> bool:
    wanted = {normal_form(url) for url in (*document.urls, *document.linked("index"))}
    return any(normal_form(listed.loc) in wanted for listed in capability_list.listed)


def _rank(capability: str) -> int:
    return _ORDER.index(capability) if capability in _ORDER else len(_ORDER)
