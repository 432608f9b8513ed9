"""The threads that make answers: those for harvesters, and a share of their own for pages.

Only one thread of Python computes at a time, so a page that computes delays every harvester. While harvesters are being
answered, pages compute for at most `PAGE_SHARE` of the time: after a page, the next one waits.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from http import HTTPStatus
from math import ceil, inf
from time import thread_time
from typing import Final, Protocol

from gateway.server.application import Answer, plain

PAGE_SHARE: Final = 0.1  # of the time, while harvesters are being answered; measured by `tests.bench.page_storm`
# A harvester asks for the next page of a list in at most a hundred times what the answer took, and in a second.
# A probe of a supervisor, which takes a fraction of a millisecond, so counts for a moment only.
_NEXT_PAGE_TIMES = 100
_NEXT_PAGE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 5.0  # after one page
_LOOP_SECONDS = 0.0005  # that the event loop needs to read a request and to write the answer
_POLL_SECONDS = 0.1
_BRIEF_SECONDS = 0.02  # a brief answer that takes longer waits for a disk, or has very large records
# After such an answer, threads make them for a hundred times as long. So all others wait for a hundredth of the time.
_NOT_BRIEF_TIMES = 100
_NOT_BRIEF_SECONDS = 1.0  # at least
_NOT_BRIEF_MOST_SECONDS = 600.0  # the whole process may have been stopped
_BUSY = "Too many pages are being requested. Try again in some seconds."

Make = Callable[[], Answer]


class Threads(Protocol):
    """Threads that make answers. `executor` runs what follows a long answer: its next part, and its end."""

    executor: Executor

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:
        """Return the answer that `make` returns, which is called in a thread, unless the answer `is_brief`."""


class HarvesterThreads:
    """The threads for everything that is no page.

    A page of a list takes less time than to hand it to a thread and back. So the event loop makes brief answers itself.
    After one that was not brief, threads make them for a hundred times as long, and at least for a second.
    """

    def __init__(self, threads: int) -> None:
        self.executor: Executor = ThreadPoolExecutor(threads, "answers")
        self._running = 0
        self._active_until = -inf
        self._brief_from = -inf

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:
        """Return the answer that `make` returns; it is called in a thread, unless the answer `is_brief`."""
        loop = asyncio.get_running_loop()
        begun_at = loop.time()
        if is_brief and begun_at >= self._brief_from:
            return self._brief(make, begun_at)
        self._running += 1
        try:
            return await loop.run_in_executor(self.executor, make)
        finally:
            self._running -= 1
            now = loop.time()
            expected = _NEXT_PAGE_SECONDS if is_brief else min((now - begun_at) * _NEXT_PAGE_TIMES, _NEXT_PAGE_SECONDS)
            self._active_until = max(self._active_until, now + expected)

    def _brief(self, make: Make, begun_at: float) -> Answer:
        try:
            return make()
        finally:
            now = asyncio.get_running_loop().time()
            self._active_until = max(self._active_until, now + _NEXT_PAGE_SECONDS)
            if (took := now - begun_at) > _BRIEF_SECONDS:
                pause = min(took * _NOT_BRIEF_TIMES, _NOT_BRIEF_MOST_SECONDS)
                self._brief_from = now + max(pause, _NOT_BRIEF_SECONDS)

    def are_active(self) -> bool:
        """Return whether an answer is being made, or the next request of a harvester is expected."""
        return self._running > 0 or asyncio.get_running_loop().time() < self._active_until


class PageThreads:
    """The threads for pages, which harvesters never wait for. A request waits at most `wait_seconds` for a thread.

    A refusal is never sent at once: a client that repeats its request at once would cost as much as a page.
    """

    def __init__(self, threads: int, harvesters: HarvesterThreads, wait_seconds: float) -> None:
        self.executor: Executor = ThreadPoolExecutor(threads, "pages")
        self._harvesters = harvesters
        self._wait_seconds = wait_seconds
        self._free = asyncio.Semaphore(threads)
        self._may_begin_at = -inf

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:  # noqa: ARG002 - no page is
        """Return the answer that `make` returns, which is called in a thread; 503 if none is free for too long."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, _BUSY, ("Retry-After", str(ceil(self._wait_seconds))))
        try:
            await self._pause()
            return await self._made(make)
        finally:
            self._free.release()

    async def _pause(self) -> None:
        """Wait for the end of the pause after the last page, or until no harvester is active."""
        loop = asyncio.get_running_loop()
        while (seconds := self._may_begin_at - loop.time()) > 0 and self._harvesters.are_active():  # noqa: ASYNC110 - time is no event
            await asyncio.sleep(min(seconds, _POLL_SECONDS))

    async def _made(self, make: Make) -> Answer:
        loop = asyncio.get_running_loop()
        answer, computed_seconds = await loop.run_in_executor(self.executor, _timed, make)
        pause = min((computed_seconds + _LOOP_SECONDS) * (1 / PAGE_SHARE - 1), _LONGEST_PAUSE_SECONDS)
        self._may_begin_at = max(self._may_begin_at, loop.time()) + pause
        return answer


def _timed(make: Make) -> tuple[Answer, float]:
    """Return an answer, and how many seconds this thread has computed for it."""
    begun_at = thread_time()
    return make(), thread_time() - begun_at
