"""The rounds of our hub: each delivers what is new, and verifies the requests that wait.

It delivers first, and then once more to those whose subscription has just begun. A subscriber whose subscription was
ended here is informed once (`hub.mode=denied`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from secrets import token_urlsafe
from time import monotonic, time
from typing import Final

from gateway.core.address_rules import Allowed
from gateway.core.model import HubDenial, HubRequest, Subscriber
from gateway.core.settings import Settings
from gateway.core.special_addresses import PUBLIC
from gateway.hub.subscribers import topics_of
from gateway.hub.topics import Topic
from harvester.harvest.instance import Instance
from harvester.http.address_guard import elsewhere
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.http.messages import Body, Fetch, Fetched, Request, status_of
from harvester.runtime.interrupts import Stop, breakable
from harvester.runtime.progress import Progress
from harvester.schedule import rounds
from harvester.schedule.hub.calls import (
    Calls,
    Content,
    Networks,
    Result,
    Shares,
    delivery,
    denial,
    host_of,
    is_success,
    networks_of,
    verification,
    wait_after,
)
from harvester.schedule.hub.news import ChangeLists, Contents, News

_HUB: Final = "hub"  # the name of our requests
_LONGEST_SECONDS: Final = 60.0
_TOGETHER: Final = 500
_WRITTEN_TOGETHER: Final = 50
_DAY_SECONDS: Final = 86_400
_REASON: Final = "The callback has accepted no delivery for days."
_VERIFIED_TOGETHER: Final = 500
_MOST_DENIALS: Final = 100_000
_CHALLENGE_BYTES: Final = 32
_MOST_TRIES: Final = 5


class Rounds(rounds.Rounds):
    """The rounds of the hub of one instance. Their counts are how many requests and deliveries ended how.

    Topics are delivered at least once, and in the order of the changes. A subscriber that accepts nothing for days is
    dropped.
    """

    name = "hub"
    lock_name = "hub.round"
    pause_seconds = 5.0

    def __init__(
        self,
        instance: Instance,
        progress: Progress,
        stop: Stop,
        clock: Callable[[], float] = time,
        ended: Callable[[Counter[str]], None] = lambda _: None,
    ) -> None:
        super().__init__(instance, progress, stop, ended)
        self._subscribers = instance.subscribers
        self._give_up_seconds = instance.settings.number("hub_give_up_after") * _DAY_SECONDS
        topics = topics_of(instance.settings)
        self._clock, self._news = clock, None if topics is None else News(instance.store, topics)

    def _parts(self) -> Iterable[rounds.Part]:
        return () if self._news is None or not self._has_subscribers() else (partial(self._ran, self._news),)

    def _words(self, counts: Counter[str]) -> str:
        ended = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        return f"{ended}." if ended else ""

    def run_all(self) -> None:
        """Run rounds until no call is left for the next one, or for a minute."""
        end = monotonic() + _LONGEST_SECONDS
        while self.run()["left"] and monotonic() < end and not self._stop.is_asked:
            pass

    def _has_subscribers(self) -> bool:
        known = self._subscribers
        return bool(known.requests(int(self._clock()), 1) or known.denials(1) or known.all())

    def _ran(self, news: News) -> Counter[str]:
        settings = self._instance.settings
        lists = ChangeLists(self._instance.store, settings, news.topics)
        contents_at = partial(Contents, partial(_to_topic, settings, self._stop), lists)
        own = (news.topics.hub, *filter(None, map(settings.text, ("base_url", "websub_url"))))
        threads = settings.number("hub_threads")
        with _to_subscribers(settings, own, self._stop) as fetch, ThreadPoolExecutor(threads, "hub") as pool:
            calls = Calls(pool, self._stop, Shares(threads))
            counts = Counter(expired=self._subscribers.expire(int(self._clock())))
            counts += self._deliver(news, fetch, calls, contents_at)
            counts += self._verify(fetch, calls)
            counts += self._inform(fetch, calls)
            again = Calls(pool, self._stop, calls.shares)
            if counts["subscribed"]:
                counts += self._deliver(news, fetch, again, contents_at)
            counts += Counter(left=max(calls.left, again.left))
        return counts

    # -- topics are delivered (WebSub, 2018, §7) --

    def _deliver(self, news: News, fetch: Fetch, calls: Calls, contents_at: Callable[[int], Contents]) -> Counter[str]:
        """Deliver to all subscribers whose topics have news; return how many deliveries ended how.

        `contents_at` returns what is delivered, for a horizon.
        """
        counts: Counter[str] = Counter()
        horizon = news.horizon()
        contents = contents_at(horizon)
        good: list[int] = []

        def call(due: tuple[Subscriber, Topic]) -> Result:
            subscriber, topic = due
            content = contents.of(topic, subscriber.delivered_until)
            return _accepted(fetch, subscriber, content, news.topics.links(topic))

        def networks(due: tuple[Subscriber, Topic]) -> Networks:
            return networks_of(due[0].callback, due[0].network)

        for (subscriber, _), result in calls.results(call, self._due(news, horizon, contents), networks):
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

    def _due(self, news: News, horizon: int, contents: Contents) -> Iterator[tuple[Subscriber, Topic]]:
        """Yield the subscribers whose topics have news, and these topics, whose content is requested here."""
        now, after = int(self._clock()), 0
        while not self._stop.is_asked and (batch := self._subscribers.due(now, after, _TOGETHER)):
            after = batch[-1].number
            for subscriber in batch:
                topic = news.topics.named(subscriber.topic)
                if topic is not None and news.has_news(topic, subscriber.delivered_until, horizon):
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

    # -- the intent of subscribers is verified (§5.3) --

    def _verify(self, fetch: Fetch, calls: Calls) -> Counter[str]:
        """Verify all requests that are due; return how many ended how."""
        ended = calls.results(
            partial(_echoed, fetch), self._requests(), lambda asked: networks_of(asked.callback, asked.network)
        )
        return Counter(self._written(asked, result) for asked, result in ended)

    def _requests(self) -> Iterator[HubRequest]:
        now, after = int(self._clock()), 0
        while requests := self._subscribers.requests(now, _VERIFIED_TOGETHER, after):
            yield from requests
            after = requests[-1].number
            if self._stop.is_asked:
                break

    def _inform(self, fetch: Fetch, calls: Calls) -> Counter[str]:
        """Inform subscribers, once, of the end of their subscriptions (§5.2); return how many there were."""
        counts: Counter[str] = Counter()

        def call(denied: HubDenial) -> Result:
            body = Body()
            return Result(status_of(fetch, denial(denied, body), body))

        denials = self._subscribers.denials(_MOST_DENIALS)
        for denied, result in calls.results(call, denials, lambda denied: networks_of(denied.callback)):
            if not result.is_stopped:
                self._subscribers.denied(denied.number)
                counts["denied"] += 1
        return counts

    def _written(self, asked: HubRequest, result: Result) -> str:
        """Write how a verification ended; return the name of that."""
        if result.is_stopped:
            return "stopped"
        if not result.problem:
            self._subscribers.confirm_request(asked.number, int(self._clock()) + asked.lease_seconds)
            return f"{asked.mode}d"
        if not result.is_final and asked.tries + 1 < _MOST_TRIES:
            self._subscribers.postpone_request(asked.number, int(self._clock()) + wait_after(asked.tries + 1))
            return "postponed"
        self._subscribers.drop_request(asked.number)
        self._progress.say(f"hub: a request was not confirmed by {host_of(asked.callback)}: {result.problem}")
        return "refused"


def _accepted(fetch: Fetch, subscriber: Subscriber, content: Content, links: str) -> Result:
    """Deliver to a subscriber; there is no problem if it answers with a status 2xx, whatever its body is."""
    body = Body()
    status = status_of(fetch, delivery(subscriber, content, links, body), body)
    return Result(status, "" if is_success(status) else f"It answers with HTTP status {status}.")


def _echoed(fetch: Fetch, asked: HubRequest) -> Result:
    """Call a subscriber; there is no problem if it echoes the challenge, and nothing else, with a status 2xx."""
    challenge, body = token_urlsafe(_CHALLENGE_BYTES), Body()
    status = status_of(fetch, verification(asked, challenge, body), body)
    if not is_success(status):
        is_final = status < HTTPStatus.INTERNAL_SERVER_ERROR
        return Result(status, f"It answers with HTTP status {status}.", is_final)
    if body.content != challenge.encode():
        return Result(status, "It does not echo the challenge.", is_final=True)
    return Result(status)


# --- how the hub reaches subscribers, who must be at public addresses, and the topics, which are our own -------------


@contextmanager
def _to_subscribers(settings: Settings, own: Collection[str], stop: Stop) -> Iterator[Fetch]:
    """Return the fetcher for callbacks. It refuses private addresses, and those of the site, whose URLs are `own`.

    The setting `hub_allow` makes exceptions. Raise ConfigurationError if the setting is wrong.
    """
    allow = settings.text("hub_allow").split()
    access = Access(next(iter(own)), delay_seconds=0.0, classes=(PUBLIC,))
    resolve = elsewhere(own, Allowed(allow))
    web = Web(settings, {_HUB: access}, allow=allow, sleep=stop.pause, resolve=resolve)
    with web, stop.breaking(web.break_off):
        yield breakable(web.fetcher(_HUB), stop)


def _to_topic(settings: Settings, stop: Stop, topic: Topic) -> Fetch:
    """Return the fetcher for a topic, which may be at a private address, since it is our own."""

    def fetch(request: Request) -> Fetched:
        with Web(settings, {_HUB: Access(topic.url, delay_seconds=0.0)}, sleep=stop.pause) as web:
            return web(replace(request, source=_HUB))

    return fetch
