"""Walks side by side: each takes its next step in a thread, and only when the one before it was committed.

What fetches serves one thread at a time, so each walk has a lane with a fetcher of its own; a walk that has ended or is
left makes room in its lane for another. Whoever takes the steps is alone with them: nothing of ours is called from a
thread but the walks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeAlias, TypeVar

from harvester.wire.http import Fetch

What = TypeVar("What")
Item = TypeVar("Item")

Fetcher: TypeAlias = Callable[[], AbstractContextManager[Fetch]]


class Taken(NamedTuple, Generic[What, Item]):
    """What a walk has brought: a step, None at its end, or the error that ended it."""

    what: What
    item: Item | None = None
    error: BaseException | None = None


class _Lane(NamedTuple, Generic[What, Item]):
    what: What
    fetch: Fetch
    steps: Iterator[Item]


class Abreast(Generic[What, Item]):
    """Some walks at once, as many as there are lanes. Use it in a `with` block."""

    def __init__(self, lanes: int, fetch: Fetch, fetcher: Fetcher | None) -> None:
        """Take what fetches in the first lane, and what makes such for the others; None: there are no others."""
        self._pool = ThreadPoolExecutor(lanes, thread_name_prefix="walk")
        self._free, self._closed, self._fetcher = [fetch], lanes - 1 if fetcher else 0, fetcher
        self._open = ExitStack()
        self._pulls: dict[Future[Item | None], _Lane[What, Item]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._open.close()

    @property
    def has_room(self) -> bool:
        """Tell whether another walk can begin."""
        return bool(self._free or self._closed)

    @property
    def is_idle(self) -> bool:
        """Tell whether there is nothing to wait for."""
        return not self._pulls

    def begin(self, what: What, walk: Callable[[Fetch], Iterator[Item]]) -> None:
        """Begin a walk; there must be room for it."""
        if not self._free:
            assert self._fetcher is not None
            self._closed -= 1
            self._free.append(self._open.enter_context(self._fetcher()))
        fetch = self._free.pop()
        self._pull(_Lane(what, fetch, walk(fetch)))

    def take(self, is_over: Callable[[Taken[What, Item]], bool]) -> None:
        """Wait for the next step of any walk and hand it to `is_over`, which tells whether that walk is to be left."""
        done, _ = wait(self._pulls, return_when=FIRST_COMPLETED)
        for pull in done:
            lane = self._pulls.pop(pull)
            error = pull.exception()
            taken = Taken(lane.what, None if error else pull.result(), error)
            if is_over(taken) or taken.item is None:
                self._free.append(lane.fetch)
            else:
                self._pull(lane)

    def _pull(self, lane: _Lane[What, Item]) -> None:
        self._pulls[self._pool.submit(next, lane.steps, None)] = lane
