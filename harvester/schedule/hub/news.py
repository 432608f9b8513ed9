"""Which topics have news for a subscriber, and their content.

A subscriber whose last delivery was before the open Change List began gets a Change List of what it lacks. If the
gateway does not answer, the delivery has no body.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from threading import Lock
from typing import Final

from gateway.core.errors import GatewayError
from gateway.core.model import Selection
from gateway.core.settings import Settings
from gateway.core.xmltext import parse_utc_datetime, utc_datetime
from gateway.hub.topics import Topic, Topics
from gateway.pages.item_places import Places
from gateway.pages.site import site_of
from gateway.publish.descriptions import metadata_of
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.documents import Document, Link
from gateway.resourcesync.site_resources import SiteResources, selected
from gateway.store.base import Store, View
from harvester.http.messages import Body, Fetch, Request
from harvester.schedule.hub.calls import DEADLINE_SECONDS, Content

_MOST_CHANGES: Final = 5_000  # so many have about a megabyte, the most that is delivered
_BEGIN: Final = re.compile(rb'<rs:md capability="changelist" from="([0-9TZ:-]{20})"/>')
MOST_CONTENT: Final = 1_000_000  # bytes of a topic that are delivered; of a longer one, none are
_KEPT_LISTS: Final = 8  # of subscribers who lack more than the open Change List has
_FRESH: Final = (("Cache-Control", "no-cache"),)  # a proxy before the gateway may have an older answer


class ChangeLists:
    """Makes Change Lists for the subscribers of one site."""

    def __init__(self, store: Store, settings: Settings, topics: Topics) -> None:
        site = site_of(settings, settings.text("base_url"))
        self._addresses, self._store, self._topics = Addresses(site.url), store, topics
        places = Places(site)
        self._site = SiteResources(self._addresses, places.metadata_urls, metadata_of, page_url=places.page_urls)

    def has(self, topic: Topic) -> bool:
        """Return whether a topic is a Change List."""
        return self._topics.resources_of(topic) is not None

    def since(self, topic: Topic, second: int, horizon: int) -> bytes:
        """Return a Change List of all changes of a topic from a second on, below the horizon.

        It is empty if there are too many, or if the topic is no Change List.
        """
        resources = self._topics.resources_of(topic)
        if resources is None:
            return b""
        with self._store.view() as view:
            within = Selection(*selected(resources), second, horizon - 1)
            changes = view.resource_changes(within, (0, 0), _MOST_CHANGES + 1)
            if len(changes) > _MOST_CHANGES or second < view.changes_from():
                return b""
            return self._document(topic, resources, second).write(self._site.changed(view, resources, changes))

    def _document(self, topic: Topic, resources: ResourceSet, second: int) -> Document:
        links = (
            self._site.up(resources),
            Link("index", self._addresses.of(resources, "changelist")),
            Link("hub", self._topics.hub),
            Link("self", topic.url),
        )
        return Document("changelist", links, {"from": utc_datetime(second)})


def begins_before(content: bytes, second: int) -> bool:
    """Return whether an open Change List has all changes from a second on.

    The list before it may have changes of the second with which it begins.
    """
    begin = _BEGIN.search(content[:4_000])
    return begin is not None and parse_utc_datetime(begin[1].decode())[0] < second


class News:
    """What is new at the topics of a site, for all rounds of a process.

    Each round has one horizon: no change below it can appear later, so a subscriber who got everything below it
    misses nothing.
    """

    def __init__(self, store: Store, topics: Topics) -> None:
        self._store, self.topics = store, topics
        # By list, the longest known time without changes: its first second, and the one behind its last.
        self._quiet: dict[tuple[str, str | None], tuple[int, int]] = {}

    def horizon(self) -> int:
        """Return the horizon of the store."""
        with self._store.view() as view:
            return view.horizon

    def has_news(self, topic: Topic, since: int, horizon: int) -> bool:
        """Return whether a topic has changes from the second `since` on, below the horizon."""
        place = (topic.metadata_prefix, topic.set_spec)
        begin, end = self._quiet.get(place, (horizon, horizon))
        first = max(since, end) if since >= begin else since
        if first >= horizon:
            return False
        with self._store.view() as view:
            has_news = _has_changes(view, topic, first, horizon)
        if not has_news:
            self._quiet[place] = (begin if begin <= since <= end else since, horizon)
        return has_news


def _has_changes(view: View, topic: Topic, first: int, horizon: int) -> bool:
    if view.changed_until(topic.metadata_prefix, horizon - 1) <= first:
        return False
    within = Selection(topic.metadata_prefix, topic.set_spec, first, horizon - 1)
    return bool(view.resource_changes(within, (0, 0), 1))


class Contents:
    """What is delivered of the topics in one round. Safe for threads.

    A topic is requested once, after the horizon of the round was read, so its content has every change below that.
    """

    def __init__(self, fetch_of: Callable[[Topic], Fetch], lists: ChangeLists, horizon: int) -> None:
        self._fetch_of, self._lists, self._horizon = fetch_of, lists, horizon
        self._lock = Lock()
        self._whole: dict[Topic, Content] = {}
        self._since = lru_cache(_KEPT_LISTS)(self._made)

    def of(self, topic: Topic, since: int) -> Content:
        """Return what is delivered of a topic to a subscriber who has got everything before the second `since`.

        This is the open Change List if it has all changes since then, else a list of these changes. Of ListRecords, it
        is always the first page. It has no body if that is longer than `MOST_CONTENT`, or if the gateway does not
        answer for ListRecords.
        """
        with self._lock:
            whole = self.whole(topic)
            is_complete = not self._lists.has(topic) or begins_before(whole.body, since)
            return whole if is_complete else self._since(topic, since)

    def whole(self, topic: Topic) -> Content:
        """Return the content of a topic as the gateway serves it; without a body if it is too long or not served."""
        if topic not in self._whole:
            self._whole[topic] = _fetched(self._fetch_of, topic)
        return self._whole[topic]

    def _made(self, topic: Topic, since: int) -> Content:
        body = self._lists.since(topic, since, self._horizon)
        return Content(body if len(body) <= MOST_CONTENT else b"", topic.content_type)


def _fetched(fetch_of: Callable[[Topic], Fetch], topic: Topic) -> Content:
    body = Body(MOST_CONTENT, lambda status: status == HTTPStatus.OK)
    request = Request(
        topic.url, headers=_FRESH, sink=body, patience=1, waits_seconds=0.0, deadline_seconds=DEADLINE_SECONDS
    )
    try:
        answer = fetch_of(topic)(request)
    except GatewayError:
        return Content(b"", topic.content_type)
    if answer.status != HTTPStatus.OK:
        return Content(b"", topic.content_type)
    return Content(body.content, answer.header("Content-Type") or topic.content_type)
