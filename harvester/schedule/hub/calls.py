"""Calls of many subscribers at once, and how each one ended."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic, NamedTuple, TypeVar

from gateway.core.errors import AddressRefused, GatewayError
from harvester.runtime.interrupts import Stop, StopAsked
from harvester.schedule.hub.networks import Networks, Shares

_LONGEST_PROBLEM = 300
_URL = re.compile(r"https?://[^/\s]\S*")
_BEHIND = ".,:;)'\""

Called = TypeVar("Called")


class Result(NamedTuple):
    """How a call ended: an HTTP status (0: there was none), and what is wrong; empty: nothing.

    `is_final`: another try would end in the same way. `is_stopped`: it was not made, or broken off.
    """

    status: int = 0
    problem: str = ""
    is_final: bool = False
    is_stopped: bool = False


class Calls:
    """The calls of one round, in the threads of a pool. No network delays the calls of the others for long."""

    def __init__(self, pool: ThreadPoolExecutor, stop: Stop, shares: Shares) -> None:
        """Take the pool, what stops the calls, and the shares of the networks, which has the number of threads."""
        self._pool, self._stop, self.shares = pool, stop, shares
        self.left = 0

    def results(
        self, call: Callable[[Called], Result], called: Iterable[Called], networks: Callable[[Called], Networks]
    ) -> Iterator[tuple[Called, Result]]:
        """Call each one in a thread, and yield the results as they come.

        Of a network that has had its share of the round, the rest is not called: `left` counts those.
        """
        queue = _Queue(called, networks, self.shares)
        running: dict[Future[Result], tuple[Called, Networks]] = {}

        def unless_stopped(one: Called) -> Result:
            return Result(is_stopped=True) if self._stop.is_asked else call(one)

        while True:
            while len(running) < self.shares.threads and (ready := queue.next()) is not None:
                self.shares.begin(ready[1])
                running[self._pool.submit(unless_stopped, ready[0])] = ready
            if not running:
                break
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                one, of = running.pop(ended)
                self.shares.end(of)
                yield one, _result(ended)
        self.left += queue.left


class _Queue(Generic[Called]):
    """Those who are to be called, so that those who wait for a thread of their network are behind all others."""

    def __init__(self, called: Iterable[Called], networks: Callable[[Called], Networks], shares: Shares) -> None:
        self._called, self._networks, self._shares = iter(called), networks, shares
        self._waiting: dict[Networks, deque[Called]] = {}
        self.left = 0

    def next(self) -> tuple[Called, Networks] | None:
        """Return who is called next, and its networks; None if nobody can be called before a call has ended."""
        for networks, waiting in list(self._waiting.items()):
            if self._shares.is_over(networks):
                self.left += len(self._waiting.pop(networks))
            elif self._shares.has_thread(networks):
                one = waiting.popleft()
                if not waiting:
                    del self._waiting[networks]
                return one, networks
        for one in self._called:
            networks = self._networks(one)
            if self._shares.is_over(networks):
                self.left += 1
            elif self._shares.has_thread(networks):
                return one, networks
            else:
                self._waiting.setdefault(networks, deque()).append(one)
        return None


def _result(ended: Future[Result]) -> Result:
    error = ended.exception()
    if error is None:
        return ended.result()
    if isinstance(error, (KeyboardInterrupt, StopAsked)):
        return Result(is_stopped=True)
    if isinstance(error, GatewayError):
        return Result(
            problem=_URL.sub(_host, str(error))[:_LONGEST_PROBLEM], is_final=isinstance(error, AddressRefused)
        )
    raise error


def _host(url: re.Match[str]) -> str:
    """Return the host and port of an address in a message, and the punctuation behind it."""
    address = url[0].rstrip(_BEHIND)
    return address.split("/", 3)[2].partition("?")[0] + url[0][len(address) :]
