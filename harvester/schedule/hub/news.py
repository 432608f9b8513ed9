"""Which topics have news for a subscriber, and their content."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from threading import Lock
from typing import Final

from gateway.core.errors import GatewayError
from gateway.core.model import Selection
from gateway.hub.topics import Topic, Topics
from gateway.store.base import Store, View
from harvester.http.bounded_body import Body
from harvester.http.messages import Fetch, Request
from harvester.schedule.hub.change_lists import ChangeLists, begins_before
from harvester.schedule.hub.messages import DEADLINE_SECONDS, Content

MOST_CONTENT: Final = 1_000_000  # bytes of a topic that are delivered; of a longer one, none are
_KEPT_LISTS: Final = 8  # of subscribers who lack more than the open Change List has
_FRESH: Final = (("Cache-Control", "no-cache"),)  # a proxy before the gateway may have an older answer


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
