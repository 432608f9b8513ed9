"""A machine that goes of itself: the stages that a source goes through, each of which knows when it is due.

A further stage is one entry of the table `STAGES`. `Tending` does whatever is due, once or for ever; it remembers
nothing that is not in the databases, but for what failed a moment ago.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import inf
from time import time
from typing import NamedTuple

from gateway.errors import ConfigurationError, GatewayError
from gateway.model import Run
from gateway.obeying import pending
from harvester.clock import is_past, runs_in_future
from harvester.crew import Crew, Job, host_of
from harvester.hours import opens_in
from harvester.instance import Instance
from harvester.outcomes import SourceLocked, Status
from harvester.sources_file import SourceEntry
from harvester.stopping import StopAsked
from harvester.tending.due import LONGEST_WAIT_SECONDS, due_at, due_when_told, wait_after
from harvester.tending.subscribing import renewal_at
from harvester.unattended import problems
from harvester.working import Done, Working

# How often it is looked for what is due; so soon an edit of sources.toml is noticed.
GLANCE_SECONDS = 10.0
# When another process is at a source, it is not in the way for a while.
_LOCKED_SECONDS = 60.0
# Enough of the last runs to see how often a source has failed.
RUNS_LOOKED_AT = 20

_GOOD = (Status.SUCCEEDED, Status.WITH_ERRORS)


class Stage(NamedTuple):
    """One stage. `due` returns the second since 1970 from which on it is due for a source; None: never.

    `asks`: it asks the source, and waits for its hours.
    """

    name: str
    sentence: str
    due: Callable[[Instance, SourceEntry], float | None]
    work: Callable[[Working, SourceEntry], Done]
    asks: bool = False

    def due_at(self, instance: Instance, entry: SourceEntry, now: float) -> float | None:
        """Return from which second on it is due, and may be done."""
        at, wait = self.due(instance, entry), opens_in(entry.hours, now) if self.asks else 0.0
        return at if at is None or not wait else max(at, now + wait)


def _runs(instance: Instance, entry: SourceEntry, stage: str) -> list[Run]:
    """Return the last runs of a stage; none, so that it is due, when a wrong clock has put the last into the future."""
    runs = instance.inbox.runs(entry.name, RUNS_LOOKED_AT, stage)
    return [each for each in runs if is_past(each)] if runs and is_past(runs[0]) else []


def _harvest_due(instance: Instance, entry: SourceEntry) -> float | None:
    told_at = max((each.notified_at for each in instance.subscriptions.of_source(entry.name)), default=0)
    told_at = min(told_at, int(time()))  # a call that is dated in the future was dated by a wrong clock
    if not entry.every and not told_at:
        return None
    runs = _runs(instance, entry, "harvest")
    moments = (due_at(entry.name, entry.every, runs), due_when_told(told_at, runs))
    return min((each for each in moments if each is not None), default=None)


def _publication_due(instance: Instance, entry: SourceEntry) -> float | None:
    position = instance.store.position(entry.name)
    return None if next(instance.inbox.pages(entry.name, position), None) is None else 0.0


def _sweep_due(instance: Instance, entry: SourceEntry) -> float | None:
    if not entry.sweep_every or not instance.store.counts(entry.name)["items"]:
        return None
    return due_at(entry.name, entry.sweep_every, _runs(instance, entry, "sweep"))


def _discovery_due(instance: Instance, entry: SourceEntry) -> float | None:
    if not entry.discover_every or not instance.store.counts(entry.name)["items"]:
        return None
    return due_at(entry.name, entry.discover_every, _runs(instance, entry, "discovery"))


def _files_due(instance: Instance, entry: SourceEntry) -> float | None:
    if not instance.has_searched:
        return None
    return 0.0 if instance.desk().unpublished("", 1, (entry.name,)) else None


def _subscription_due(instance: Instance, entry: SourceEntry) -> float | None:
    moments = (renewal_at(each) for each in instance.subscriptions.of_source(entry.name))
    return min((each for each in moments if each is not None), default=None)


# In the order in which a source goes through them.
STAGES: tuple[Stage, ...] = (
    Stage(
        "harvest",
        "Harvests a source whose `every` has passed, or that told of changes, and publishes what came.",
        _harvest_due,
        Working.harvested,
        asks=True,
    ),
    Stage("publication", "Publishes what is harvested and not published yet.", _publication_due, Working.published),
    Stage("sweep", "Sweeps a source whose `sweep_every` has passed.", _sweep_due, Working.swept, asks=True),
    Stage(
        "discovery",
        "Searches for full text of some items of a source whose `discover_every` has passed.",
        _discovery_due,
        Working.discovered,
    ),
    Stage("files", "Publishes what is decided of files and not published yet.", _files_due, Working.released),
    Stage(
        "subscription",
        "Asks hubs again that have not confirmed, or whose lease ends soon.",
        _subscription_due,
        Working.subscribed,
    ),
)


class Tended(NamedTuple):
    """One stage that a source went through; the name is empty when it was broken off."""

    stage: str
    done: Done


class _Rest(NamedTuple):
    """A stage that failed in this process: how often, and until when it is left alone."""

    failed: int
    until: float


class Tending:
    """Does what is due. Use it in a `with` block, as a crew."""

    def __init__(
        self,
        working: Working,
        crew: Crew[tuple[Tended, ...]],
        stages: tuple[Stage, ...] = STAGES,
        clock: Callable[[], float] = time,
    ) -> None:
        """Take what works, and who does it; `clock` tells seconds since 1970."""
        self._working, self._crew, self._stages, self._clock = working, crew, stages, clock
        self._rests: dict[tuple[str, str], _Rest] = {}
        self._entries: dict[str, SourceEntry] = {}
        self._complaint = ""
        self._reported: set[str] = set()  # problems of sources that were told already

    def once(self) -> Iterator[tuple[str, Tended]]:
        """Do what is due now, and return what was done, as it is done."""
        entries = self._working.instance.sources.entries()
        self._report(entries)
        self._begin(entries.values())
        for name, tended in self._crew.results():
            yield from ((name, each) for each in tended)

    def watch(self) -> Iterator[tuple[str, Tended]]:
        """Do what is due, for ever: until somebody asks to stop."""
        stop = self._working.stop
        while not stop.is_asked:
            wait = min(self._look(), GLANCE_SECONDS)
            if self._crew.is_idle:
                self._idle(wait)
            for name, tended in self._crew.turn(wait):
                yield from ((name, each) for each in tended)
        for name, tended in self._crew.results():
            yield from ((name, each) for each in tended)

    def _idle(self, seconds: float) -> None:
        try:
            self._working.stop.pause(seconds)
        except StopAsked:
            return  # asked to stop; nothing is at work

    def _look(self) -> float:
        """Begin what is due, and return how long nothing else is. What hinders is told once, and outlived."""
        complaint, wait = "", GLANCE_SECONDS
        try:
            self._entries = self._working.instance.sources.entries()
        except ConfigurationError as error:
            complaint = f"{error} The sources stay as they were."
        try:
            if not complaint:
                self._report(self._entries)
            if any(pending(self._working.instance.store)):
                self._working.obeyed()
            wait = self._begin(self._entries.values())
        except GatewayError as error:
            complaint = str(error)
        if complaint and complaint != self._complaint:
            self._working.telling.fail(complaint)
        self._complaint = complaint
        return wait

    def _report(self, entries: Mapping[str, SourceEntry]) -> None:
        """Tell, once, of which sources nobody looks after."""
        found = (*problems(self._working.instance, entries), *runs_in_future(self._working.instance, entries))
        for problem in found:
            if problem not in self._reported:
                self._working.telling.say(problem)
        self._reported = set(found)

    def _begin(self, entries: Iterable[SourceEntry]) -> float:
        """Begin with the sources for which something is due, the longest due first; return how long nothing else is."""
        now, soonest = self._clock(), inf
        due: list[tuple[float, SourceEntry]] = []
        for entry in entries:
            if self._crew.has(entry.name):
                continue
            at = min((self._due(stage, entry) for stage in self._stages), default=inf)
            if at <= now:
                due.append((at, entry))
            else:
                soonest = min(soonest, at)
        for _, entry in sorted(due, key=lambda each: each[0]):
            self._crew.add(Job(entry.name, host_of(entry), partial(self._tend, entry)))
        return soonest - now

    def _due(self, stage: Stage, entry: SourceEntry) -> float:
        at = stage.due_at(self._working.instance, entry, self._clock())
        rest = self._rests.get((entry.name, stage.name))
        until = (
            rest.until if rest and rest.until <= self._clock() + LONGEST_WAIT_SECONDS else 0.0
        )  # else the clock was wrong
        return inf if at is None else max(at, until)

    def _tend(self, entry: SourceEntry) -> tuple[Tended, ...]:
        """Let a source go through the stages that are due when their turn comes. Runs in a thread."""
        found: list[Tended] = []
        for stage in self._stages:
            if self._working.stop.is_asked or self._due(stage, entry) > self._clock():
                continue
            done = self._worked(stage, entry)
            self._remember(entry.name, stage.name, done.status)
            found.append(Tended(stage.name, done))
        return tuple(found)

    def _worked(self, stage: Stage, entry: SourceEntry) -> Done:
        try:
            return stage.work(self._working, entry)
        except SourceLocked:
            return Done(Status.LOCKED)  # whoever is at it does what is due
        except Exception as error:  # noqa: BLE001 - one stage's fault never stops another
            return self._working.failed(entry.name, error)

    def _remember(self, source: str, stage: str, status: Status) -> None:
        key, now = (source, stage), self._clock()
        if status in _GOOD:
            self._rests.pop(key, None)
        elif status is Status.LOCKED:
            self._rests[key] = _Rest(0, now + _LOCKED_SECONDS)
        else:
            failed = self._rests.get(key, _Rest(0, 0.0)).failed + 1
            self._rests[key] = _Rest(failed, now + wait_after(failed, 0.0))
