"""Files from several hosts at once, and from one host as many as it may be asked for: a lane for each connection.

A lane takes the next file of its host until there is none. It has a fetcher of its own, since each serves one thread;
all of them share the pace of the hosts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from queue import SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeVar

from harvester.stopping import Stop
from harvester.wire.http import Fetch

Result = TypeVar("Result")


class Job(NamedTuple, Generic[Result]):
    """One piece of work at a host."""

    host: str
    work: Callable[[Fetch], Result]


class _LaneEnded(NamedTuple):
    error: BaseException | None = None


class Lanes(Generic[Result]):
    """Does jobs in threads. Use it in a `with` block; what ends the block breaks off what is at work."""

    def __init__(
        self, threads: int, per_host: int, fetcher: Callable[[], AbstractContextManager[Fetch]], stop: Stop
    ) -> None:
        """Take how many jobs are done at once, in all and at one host, and what makes a fetcher."""
        self._pool = ThreadPoolExecutor(max(1, threads), thread_name_prefix="lane")
        self._per_host = max(1, per_host)
        self._fetcher, self._stop = fetcher, stop
        self._fetches: dict[tuple[str, int], Fetch] = {}
        self._open, self._lock = ExitStack(), Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._stop.insist()
        self._pool.shutdown(cancel_futures=True)
        self._open.close()

    def results(self, jobs: Iterable[Job[Result]]) -> Iterator[Result]:
        """Do all jobs, and return their results as they come. Asked to stop, no further job begins.

        An exception that leaves a job leaves here too, when the other lanes have ended what they were at.
        """
        hosts: dict[str, deque[Job[Result]]] = {}
        for job in jobs:
            hosts.setdefault(job.host, deque()).append(job)
        ended: SimpleQueue[Result | _LaneEnded] = SimpleQueue()
        lanes = [(host, n) for n in range(self._per_host) for host, waiting in hosts.items() if n < len(waiting)]
        for lane in lanes:
            self._pool.submit(self._run, lane, hosts[lane[0]], ended)
        left, errors = len(lanes), list[BaseException]()
        while left:
            result = ended.get()
            if not isinstance(result, _LaneEnded):
                yield result
                continue
            left -= 1
            if result.error is not None:
                errors.append(result.error)
                self._stop.ask()
        if errors:
            raise errors[0]

    def _run(self, lane: tuple[str, int], waiting: deque[Job[Result]], ended: SimpleQueue[Result | _LaneEnded]) -> None:
        try:
            fetch = self._fetch(lane)
            while not self._stop.is_asked:
                try:
                    job = waiting.popleft()
                except IndexError:
                    break
                ended.put(job.work(fetch))
        except BaseException as error:  # noqa: BLE001 - it is raised again where the results are read
            ended.put(_LaneEnded(error))
        else:
            ended.put(_LaneEnded())

    def _fetch(self, lane: tuple[str, int]) -> Fetch:
        with self._lock:
            if lane not in self._fetches:
                self._fetches[lane] = self._open.enter_context(self._fetcher())
            return self._fetches[lane]
