"""Channels of change notifications in Capability Lists (ResourceSync Change Notification).

A list without a channel may itself be a topic of WebSub: then its answer names a hub.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gateway.errors import AnswerError
from harvester.http.messages import Fetch, Request
from harvester.sources import Channel, Options
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import Entry, Link
from harvester.sources.resourcesync.find_lists import ResourceSet, find
from harvester.sources.resourcesync.resource_bytes import REFUSALS
from harvester.sources.resourcesync.websub import topic_and_hub

# In the order of requests: the documents that change most come first.
_TOPICS = ("changelist", "changedump", "resourcelist", "resourcedump")


def channels(options: Options, fetch: Fetch) -> tuple[Channel, ...]:
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
    topic, hub = topic_and_hub(answer, links)
    return Channel(topic, hub) if hub else None
