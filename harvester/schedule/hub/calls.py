"""Calls of many subscribers at once, and how each one ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from gateway.errors import AddressRefused, GatewayError
from harvester.runtime.interrupts import Stop, StopAsked

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


def results(
    pool: ThreadPoolExecutor, stop: Stop, call: Callable[[Called], Result], called: Sequence[Called]
) -> Iterator[tuple[Called, Result]]:
    """Call each one in a thread of the pool, and yield the results as they come."""

    def unless_stopped(one: Called) -> Result:
        return Result(is_stopped=True) if stop.is_asked else call(one)

    calls = {pool.submit(unless_stopped, one): one for one in called}
    for ended in as_completed(calls):
        yield calls[ended], _result(ended)


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


def host_of(callback: str) -> str:
    """Return the host of a callback, for messages: the rest of it may be a secret."""
    return urlsplit(callback).hostname or "nowhere"
