"""The promise about datestamps, step by step: every order in which publishers and a harvester can take their steps.

Each actor runs in a thread of its own, and only one of them moves at a time: to its next step, where it stops until
its turn comes again. The harvester is strict: it asks from the horizon of its last list, without any overlap, walks by
pages of one record, and may not miss the last version of any record. The clock is the test's: a second passes with
every move, and between two moves somebody may set it back, reboot the host or take the disk away. After
each move, unless an actor has the lock, another store tidies up: it makes blocks anew, erases what was superseded, and
makes or drops the own list of the set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import combinations, cycle
from threading import Semaphore, Thread, local
from typing import Any

import pytest

from gateway.core.errors import IntentExpired, StoreBusy
from gateway.core.model import Publication, Selection
from gateway.core.pieces import identity
from gateway.store.own_lists import drop, own_lists, today, want
from gateway.store.rows import EVERYTHING
from gateway.store.sqlite.file import SqliteFile
from gateway.store.store import Store
from gateway.store.view import View
from tests.seeds import SEED

_OFTEN = 7  # so often, own lists are dropped
STEP = int(os.environ.get("ORDERS_STEP", "10"))  # one of so many orders of three actors is tried; 1: all
HOST = -1  # in a schedule: not an actor moves, but something happens to the host


def tidy(store: Store, turn: int) -> None:
    """Do all that compaction, takedowns and harvesters of sparse sets can do to the blocks of a store."""
    store.erase_superseded()
    with store._file.writing() as session:
        if not turn % _OFTEN:
            for one in own_lists(session):
                drop(session, one)
        places = "select distinct collection.id, format.prefix from collection, format where collection.id <> ?"
        for collection, prefix in session.execute(places, (EVERYTHING,)).fetchall():
            want(session, collection, prefix, today())
    store.compact(is_thorough=True)


class Killed(BaseException):
    """What a step raises in a process that is to die there."""


class Actor(Thread):
    """Work that stops at every step of the promise until it is told to go on."""

    current = local()

    def __init__(self, work: Callable[[], None], steps: frozenset[str]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._steps = steps
        self._go, self._stopped = Semaphore(0), Semaphore(0)
        self._is_doomed = False
        self.is_over = False
        self.failure: BaseException | None = None
        self.start()

    def run(self) -> None:
        Actor.current.actor = self
        self._go.acquire()
        try:
            if not self._is_doomed:
                self._work()
        except Killed:
            pass
        except BaseException as error:  # noqa: BLE001 - the scheduler raises it in the test
            self.failure = error
        self.is_over = True
        self._stopped.release()

    def step(self, name: str) -> None:
        if name in self._steps:
            self.wait()

    def wait(self) -> None:
        self._stopped.release()
        self._go.acquire()
        if self._is_doomed:
            raise Killed

    def move(self) -> None:
        """Let it go to its next step."""
        if not self.is_over:
            self._go.release()
            self._stopped.acquire()
        if self.failure is not None:
            raise self.failure

    def kill(self) -> None:
        """Let it die where it is."""
        self._is_doomed = True
        self.move()

    @staticmethod
    def at(name: str) -> None:
        """Be the `step` of a store that actors share with the test itself."""
        actor = getattr(Actor.current, "actor", None)
        if actor is not None:
            actor.step(name)


def patiently(work: Callable[[], Any]) -> Any:
    """Repeat while another holds the lock: it must move first."""
    while True:
        try:
            return work()
        except StoreBusy:
            Actor.current.actor.wait()


def version_of(record: bytes) -> tuple[str, int]:
    """Return the item and the version that a record says it is of."""
    name, version = record.removesuffix(b"</record>").rpartition(b">")[2].decode().split()
    return name, int(version)


class Harvester:
    """A strict harvester: what it holds, and from where it asks next."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}
        self.next_from: int | None = None
        self._specs = cycle((None, "source:laro"))  # of which one may have blocks of its own

    def harvest(self, store: Store) -> None:
        with store.view() as view:
            selection = Selection("oai_dc", next(self._specs), self.next_from, view.horizon)
            page = view.parts(selection, None, 1, only_headers=False, is_exact=True)
        while True:
            for record in identity(page.parts).splitlines():
                name, version = version_of(record)
                self.held[name] = version
            if page.next is None:
                break
            with store.view() as view:
                page = view.parts(selection, page.next, 1, only_headers=False, is_exact=True)
        assert selection.until >= (self.next_from or 0), "the responseDate went back"
        self.next_from = selection.until


class NaiveStore(Store):
    """A store as most are: the datestamp is the time of the statement, the responseDate that of the request."""

    @contextmanager
    def view(self) -> Iterator[View]:
        with super().view() as view, self._file.reading() as session:
            view._horizon = self._time.now(session)
            yield view


class Scene:
    """One store for many schedules; each writes new items, so that they do not disturb each other."""

    publisher_steps = frozenset({"intent written", "intent committed", "datestamp taken", "publication written"})
    reader_steps = frozenset({"clock told"})

    def __init__(
        self,
        store: Store,
        tidier: Store,
        clocks,
        make_change,
        happens: Callable[[Scene], None] | None = None,
    ) -> None:
        self.store, self.tidier = store, tidier
        self.clocks = clocks
        self.make_change = make_change
        self.happens = happens
        self.harvester = Harvester()
        self.actors: list[Actor] = []
        self.names: list[str] = []
        self.rhythm = 1  # after so many moves, the other store tidies up
        self._count = self._moves = self.tidied = 0

    def tidy(self) -> None:
        """Let the other store tidy up, if it gets the lock."""
        self._moves += 1
        if self._moves % self.rhythm:
            return
        with suppress(StoreBusy):
            tidy(self.tidier, self.tidied)
            self.tidied += 1

    def publish(self, *versions: tuple[str, int]) -> None:
        changes = tuple(self.make_change(*version) for version in versions)

        def work() -> None:
            intent = patiently(self.store.intend)
            with suppress(IntentExpired):
                patiently(lambda: self.store.publish(intent, Publication("laro", changes)))

        if hasattr(Actor.current, "actor"):
            work()
        else:
            with suppress(IntentExpired):
                self.store.publish(self.store.intend(), Publication("laro", changes))

    def play(self, schedule: Iterable[int], publishers: int) -> None:
        """Run one schedule to its end, then let the harvester look once more; it may have missed nothing."""
        self._count += 1
        self.names = [f"{self._count}-{number}" for number in range(publishers)]
        shared = f"{self._count}-shared"
        self.publish(*((name, 1) for name in [*self.names, shared]))
        self.pass_seconds(1)
        self.harvester.harvest(self.store)
        works = [lambda name=name: self.publish((name, 2), (shared, 2)) for name in self.names]
        self.actors = [
            *(Actor(work, self.publisher_steps) for work in works),
            Actor(lambda: self.harvester.harvest(self.store), self.reader_steps),
        ]
        for turn in schedule:
            self.pass_seconds(1)
            if turn == HOST:
                self.happens(self)
            else:
                self.actors[turn].move()
            self.tidy()
        self.finish()
        self.look([*self.names, shared])

    def finish(self) -> None:
        while any(not actor.is_over for actor in self.actors):
            for actor in self.actors:
                actor.move()
        for actor in self.actors:
            actor.join()

    def kill_all(self) -> None:
        for actor in self.actors:
            actor.kill()

    def look(self, names: Sequence[str]) -> None:
        self.pass_seconds(1)
        for _ in range(2):
            self.harvester.harvest(self.store)
            self.pass_seconds(100)  # whatever died here holds the horizon no longer
        with self.store.view() as view:
            truth = {name: version_of(view.record(f"oai:laro/{name}", "oai_dc").content)[1] for name in names}
        assert {name: self.harvester.held.get(name) for name in names} == truth
        self.harvester.held.clear()

    def pass_seconds(self, seconds: float) -> None:
        self.clocks.pass_seconds(seconds)


def orders(moves: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every order of so many moves of each actor."""
    yield from _orders(tuple(range(sum(moves))), moves, 0, {})


def _orders(free, moves, actor, taken):
    if actor == len(moves) - 1:
        turns = taken | dict.fromkeys(free, actor)
        yield tuple(turns[place] for place in sorted(turns))
        return
    for places in combinations(free, moves[actor]):
        left = tuple(place for place in free if place not in places)
        yield from _orders(left, moves, actor + 1, taken | dict.fromkeys(places, actor))


def with_event(schedules: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield every schedule with something happening to the host at every place."""
    for schedule in schedules:
        for place in range(len(schedule) + 1):
            yield (*schedule[:place], HOST, *schedule[place:])


ONE = (5, 2)  # moves of a publisher and of the harvester, from step to step


@pytest.fixture
def scene(open_furnished, clocks, make_change):
    def made(happens=None):
        store = open_furnished(busy_seconds=0, step=Actor.at)
        tidier = open_furnished(busy_seconds=0)
        for one in (store, tidier):
            with one._file.packing() as session:
                session.execute("pragma synchronous = off")  # power does not fail here
        stages.append(Scene(store, tidier, clocks, make_change, happens))
        return stages[-1]

    stages: list[Scene] = []
    yield made
    for stage in stages:
        assert stage.tidied > 10
        assert stage.tidier.check() == ()


def test_nothing_is_missed_in_any_order_of_one_publisher_and_a_harvester(scene):
    """`play` fails when the harvester missed a record."""
    stage = scene()
    stage.reader_steps = frozenset({"clock told", "snapshot taken"})
    for schedule in orders((5, 3)):
        stage.play(schedule, publishers=1)


@pytest.mark.unmeasured
@pytest.mark.slow
def test_nothing_is_missed_in_any_order_of_two_publishers_and_a_harvester_that_pauses(scene):
    """`play` fails when the harvester missed a record. The publishers are alike, so the first one begins."""
    stage = scene()
    stage.publisher_steps = frozenset({"intent written", "intent committed", "publication written"})
    stage.rhythm = 7  # so that it comes after other moves in each schedule
    schedules = [schedule for schedule in orders((4, 4, 2)) if schedule.index(0) < schedule.index(1)]
    for schedule in schedules[SEED % STEP :: STEP]:
        stage.play(schedule, publishers=2)


def set_back(stage: Scene) -> None:
    stage.clocks.wall -= 5000


def set_ahead(stage: Scene) -> None:
    stage.clocks.wall += 30


def set_far_ahead(stage: Scene) -> None:
    stage.clocks.wall += 100_000


def sleep(stage: Scene) -> None:
    stage.clocks.wall += 500
    stage.clocks.monotonic += 500


def reboot(stage: Scene) -> None:
    stage.kill_all()
    stage.clocks.boot += "'"
    stage.clocks.monotonic = 1.0
    stage.clocks.wall -= 5000
    stage.publish(*((name, 3) for name in stage.names))


@pytest.mark.slow
@pytest.mark.share(one_in=2)
@pytest.mark.unmeasured
@pytest.mark.parametrize("happens", [set_back, set_far_ahead, reboot, set_ahead, sleep])
def test_nothing_is_missed_whatever_happens_to_the_host(scene, happens):
    """`play` fails when the harvester missed a record."""
    stage = scene(happens)
    for schedule in with_event(orders(ONE)):
        stage.play(schedule, publishers=1)


@pytest.mark.slow
def test_nothing_is_missed_when_a_publisher_dies_at_whatever_step(scene):
    """`play` fails when the harvester missed a record."""
    stage = scene(lambda stage: stage.actors[0].kill())
    for schedule in with_event(orders(ONE)):
        stage.play(schedule, publishers=1)


@pytest.mark.slow
def test_nothing_is_missed_when_the_ceiling_cannot_be_raised(scene):
    """The harvester reads through a store that cannot write, so that it tells older seconds when a minute is over.

    `play` fails when the harvester missed a record.
    """
    stage = scene()
    stage.pass_seconds = lambda _seconds: stage.clocks.pass_seconds(25)
    with closing(Store(stage.store._file.path, clock=stage.clocks.host(), step=Actor.at)) as reader:
        assert isinstance(reader._file, SqliteFile)
        with reader._file.packing() as session:
            session.execute("pragma query_only = on")
        harvest = stage.harvester.harvest
        stage.harvester.harvest = lambda _store: harvest(reader)
        for schedule in orders(ONE):
            stage.store._intent_seconds = 10_000
            stage.play(schedule, publishers=1)


@pytest.mark.slow
def test_a_naive_store_misses_records(scene, clocks, make_change, path):
    """So the tests above can fail."""
    with closing(NaiveStore(path, create=True, clock=clocks.host(), busy_seconds=0, step=Actor.at)) as store:
        stage = scene()
        stage.store = store
        missed = 0
        for schedule in orders(ONE):
            try:
                stage.play(schedule, publishers=1)
            except AssertionError:
                missed += 1
                stage.harvester.held.clear()
        assert missed > 3
