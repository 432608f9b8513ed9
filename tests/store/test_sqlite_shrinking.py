"""The file of a store becomes smaller by compaction and erasure, whoever reads it, is killed or stops it."""

import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import inf

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import Publication, Selection
from gateway.store.connector import Shrunk
from gateway.store.sqlite import connector as sqlite_connector
from gateway.store.store import Store
from tests.store.conftest import furnished
from tests.store.test_sqlite_compaction import Model

STEPS = ("pages moved", "shrinking committed")


@pytest.fixture
def model(store, clocks) -> Model:
    return Model(store, clocks)


def number(store: Store, name: str) -> int:
    with store._file.reading() as session:
        ((value,),) = session.execute(f"pragma {name}")
    return value


def spread(model: Model, items: int = 1_500) -> None:
    """Publish items among rows that are removed afterwards, so that much of the file is free, in all of its parts."""
    with model.store._file.writing() as session:
        session.execute("create table filler (content blob)")
    for first in range(0, items, 300):
        with model.store._file.writing() as session:
            session.executemany("insert into filler values (zeroblob(?))", [(12_000,)] * 30)
        model.publish(*range(first, first + 300))
    with model.store._file.writing() as session:
        session.execute("drop table filler")
    model.clocks.pass_seconds(1)


def shrunk(store: Store, is_stopped=lambda: False, step=lambda _: None) -> Shrunk:
    return store._file.shrink(inf, is_stopped, step)


def test_thorough_compaction_gives_free_pages_back_to_the_disk(model, path):
    spread(model)
    model.store.finish_erasure()
    before = path.stat().st_size
    done = model.store.compact(is_thorough=True)
    assert done.is_complete
    assert number(model.store, "freelist_count") == 0
    model.store.finish_erasure()
    assert done.smaller_by > before // 4
    assert path.stat().st_size == number(model.store, "page_count") * 4_096
    assert path.stat().st_size < before - before // 4
    model.verify()


@pytest.fixture
def small_steps(monkeypatch) -> None:
    monkeypatch.setattr(sqlite_connector, "_MOST_PAGES", 5)
    monkeypatch.setattr(sqlite_connector, "_STEP_SECONDS", 3_600)  # a busy machine takes fewer pages in time


@pytest.mark.usefixtures("small_steps")
def test_it_can_be_stopped_after_any_step_and_goes_on(model):
    spread(model)
    model.store.compact()
    free, steps = number(model.store, "freelist_count"), []
    done = shrunk(model.store, lambda: len(steps) == 4, steps.append)
    assert steps == [*STEPS, *STEPS]
    assert done == Shrunk(10 * 4_096, 0, is_complete=False)
    assert number(model.store, "freelist_count") == free - 10
    model.verify()
    assert shrunk(model.store).is_complete
    assert number(model.store, "freelist_count") == 0
    model.verify()


def test_a_step_ends_when_it_has_had_the_lock_for_long_enough(model, monkeypatch):
    spread(model)
    model.store.compact()
    free, steps = number(model.store, "freelist_count"), []
    monkeypatch.setattr(sqlite_connector, "_STEP_SECONDS", 0)
    assert shrunk(model.store, step=steps.append).is_complete
    assert len(steps) > free
    model.verify()


@pytest.fixture
def former(path, clocks, monkeypatch) -> Iterator[Model]:
    """Return a store in a file that cannot shrink, and much of which is free."""
    with monkeypatch.context() as patched:
        patched.setattr("gateway.store.sqlite.file.SqliteFile._is_new", lambda _: False)
        store = Store(path, create=True, clock=clocks.host())
    with closing(furnished(store)):
        model = Model(store, clocks)
        spread(model)
        yield model


def test_a_file_of_an_earlier_release_keeps_its_size_until_it_is_written_anew(former, path):
    store = former.store
    done = store.compact(is_thorough=True)
    assert (done.is_complete, done.smaller_by) == (True, 0)
    assert done.kept_free == number(store, "freelist_count") * 4_096 > 0
    store.finish_erasure()
    before = path.stat().st_size
    with closing(Store(path, clock=former.clocks.host())) as reader, reader.view() as view:
        first = view.page(Selection("oai_dc"), None, 10)
        assert store.vacuum() > before // 4
        assert view.page(Selection("oai_dc"), None, 10) == first
    store.finish_erasure()
    assert path.stat().st_size < before - before // 4
    assert number(store, "freelist_count") == 0
    former.verify()
    spread(former)
    assert store.compact(is_thorough=True).smaller_by > 0
    former.verify()


def test_what_was_written_before_the_disk_was_full_is_free_again(former, path):
    former.store.finish_erasure()
    with full_above(200_000), pytest.raises(StoreUnwritable):
        former.store.vacuum()
    assert path.with_name(f"{path.name}-wal").stat().st_size == 0
    former.verify()


@contextmanager
def full_above(most: int) -> Iterator[None]:
    """Let no file of this process be longer than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.slow
def test_a_kill_while_it_is_written_anew_loses_nothing(former, path):
    size, ends = path.stat().st_size, 0
    code = (
        "import os, signal, sys; from pathlib import Path; from gateway.store.sqlite import connector as s\n"
        "from gateway.store.store import Store\n"
        "beats = iter(range(int(sys.argv[2]), -1, -1))\n"
        "s._beat = lambda: None if next(beats) else os.kill(os.getpid(), signal.SIGKILL)\n"
        "s._STEPS_BETWEEN_BEATS = 50\n"
        "Store(Path(sys.argv[1])).vacuum()\n"
    )
    for beats in (0, 5, 30, 100):
        done = subprocess.run([sys.executable, "-c", code, str(path), str(beats)], timeout=240, check=False)
        ends += done.returncode == -signal.SIGKILL
        former.verify()
    assert ends >= 3
    assert number(former.store, "freelist_count") > 0
    former.store.vacuum()
    former.store.finish_erasure()
    assert path.stat().st_size < size
    former.verify()


SELECTIONS = tuple(Selection("oai_dc", spec) for spec in (None, "x", "y"))


@pytest.fixture
def superseded(store, make_change) -> bytes:
    """Publish three items, then a newer version of one in the same second. Return a part of the older block."""
    changes = (make_change("a", sets=("x",)), make_change("secret", sets=("x",)), make_change("c", sets=("x",)))
    store.publish(store.intend(), Publication("laro", changes))
    (block,) = blocks(store)
    store.publish(store.intend(), Publication("laro", (make_change("secret", 2, sets=("y",)),)))
    assert blocks(store)[0] == block, "compaction touches nothing at the horizon"
    return block[-40:]


def blocks(store: Store) -> list[bytes]:
    with store._file.reading() as session:
        return [records for (records,) in session.execute("select records from body order by id")]


def stored(store: Store) -> bytes:
    assert store.finish_erasure()
    return b"".join(path.read_bytes() for path in store._file.path.parent.glob("store.sqlite*"))


def test_superseded_records_are_not_in_the_file_after_they_were_erased(store, path, clocks, superseded):
    assert superseded in stored(store)
    with store.view() as view:
        lists = [view.page(selection, None, 9) for selection in SELECTIONS]
    assert store.erase_superseded() == 0
    assert superseded not in stored(store)
    with store.view() as view:
        assert lists == [view.page(selection, None, 9) for selection in SELECTIONS]
    assert store.check() == ()
    with closing(Store(path, clock=clocks.host(), show_departed=True)) as other, other.view() as view:
        assert view.count(Selection("oai_dc", "x")) == len(view.page(Selection("oai_dc", "x"), None, 9).records) == 3


@pytest.mark.parametrize("damage", ["update body set records = x'00' where id = 1", "delete from body where id = 1"])
def test_a_damaged_block_stays_as_it_is(store, superseded, damage):
    with store._file.writing() as session:
        session.execute(damage)
    damaged = blocks(store)
    assert store.damaged_with_superseded() == 0
    assert store.erase_superseded() == 1
    assert blocks(store) == damaged
    assert store.damaged_with_superseded() == 1
    assert any("A block of oai_dc is damaged" in problem for problem in store.check())


def files(store: Store) -> bytes:
    return b"".join(path.read_bytes() for path in store._file.path.parent.glob("store.sqlite*"))


@contextmanager
def reading_as_it_was(store: Store) -> Iterator[None]:
    """Read the store as another program does that began a while ago, such as a backup."""
    with closing(sqlite3.connect(store._file.path, isolation_level=None)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from block").fetchone()
        yield


@pytest.mark.slow
def test_an_erasure_is_open_while_a_reader_keeps_the_old_state_and_finished_afterwards(store, path, superseded):
    """Whoever opens the store later knows it, too."""
    with reading_as_it_was(store):
        assert not store.has_open_erasure()
        assert store.erase_superseded() == 0
        assert not store.finish_erasure()
        assert store.has_open_erasure()
        assert superseded in files(store)
        with closing(Store(path)) as other:
            assert other.has_open_erasure()
    assert store.has_open_erasure()
    assert superseded in files(store)
    assert store.finish_erasure()
    assert not store.has_open_erasure()
    assert superseded not in files(store)
    assert store.finish_erasure()


def test_an_erasure_that_begins_while_the_log_is_emptied_stays_open(store, superseded, monkeypatch):
    settle = store._file.finish_erasure

    def settle_and_erase() -> bool:
        is_settled = settle()
        store.erase_superseded()
        return is_settled

    store.erase_superseded()
    with monkeypatch.context() as patched:
        patched.setattr(store._file, "finish_erasure", settle_and_erase)
        assert store.finish_erasure()
    assert store.has_open_erasure()
    assert store.finish_erasure()
    assert not store.has_open_erasure()
