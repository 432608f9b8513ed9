"""Harvest windows in parallel: a worker takes the next step of a window after the last one was committed.

A fetcher serves one thread at a time. So each window has a lane with its own fetcher; at its end the lane is free for
another window. Workers only fetch; the caller commits the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeAlias, TypeVar

from harvester.http.messages import Fetch
from harvester.runtime.interrupts import Stop
from harvester.runtime.worker_pool import Job, WorkerPool

Window = TypeVar("Window")
Item = TypeVar("Item")

Fetcher: TypeAlias = Callable[[], AbstractContextManager[Fetch]]


class Taken(NamedTuple, Generic[Window, Item]):
    """A result of a window: a step, None at its end, or the error that ended it."""

    window: Window
    item: Item | None = None
    error: BaseException | None = None


class _Lane(NamedTuple, Generic[Window, Item]):
    window: Window
    pull: Callable[[Fetch], Item | None]


class ParallelWindows(Generic[Window, Item]):
    """Several windows at once, one per lane. Use it in a `with` block."""

    def __init__(self, lanes: int, fetch: Fetch, fetcher: Fetcher | None) -> None:
        """Take the fetcher of the first lane, and a function that opens further ones; None: there is one lane."""
        lanes = lanes if fetcher else 1
        self._pool = WorkerPool[Fetch, Item | None | _Error](lanes, Stop(), self._opened, failed=_Error)
        self._given: list[Fetch] = [fetch]
        self._fetcher = fetcher
        self._free = [str(number) for number in range(lanes)]
        self._lanes: dict[str, _Lane[Window, Item]] = {}

    def __enter__(self) -> Self:
        self._pool.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.__exit__(kind, error, trace)

    @property
    def has_room(self) -> bool:
        """Return whether another window can begin."""
        return bool(self._free)

    @property
    def is_idle(self) -> bool:
        """Return whether no window is in progress."""
        return not self._lanes

    def begin(self, window: Window, walk: Callable[[Fetch], Iterator[Item]]) -> None:
        """Begin a window; a lane must be free."""
        steps: list[Iterator[Item]] = []

        def pull(fetch: Fetch) -> Item | None:
            if not steps:
                steps.append(walk(fetch))
            return next(steps[0], None)

        self._pull(self._free.pop(), _Lane(window, pull))

    def take(self, is_over: Callable[[Taken[Window, Item]], bool]) -> None:
        """Wait for the next result of any window; `is_over` gets it, and returns whether to leave the window."""
        for number, result in self._pool.turn():
            lane = self._lanes.pop(number)
            error = result.error if isinstance(result, _Error) else None
            taken = Taken(lane.window, None if isinstance(result, _Error) else result, error)
            if is_over(taken) or taken.item is None:
                self._free.append(number)
            else:
                self._pull(number, lane)

    def _opened(self) -> AbstractContextManager[Fetch]:
        """Return the fetcher of a lane; the first lane gets the given one."""
        if self._given or self._fetcher is None:
            return nullcontext(self._given.pop())
        return self._fetcher()

    def _pull(self, number: str, lane: _Lane[Window, Item]) -> None:
        self._lanes[number] = lane
        self._pool.add(Job(number, number, lane.pull))


class _Error(NamedTuple):
    lane: str
    error: BaseException
