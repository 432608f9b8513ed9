"""Several sources at once: a thread for each, never two of one host, and every end told to the thread that began.

Only the main thread hears signals. Asked to stop, no further job begins; insisted, the jobs at work are broken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import Generic, NamedTuple, Self, TypeVar
from urllib.parse import urlsplit

from harvester.sources_file import SourceEntry
from harvester.stopping import Stop

Result = TypeVar("Result")

# How long jobs that were broken off may take to write down how they ended; a transaction needs far less.
GRACE_SECONDS = 4.0


class Job(NamedTuple, Generic[Result]):
    """One piece of work, by the name of its source. Jobs of one host go one after the other."""

    name: str
    host: str
    work: Callable[[], Result]


def host_of(entry: SourceEntry) -> str:
    """Return the host that a source asks: what stands behind one name is one machine, whatever its ports."""
    return (urlsplit(entry.url).hostname or "").lower().rstrip(".")


class _Failure(NamedTuple):
    """What ended a job instead of a result."""

    error: BaseException


class Crew(Generic[Result]):
    """Does jobs in threads. Use it in a `with` block: a KeyboardInterrupt in it breaks off what is at work.

    `work` of a job returns its result; an exception that leaves it is what `failed` makes of it, in the main thread.
    """

    def __init__(self, threads: int, stop: Stop, failed: Callable[[str, BaseException], Result]) -> None:
        """Nothing is at work yet."""
        self._threads = max(1, threads)
        self._stop = stop
        self._failed = failed
        self._waiting: list[Job[Result]] = []
        self._at_work: dict[str, Job[Result]] = {}  # by host
        self._ended: SimpleQueue[tuple[Job[Result], Result | _Failure]] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._waiting.clear()
        if kind is not None:
            self._stop.insist()
            self._settle()

    def add(self, job: Job[Result]) -> None:
        """Let a job wait for its turn."""
        self._waiting.append(job)

    def has(self, name: str) -> bool:
        """Tell whether a job of that name waits or is at work."""
        return any(job.name == name for job in (*self._waiting, *self._at_work.values()))

    @property
    def is_idle(self) -> bool:
        """Tell whether there is nothing to wait for."""
        return not self._at_work and (self._stop.is_asked or not self._waiting)

    def results(self) -> Iterator[tuple[str, Result]]:
        """Do everything that waits; return the name and the result of each job as it ends."""
        while not self.is_idle:
            yield from self.turn()

    def turn(self, seconds: float | None = None) -> Iterator[tuple[str, Result]]:
        """Begin what can begin, and wait so long (None: for ever) for a job to end; return those that have."""
        self._begin()
        if not self._at_work:
            return
        try:
            job, result = self._ended.get(timeout=seconds)
        except Empty:
            return
        del self._at_work[job.host]
        yield job.name, self._failed(job.name, result.error) if isinstance(result, _Failure) else result

    def _begin(self) -> None:
        left: list[Job[Result]] = []
        for job in self._waiting:
            if self._stop.is_asked or job.host in self._at_work or len(self._at_work) >= self._threads:
                left.append(job)
            else:
                self._at_work[job.host] = job
                # Not waited for at the end of the process: what hangs then is killed, which loses nothing.
                Thread(target=self._do, args=(job,), name=job.name, daemon=True).start()
        self._waiting = left

    def _do(self, job: Job[Result]) -> None:
        """Do a job and report its result or its error: the main thread waits for that."""
        try:
            self._ended.put((job, job.work()))
        except BaseException as error:  # noqa: BLE001 - one source's fault never stops another
            self._ended.put((job, _Failure(error)))

    def _settle(self) -> None:
        """Let the jobs that were broken off write down how they ended."""
        end = monotonic() + GRACE_SECONDS
        while self._at_work and monotonic() < end:
            for _ in self.turn(end - monotonic()):
                pass
