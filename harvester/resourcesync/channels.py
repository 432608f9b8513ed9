"""Where a source tells of its changes: the channels that its Capability Lists name (ResourceSync Change Notification).

What names none may still be a topic of WebSub itself: its lists are asked which hub tells of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gateway.errors import AnswerError
from harvester.resourcesync.bringing import REFUSALS
from harvester.resourcesync.finding import ResourceSet, find
from harvester.sources import Channel, Options
from harvester.wire.entries import Entry, Link
from harvester.wire.http import Fetch, Request
from harvester.wire.resourcesync import read
from harvester.wire.websub import told_by

# In the order in which they are asked: what changes most says it best.
_TOPICS = ("changelist", "changedump", "resourcelist", "resourcedump")


def channels(options: Options, fetch: Fetch) -> tuple[Channel, ...]:
    """Return the channel of every set of resources that has one. Raise what `find` raises."""
    found = (each for resources in find(options, fetch).sets for each in _of_set(resources, options, fetch))
    return tuple(dict.fromkeys(found))


def _of_set(resources: ResourceSet, options: Options, fetch: Fetch) -> Iterator[Channel]:
    if resources.channels:
        yield from filter(None, (_of_entry(each, options, fetch) for each in resources.channels))
        return
    lists = (resources.lists[name] for name in _TOPICS if name in resources.lists)
    found = (_asked(url, options, fetch) for url in (*lists, resources.url))
    yield from [each for each in found if each is not None][:1]


def _of_entry(entry: Entry, options: Options, fetch: Fetch) -> Channel | None:
    """Return the channel of an entry of a Capability List; where that names no hub, the topic itself may."""
    for link in entry.related("hub"):
        return Channel(entry.loc, link.href)
    return _asked(entry.loc, options, fetch)


def _asked(url: str, options: Options, fetch: Fetch) -> Channel | None:
    """Ask an address which hub tells of it."""
    try:
        answer = fetch(Request(url, options.source))
    except REFUSALS:
        return None
    links: tuple[Link, ...] = ()
    with suppress(AnswerError):  # a topic need not be a document: its headers may say enough
        links = read(answer.body, answer.url).head.links
    topic, hub = told_by(answer, links)
    return Channel(topic, hub) if hub else None
