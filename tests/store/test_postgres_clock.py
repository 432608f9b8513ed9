"""The clock of a store on PostgreSQL: a row that is only raised, under the lock, for all machines.

The time of the server is the test's, but where a test says so.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gateway.core.ceiling import Ceiling
from gateway.core.clock import CEILING_SECONDS
from gateway.core.errors import ClockAhead, IntentExpired, StoreUnwritable
from gateway.core.model import Publication
from gateway.ops.health import _clock
from gateway.store.postgres.clock import SQL, PostgresClock
from gateway.store.store import Store
from tests.clocks import START, Clocks
from tests.opening import open_store
from tests.postgres import Cluster, running
from tests.seeds import SEED
from tests.store.conftest import change, furnished
from tests.store.test_interleavings import ONE, Actor, NaiveStore, Scene, orders, with_event
from tests.waiting import wait_until

DAY = 86_400
_SHARE = 4  # one of so many orders is tried: a server needs more time than a file


def make(url: str) -> None:
    """Make a furnished store in a database."""
    with closing(Store(Path("/nowhere/store.sqlite"), create=True, url=url, clock=Clocks().host())) as store:
        furnished(store)


@pytest.fixture
def url(postgres: Callable[..., str]) -> str:
    return postgres(make)


@pytest.fixture
def machine(tmp_path: Path, url: str, clocks: Clocks) -> Iterator[Callable[..., Store]]:
    """Return a function that opens the store in the folder of a machine."""
    with ExitStack() as stack:

        def open_(name: str = "one", kind: Callable[..., Store] = Store, **more: Any) -> Store:
            (tmp_path / name).mkdir(exist_ok=True)
            more = {"clock": clocks.host(), "busy_seconds": 0, **more}
            return stack.enter_context(closing(kind(tmp_path / name / "store.sqlite", url=url, **more)))

        yield open_


def horizon(store: Store) -> int:
    with store.view() as view:
        return view.horizon


def row_of(store: Store) -> tuple[int, str]:
    with store._file.reading() as session:
        return session.one("select second, history from clock")


def write(store: Store, statement: str, *parameters: object) -> None:
    with store._file.writing() as session:
        session.execute(statement, parameters)


def restore(store: Store) -> None:
    """Let the row be that of a copy, as after a restore or the promotion of a replica."""
    write(store, "update clock set history = '1/00000001'")


# --- the row ------------------------------------------------------------------------------------------------------


def test_the_time_is_that_of_the_server(machine: Callable[..., Store]) -> None:
    store = machine(clock=None, max_jump_seconds=0)
    with store._file.reading() as session:
        now = partial(session.one, "select cast(floor(extract(epoch from clock_timestamp())) as bigint)")
        (before,) = now()
        datestamp = store.intend().datestamp
        (after,) = now()
    assert before <= datestamp <= after


def test_the_watermark_is_the_datestamp_and_the_row(machine: Callable[..., Store], clocks: Clocks) -> None:
    store = machine()
    clocks.pass_seconds(3)
    intent = store.intend()
    clocks.pass_seconds(3)
    with store._file.reading() as session:
        assert session.one("select watermark, second from intent, clock") == (intent.datestamp,) * 2 == (START + 3,) * 2


def test_a_reader_raises_a_row_that_is_a_second_old_and_no_other(
    machine: Callable[..., Store], clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, written = machine(), list[float]()
    writing = store._file.writing
    monkeypatch.setattr(store._file, "writing", lambda seconds: written.append(seconds) or writing(seconds))
    clocks.pass_seconds(1)
    assert [horizon(store) for _ in range(3)] == [START + 1] * 3
    assert written == [0.25]
    clocks.wall -= 5000
    assert horizon(store) == START + 1
    assert len(written) == 1


def test_a_reader_that_does_not_get_the_lock_answers_the_row(machine: Callable[..., Store], clocks: Clocks) -> None:
    store, other = machine(), machine()
    clocks.pass_seconds(1)
    with other._file.writing():
        assert horizon(store) == START
    assert horizon(store) == START + 1


def test_a_writer_sees_what_was_committed_before_it_got_the_lock(machine: Callable[..., Store], url: str) -> None:
    """A server may have another default, whose snapshot would be older than the lock."""
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'alter database "{name}" set default_transaction_isolation = serializable')
    with machine()._file.writing() as session:
        assert session.one("show transaction_isolation") == ("read committed",)


def test_the_history_is_read_without_the_rights_of_a_superuser(machine: Callable[..., Store]) -> None:
    with machine()._file.reading() as session:
        session.execute("set role pg_read_all_data")
        assert session.one("show is_superuser") == ("off",)
        row = session.one(SQL["clock"])
        session.execute("reset role")
    assert row[1] == row[2] != ""


def test_a_server_that_recovers_has_a_clock_that_nobody_raises(
    machine: Callable[..., Store], clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replica has no history of its own."""
    store = machine()
    row = PostgresClock._row
    monkeypatch.setattr(PostgresClock, "_row", lambda self, session: row(self, session)._replace(here=None))
    monkeypatch.setattr(PostgresClock, "_is_raised", lambda _self: pytest.fail("it was raised"))
    clocks.pass_seconds(100)
    assert horizon(store) == START


# --- clocks that are set ------------------------------------------------------------------------------------------


def test_seconds_stand_still_while_the_server_is_behind_and_the_check_says_so(
    machine: Callable[..., Store], clocks: Clocks
) -> None:
    store = machine()
    clocks.wall = time.time()  # so that the store is not ahead of this machine
    store.believe()
    former = horizon(store)
    assert list(_clock(store)) == []
    clocks.wall -= 5000
    assert store.intend().datestamp == horizon(store) == former
    (finding,) = _clock(store)
    assert finding.level == "warning"
    assert "The clock of the database server is 5000 seconds behind the last second of the store" in finding.sentence
    assert store.clock_problem() == ""


# --- copies -------------------------------------------------------------------------------------------------------


def test_a_copy_is_raised_once(machine: Callable[..., Store]) -> None:
    store = machine()
    _, history = row_of(store)
    restore(store)
    assert store.intend().datestamp == START + CEILING_SECONDS
    assert row_of(machine("two")) == (START + CEILING_SECONDS, history)
    assert horizon(store) == store.intend().datestamp == START + CEILING_SECONDS


def test_opening_or_reading_a_copy_raises_it_too(machine: Callable[..., Store]) -> None:
    store = machine()
    restore(store)
    assert row_of(machine("two"))[0] == START + CEILING_SECONDS
    restore(store)
    assert horizon(store) == START + 2 * CEILING_SECONDS


def test_a_copy_is_raised_to_the_time_of_the_server_and_to_what_this_machine_answered(
    machine: Callable[..., Store], clocks: Clocks
) -> None:
    store = machine()
    restore(store)
    clocks.pass_seconds(1000)
    assert horizon(store) == START + 1000
    restore(store)
    write(store, "update clock set second = second - 500")
    clocks.pass_seconds(-900)
    assert store.intend().datestamp == START + 1000, "it is in answered-until"
    assert machine("two").intend().datestamp == START + 1000


def test_a_time_of_the_server_that_is_not_accepted_does_not_raise_a_copy(
    machine: Callable[..., Store], clocks: Clocks
) -> None:
    store = machine()
    restore(store)
    clocks.wall += 90 * DAY
    with pytest.raises(ClockAhead, match="90"):
        store.intend()
    assert horizon(store) == START + CEILING_SECONDS
    store.believe()
    assert store.intend().datestamp == START + 90 * DAY


def test_a_row_that_went_back_in_the_same_history_is_raised_to_what_this_machine_answered(
    machine: Callable[..., Store], clocks: Clocks
) -> None:
    """The files of a server may be put back as they were, and nothing in them says so."""
    store = machine()
    clocks.pass_seconds(500)
    assert horizon(store) == START + 500
    clocks.pass_seconds(-500)
    write(store, "update clock set second = ?", START)
    assert horizon(store) == START + 500
    write(store, "update clock set second = ?", START)
    assert store.intend().datestamp == START + 500


def test_an_intent_of_another_history_publishes_nothing(machine: Callable[..., Store], clocks: Clocks) -> None:
    """The copy has the intent, and its horizon may have passed it where it was made."""
    store = machine(intent_seconds=10_000)
    intent = store.intend()
    restore(store)
    assert horizon(store) == START + CEILING_SECONDS
    with pytest.raises(IntentExpired):
        store.publish(intent, Publication("laro", (change("a"),)))


def test_an_intent_of_another_history_is_not_taken_for_one_of_this_history(machine: Callable[..., Store]) -> None:
    """The copy does not have the intent, and has not used its number."""
    store = machine()
    lost = store.intend()
    write(store, "delete from intent")
    write(store, "alter table intent alter column id restart with 1")
    restore(store)
    ours = store.intend()
    with pytest.raises(IntentExpired):
        store.publish(lost, Publication("laro", (change("a"),)))
    assert store.publish(ours, Publication("laro", (change("a"),))) == 1


def test_a_store_that_is_made_after_a_lost_one_continues_above_it(
    postgres: Callable[..., str], tmp_path: Path, clocks: Clocks
) -> None:
    Ceiling(tmp_path / "store.sqlite").write(START + 5000)
    clocks.wall += 400 * DAY
    url = postgres(lambda _url: None)
    with closing(open_store(tmp_path, create=True, url=url, clock=clocks.host())) as store:
        assert horizon(store) == START + 5000
        with pytest.raises(ClockAhead):
            store.intend()


@pytest.mark.slow
def test_a_replica_answers_its_row_and_raises_it_once_when_it_is_promoted(tmp_path: Path, clocks: Clocks) -> None:
    """The replica has not received the last seconds of the primary, and a reader keeps its connection."""
    import psycopg  # noqa: PLC0415 - an extra

    def open_(name: str, server: Cluster) -> Store:
        (tmp_path / name).mkdir(exist_ok=True)
        url = server.url(database)
        return stack.enter_context(closing(Store(tmp_path / name / "store.sqlite", url=url, clock=clocks.host())))

    with ExitStack() as stack:
        primary = stack.enter_context(running())
        database = str(psycopg.conninfo.conninfo_to_dict(primary.database(make))["dbname"])
        one = open_("one", primary)
        clocks.pass_seconds(10)
        assert horizon(one) == START + 10
        replica = stack.enter_context(running(primary))
        with psycopg.connect(replica.url(database), autocommit=True) as connection:
            connection.execute("alter system set primary_conninfo = ''")
            connection.execute("select pg_reload_conf()")
            wait_until(lambda: connection.execute("select 1 from pg_stat_wal_receiver").fetchone() is None)
        clocks.pass_seconds(30)
        two = open_("two", replica)
        assert [horizon(one), horizon(two)] == [START + 40, START + 10]
        with pytest.raises(StoreUnwritable):
            two.intend()
        replica.promote()
        clocks.wall = START
        assert horizon(two) == START + 10 + CEILING_SECONDS
        second, history = row_of(two)
        assert history == row_of(one)[1].replace("/00000001", "/00000002")
        assert [row_of(open_(name, replica)) for name in ("one", "two")] == [(second, history)] * 2


# --- what was answered --------------------------------------------------------------------------------------------


def test_a_second_is_in_the_file_of_the_machine_before_it_is_answered(
    machine: Callable[..., Store], tmp_path: Path, clocks: Clocks
) -> None:
    store, file = machine(), Ceiling(tmp_path / "one" / "store.sqlite")
    for _ in range(3):
        clocks.pass_seconds(7)
        assert horizon(store) == file.read() == clocks.wall
    assert Ceiling(tmp_path / "two" / "store.sqlite").read() == 0
    assert (tmp_path / "one" / "answered-until").stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_written_keeps_nobody_from_answering(
    machine: Callable[..., Store], clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Ceiling, _second: int) -> None:
        raise StoreUnwritable("no")

    monkeypatch.setattr(Ceiling, "write", refuse)
    clocks.pass_seconds(7)
    assert horizon(machine()) == START + 7


# --- every order of steps -----------------------------------------------------------------------------------------


@pytest.fixture
def scene(machine: Callable[..., Store], clocks: Clocks, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Scene]:
    """Return a function that makes a scene of three machines with one server: they publish, are harvested, and tidy up.

    `test_interleavings` says what is played.
    """

    def made(happens: Callable[[Scene], None] | None = None, kind: Callable[..., Store] = Store) -> Scene:
        harvested = machine("two", kind, step=Actor.at)
        stage = Scene(machine(step=Actor.at), machine("three"), clocks, change, happens)
        harvest = stage.harvester.harvest
        monkeypatch.setattr(stage.harvester, "harvest", lambda _store: harvest(harvested))
        stage.rhythm = 40  # tidying costs more than on SQLite
        stage.reader_steps = frozenset({"clock told", "snapshot taken"})
        return stage

    return made


def set_back_and_ahead(stage: Scene) -> None:
    """Step the clock of the server so that its seconds stand still in every second schedule."""
    stage.clocks.wall += 150 if stage._count % 2 else -100


def fail_over(stage: Scene) -> None:
    """Let a copy take the place of the server: actors have lost their connections, and the last minute is lost."""
    stage.kill_all()
    write(stage.tidier, "update clock set history = '1/00000001', second = second - 30")
    stage.publish(*((name, 3) for name in stage.names))


@pytest.mark.parametrize("schedule", [(0, 0, 1, 0, 0, 1, 0, 1), (0, 1, 0, 0, 1, 1, 0, 0), (1, 0, 0, 0, 1, 0, 0, 1)])
def test_nothing_is_missed_in_some_orders(scene: Callable[..., Scene], schedule: tuple[int, ...]) -> None:
    """`play` fails when the harvester missed a record, or when its seconds go back."""
    scene().play(schedule, publishers=1)


@pytest.mark.slow
@pytest.mark.share(one_in=2)
@pytest.mark.unmeasured
@pytest.mark.parametrize("happens", [None, set_back_and_ahead, fail_over])
def test_nothing_is_missed_in_any_order(scene: Callable[..., Scene], happens: Callable[[Scene], None] | None) -> None:
    stage = scene(happens)
    schedules = list(with_event(orders(ONE)) if happens else orders((5, 3)))
    for schedule in schedules[SEED % _SHARE :: _SHARE]:
        stage.play(schedule, publishers=1)


@pytest.mark.slow
def test_a_reader_of_the_time_of_the_server_misses_records(scene: Callable[..., Scene]) -> None:
    """So the tests above can fail."""
    stage, missed = scene(kind=NaiveStore), 0
    for schedule in orders(ONE):
        try:
            stage.play(schedule, publishers=1)
        except AssertionError:
            missed += 1
            stage.harvester.held.clear()
    assert missed > 3
