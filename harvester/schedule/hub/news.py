"""Which topics have news for a subscriber, and their content."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import Final

from gateway.errors import GatewayError
from gateway.hub.topics import Topic, Topics
from gateway.model import Selection
from gateway.store.base import Store, View
from harvester.http.bounded_body import Body
from harvester.http.messages import Fetch, Request
from harvester.schedule.hub.messages import DEADLINE_SECONDS, Content

MOST_CONTENT: Final = 1_000_000  # bytes of a topic that are delivered; of a longer one, none are
_FRESH: Final = (("Cache-Control", "no-cache"),)  # a proxy before the gateway may have an older answer


class News:
    """What is new at the topics of a site, for all rounds of a process.

    Each round has one horizon: no change below it can appear later, so a subscriber who got everything below it
    misses nothing.
    """

    def __init__(self, store: Store, topics: Topics) -> None:
        """Take the store and the topics."""
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


def contents(fetch_of: Callable[[Topic], Fetch]) -> Callable[[Topic], Content]:
    """Return the function that returns the content of a topic, which it requests once.

    `fetch_of` returns what fetches a topic. The content has every change below an earlier horizon. It has no body if
    the topic is longer than `MOST_CONTENT`, or if the gateway does not answer.
    """

    @cache
    def content(topic: Topic) -> Content:
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

    return content
