"""How strangers are asked: robots.txt, pauses, so many requests at once, and staying away from who blocks us.

A `Manners` stands between the steps and the network and is itself a `Fetch`. Services with an interface for programs
have budgets of their own and no robots.txt to ask; all other hosts are asked one request at a time, by the rule of
CORE: what robots.txt does not forbid may be fetched. No disguise: the User-Agent says who we are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Condition, Lock
from typing import Protocol

from gateway.errors import AnswerTooSlow, ConnectionFailed, NameUnknown, TlsFailed, TryLater
from gateway.model import Outcome
from harvester.search.robots import Robots
from harvester.search.services import SERVICES, Budget, told_budget
from harvester.verification.bytes import HTML, mime_type
from harvester.web import Pace
from harvester.wire import landing_page
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.urls import host_of

_BLOCKS = 3  # in a row, and we stay away
_REFUSALS = 12  # in a row, and we stay away too: publishers refuse what needs a key or a subscription, and nothing else
_AWAY_SECONDS = 86_400
_ILL = 500
_PATIENCE = 429  # blocks us, and so do those who do not answer; a file that is too large blocks nobody
_REFUSING = frozenset((401, 402, 403, 451))  # of one address; of all when a captcha says it


class Away(Protocol):
    """Where it is kept which hosts are left alone, for other processes too."""

    def away_until(self, host: str) -> int:
        """Return the second until which a host is left alone; 0: it is not."""
        ...

    def stay_away(self, host: str, until: int) -> None:
        """Leave a host alone until a second."""
        ...


@dataclass(slots=True)
class _Host:
    """What is known of one host."""

    free: Condition = field(default_factory=Condition)
    busy: int = 0
    blocks: int = 0
    refusals: int = 0
    away_until: float = 0.0
    budget: Budget | None = None  # of a service: what its own headers allow, else what it documents


class Manners:
    """A Fetch that asks politely. Share one among all threads of a process."""

    def __init__(
        self,
        fetch: Fetch,
        delay_seconds: float,
        *,
        services: Mapping[str, Budget] = SERVICES,
        away: Away | None = None,
        ask_robots: Fetch | None = None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take what fetches without manners, the pause at a host that names none, and the budgets of services.

        `away` remembers who blocked us; `ask_robots` fetches robots.txt, None: like everything else.
        """
        self._fetch, self._delay, self._services, self._away = fetch, delay_seconds, services, away
        self._sleep, self._monotonic, self._clock = sleep, monotonic, clock
        self._robots = Robots(ask_robots or fetch, clock)
        self._pace = Pace()
        self._hosts: dict[str, _Host] = {}
        self._lock = Lock()

    def __call__(self, request: Request) -> Fetched:
        """Ask when it is our turn. Raise RobotsDenied, TryLater for a host that blocks us, or what fetching raises."""
        name = host_of(request.url)
        host = self._host(name)
        with _turn(host):
            if self._clock() < host.away_until:
                raise TryLater(f"{name} has blocked us and is left alone for a day.")
            if host.budget is not None:
                return self._asked(host, name, host.budget.pause, request)
            verdict, delay = self._robots.allowed(request.url)
            return replace(self._asked(host, name, max(self._delay, delay), request), robots=verdict)

    def _host(self, name: str) -> _Host:
        with self._lock:
            if name not in self._hosts:
                until = self._away.away_until(name) if self._away else 0
                self._hosts[name] = _Host(away_until=until, budget=self._services.get(name))
            return self._hosts[name]

    def _asked(self, host: _Host, name: str, delay: float, request: Request) -> Fetched:
        pause = self._pace.turn(name, delay, self._monotonic())
        if pause > 0:
            self._sleep(pause)
        try:
            fetched = self._fetch(request)
        except (ConnectionFailed, AnswerTooSlow, TryLater) as error:
            self._count(host, name, is_block=not isinstance(error, NameUnknown | TlsFailed))
            raise
        self._count(host, name, is_block=_is_block(fetched), is_refusal=fetched.status in _REFUSING)
        if host.budget is not None:
            host.budget = told_budget(fetched) or self._services[name]
        return fetched

    def _count(self, host: _Host, name: str, *, is_block: bool, is_refusal: bool = False) -> None:
        """Count what came of a request; a refusal neither blocks us nor forgives who did."""
        with host.free:
            host.blocks = host.blocks + is_block if is_block or is_refusal else 0
            host.refusals = host.refusals + 1 if is_block or is_refusal else 0
            if host.blocks < _BLOCKS and host.refusals < _REFUSALS:
                return
            host.away_until, host.blocks, host.refusals = self._clock() + _AWAY_SECONDS, 0, 0
        if self._away:
            self._away.stay_away(name, int(host.away_until))


def _is_block(fetched: Fetched) -> bool:
    """Tell whether an answer is about us, and not about the one address: patience, a fault, or a captcha."""
    if fetched.status == _PATIENCE or fetched.status >= _ILL:
        return True
    if fetched.status not in _REFUSING or mime_type(fetched.body) != HTML:
        return False
    page = landing_page.read(fetched.body, fetched.url, fetched.header("Content-Type"))
    return page.outcome is Outcome.BLOCKED_CAPTCHA


@contextmanager
def _turn(host: _Host) -> Iterator[None]:
    """Wait until a host has room for one more request."""
    with host.free:
        host.free.wait_for(lambda: host.busy < (host.budget.at_once if host.budget else 1))
        host.busy += 1
    try:
        yield
    finally:
        with host.free:
            host.busy -= 1
            host.free.notify_all()
