"""What robots.txt says of an address, asked once a day: whether it may be fetched, and after which pause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gateway.errors import GatewayError
from harvester.wire.http import Fetch, Request
from harvester.wire.robots import Rules, robots_url, rules_of

ALLOWED, NO_ROBOTS = "allowed", "no robots.txt"
_SECONDS = 86_400  # how long an answer holds (RFC 9309 §2.4)


@dataclass(frozen=True, slots=True)
class _Said:
    """What an authority said, and when; or why it could not be had, and nothing is asked there until tomorrow."""

    at: float
    rules: Rules | GatewayError


class Robots:
    """Asks each authority for its robots.txt once a day. Share one among all threads."""

    def __init__(self, fetch: Fetch, clock: Callable[[], float]) -> None:
        """Take what fetches robots.txt, and the clock."""
        self._fetch, self._clock = fetch, clock
        self._said: dict[str, _Said] = {}

    def allowed(self, url: str) -> tuple[str, float]:
        """Return the verdict on an address, and the pause in seconds that is asked for.

        Raise RobotsDenied, TryLater when the pause is too long, or what fetching robots.txt raised.
        """
        rules = self._of(url)
        if isinstance(rules, GatewayError):
            raise type(rules)(str(rules))
        delay = rules.delay(url)
        return ALLOWED if rules.are_given else NO_ROBOTS, delay

    def _of(self, url: str) -> Rules | GatewayError:
        place = robots_url(url)
        said = self._said.get(place)
        if said is None or self._clock() - said.at > _SECONDS:
            said = self._said[place] = _Said(self._clock(), self._asked(place))
        return said.rules

    def _asked(self, place: str) -> Rules | GatewayError:
        try:
            fetched = self._fetch(Request(place))
            return rules_of(place, fetched.status, fetched.body)
        except GatewayError as error:
            return error
