"""From any address to the documents of a source: up to the Source Description, and down to all lists.

a page -> its links, /.well-known/resourcesync, robots.txt -> Source Description -> Capability List -> lists -> parts
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from gateway.core.errors import AnswerTooLarge, ConfigurationError, NotResourceSync
from harvester.sources.resourcesync.leads import WELL_KNOWN, at_root, leads_of_headers, leads_of_page, leads_of_robots
from harvester.validate.check import Undecided
from harvester.validate.resourcesync.documents import judge
from harvester.validate.resourcesync.downloads import Download, Downloads
from harvester.validate.resourcesync.memory import Memory
from harvester.validate.resourcesync.model import Document, Judged, Listed, Observer
from harvester.validate.resourcesync.observed import Observed
from harvester.validate.resourcesync.packages import PackageRules
from harvester.validate.resourcesync.reading import TERMS
from harvester.validate.resourcesync.values import KINDS, other_times
from harvester.validate.signposting.declared import is_http, normal_form

_XML = ("application/xml", "text/xml", "application/gzip", "application/x-gzip")
_TERMS = TERMS.encode()
_ZIP = b"PK\x03\x04"
_HIGHEST = 4  # documents from a list to the Source Description
_MOST_LEADS = 20  # links of a page
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


class _Path(NamedTuple):
    """The addresses from a document upwards. `is_whole`: the last one is a Source Description, or an index of them."""

    addresses: list[str]
    is_whole: bool


class Walk:
    """The documents of a source, each of which is read once."""

    def __init__(self, downloads: Downloads, judged: Judged, memory: Memory, now: float) -> None:
        self.downloads, self.judged, self.memory, self.now = downloads, judged, memory, now
        self.documents: list[Document] = []
        self.sets: list[Set] = []
        self.parts: list[tuple[Document, list[tuple[Listed, Document]]]] = []  # of indexes
        self.limit = ""  # why not everything was read
        self.unread = ""  # why some sets were not read
        self._known: dict[tuple[object, ...], Document | None] = {}
        self._peeked: dict[tuple[object, ...], Download] = {}  # answers whose documents are not judged yet
        self._visited: set[str] = set()
        self._wanted: set[tuple[object, ...]] = set()  # what the check began with, and what is above it
        self._packages = PackageRules(downloads, judged, memory, now, self._taken, self._wanted)
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
            self._visit_sitemaps(url)
            # What documents link to, so that it is judged from every starting point.
            for document in self.documents:  # grows meanwhile
                for target in (*document.linked("up")[:1], *document.linked("index")[:1]):
                    self._visit(target)
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
        """Return the addresses of the documents to begin with, the highest first.

        The start page of the host is judged from every address. Raise Undecided at a limit, and the FetchError.
        """
        download = self._asked(url)
        if download.refusal is not None and not isinstance(download.refusal, AnswerTooLarge):
            raise download.refusal
        is_page = not (_is_package(download) or _is_sitemap(download.beginning))
        leads = self._judge_leads(download) if is_page else [url]
        well_known = self._discover(url)
        start_page = at_root(url, "/")
        if normal_form(start_page) != normal_form(url):
            self._judge_leads(self._asked(start_page))
        paths = [self._path(lead) for lead in leads]
        self._wanted.update(normal_form(address) for path in paths for address in path.addresses)
        tops = [path.addresses[-1] for path in paths if path.is_whole]
        if well_known and (is_page or len(tops) < len(paths) or well_known.is_index):
            tops.append(well_known.url)
        return tops + [address for path in paths for address in reversed(path.addresses)]

    def _judge_leads(self, download: Download) -> list[str]:
        """Judge the links of a page to documents. Return their addresses."""
        leads = []
        for rule, lead in islice(self._leads(download), _MOST_LEADS):
            document = self._peek(lead)
            if document is None:
                self._judge_failure(rule, lead, f"resourcesync leads to {lead}")
                continue
            if document.capability or _is_sitemap(self._asked(lead).beginning):
                leads.append(lead)
            is_wrong = document.capability != "capabilitylist"
            sentence = f"resourcesync leads to {lead}, whose capability is {document.capability or 'unknown'}."
            self.judged.faults(document.shown, rule, is_wrong and sentence)
        return leads

    def _judge_failure(self, rule: str, url: str, sentence: str) -> None:
        download = self._asked(url)
        if download.is_failure:
            self.judged.faults(download, rule, [f"{sentence}, which brings {download.ended}."])

    def _leads(self, download: Download) -> Iterator[tuple[str, str]]:
        headers = () if download.fetched is None else download.fetched.headers
        for lead in leads_of_headers(headers, download.url):
            yield "discovery.link", lead
        for lead in leads_of_page(download.beginning, download.url):
            yield "discovery.page", lead

    def _discover(self, url: str) -> Document | None:
        """Judge what is at the well-known address. Return it if it is a document."""
        address = at_root(url, WELL_KNOWN)
        download = self._asked(address)
        missing = not download.is_success and f"{address} brings {download.ended}."
        self.judged.faults(download, "discovery.well-known", missing)
        document = self._peek(address)
        if document is None:
            return None
        is_wrong = document.capability != "description"
        sentence = f"Its capability is {document.capability or 'unknown'}."
        self.judged.faults(document.shown, "discovery.description", is_wrong and sentence)
        return document if document.capability else None

    def _path(self, start: str) -> _Path:
        """Return the way up from a document, by its links up, or to its index if it has none."""
        addresses = [start]
        while len(addresses) <= _HIGHEST:
            document = self._peek(addresses[-1])
            if document is None:
                break
            is_top = document.capability == "description"
            links = document.linked("index") if is_top else document.linked("up") or document.linked("index")
            above = next((link for link in links if link not in addresses), "")
            if above:
                addresses.append(above)
            if is_top or not above:
                return _Path(addresses, is_top)
        return _Path(addresses, is_whole=False)

    def _visit_sitemaps(self, url: str) -> None:
        """Visit and judge the lists that robots.txt names, unless they are of another source or beyond the limits."""
        for sitemap in self._sitemaps(url):
            if self.known(sitemap) is None:
                download = self._asked(sitemap)
                self._judge_failure("discovery.robots", sitemap, f"robots.txt names {sitemap}")
                if not download.is_success or not is_document(download.beginning):
                    continue  # a plain sitemap is none of the documents
                path = self._path(sitemap)
                is_unread = bool(self.unread) or self.known(path.addresses[-1]) is None
                if self.documents and path.is_whole and is_unread:
                    continue
                for address in reversed(path.addresses):
                    self._visit(address)
            document = self.known(sitemap)
            if document is not None:
                is_wrong = document.capability != "resourcelist"
                sentence = f"robots.txt names {document.url}, whose capability is {document.capability or 'unknown'}."
                self.judged.faults(document.shown, "discovery.robots", is_wrong and sentence)

    def _sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the first sitemaps that robots.txt of the host names."""
        with closing(self.downloads.get(at_root(url, "/robots.txt"))) as download:
            return leads_of_robots(download.beginning, download.url)[:_MOST_SITEMAPS] if download.is_success else ()

    def _asked(self, url: str) -> Download:
        """Return the answer of an address, which stays open. Raise Undecided at a limit."""
        key = normal_form(url)
        if key not in self._peeked:
            self._peeked[key] = self.downloads.get(url)
        return self._peeked[key]

    def _taken(self, url: str) -> Download:
        """Return the answer of an address; the caller closes it. Raise Undecided at a limit."""
        return self._peeked.pop(normal_form(url), None) or self.downloads.get(url)

    def _peek(self, url: str) -> Document | None:
        """Return a document without verdicts: who keeps its resources is not known yet. Raise Undecided at a limit.

        That of a package is its manifest.
        """
        key = normal_form(url)
        if key in self._known:
            return self._known[key]
        download = self._asked(url)
        if not download.is_success:
            return None
        if _is_package(download):
            return self._packages.manifest(download)
        return self.peeked(download)

    def peeked(self, download: Download) -> Document:
        """Return the document of an answer without verdicts."""
        document = Document((download.request.url,), download)
        return judge(document, download.parts, Judged(), Observer(), self.now)

    def _visit(self, url: str) -> None:
        """Visit a document and what it lists, and first the index that it is a part of."""
        if normal_form(url) in self._known or not is_http(url):
            return
        download = self._asked(url)
        if _is_package(download):
            if url not in self._packages.judged_urls:
                self._packages.judge(download, Listed(url, {}), None)
            return
        peeked = self._peek(url)
        observed = self._observer()
        root = None if peeked is None else self._index_of(peeked, observed)
        if root is None or root is peeked:
            root = self.document(url, observed)
        if root is None or root.kind is None:
            return
        if root.capability not in ("description", "capabilitylist"):
            self.sets.append(Set(observed, {root.capability: root}))
        self.follow(root, observed)
        self.document(url, observed)

    def _index_of(self, part: Document, observer: Observer) -> Document:
        """Return the index that a part of a list leads to and that lists it, else the part."""
        if part.is_index or part.kind is None or part.kind.parts is None:
            return part
        for address in part.linked("index")[:1]:
            index = self._peek(address)
            if index is None or not index.is_index or index.capability != part.capability:
                continue
            names = {normal_form(url) for url in part.urls}
            if any(normal_form(listed.loc) in names for listed in index.listed):
                return self.document(address, observer) or part
        return part

    # -- down -----------------------------------------------------------------------------------------------------

    def follow(self, document: Document, observed: Observed, depth: int = 0) -> None:
        """Visit what a document lists. Raise Undecided at a limit."""
        if document.url in self._visited or depth > _DEEPEST:
            return
        if document.capability == "description":
            self._visited.add(document.url)
            most = self.downloads.limits.lists
            if len(document.listed) > most:
                self.unread = f"The limit of {most} Capability Lists was reached."
            # The set that the check began with is first.
            by_order = sorted(document.listed, key=lambda listed: normal_form(listed.loc) not in self._wanted)
            for listed in by_order[:most]:
                observed = self._observer()
                below = self.document(listed.loc, observed)
                if below is not None:
                    expected = "description" if document.is_index else "capabilitylist"
                    self._judge_same("capabilities.same", below, expected, document)
                    self.follow(below, observed, depth + 1)
        elif document.capability == "capabilitylist":
            self._visited.add(document.url)
            self._follow_set(document)
        else:
            self._follow_list(document, observed)

    def _follow_set(self, capability_list: Document) -> None:
        observed = self._observer()
        resource_set = Set(observed)
        self.sets.append(resource_set)
        rank = {capability: number for number, capability in enumerate(_ORDER)}
        by_order = sorted(
            capability_list.listed, key=lambda listed: rank.get(listed.md.get("capability", ""), len(_ORDER))
        )
        for listed in by_order:
            capability = listed.md.get("capability", "")
            if capability in ("change-notification", "framework-notification"):
                continue  # the address of a topic
            observer: Observer = Observer() if capability in resource_set.roots else observed
            if capability == "resourcelist" and observer is observed:
                observed.before = self.memory.inventory(listed.loc)
            root = self.document(listed.loc, observer)
            if root is None:
                continue
            if capability in KINDS:
                self._judge_same("capabilities.same", root, capability, capability_list)
                root = self._index_of(root, observer)
                resource_set.roots.setdefault(capability, root)
            self._follow_list(root, observer)

    def _follow_list(self, document: Document, observed: Observer, depth: int = 0) -> None:
        if document.kind is None or document.url in self._visited:
            return
        self._visited.add(document.url)
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
                old = self.document(listed.loc, Observer())
                if old is not None:
                    self._judge_same("archive.same", old, document.capability.removesuffix("-archive"), document)
                    wrong = other_times(listed.md, old.md)
                    sentences = (f"{name} of {old.url} is {one} here, and {other} there." for name, one, other in wrong)
                    self.judged.faults(document.shown, "archive.times", sentences)

    def _judge_same(self, rule: str, document: Document, expected: str, by: Document) -> None:
        sentence = f"{by.url} lists it as {expected}, and its capability is {document.capability or 'unknown'}."
        is_wrong = bool(document.md.get("capability")) and document.capability not in ("", expected)
        self.judged.faults(document.shown, rule, is_wrong and sentence)

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
            with closing(self._taken(url)) as download:
                self.judged.faults(download, "answer.works", download.is_failure and f"It brings {download.ended}.")
                self._known[key] = None
                if download.is_success:
                    self._read(url, download, observer or Observer())
        return self._known[key]

    def _read(self, url: str, download: Download, observer: Observer) -> Document:
        is_xml = download.media_type in _XML or download.media_type.endswith("+xml")
        stated = download.header("Content-Type") or "missing"
        self.judged.faults(download, "answer.content-type", not is_xml and f"Content-Type is {stated}.")
        if download.charset not in ("", "utf-8", "us-ascii"):
            self.judged.fault("xml.encoding", download, f"Content-Type has the charset {download.charset}.")
        document = Document(tuple(dict.fromkeys((url, download.url))), download)
        judge(document, download.parts, self.judged, observer, self.now)
        self.documents.append(document)
        for address in document.urls:
            self._known[normal_form(address)] = document
        self.memory.document(document)
        return document


def is_document(beginning: bytes) -> bool:
    """Return whether bytes look like a sitemap with elements of ResourceSync."""
    return _TERMS in beginning and _is_sitemap(beginning)


def _is_sitemap(beginning: bytes) -> bool:
    """Return whether bytes look like a document, with whatever faults."""
    head = beginning[:2000].lower()
    return beginning.startswith(b"\x1f\x8b") or b"<urlset" in head or b":urlset" in head or b"sitemapindex" in head


def _is_package(download: Download) -> bool:
    return download.beginning.startswith(_ZIP)
