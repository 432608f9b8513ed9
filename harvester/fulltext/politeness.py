"""Politeness: robots.txt, pauses, limits of parallel requests, and no requests to hosts that block us.

A `PoliteFetch` is between the steps and the network and is itself a `Fetch`. Services with an API have rate limits of
their own and no robots.txt. All other hosts get one request at a time. By the rule of CORE, any address may be fetched
that robots.txt (RFC 9309) does not forbid. The User-Agent says who we are.

A host gets no request for a day after three consecutive blocks (429, a captcha, a server error, no answer). The same
happens after twelve consecutive refusals (401, 402, 403, 451) without a success. The second number is higher because
publishers refuse files that need a key or a subscription, but not others. Refusals of addresses for text mining do not
count.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Condition, Lock
from typing import NamedTuple

from gateway.core.errors import AnswerTooSlow, ConnectionFailed, NameUnknown, TlsFailed, TryLater
from gateway.core.model import Outcome
from gateway.core.words import table
from gateway.store.base import Discovery
from harvester.fulltext.pages import landing_page
from harvester.fulltext.pdf.file_type import HTML, mime_type
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.retrying import Pace
from harvester.http.robots_txt import RobotsCache
from harvester.http.urls import host_of

_BLOCKS = 3  # consecutive ones, then the host is avoided
_REFUSALS = 12  # consecutive ones, then the host is avoided too
_AWAY_SECONDS = 86_400
_SERVER_ERROR = 500
_PATIENCE = 429  # blocks us, like no answer; a file that is too large does not
_REFUSING = frozenset((401, 402, 403, 451))  # of one address; with a captcha, of all


class Budget(NamedTuple):
    """A rate limit: the least seconds between the starts of two requests, and the most parallel requests."""

    pause: float
    at_once: int = 1


SERVICES = {host: Budget(pause, at_once) for host, (pause, at_once) in table(__file__, "services").items()}
_NUMBER = re.compile(r"\d{1,6}")
_INTERVAL = re.compile(r"(\d{1,4})s")
_MOST_AT_ONCE = 16


def stated_budget(fetched: Fetched) -> Budget | None:
    """Return the rate limit in the headers of an answer, in both spellings of Crossref, or None."""
    limit, interval = (
        fetched.header(f"x-rate-limit-{name}") or fetched.header(f"x-ratelimit-{name}")
        for name in ("limit", "interval")
    )
    match = _INTERVAL.fullmatch(interval.strip())
    if not match or not _NUMBER.fullmatch(limit) or not int(limit):
        return None
    at_once = fetched.header("x-concurrency-limit").strip()
    most = max(1, min(int(at_once), _MOST_AT_ONCE)) if _NUMBER.fullmatch(at_once) else 1
    return Budget(int(match[1]) / int(limit), most)


@dataclass(slots=True)
class _Host:
    """The state of one host."""

    free: Condition = field(default_factory=Condition)
    busy: int = 0
    blocks: int = 0
    refusals: int = 0
    away_until: float = 0.0
    budget: Budget | None = None  # of a service: from its headers, else as documented


class PoliteFetch:
    """A polite Fetch. Share one among all threads of a process."""

    def __init__(
        self,
        fetch: Fetch,
        delay_seconds: float,
        *,
        services: Mapping[str, Budget] = SERVICES,
        away: Discovery | None = None,
        ask_robots: Fetch | None = None,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take a Fetch, the default pause in seconds, and the rate limits of services.

        `away` stores hosts that blocked us; `ask_robots` fetches robots.txt, None: `fetch` does.
        """
        self._fetch, self._delay, self._services, self._away = fetch, delay_seconds, services, away
        self._sleep, self._monotonic, self._clock = sleep, monotonic, clock
        self._ask_robots, self._robots = ask_robots or fetch, RobotsCache(clock)
        self._pace = Pace()
        self._hosts: dict[str, _Host] = {}
        self._lock = Lock()

    def __call__(self, request: Request) -> Fetched:
        """Return the answer after the pause. Raise RobotsDenied, TryLater at a blocking host, and errors of `fetch`."""
        name = host_of(request.url)
        host = self._host(name)
        with _turn(host):
            if self._clock() < host.away_until:
                raise TryLater(f"{name} has blocked us, so it gets no request for a day.")
            if host.budget is not None:
                return self._asked(host, name, host.budget.pause, request)
            # robots.txt is asked for as the file is: by the access of the same source
            rules = self._robots.rules(
                request.url, lambda asked: self._ask_robots(replace(asked, source=request.source))
            )
            delay = max(self._delay, rules.delay(request.url))
            return replace(self._asked(host, name, delay, request), robots=rules.verdict)

    def wait(self, name: str) -> float:
        """Return the seconds until a host may get its next request. A caller that waits so long blocks no thread."""
        return self._pace.wait(name, self._monotonic())

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
        is_block, is_refusal = _is_block(fetched), fetched.status in _REFUSING
        if is_block or not (is_refusal and request.may_be_refused):
            self._count(host, name, is_block=is_block, is_refusal=is_refusal)
        if host.budget is not None:
            host.budget = stated_budget(fetched) or self._services[name]
        return fetched

    def _count(self, host: _Host, name: str, *, is_block: bool, is_refusal: bool = False) -> None:
        """Count the result of a request; a refusal neither counts as a block nor resets the count of blocks."""
        with host.free:
            host.blocks = host.blocks + is_block if is_block or is_refusal else 0
            host.refusals = host.refusals + 1 if is_block or is_refusal else 0
            if host.blocks < _BLOCKS and host.refusals < _REFUSALS:
                return
            host.away_until, host.blocks, host.refusals = self._clock() + _AWAY_SECONDS, 0, 0
        if self._away:
            self._away.stay_away(name, int(host.away_until))


def _is_block(fetched: Fetched) -> bool:
    """Return whether an answer concerns us, not one address: 429, a server error, or a captcha."""
    if fetched.status == _PATIENCE or fetched.status >= _SERVER_ERROR:
        return True
    if fetched.status not in _REFUSING or mime_type(fetched.body) != HTML:
        return False
    page = landing_page.read(fetched.body, fetched.url, fetched.header("Content-Type"))
    return page.outcome is Outcome.BLOCKED_CAPTCHA


@contextmanager
def _turn(host: _Host) -> Iterator[None]:
    """Wait until a host may get one more request."""
    with host.free:
        host.free.wait_for(lambda: host.busy < (host.budget.at_once if host.budget else 1))
        host.busy += 1
    try:
        yield
    finally:
        with host.free:
            host.busy -= 1
            host.free.notify_all()
