"""The worker pool: its threads process sources, windows, files and searches.

    add(job) -> waiting --[its key has room, nobody asked to stop]--> at work --> ended --> results()
                                                                       |
                            with a resource of its key, opened once and lent to one job at a time

* At most `threads` jobs are at work, and at most `per_key` of one key (a host, for example). The job that waits
  longest begins first.
* The thread that asks for results gets them one by one, as the jobs end. Only that thread handles signals.
* After a request to stop, no further job begins. An exception that ends the `with` block breaks off all jobs at work
  (`Stop.insist`).
* No error of a job is lost: `failed` makes a result of it, or it is raised where the results are read.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import count
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from time import monotonic
from typing import Any, Generic, NamedTuple, ParamSpec, Self, TypeVar

from harvester.runtime.interrupts import Stop

Resource = TypeVar("Resource")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

# The time that broken-off jobs have to record their end; a transaction needs far less.
GRACE_SECONDS = 4.0
# The longest delay before the thread that waits for a result notices that no further job begins.
_POLL_SECONDS = 0.2


class Job(NamedTuple, Generic[Resource, Result]):
    """One job. Jobs with the same `key` share a limit. `work` gets a resource of the pool, or None."""

    name: str
    key: Hashable
    work: Callable[[Resource], Result]


class _Failure(NamedTuple):
    """The error of a job without a result."""

    error: BaseException


def without_resource(
    work: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Callable[[None], Result]:
    """Return the work of a job for a pool without resources."""
    return lambda _: work(*arguments, **named)


class WorkerPool(Generic[Resource, Result]):
    """A pool of threads that run jobs. Use it in a `with` block."""

    def __init__(
        self,
        threads: int,
        stop: Stop,
        resource: Callable[[], AbstractContextManager[Any]] = nullcontext,
        *,
        per_key: int = 1,
        failed: Callable[[str, BaseException], Result] | None = None,
        grace_seconds: float | None = None,
    ) -> None:
        """`threads` is the most jobs at work, and `per_key` the most of one key.

        `resource` opens what a job works with. `failed` makes a result of the name of a job and its error. Without it,
        `results` raises the first error when the other jobs at work have ended. After an exception in the block the
        jobs at work may take `grace_seconds` to end; None: as long as they need.
        """
        self._most, self._per_key = max(1, threads), max(1, per_key)
        self._stop, self._resource = stop, resource
        self._failed, self._grace_seconds = failed, grace_seconds
        self._changed = Condition()  # guards everything up to `_is_closed`
        self._waiting: defaultdict[Hashable, deque[tuple[int, Job[Resource, Result]]]] = defaultdict(deque)
        self._at_work: Counter[Hashable] = Counter()
        self._free: defaultdict[Hashable, list[Resource]] = defaultdict(list)
        self._begun = 0  # begun jobs whose results were not taken yet
        self._is_closed = False
        self._names: Counter[str] = Counter()
        self._numbers = count()
        self._workers: list[Thread] = []
        self._ended: SimpleQueue[tuple[Job[Resource, Result], Result | _Failure]] = SimpleQueue()
        self._open = ExitStack()
        self._errors: list[BaseException] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._changed:
            self._waiting.clear()
            self._is_closed = True
            self._changed.notify_all()
        self._names.clear()
        if kind is not None:
            self._stop.insist()
        end = None if kind is None or self._grace_seconds is None else monotonic() + self._grace_seconds
        for worker in self._workers:
            worker.join(None if end is None else max(0.0, end - monotonic()))
        self._open.close()

    def __len__(self) -> int:
        """Return the number of jobs that wait, are at work, or have a result that was not taken."""
        return self._names.total()

    def add(self, job: Job[Resource, Result]) -> None:
        """Add a job to the queue."""
        self._names[job.name] += 1
        with self._changed:
            self._waiting[job.key].append((next(self._numbers), job))
            self._changed.notify()
        if len(self._workers) < self._most:
            # A daemon: at the end of the process a hanging thread is killed, and nothing is lost.
            self._workers.append(Thread(target=self._work, name=f"worker {len(self._workers)}", daemon=True))
            self._workers[-1].start()

    def has(self, name: str) -> bool:
        """Return whether a job of that name waits, is at work, or has a result that was not taken."""
        return self._names[name] > 0

    @property
    def is_idle(self) -> bool:
        """Return whether no job waits, is at work, or has a result."""
        with self._changed:
            return not self._begun and (self._stop.is_asked or not self._waiting)

    def results(self) -> Iterator[tuple[str, Result]]:
        """Wait for all jobs; return the name and the result of each as it ends. Raise the error of a job."""
        while not self.is_idle:
            yield from self.turn()
        self.raise_error()

    def raise_error(self) -> None:
        """Raise the first error of a job, if `failed` makes no result of it."""
        if self._errors:
            errors, self._errors = self._errors, []
            raise errors[0]

    def turn(self, seconds: float | None = None) -> Iterator[tuple[str, Result]]:
        """Wait some seconds (None: for ever) for a job to end; return its name and result, or nothing."""
        end = None if seconds is None else monotonic() + seconds
        while not self.is_idle:
            left = _POLL_SECONDS if end is None else min(_POLL_SECONDS, max(0.0, end - monotonic()))
            try:
                job, result = self._ended.get(timeout=left)
            except Empty:
                if end is not None and monotonic() >= end:
                    return
                continue
            with self._changed:
                self._begun -= 1
            self._names[job.name] -= 1
            if not isinstance(result, _Failure):
                yield job.name, result
            elif self._failed is not None:
                yield job.name, self._failed(job.name, result.error)
            else:
                self._errors.append(result.error)
                self._stop.ask()
            return

    # -- in the threads --

    def _work(self) -> None:
        """Run one job after the other until the pool is closed. Each job that begins has a result."""
        while (job := self._begin()) is not None:
            try:
                with self._lent(job.key) as resource:
                    result: Result | _Failure = job.work(resource)
            except BaseException as error:  # noqa: BLE001 - it is handed to the thread that reads the results
                result = _Failure(error)
            self._ended.put((job, result))
            with self._changed:
                self._at_work[job.key] -= 1
                self._changed.notify_all()

    def _begin(self) -> Job[Resource, Result] | None:
        """Wait for a job that may begin, and return it; None when the pool is closed."""
        with self._changed:
            while not self._is_closed:
                with_room = [key for key in self._waiting if self._at_work[key] < self._per_key]
                if with_room and not self._stop.is_asked:
                    key = min(with_room, key=lambda key: self._waiting[key][0][0])
                    _, job = self._waiting[key].popleft()
                    if not self._waiting[key]:
                        del self._waiting[key]
                    self._at_work[key] += 1
                    self._begun += 1
                    return job
                self._changed.wait()
        return None

    @contextmanager
    def _lent(self, key: Hashable) -> Iterator[Resource]:
        with self._changed:
            resource = self._free[key].pop() if self._free[key] else self._open.enter_context(self._resource())
        try:
            yield resource
        finally:
            with self._changed:
                self._free[key].append(resource)
