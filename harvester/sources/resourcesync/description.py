"""The description of a ResourceSync source, and its recognition at an address."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from gateway.core.errors import AnswerError, NotResourceSync
from gateway.core.model import Format
from gateway.core.xmltext import DIDL
from harvester.http.dates import SECONDS
from harvester.http.messages import Fetch, Fetched, Request
from harvester.sources import Channel, Description, Options, Recognised, proposal, topic_and_hub
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import Entry, Link
from harvester.sources.resourcesync.find_lists import LISTS, NO_BEGINNING, LinkedSets, ResourceSet, find
from harvester.sources.resourcesync.request import REFUSALS

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
