"""How strangers are asked: robots.txt, pauses, one request at a time to a host, and staying away from who blocks us.

A `Manners` stands between the steps and the network and is itself a `Fetch`. Services with an interface for programs
have pauses of their own and no robots.txt to ask; all other hosts are asked by the rule of CORE: what robots.txt does
not forbid may be fetched. No disguise: the User-Agent says who we are.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from urllib.parse import urlsplit

from protego import Protego

from gateway.errors import ConfigurationError, GatewayError, RobotsDenied, TryLater
from harvester.web import Pace
from harvester.wire.http import Fetch, Fetched, Request

# Services by host, with the pause between two requests: what they document, and less where they do not.
SERVICES = {
    "api.crossref.org": 0.34,  # 3 a second; the polite pool allows 10 since 2025-12-01
    "api.unpaywall.org": 0.1,
    "api.openalex.org": 0.1,
    "api.datacite.org": 0.3,  # 1,000 in five minutes with a mailto
    "api.openpolicyfinder.jisc.ac.uk": 0.5,
}
_ROBOTS_SECONDS = 86_400
_LONGEST_DELAY = 60.0  # a Crawl-delay beyond this parks the host
_BLOCKS = 3  # in a row, and we stay away
_AWAY_SECONDS = 86_400
_ILL, _CLIENT_ERROR = 500, 400
_BLOCKING = frozenset((403, 429))
NAME = "oai-gateway"
_INTERVAL = re.compile(r"(\d{1,4})s")


@dataclass(slots=True)
class _Host:
    """What is known of one host."""

    lock: Lock = field(default_factory=Lock)
    robots: Protego | None = None
    robots_at: float = float("-inf")
    problem: GatewayError | None = None  # why robots.txt could not be had: nothing is asked until tomorrow
    blocks: int = 0
    away_until: float = 0.0
    told_delay: float | None = None  # what the service's own headers allow


class Manners:
    """A Fetch that asks politely. Share one among all threads of a process."""

    def __init__(
        self,
        fetch: Fetch,
        delay_seconds: float,
        *,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take what fetches without manners, and the pause at a host that names none."""
        self._fetch, self._delay, self._sleep, self._monotonic = fetch, delay_seconds, sleep, monotonic
        self._pace = Pace()
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._lock = Lock()

    def __call__(self, request: Request) -> Fetched:
        """Ask when it is our turn. Raise RobotsDenied, TryLater for a host that blocks us, or what fetching raises."""
        parts = urlsplit(request.url)
        name = (parts.hostname or "").lower()
        with self._lock:
            host = self._hosts[name]
        with host.lock:
            if self._monotonic() < host.away_until:
                raise TryLater(f"{name} has blocked us and is left alone for a day.")
            delay = _of_service(host, name) if name in SERVICES else self._allowed(host, request.url)
            return self._asked(host, name, delay, request)

    def _asked(self, host: _Host, name: str, delay: float, request: Request) -> Fetched:
        pause = self._pace.turn(name, delay, self._monotonic())
        if pause > 0:
            self._sleep(pause)
        try:
            fetched = self._fetch(request)
        except ConfigurationError:
            raise
        except GatewayError:
            self._count(host, is_block=True)
            raise
        self._count(host, is_block=fetched.status in _BLOCKING or fetched.status >= _ILL)
        host.told_delay = told_delay(fetched)
        return fetched

    def _count(self, host: _Host, *, is_block: bool) -> None:
        host.blocks = host.blocks + 1 if is_block else 0
        if host.blocks >= _BLOCKS:
            host.away_until, host.blocks = self._monotonic() + _AWAY_SECONDS, 0

    def _allowed(self, host: _Host, url: str) -> float:
        """Return the pause that a host asks for. Raise RobotsDenied."""
        if self._monotonic() - host.robots_at > _ROBOTS_SECONDS:
            self._ask_robots(host, url)
        if host.problem is not None:
            raise type(host.problem)(str(host.problem))
        if host.robots is None:
            return self._delay
        if not host.robots.can_fetch(url, NAME):
            raise RobotsDenied(f"robots.txt asks us to stay away from {url[:200]}.")
        delay = host.robots.crawl_delay(NAME) or 0.0
        if delay > _LONGEST_DELAY:
            raise TryLater(f"robots.txt asks for {delay:g} seconds between requests to {url[:200]}.")
        return max(self._delay, float(delay))

    def _ask_robots(self, host: _Host, url: str) -> None:
        """Ask for robots.txt: what is not there allows everything, what cannot be had nothing (RFC 9309 §2.3.1)."""
        parts = urlsplit(url)
        host.robots, host.problem = None, None
        try:
            fetched = self._fetch(Request(f"{parts.scheme}://{parts.netloc}/robots.txt"))
        except GatewayError as error:
            host.problem = error
        else:
            if fetched.status >= _ILL:
                host.problem = TryLater(
                    f"robots.txt of {parts.netloc} cannot be had now; nothing is asked there today."
                )
            if fetched.status < _CLIENT_ERROR:
                host.robots = Protego.parse(fetched.body.decode("utf-8", "replace"))
        host.robots_at = self._monotonic()


def _of_service(host: _Host, name: str) -> float:
    return SERVICES[name] if host.told_delay is None else host.told_delay


def told_delay(fetched: Fetched) -> float | None:
    """Return the pause that a service asks for in its headers, in both spellings that Crossref has used; None: none."""
    limit, interval = (
        fetched.header(f"x-rate-limit-{name}") or fetched.header(f"x-ratelimit-{name}")
        for name in ("limit", "interval")
    )
    told = _INTERVAL.fullmatch(interval.strip())
    return int(told[1]) / int(limit) if told and limit.isdecimal() and int(limit) else None
