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
from harvester.validate.resourcesync.values import other_times
from harvester.validate.signposting.declared import normal_form

_XML = ("application/xml", "text/xml", "application/gzip", "application/x-gzip")
_TERMS = TERMS.encode()
_ZIP = b"PK\x03\x04"
_HIGHEST = 4  # documents from a list to the Source Description
_DEEPEST = 3  # indexes in indexes
_MOST_SITEMAPS = 3  # of a robots.txt
_MOST_ARCHIVED = 3  # documents of an archive
# Resource Lists first: a change that comes meanwhile is then in the Change List.
_ORDER = ("resourcelist", "resourcedump", "changelist", "changedump")


@dataclass(slots=True)
class Set:
    """One set of resources: the lists or indexes that its Capability List names, by capability, and what was kept."""

    observed: Observed
    roots: dict[str, Document] = field(default_factory=dict)


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
        self._peeked: dict[tuple[object, ...], Download] = {}  # answers whose documents are not judged yet
        self._visited: set[str] = set()
        self._packages = PackageRules(downloads, judged, memory, now)
        self._packages.documents = self.documents

    # -- where to begin -------------------------------------------------------------------------------------------

    def begin(self, url: str) -> None:
        """Visit everything from an address.

        Raise NotResourceSync when it leads to no document, ConfigurationError when the limits allow none, and the
        FetchError.
        """
        try:
            for start in self._starts(url):
                self._visit(start)
        except Undecided as reason:
            self.limit = str(reason)
        if not self.documents:
            if self.limit:
                raise ConfigurationError(f"{self.limit} No document was read.")
            raise NotResourceSync(
                f"{url} is not a ResourceSync document, and its links, {WELL_KNOWN} and robots.txt do not lead to one."
            )

    def close(self) -> None:
        """Remove the answers that were not judged."""
        for download in self._peeked.values():
            download.close()

    def _starts(self, url: str) -> list[str]:
        """Return the addresses of the documents to begin with. Raise Undecided at a limit, and the FetchError."""
        download = self._asked(url)
        if download.refusal is not None and not isinstance(download.refusal, AnswerTooLarge):
            raise download.refusal
        beginning = download.beginning
        if beginning.startswith(_ZIP):
            self._packages.judge(download, Listed(url, {}), None)
            return []
        if _is_sitemap(beginning):
            self._discover(url)
            return [url]
        starts = []
        for rule, lead in self._leads(download):
            document = self._peek(lead)
            if document is None:
                continue
            starts.append(lead)
            is_wrong = document.capability != "capabilitylist"
            sentence = f"resourcesync leads to {lead}, whose capability is {document.capability or 'unknown'}."
            self.judged.faults(document.shown, rule, [sentence] if is_wrong else [])
        starts += self._discover(url)
        return starts or [sitemap for sitemap in self.sitemaps(url) if self._is_with_terms(sitemap)]

    def _leads(self, download: Download) -> Iterator[tuple[str, str]]:
        headers = () if download.fetched is None else download.fetched.headers
        for lead in leads_of_headers(headers, download.url):
            yield "discovery.link", lead
        for lead in leads_of_page(download.beginning, download.url):
            yield "discovery.page", lead

    def _discover(self, url: str) -> list[str]:
        """Judge what is at the well-known address. Return that address if there is a document."""
        address = at_root(url, WELL_KNOWN)
        download = self._asked(address)
        missing = [] if download.is_success else [f"{address} brings {download.ended}."]
        self.judged.faults(download, "discovery.well-known", missing)
        document = self._peek(address)
        if document is None:
            return []
        is_wrong = document.capability != "description"
        sentence = f"Its capability is {document.capability or 'unknown'}."
        self.judged.faults(document.shown, "discovery.description", [sentence] if is_wrong else [])
        return [address] if document.capability else []

    def _is_with_terms(self, sitemap: str) -> bool:
        """Return whether a sitemap has elements of ResourceSync; plain ones are none of its documents."""
        return _TERMS in self._asked(sitemap).beginning

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the first sitemaps that robots.txt of the host names."""
        download = self.downloads.get(at_root(url, "/robots.txt"))
        try:
            return leads_of_robots(download.beginning, download.url)[:_MOST_SITEMAPS] if download.is_success else ()
        finally:
            download.close()

    def _asked(self, url: str) -> Download:
        """Return the answer of an address, which stays open. Raise Undecided at a limit."""
        key = normal_form(url)
        if key not in self._peeked:
            self._peeked[key] = self.downloads.get(url)
        return self._peeked[key]

    def _peek(self, url: str) -> Document | None:
        """Return a document without verdicts: who keeps its resources is not known yet. Raise Undecided at a limit."""
        key = normal_form(url)
        if key in self._known:
            return self._known[key]
        download = self._asked(url)
        if not download.is_success:
            return None
        document = Document((url,), download)
        return judge(document, download.parts, Judged(), Unobserved(), self.now)

    def _visit(self, start: str) -> None:
        """Visit the set of resources that a document belongs to, and the document itself."""
        for url in (self._top(start), start):
            if normal_form(url) not in self._known:
                self._visit_alone(url)

    def _visit_alone(self, url: str) -> None:
        observed = self._observer()
        document = self.document(url, observed)
        if document is None or document.kind is None:
            return
        if document.capability not in ("description", "capabilitylist"):
            self.sets.append(Set(observed, {document.capability: document}))
        self.follow(document, observed)

    def _top(self, start: str) -> str:
        """Return the address of the Capability List or Source Description above a document, else its own."""
        url = start
        for _ in range(_HIGHEST):
            document = self._peek(url)
            if document is None:
                break
            if document.capability in ("description", "capabilitylist"):
                return url
            url = next(iter(document.linked("up")), "")
            if not url:
                break
        return start

    # -- down -----------------------------------------------------------------------------------------------------

    def follow(self, document: Document, observed: Observed, depth: int = 0) -> None:
        """Visit what a document lists. Raise Undecided at a limit."""
        if document.url in self._visited or depth > _DEEPEST:
            return
        self._visited.add(document.url)
        if document.capability == "description":
            for listed in document.listed[: self.downloads.limits.lists]:
                observed = self._observer()
                below = self.document(listed.loc, observed)
                if below is not None:
                    expected = "description" if document.is_index else "capabilitylist"
                    self._judge_same("capabilities.same", below, expected, document)
                    self.follow(below, observed, depth + 1)
        elif document.capability == "capabilitylist":
            self._follow_set(document)
        else:
            self._follow_list(document, observed)

    def _follow_set(self, capability_list: Document) -> None:
        observed = self._observer()
        resource_set = Set(observed)
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
                    wrong = other_times(listed.md, old.md)
                    sentences = (f"{name} of {old.url} is {one} here, and {other} there." for name, one, other in wrong)
                    self.judged.faults(document.shown, "archive.times", sentences)

    def _judge_same(self, rule: str, document: Document, expected: str, by: Document) -> None:
        sentence = f"{by.url} lists it as {expected}, and its capability is {document.capability or 'unknown'}."
        is_wrong = bool(document.md.get("capability")) and document.capability not in ("", expected)
        self.judged.faults(document.shown, rule, [sentence] if is_wrong else [])

    # -- documents ------------------------------------------------------------------------------------------------

    def _observer(self) -> Observed:
        limits = self.downloads.limits
        most = limits.requests if limits.fetch is None else limits.fetch
        return Observed(most, is_compared=self.memory.is_kept)

    @property
    def has_other_sets(self) -> bool:
        """Return whether a Source Description names Capability Lists that were not followed."""
        descriptions = (document for document in self.documents if document.capability == "description")
        return any(listed.loc not in self._visited for document in descriptions for listed in document.listed)

    def known(self, url: str) -> Document | None:
        """Return a document that was read, by its address."""
        return self._known.get(normal_form(url))

    def document(self, url: str, observer: Observer | None = None) -> Document | None:
        """Return the document at an address; None when there is none. Raise Undecided at a limit."""
        key = normal_form(url)
        if key not in self._known:
            download = self._peeked.pop(key, None) or self.downloads.get(url)
            try:
                failed = [f"It brings {download.ended}."] if download.is_failure else []
                self.judged.faults(download, "answer.works", failed)
                self._known[key] = None
                if download.is_success:
                    self._read(url, download, observer or Unobserved())
            finally:
                download.close()
        return self._known[key]

    def _read(self, url: str, download: Download, observer: Observer) -> Document:
        is_xml = download.media_type in _XML or download.media_type.endswith("+xml")
        stated = download.header("Content-Type") or "missing"
        self.judged.faults(download, "answer.content-type", [] if is_xml else [f"Content-Type is {stated}."])
        if download.charset not in ("", "utf-8", "us-ascii"):
            self.judged.fault("xml.encoding", download, f"Content-Type has the charset {download.charset}.")
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


def _rank(capability: str) -> int:
    return _ORDER.index(capability) if capability in _ORDER else len(_ORDER)
