"""From any starting point to the sets of resources of a source, and the documents that tell of each (Z39.99 §6.3).

a page -> its links -> /.well-known/resourcesync -> robots.txt -> Source Description -> Capability List -> lists
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gateway.errors import AnswerError, ConfigurationError, FetchError, NotResourceSync
from gateway.model import Cursor, RawPage
from harvester.resourcesync.asking import asked, kept
from harvester.sources import Options
from harvester.wire.entries import Entry, Head
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.leads import WELL_KNOWN, at_root, leads_of_headers, leads_of_page, leads_of_robots
from harvester.wire.resourcesync import Document, read

LISTS = ("resourcelist", "resourcedump", "changelist", "changedump")
ARCHIVES = tuple(f"{each}-archive" for each in LISTS)
NO_BEGINNING = "{} names neither a Resource List nor a Resource Dump to begin with."
CHANNELS = ("change-notification", "framework-notification")
_DEEPEST = 4  # a description index, a description, a Capability List, and one more for those who nest


class ResourceSet(NamedTuple):
    """One set of resources: the address of its Capability List, or of the only list that is known of it.

    `lists` are the addresses of its documents by capability, `channels` the entries of those who notify of changes.
    """

    url: str
    lists: Mapping[str, str]
    channels: tuple[Entry, ...] = ()

    @property
    def has_beginning(self) -> bool:
        """Tell whether it can be harvested from nothing: changes alone do not tell what there is."""
        return "resourcelist" in self.lists or "resourcedump" in self.lists


@dataclass
class Found:
    """What was found: the sets, the answers in which they were found, and sentences about what could not be read.

    `doubts` are the reasons why the sets may not have all.
    """

    sets: list[ResourceSet] = field(default_factory=list)
    pages: list[RawPage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    received_at: int = 0  # the first of them


def find(options: Options, fetch: Fetch) -> Found:
    """Find the sets of resources behind an address.

    Raise NotResourceSync when nothing leads to any, what `fetch` raises when the address itself cannot be had, and
    ConfigurationError when the entry asks for dates, which no ResourceSync document can be asked for.
    """
    if options.window or options.from_ or options.until:
        raise ConfigurationError("A ResourceSync source cannot be asked for dates: leave out `from` and `until`.")
    return _Search(options, fetch).found()


class _Search:
    def __init__(self, options: Options, fetch: Fetch) -> None:
        self.options, self.fetch = options, fetch
        self.result = Found()
        self.seen: set[str] = set()

    def found(self) -> Found:
        fetched = self.fetch(Request(self.options.url, self.options.source))
        self.result.received_at = fetched.received_at
        document = self._document(fetched)
        if document is not None:
            self._take(fetched, document, 0)
        else:
            self._follow_leads(fetched)
        if not self.result.sets:
            why = f" {' '.join(self.result.notes)}" if self.result.notes else ""
            raise NotResourceSync(
                f"{self.options.url} is no ResourceSync document, and neither its links, {WELL_KNOWN} nor robots.txt "
                f"lead to one.{why}"
            )
        return self.result

    def _document(self, fetched: Fetched) -> Document | None:
        if fetched.status != 200:  # noqa: PLR2004 - OK
            return None
        try:
            return read(fetched.body, fetched.url)
        except AnswerError:
            return None

    def _follow_leads(self, fetched: Fetched) -> None:
        for leads in self._leads(fetched):
            for url in leads:
                self._go(url, 1)  # a plain sitemap is a list only when somebody asks for it
            if self.result.sets:
                return

    def _leads(self, fetched: Fetched) -> Iterator[tuple[str, ...]]:
        yield leads_of_headers(fetched.headers, fetched.url)
        yield leads_of_page(fetched.body, fetched.url)
        yield (fetched.url.rstrip("/") + WELL_KNOWN, at_root(fetched.url, WELL_KNOWN))
        robots = self.fetch(Request(at_root(fetched.url, "/robots.txt"), self.options.source))
        if robots.status == 200:  # noqa: PLR2004 - OK
            yield leads_of_robots(robots.body, robots.url)

    def _go(self, url: str, depth: int) -> None:
        """Read one document that something leads to; what cannot be read is noted, unless it was only tried."""
        if url in self.seen or depth > _DEEPEST:
            return
        self.seen.add(url)
        try:
            fetched, document = asked(self.options, self.fetch, url)
        except (AnswerError, FetchError) as error:
            if not url.endswith(WELL_KNOWN):
                self.result.notes.append(f"{url}: {error}")
            return
        self._take(fetched, document, depth)

    def _take(self, fetched: Fetched, document: Document, depth: int) -> None:
        self.seen.add(fetched.url)
        capability = document.head.capability
        if capability in ("description", "capabilitylist"):
            self.result.pages.append(kept(self.options, Cursor(self.options.source), capability, fetched))
        if capability == "description":
            for entry in document:
                self._go(entry.loc, depth + 1)
        elif capability == "capabilitylist":
            self._take_capabilities(fetched.url, list(document))
        elif capability.removesuffix("-archive") in LISTS or (not capability and depth == 0):
            self._take_list(fetched, document.head, depth)
        else:
            self.result.notes.append(f"{fetched.url} is of the kind {capability!r}, in which no list is found.")

    def _take_capabilities(self, url: str, entries: list[Entry]) -> None:
        """Take what a Capability List names; of each kind of list there is one (Z39.99 §9)."""
        lists: dict[str, str] = {}
        for each in entries:
            if lists.setdefault(each.capability, each.loc) != each.loc and each.capability in LISTS:
                self.result.doubts.append(f"{url} names another {each.capability}, {each.loc}, which is not read.")
        self._add(url, lists, tuple(each for each in entries if each.capability in CHANNELS))

    def _take_list(self, fetched: Fetched, head: Head, depth: int) -> None:
        """Take a list that stands for its set; what it is below, or a part of, may know of more."""
        before = len(self.result.sets)
        for link in (*head.related("up"), *head.related("index")):
            if len(self.result.sets) == before:
                self._go(link.href, depth + 1)
        names = {fetched.url, *(link.href for link in head.related("index"))}
        if not any(names.intersection(each.lists.values()) for each in self.result.sets[before:]):
            del self.result.sets[before:]
            self._add(fetched.url, {head.capability.removesuffix("-archive") or "resourcelist": fetched.url})

    def _add(self, url: str, lists: Mapping[str, str], channels: tuple[Entry, ...] = ()) -> None:
        known = {name: address for name, address in lists.items() if name in LISTS + ARCHIVES}
        if not known.keys() & LISTS:
            self.result.notes.append(f"{url} names none of {', '.join(LISTS)}.")
        elif all(each.url != url for each in self.result.sets):
            self.result.sets.append(ResourceSet(url, known, channels))
