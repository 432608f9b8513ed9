"""From any starting point to the sets of resources of a source, and the documents of each (Z39.99 §6.3).

a page -> its links -> /.well-known/resourcesync -> robots.txt -> Source Description -> Capability List -> lists
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from gateway.core.errors import AnswerError, ConfigurationError, FetchError, NotResourceSync
from gateway.core.model import Cursor, Format, RawPage
from gateway.core.xmltext import DIDL
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import Channel, Description, Options, Recognised, proposal, topic_and_hub
from harvester.sources.resourcesync.documents import Document, read
from harvester.sources.resourcesync.entries import Entry, Head, Link
from harvester.sources.resourcesync.leads import WELL_KNOWN, at_root, leads_of_headers, leads_of_page, leads_of_robots
from harvester.sources.resourcesync.request import REFUSALS, asked, kept

LISTS = ("resourcelist", "resourcedump", "changelist", "changedump")
ARCHIVES = tuple(f"{listed}-archive" for listed in LISTS)
NO_BEGINNING = "{} names no Resource List and no Resource Dump, so a first harvest is impossible."
_PLAIN = "{} is the sitemap of a web site, without metadata. Ask the site whether it has an OAI-PMH repository."
CHANNELS = ("change-notification", "framework-notification")
_DEEPEST = 4  # a description index, a description, a Capability List, and one more for further nesting


class ResourceSet(NamedTuple):
    """One set of resources: the URL of its Capability List, or of its only known list.

    `lists` are the URLs of its documents by capability, `channels` the entries of its notification channels. `profile`
    is the namespace of its metadata, if stated.
    """

    url: str
    lists: Mapping[str, str]
    channels: tuple[Entry, ...] = ()
    profile: str = ""

    @property
    def has_beginning(self) -> bool:
        """Return whether a first harvest is possible: lists of changes alone are not enough."""
        return "resourcelist" in self.lists or "resourcedump" in self.lists


@dataclass
class LinkedSets:
    """The result of the search: the sets, the answers with them, and sentences about unreadable documents.

    `doubts` are reasons why the sets may be incomplete.
    """

    sets: list[ResourceSet] = field(default_factory=list)
    pages: list[RawPage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    received_at: int = 0  # second of the first answer


def find(options: Options, fetch: Fetch) -> LinkedSets:
    """Return the sets of resources to which an address leads.

    Raise NotResourceSync when there are none, or a plain sitemap, and the errors of `fetch` for
    the address itself. Raise ConfigurationError when the entry has dates: ResourceSync has no requests by date.
    """
    if options.window or options.from_ or options.until:
        raise ConfigurationError("A ResourceSync source cannot be harvested by date. Remove `from` and `until`.")
    return _Search(options, fetch).find()


class _Search:
    def __init__(self, options: Options, fetch: Fetch) -> None:
        self.options, self.fetch = options, fetch
        self.result = LinkedSets()
        self.seen: set[str] = set()

    def find(self) -> LinkedSets:
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
                f"{self.options.url} is not a ResourceSync document, and its links, {WELL_KNOWN} and robots.txt "
                f"do not lead to one.{why}"
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
                self._go(url, 1)  # a list without a capability counts only when its URL is given
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
        """Read one linked document; note when it cannot be read, unless it was only a guess."""
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
            profile = next((link.href for link in document.head.related("profile")), "")
            self._take_capabilities(fetched.url, list(document), profile)
        elif capability.removesuffix("-archive") in LISTS or (not capability and depth == 0):
            if not (
                capability
                or document.head.at
                or document.head.links
                or any(entry[2:] != Entry("")[2:] for entry in document)
            ):
                raise NotResourceSync(_PLAIN.format(fetched.url))
            self._take_list(fetched, document.head, depth)
        else:
            self.result.notes.append(f"{fetched.url} has the capability {capability!r}, which leads to no list.")

    def _take_capabilities(self, url: str, entries: list[Entry], profile: str) -> None:
        """Add the lists that a Capability List names, one of each kind (Z39.99 §9)."""
        lists: dict[str, str] = {}
        for entry in entries:
            if lists.setdefault(entry.capability, entry.loc) != entry.loc and entry.capability in LISTS:
                self.result.doubts.append(f"{url} names a second {entry.capability}, {entry.loc}, which is not read.")
        self._add(url, lists, tuple(entry for entry in entries if entry.capability in CHANNELS), profile)

    def _take_list(self, fetched: Fetched, head: Head, depth: int) -> None:
        """Add a list as a set; the documents above it may name further lists."""
        before = len(self.result.sets)
        for link in (*head.related("up"), *head.related("index")):
            if len(self.result.sets) == before:
                self._go(link.href, depth + 1)
        names = {fetched.url, *(link.href for link in head.related("index"))}
        if not any(names.intersection(resource_set.lists.values()) for resource_set in self.result.sets[before:]):
            del self.result.sets[before:]
            self._add(fetched.url, {head.capability.removesuffix("-archive") or "resourcelist": fetched.url})

    def _add(self, url: str, lists: Mapping[str, str], channels: tuple[Entry, ...] = (), profile: str = "") -> None:
        known = {name: address for name, address in lists.items() if name in LISTS + ARCHIVES}
        if not known.keys() & LISTS:
            self.result.notes.append(f"{url} names none of {', '.join(LISTS)}.")
        elif all(resource_set.url != url for resource_set in self.result.sets):
            self.result.sets.append(ResourceSet(url, known, channels, profile))


# --- the description of a source, and its recognition at an address -----------------------------------------------

_TELLS_DELETIONS = ("changelist", "changedump")


def describe(options: Options, fetch: Fetch) -> Description:
    """Return the description with the sets of resources. Raise the errors of `find`."""
    lists = find(options, fetch)
    tells = all(any(name in resource_set.lists for name in _TELLS_DELETIONS) for resource_set in lists.sets)
    return Description(
        tuple(lists.pages),
        "",
        lists.sets[0].url if len(lists.sets) == 1 else options.url,
        SECONDS,
        "",
        "transient" if tells else "no",
        (),
        (),  # a resource may be in several sets, and no list says in which
        tuple(lists.notes),
        proposed=_proposed(lists)[0],
        reason=_proposed(lists)[1],
    )


def _proposed(lists: LinkedSets) -> tuple[dict[str, object], str]:
    """Return the fields that make an entry harvest only the DIDLs of several sets of resources, and why."""
    didl = next((one.url for one in lists.sets if one.profile == DIDL and one.has_beginning), "")
    if not didl or len(lists.sets) == 1:
        return {}, ""
    fields, reason = proposal((Format("oai_didl", "", DIDL),))
    return {**fields, "sets": [didl]}, f"{reason} Its other sets of resources may have the same works once more."


def recognise(fetched: Fetched, fetch: Fetch) -> Recognised | None:
    """Return the ResourceSync source at an address, or to which the address leads; else None.

    Raise NotResourceSync for a document without a beginning, such as the sitemap of a web site, and as `fetch` does.
    """
    try:
        lists = find(Options("", fetched.url), fetch)
    except NotResourceSync:
        if _is_document(fetched):
            raise
        return None
    if not any(resource_set.has_beginning for resource_set in lists.sets):
        raise NotResourceSync(NO_BEGINNING.format(lists.sets[0].url))
    proposed, reason = _proposed(lists)
    table = {"url": fetched.url, "kind": "resourcesync", **proposed}
    return Recognised(f"{_sentence(lists)} {reason}".rstrip(), table, not _is_document(fetched))


def _is_document(fetched: Fetched) -> bool:
    try:
        read(fetched.body, fetched.url)
    except AnswerError:
        return False
    return True


def _sentence(lists: LinkedSets) -> str:
    first = lists.sets[0]
    host = urlsplit(first.url).netloc
    if len(lists.sets) == 1:
        return f"A ResourceSync source at {host} with {_list_names(first)}."
    return (
        f"A ResourceSync source at {host} with {len(lists.sets)} sets of resources; the first has {_list_names(first)}."
    )


def _list_names(resource_set: ResourceSet) -> str:
    names = dict(zip(LISTS, ("a Resource List", "a Resource Dump", "a Change List", "a Change Dump"), strict=True))
    return ", ".join(names[name] for name in resource_set.lists if name in names)


# --- Channels of change notifications in Capability Lists (ResourceSync Change Notification) -------------------------

# In the order of requests: the documents that change most come first.
_TOPICS = ("changelist", "changedump", "resourcelist", "resourcedump")


def channels(options: Options, _lists: Iterable[tuple[str, str]], fetch: Fetch) -> tuple[Channel, ...]:
    """Return the channel of every set of resources that has one. Raise the errors of `find`."""
    channels = (channel for resources in find(options, fetch).sets for channel in _of_set(resources, options, fetch))
    return tuple(dict.fromkeys(channels))


def _of_set(resources: ResourceSet, options: Options, fetch: Fetch) -> Iterator[Channel]:
    if resources.channels:
        yield from filter(None, (_of_entry(channel, options, fetch) for channel in resources.channels))
        return
    lists = (resources.lists[name] for name in _TOPICS if name in resources.lists)
    channels = (_asked(url, options, fetch) for url in (*lists, resources.url))
    yield from [channel for channel in channels if channel is not None][:1]


def _of_entry(entry: Entry, options: Options, fetch: Fetch) -> Channel | None:
    """Return the channel of an entry of a Capability List; without a hub there, that of the topic itself."""
    for link in entry.related("hub"):
        return Channel(entry.loc, link.href)
    return _asked(entry.loc, options, fetch)


def _asked(url: str, options: Options, fetch: Fetch) -> Channel | None:
    """Return the channel that the answer from a URL names, or None."""
    try:
        answer = fetch(Request(url, options.source))
    except REFUSALS:
        return None
    links: tuple[Link, ...] = ()
    with suppress(AnswerError):  # a topic need not be a document: its headers are enough
        links = read(answer.body, answer.url).head.links
    in_order = sorted(links, key=lambda link: link.priority)
    topic, hub = topic_and_hub(answer, ((link.rel, link.href) for link in in_order))
    return Channel(topic, hub) if hub else None
