"""Verifies the intent of subscribers (WebSub, 2018, §5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from http import HTTPStatus
from secrets import token_urlsafe
from typing import Final

from gateway.model import HubDenial, HubRequest
from gateway.store.base import Subscribers
from harvester.http.bounded_body import Body, status_of
from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop
from harvester.runtime.progress import Progress
from harvester.schedule.hub.calls import Calls, Result
from harvester.schedule.hub.messages import denial, host_of, is_success, verification, wait_after
from harvester.schedule.hub.networks import networks_of

_TOGETHER: Final = 500
_MOST_DENIALS: Final = 100_000
_CHALLENGE_BYTES: Final = 32
_MOST_TRIES: Final = 5


class Verification:
    """Verifies the requests that wait."""

    def __init__(self, subscribers: Subscribers, progress: Progress, stop: Stop, clock: Callable[[], float]) -> None:
        self._subscribers, self._progress, self._stop, self._clock = subscribers, progress, stop, clock

    def verify(self, fetch: Fetch, calls: Calls) -> Counter[str]:
        """Verify all requests that are due; return how many ended how."""
        counts: Counter[str] = Counter()

        def call(asked: HubRequest) -> Result:
            return _echoed(fetch, asked)

        for asked, result in calls.results(call, self._due(), lambda asked: networks_of(asked.callback, asked.network)):
            counts[self._written(asked, result)] += 1
        return counts

    def _due(self) -> Iterator[HubRequest]:
        now, after = int(self._clock()), 0
        while requests := self._subscribers.requests(now, _TOGETHER, after):
            yield from requests
            after = requests[-1].number
            if self._stop.is_asked:
                break

    def inform(self, fetch: Fetch, calls: Calls) -> Counter[str]:
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
