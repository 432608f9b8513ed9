"""Scheduled runs: the stages of a source, and the times at which they are due.

A further stage is one entry of the table `STAGES`. `Scheduler` runs whatever is due, once or continuously. Its state is
in the databases; only recent failures are kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from time import time
from typing import TYPE_CHECKING, NamedTuple

from gateway.core.errors import ConfigurationError, GatewayError
from gateway.core.words import table
from harvester.harvest.facts import Facts, problems, runs_in_future
from harvester.harvest.sources_toml import SourceEntry
from harvester.offer.files import due_at as offers_due_at
from harvester.offer.files import entry_has_changed
from harvester.runtime.durations import opens_in, seconds_of
from harvester.runtime.exit_status import SourceLocked, Status
from harvester.runtime.interrupts import StopAsked
from harvester.runtime.worker_pool import Job, WorkerPool, without_resource
from harvester.schedule.due import (
    LONGEST_WAIT_SECONDS,
    due_after_announcement,
    due_at,
    failures,
    recheck_due_at,
    wait_after,
)
from harvester.schedule.subscriptions import renewal_at

if TYPE_CHECKING:  # `harvester status` asks only what is due, and loads no HTTP client
    from harvester.schedule.source_work import SourceWork, WorkResult

# The interval between two checks for due stages, and for an edit of sources.toml.
POLL_SECONDS = 10.0
# The pause when another process holds the lock of a source.
_LOCKED_SECONDS = 60.0

_GOOD = (Status.SUCCEEDED, Status.WITH_ERRORS)


class Stage(NamedTuple):
    """One stage. `due` returns the second since 1970 at which it is due for a source; None: never.

    `asks`: it sends requests to the source, so it waits for the `hours` of the source.
    """

    name: str
    due: Callable[[Facts, SourceEntry], float | None]
    work: Callable[[SourceWork, SourceEntry], WorkResult]
    asks: bool = False

    @property
    def sentence(self) -> str:
        """What it does."""
        return str(table(__file__, "stages")[self.name])

    def due_at(self, facts: Facts, entry: SourceEntry, now: float) -> float | None:
        """Return the second since 1970 at which it is due and allowed; None: never."""
        at, wait = self.due(facts, entry), opens_in(entry.hours, now) if self.asks else 0.0
        return at if at is None or not wait else max(at, now + wait)


def _harvest_due(facts: Facts, entry: SourceEntry) -> float | None:
    announced_at = facts.announced_at(entry.name)
    if not entry.every and not announced_at:
        return None
    runs = facts.runs(entry.name, "harvest")
    moments = (due_at(entry.name, entry.every, runs), due_after_announcement(announced_at, runs))
    return min((moment for moment in moments if moment is not None), default=None)


def _publication_due(facts: Facts, entry: SourceEntry) -> float | None:
    return 0.0 if facts.has_unpublished_pages(entry.name) else None


def _files_due(facts: Facts, entry: SourceEntry) -> float | None:
    return 0.0 if entry.name in facts.unpublished_files else None


def _due_every(field: str, stage: str) -> Callable[[Facts, SourceEntry], float | None]:
    """Return when a stage is due whose period is a field of the entry."""

    def due(facts: Facts, entry: SourceEntry) -> float | None:
        every, name = getattr(entry, field), entry.name
        is_due = every and facts.counts(name)["items"]
        return due_at(name, every, facts.runs(name, stage)) if is_due else None

    return due


def _recheck_due(facts: Facts, entry: SourceEntry) -> float | None:
    if not entry.recheck_every or not facts.instance.has_searched or not facts.counts(entry.name)["items"]:
        return None
    runs = facts.runs(entry.name, "recheck")
    next_at = facts.next_rechecks.get(entry.name)
    return recheck_due_at(seconds_of(entry.recheck_every), next_at, runs[0].started_at if runs else None)


def _offer_due(facts: Facts, entry: SourceEntry) -> float | None:
    if not entry.notify_inbox or not facts.instance.has_searched:
        return None
    at = offers_due_at(facts.instance, entry.name)
    runs = facts.runs(entry.name, "offer")
    failed = failures(runs)
    if at is None or entry_has_changed(facts.instance, entry):
        return None if at is None else 0.0  # it may be corrected
    if not failed:
        return at
    return max(at, (runs[0].ended_at or runs[0].started_at) + wait_after(failed, 0.0))


def _subscription_due(facts: Facts, entry: SourceEntry) -> float | None:
    moments = map(renewal_at, facts.subscriptions.get(entry.name, ()))
    return min((moment for moment in moments if moment is not None), default=None)


# In the order in which a source goes through them.
STAGES: tuple[Stage, ...] = (
    Stage("harvest", _harvest_due, lambda work, entry: work.harvested(entry), asks=True),
    Stage("publication", _publication_due, lambda work, entry: work.published(entry)),
    Stage("sweep", _due_every("sweep_every", "sweep"), lambda work, entry: work.swept(entry), asks=True),
    Stage("recheck", _recheck_due, lambda work, entry: work.rechecked(entry)),
    Stage("discovery", _due_every("discover_every", "discovery"), lambda work, entry: work.discovered(entry)),
    Stage("files", _files_due, lambda work, entry: work.released(entry)),
    Stage("offer", _offer_due, lambda work, entry: work.offered(entry), asks=True),
    Stage("subscription", _subscription_due, lambda work, entry: work.subscribed(entry)),
)


class StageResult(NamedTuple):
    """The result of one stage of a source; the name is empty when it was broken off."""

    stage: str
    done: WorkResult


class _RetryPause(NamedTuple):
    """A stage that failed in this process: the number of failures, and the end of the pause."""

    failed: int
    until: float


class Scheduler:
    """Runs the stages that are due."""

    def __init__(
        self,
        source_work: SourceWork,
        pool: WorkerPool[None, tuple[StageResult, ...]],
        stages: tuple[Stage, ...] = STAGES,
        clock: Callable[[], float] = time,
    ) -> None:
        self._work, self._pool, self._stages, self._clock = source_work, pool, stages, clock
        self._rests: dict[tuple[str, str], _RetryPause] = {}
        self._entries: dict[str, SourceEntry] = {}
        self._complaint = ""
        self._reported: set[str] = set()  # problems that were reported already

    def once(self) -> Iterator[tuple[str, StageResult]]:
        """Run the stages that are due now; return each result with the name of its source.

        Raise ConfigurationError when sources.toml cannot be read, StoreError when a database cannot.
        """
        entries, facts = self._work.instance.sources.entries(), Facts(self._work.instance)
        self._report(facts, entries)
        self._begin(facts, entries.values())
        for name, tended in self._pool.results():
            yield from ((name, result) for result in tended)

    def watch(self) -> Iterator[tuple[str, StageResult]]:
        """Run due stages until the command is asked to stop; return results as `once` does.

        Raise TimeIsOver when nothing is due before the time limit.
        """
        stop = self._work.stop
        while not stop.is_asked:
            wait = min(self._begin_due(), POLL_SECONDS)
            if self._pool.is_idle:
                self._idle(wait)
            for name, tended in self._pool.turn(wait):
                yield from ((name, result) for result in tended)
        for name, tended in self._pool.results():
            yield from ((name, result) for result in tended)

    def _idle(self, seconds: float) -> None:
        try:
            self._work.stop.pause(seconds)
        except StopAsked:
            return  # asked to stop, with no job at work

    def _begin_due(self) -> float:
        """Begin due stages, and return the seconds until the next. An error is reported once, and ends nothing."""
        complaint, wait = "", POLL_SECONDS
        try:
            self._entries = self._work.instance.sources.entries()
        except ConfigurationError as error:
            complaint = f"{error} The sources stay as they were."
        try:
            facts = Facts(self._work.instance)
            if not complaint:
                self._report(facts, self._entries)
            if self._work.has_pending_takedowns():
                self._work.complete_takedowns()
            wait = self._begin(facts, self._entries.values())
        except GatewayError as error:
            complaint = str(error)
        if complaint and complaint != self._complaint:
            self._work.progress.fail(complaint)
        self._complaint = complaint
        return wait

    def _report(self, facts: Facts, entries: Mapping[str, SourceEntry]) -> None:
        """Report problems of sources, each once."""
        concerns = (*problems(self._work.instance, entries), *runs_in_future(facts, entries))
        for problem in concerns:
            if problem not in self._reported:
                self._work.progress.say(problem)
        self._reported = set(concerns)

    def _begin(self, facts: Facts, entries: Iterable[SourceEntry]) -> float:
        """Begin the sources that are due, the oldest first; return the seconds until the next is due."""
        now, soonest = self._clock(), inf
        due: list[tuple[float, SourceEntry]] = []
        for entry in entries:
            if self._pool.has(entry.name):
                continue
            at = min((self._due(facts, stage, entry) for stage in self._stages), default=inf)
            if at <= now:
                due.append((at, entry))
            else:
                soonest = min(soonest, at)
        for _, entry in sorted(due, key=lambda pair: pair[0]):
            self._pool.add(Job(entry.name, entry.host, without_resource(self._tend, entry)))
        return soonest - now

    def _due(self, facts: Facts, stage: Stage, entry: SourceEntry) -> float:
        at = stage.due_at(facts, entry, self._clock())
        if at is None:
            return inf
        rest = self._rests.get((entry.name, stage.name))
        # else the clock was wrong
        until = rest.until if rest and rest.until <= self._clock() + LONGEST_WAIT_SECONDS else 0.0
        return max(at, until)

    def _tend(self, entry: SourceEntry) -> tuple[StageResult, ...]:
        """Run the due stages of a source in order. Called in a thread."""
        results: list[StageResult] = []
        for stage in self._stages:
            facts = Facts(self._work.instance, entry.name)
            if self._work.stop.is_asked or self._due(facts, stage, entry) > self._clock():
                continue
            done = self._worked(stage, entry)
            self._remember(entry.name, stage.name, done.status)
            results.append(StageResult(stage.name, done))
        return tuple(results)

    def _worked(self, stage: Stage, entry: SourceEntry) -> WorkResult:
        try:
            return stage.work(self._work, entry)
        except SourceLocked:
            return self._work.left_to_another()
        except Exception as error:  # noqa: BLE001 - one stage's fault never stops another
            return self._work.failed(entry.name, error)

    def _remember(self, source: str, stage: str, status: Status) -> None:
        key, now = (source, stage), self._clock()
        if status in _GOOD:
            self._rests.pop(key, None)
        elif status is Status.LOCKED:
            self._rests[key] = _RetryPause(0, now + _LOCKED_SECONDS)
        else:
            failed = self._rests.get(key, _RetryPause(0, 0.0)).failed + 1
            self._rests[key] = _RetryPause(failed, now + wait_after(failed, 0.0))
