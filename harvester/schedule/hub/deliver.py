"""Delivers topics to subscribers (WebSub, 2018, §7): at least once, and in the order of the changes.

A subscription moves on only after the subscriber has accepted, so a delivery that was killed is repeated. A subscriber
gets one delivery at a time. A Change List has all changes since the last delivery that was accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Final

from gateway.hub.topics import Topic
from gateway.model import Subscriber
from gateway.store.base import Subscribers
from harvester.http.bounded_body import Body, status_of
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.schedule.hub.calls import Calls, Result
from harvester.schedule.hub.messages import Content, delivery, host_of, is_success, wait_after
from harvester.schedule.hub.networks import Networks, networks_of
from harvester.schedule.hub.news import Contents, News

_TOGETHER: Final = 500
_WRITTEN_TOGETHER: Final = 50
_DAY_SECONDS: Final = 86_400
_REASON: Final = "The callback has accepted no delivery for days."


class Delivery:
    """Delivers what is new. A subscriber that accepts nothing for `give_up_days` is dropped."""

    def __init__(
        self,
        subscribers: Subscribers,
        news: News,
        progress: Progress,
        stop: Stop,
        clock: Callable[[], float],
        give_up_days: int,
    ) -> None:
        self._subscribers, self._news, self._progress, self._stop = subscribers, news, progress, stop
        self._clock, self._give_up_seconds = clock, give_up_days * _DAY_SECONDS

    def deliver(self, fetch: Fetch, calls: Calls, contents_at: Callable[[int], Contents]) -> Counter[str]:
        """Deliver to all subscribers whose topics have news; return how many deliveries ended how.

        `contents_at` returns what is delivered, for a horizon.
        """
        counts: Counter[str] = Counter()
        horizon = self._news.horizon()
        contents = contents_at(horizon)
        good: list[int] = []

        def call(due: tuple[Subscriber, Topic]) -> Result:
            subscriber, topic = due
            content = contents.of(topic, subscriber.delivered_until)
            return _accepted(fetch, subscriber, content, self._news.topics.links(topic))

        for (subscriber, _), result in calls.results(call, self._due(horizon, contents), _networks):
            if not result.problem and not result.is_stopped:
                good.append(subscriber.number)
                counts["delivered"] += 1
            else:
                counts[self._failed(subscriber, result)] += 1
            if len(good) >= _WRITTEN_TOGETHER:
                self._subscribers.delivered(good, horizon)
                good = []
        if good:
            self._subscribers.delivered(good, horizon)
        return counts

    def _due(self, horizon: int, contents: Contents) -> Iterator[tuple[Subscriber, Topic]]:
        """Yield the subscribers whose topics have news, and these topics, whose content is requested here."""
        now, after = int(self._clock()), 0
        while not self._stop.is_asked and (batch := self._subscribers.due(now, after, _TOGETHER)):
            after = batch[-1].number
            for subscriber in batch:
                topic = self._news.topics.named(subscriber.topic)
                if topic is not None and self._news.has_news(topic, subscriber.delivered_until, horizon):
                    contents.whole(topic)
                    yield subscriber, topic

    def _failed(self, subscriber: Subscriber, result: Result) -> str:
        """Write that a delivery failed; return the name of how."""
        if result.is_stopped:
            return "stopped"
        now, host = int(self._clock()), host_of(subscriber.callback)
        if result.status == HTTPStatus.GONE:
            self._subscribers.remove(subscriber.number)
            self._progress.say(f"hub: {host} has ended its subscription with HTTP status 410.")
            return "ended"
        if subscriber.failing_since and now - subscriber.failing_since >= self._give_up_seconds:
            self._subscribers.remove(subscriber.number, _REASON)
            self._progress.say(f"hub: {host} was dropped, because it has accepted nothing for days: {result.problem}")
            return "dropped"
        self._subscribers.failed(subscriber.number, now, now + wait_after(subscriber.tries + 1), result.problem)
        return "failed"


def _networks(due: tuple[Subscriber, Topic]) -> Networks:
    return networks_of(due[0].callback, due[0].network)


def _accepted(fetch: Fetch, subscriber: Subscriber, content: Content, links: str) -> Result:
    """Deliver to a subscriber; there is no problem if it answers with a status 2xx, whatever its body is."""
    body = Body()
    status = status_of(fetch, delivery(subscriber, content, links, body), body)
    return Result(status, "" if is_success(status) else f"It answers with HTTP status {status}.")
