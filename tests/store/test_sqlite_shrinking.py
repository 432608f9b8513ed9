"""The file of a store becomes smaller after thorough compaction, whoever reads it, is killed or stops it."""

from __future__ import annotations

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import inf
from threading import Event, Thread

import pytest

from gateway.errors import StoreBusy, StoreUnwritable
from gateway.model import Selection
from gateway.store import database_files, sqlite_file, sqlite_log, sqlite_shrinking
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_log import WriteAheadLog
from gateway.store.sqlite_shrinking import Shrunk, shrink
from tests.clocks import Clocks
from tests.rows import each_row
from tests.store.conftest import furnished
from tests.store.test_sqlite_compaction import Model, listed

STEPS = ("pages moved", "shrinking committed")


@pytest.fixture
def model(store, clocks) -> Model:
    return Model(store, clocks)


def number(store: SqliteStore, name: str) -> int:
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


def shrunk(store: SqliteStore, is_stopped=lambda: False, step=lambda _: None) -> Shrunk:
    return shrink(store._file, WriteAheadLog(store._file), inf, is_stopped, step)


def test_thorough_compaction_gives_free_pages_back_to_the_disk(model, path):
    spread(model)
    model.store.settle()
    before = path.stat().st_size
    done = model.store.compact(is_thorough=True)
    assert done.is_complete
    assert number(model.store, "freelist_count") == 0
    model.store.settle()
    assert done.smaller_by > before // 4
    assert path.stat().st_size == number(model.store, "page_count") * 4_096
    assert path.stat().st_size < before - before // 4
    model.verify()


def test_the_publisher_keeps_free_pages_for_the_next_publication(model):
    spread(model)
    done = model.store.compact()
    assert done.smaller_by == 0
    assert number(model.store, "freelist_count") > 0


def test_few_free_bytes_are_left(model):
    spread(model, 300)
    free = number(model.store, "freelist_count")
    assert 0 < free * 4_096 < 1_048_576
    assert free > number(model.store, "page_count") // 100
    assert shrunk(model.store) == Shrunk(0, 0, is_complete=True)
    assert number(model.store, "freelist_count") == free


def test_a_small_share_of_free_pages_is_left(model, monkeypatch):
    monkeypatch.setattr(sqlite_shrinking, "_LEAST_BYTES", 0)
    spread(model)
    model.store.compact(is_thorough=True)
    with model.store._file.writing() as session:
        session.execute("create table filler (content blob)")
        session.executemany("insert into filler values (zeroblob(?))", [(4_000_000,), (8_000,)])
    with model.store._file.writing() as session:
        session.execute("delete from filler where rowid = 2")
    assert 0 < number(model.store, "freelist_count") < number(model.store, "page_count") // 100
    assert shrunk(model.store) == Shrunk(0, 0, is_complete=True)
    assert number(model.store, "freelist_count") > 0


@pytest.fixture
def small_steps(monkeypatch) -> None:
    monkeypatch.setattr(sqlite_shrinking, "_MOST_PAGES", 5)
    monkeypatch.setattr(sqlite_shrinking, "_STEP_SECONDS", 3_600)  # a busy machine takes fewer pages in time


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
    monkeypatch.setattr(sqlite_shrinking, "_STEP_SECONDS", 0)
    assert shrunk(model.store, step=steps.append).is_complete
    assert len(steps) > free
    model.verify()


def test_a_compaction_that_is_stopped_while_it_shrinks_the_file_is_not_complete(model, monkeypatch):
    spread(model)
    monkeypatch.setattr(sqlite_shrinking, "_MOST_PAGES", 1)
    steps = []
    monkeypatch.setattr(model.store, "_step", steps.append)
    done = model.store.compact(is_thorough=True, is_stopped=lambda: "pages moved" in steps)
    assert not done.is_complete
    assert done.smaller_by == 4_096
    assert model.store.compact(is_thorough=True).is_complete
    assert number(model.store, "freelist_count") == 0


@pytest.mark.slow
@pytest.mark.usefixtures("small_steps")
def test_a_reader_of_an_old_state_reads_it_to_its_end(model, path):
    spread(model)
    model.store.compact()
    model.store.settle()
    names = [f"{name} {version}" for name, version in listed(model.store)]
    size = path.stat().st_size
    with closing(SqliteStore(path, clock=model.clocks.host())) as reader, reader.view() as view:
        first = view.page(Selection("oai_dc"), None, 500)
        model.store.compact(is_thorough=True)
        model.publish(*range(500))  # it uses pages that the reader still sees
        assert not model.store.settle()
        assert path.stat().st_size >= size
        contents, after = list(first.records), first.next
        while after is not None:
            page = view.page(Selection("oai_dc"), after, 500)
            contents, after = [*contents, *page.records], page.next
        assert [
            content.rpartition(b"</header>")[2].removesuffix(b"</record>").decode() for content in contents
        ] == names
    model.clocks.pass_seconds(1)
    model.store.compact(is_thorough=True)
    assert model.store.settle()
    assert path.stat().st_size < size
    model.verify()


@pytest.mark.slow
@pytest.mark.usefixtures("small_steps")
def test_it_pauses_while_a_reader_keeps_the_log(model, monkeypatch):
    spread(model)
    model.store.compact()
    monkeypatch.setattr(sqlite_log, "_BYTES_BETWEEN_CHECKPOINTS", 0)
    monkeypatch.setattr(sqlite_log, "_LONGEST_BYTES", 40 * 4_096)
    free = number(model.store, "freelist_count")
    with model.store.view() as view:
        view.count(Selection("oai_dc"))
        assert not shrunk(model.store).is_complete
        assert 0 < number(model.store, "freelist_count") < free
    assert shrunk(model.store).is_complete
    model.verify()


def test_a_file_of_an_earlier_release_keeps_its_size_and_says_what_is_free(path, clocks, monkeypatch):
    monkeypatch.setattr("gateway.store.sqlite_file.SqliteFile._is_new", lambda _: False)
    with closing(furnished(SqliteStore(path, create=True, clock=clocks.host()))) as store:
        model = Model(store, clocks)
        spread(model)
        done = store.compact(is_thorough=True)
        assert done.is_complete
        assert done.smaller_by == 0
        assert done.kept_free == number(store, "freelist_count") * 4_096 > 0
        model.verify()


@pytest.fixture
def former(path, clocks, monkeypatch) -> Iterator[Model]:
    """Return a store in a file that cannot shrink, and much of which is free."""
    with monkeypatch.context() as patched:
        patched.setattr("gateway.store.sqlite_file.SqliteFile._is_new", lambda _: False)
        store = SqliteStore(path, create=True, clock=clocks.host())
    with closing(furnished(store)):
        model = Model(store, clocks)
        spread(model)
        yield model


def test_a_file_that_is_written_anew_is_smaller_and_can_shrink(former, path):
    store = former.store
    store.settle()
    before = path.stat().st_size
    with closing(SqliteStore(path, clock=former.clocks.host())) as reader, reader.view() as view:
        first = view.page(Selection("oai_dc"), None, 10)
        assert store.rewrite() > before // 4
        assert view.page(Selection("oai_dc"), None, 10) == first
    store.settle()
    assert path.stat().st_size < before - before // 4
    assert number(store, "freelist_count") == 0
    former.verify()
    spread(former)
    assert store.compact(is_thorough=True).smaller_by > 0
    former.verify()


def test_writing_anew_can_be_stopped(former, monkeypatch):
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sqlite_shrinking, "_beat", stop)
    monkeypatch.setattr(sqlite_shrinking, "_STEPS_BETWEEN_BEATS", 1)
    with pytest.raises(KeyboardInterrupt):
        former.store.rewrite()
    assert number(former.store, "freelist_count") > 0
    former.verify()


def test_writing_anew_waits_for_a_writer_only_so_long(former, path, monkeypatch):
    monkeypatch.setattr(sqlite_shrinking, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(sqlite_file, "_SETTLE_MILLISECONDS", 50)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(StoreBusy):
            former.store.rewrite()
    former.verify()


@pytest.fixture
def log_bytes(former, path) -> Iterator[Callable[[], int]]:
    """Return how long the log of the store is; a reader has kept much in it, which is gone now."""
    log = path.with_name(f"{path.name}-wal")
    with closing(SqliteStore(path, clock=former.clocks.host())) as reader:
        with reader.view() as view:
            view.page(Selection("oai_dc"), None, 10)
            former.store.compact(is_thorough=True)
            spread(former, 600)
        assert log.stat().st_size > 1_000_000
        yield lambda: log.stat().st_size


def test_the_log_is_emptied_before_a_file_is_written_anew(former, log_bytes, monkeypatch):
    lengths = []
    monkeypatch.setattr(sqlite_shrinking, "_beat", lambda: lengths.append(log_bytes()))
    monkeypatch.setattr(sqlite_shrinking, "_STEPS_BETWEEN_BEATS", 100)
    former.store.rewrite()
    assert lengths[0] == 0
    former.verify()


def test_what_was_written_before_the_disk_was_full_is_free_again(former, log_bytes):
    former.store.settle()
    with full_above(200_000), pytest.raises(StoreUnwritable):
        former.store.rewrite()
    assert log_bytes() == 0
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


@each_row("folder", [None, "/nowhere"])
def test_temporary_files_lie_beside_the_store(former, path, monkeypatch, folder):
    monkeypatch.delenv("SQLITE_TMPDIR", raising=False)
    if folder is not None:
        monkeypatch.setenv("SQLITE_TMPDIR", folder)
    folders = []
    monkeypatch.setattr(sqlite_shrinking, "_beat", lambda: folders.append(os.environ["SQLITE_TMPDIR"]))
    monkeypatch.setattr(sqlite_shrinking, "_STEPS_BETWEEN_BEATS", 100)
    former.store.rewrite()
    assert set(folders) == {str(path.parent)}
    assert os.environ.get("SQLITE_TMPDIR") == folder


@pytest.mark.slow
def test_a_kill_while_it_is_written_anew_loses_nothing(former, path):
    size, ends = path.stat().st_size, 0
    code = (
        "import os, signal, sys; from pathlib import Path; from gateway.store import sqlite_shrinking as s\n"
        "from gateway.store.sqlite import SqliteStore\n"
        "beats = iter(range(int(sys.argv[2]), -1, -1))\n"
        "s._beat = lambda: None if next(beats) else os.kill(os.getpid(), signal.SIGKILL)\n"
        "s._STEPS_BETWEEN_BEATS = 50\n"
        "SqliteStore(Path(sys.argv[1])).rewrite()\n"
    )
    for beats in (0, 5, 30, 100):
        done = subprocess.run([sys.executable, "-c", code, str(path), str(beats)], timeout=240, check=False)
        ends += done.returncode == -signal.SIGKILL
        former.verify()
    assert ends >= 3
    assert number(former.store, "freelist_count") > 0
    former.store.rewrite()
    former.store.settle()
    assert path.stat().st_size < size
    former.verify()


def test_a_backup_can_shrink_too(model, path, tmp_path):
    spread(model)
    target = tmp_path / "copy" / "store.sqlite"
    target.parent.mkdir()
    database_files.copy(path, target)
    database_files.verify(target)
    with closing(SqliteStore(target, clock=model.clocks.host())) as other:
        assert other.compact(is_thorough=True).smaller_by > 0
        assert other.check() == ()
    assert target.stat().st_size < path.stat().st_size


def test_a_store_that_another_process_writes_is_opened(path, model):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with closing(SqliteStore(path, clock=model.clocks.host(), busy_seconds=0.1)) as store:
            assert store.fact("made_at")


@pytest.mark.parametrize("at", [STEPS[0], pytest.param(STEPS[1], marks=pytest.mark.slow)])
def test_a_kill_at_a_step_loses_nothing(tmp_path, at):
    path, clocks = tmp_path / "store.sqlite", Clocks()
    with closing(furnished(SqliteStore(path, create=True, clock=clocks.host()))) as store:
        model = Model(store, clocks)
        spread(model)
        free = number(store, "freelist_count")
        code = (
            "import os, signal, sys; from pathlib import Path; from gateway.store.sqlite import SqliteStore\n"
            "step = lambda name: name == sys.argv[2] and os.kill(os.getpid(), signal.SIGKILL)\n"
            "SqliteStore(Path(sys.argv[1]), step=step).compact(is_thorough=True)\n"
        )
        arguments = [sys.executable, "-c", code, str(path), at]
        done = subprocess.run(arguments, stderr=subprocess.PIPE, timeout=240, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr.decode()
        model.verify()
        assert (number(store, "freelist_count") < free) == (at == "shrinking committed")
        assert store.compact(is_thorough=True).is_complete
        assert number(store, "freelist_count") == 0
        model.verify()


@pytest.mark.slow
def test_readers_of_the_map_survive_a_file_that_shrinks_and_grows(model, path):
    """A file that is cut under the memory map of a reader would kill the process."""
    ended, walks = Event(), []
    model.publish(*range(2_000))

    def read() -> None:
        with closing(SqliteStore(path, clock=model.clocks.host())) as reader:
            while not ended.is_set():
                walks.append(len(listed(reader, limit=300)))

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    sizes = set()
    try:
        for _ in range(6):
            spread(model, 2_000)
            model.store.compact(is_thorough=True)
            model.store.settle()
            sizes.add(path.stat().st_size)
    finally:
        ended.set()
        for reader in readers:
            reader.join()
    assert len(sizes) > 1
    assert walks
    assert min(walks) >= 2_000  # an item that is published during the walk comes again
    model.verify()
