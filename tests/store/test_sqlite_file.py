"""One SQLite file: what happens when it is old, new, damaged, full, unwritable, busy, or carried through a fork."""

import os
import shutil
import sqlite3
import traceback
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from threading import Barrier, Thread
from typing import Any

import pytest

from gateway.core.errors import (
    GatewayError,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreTooNew,
    StoreUnwritable,
)
from gateway.core.model import Publication, Selection, Source
from gateway.core.waiting import locked
from gateway.core.working_file import made_with, transaction
from gateway.publish.step import check_inbox
from gateway.store.sqlite import file as sqlite_file
from gateway.store.sqlite.connector import SqliteConnector
from gateway.store.store import Store
from tests.opening import open_inbox, open_store, settings_of

MIGRATIONS = Path(sqlite_file.__file__).parents[1] / "migrations"


def schema(path: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("select type, name, tbl_name, sql from sqlite_schema order by 1, 2").fetchall()


def opened(path: Path, migrations: Path, **more: Any) -> SqliteConnector:
    return SqliteConnector(path, migrations, create=True, **more)


# --- making and upgrading -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["store", "inbox"])
def test_a_database_of_any_earlier_release_becomes_what_a_fresh_one_is(tmp_path, name):
    fresh = tmp_path / "fresh.sqlite"
    opened(fresh, MIGRATIONS / name).close()
    files = sorted((MIGRATIONS / name).glob("*.sql"))
    for known in range(len(files)):
        folder = tmp_path / str(known) / name
        folder.mkdir(parents=True)
        for file in files[:known]:
            shutil.copy(file, folder)
        old = folder / "old.sqlite"
        opened(old, folder).close()
        opened(old, MIGRATIONS / name).close()
        assert schema(old) == schema(fresh)


def test_a_step_that_fails_leaves_neither_itself_nor_its_mark(tmp_path):
    folder, path = tmp_path / "steps", tmp_path / "some.sqlite"
    folder.mkdir()
    (folder / "0001_first.sql").write_text("create table one (a);")
    opened(path, folder).close()
    (folder / "0002_second.sql").write_text("create table two (a); insert into nowhere values (1);")
    with pytest.raises(StoreError, match="nowhere"):
        opened(path, folder)
    (folder / "0002_second.sql").write_text("create table two (a);")
    opened(path, folder).close()
    assert {row[1] for row in schema(path)} >= {"one", "two"}


def test_a_database_of_a_newer_release_is_refused(tmp_path):
    folder, path = tmp_path / "store", tmp_path / "store.sqlite"
    shutil.copytree(MIGRATIONS / "store", folder)
    (folder / "9999_later.sql").write_text("create table later (a);")
    opened(path, folder).close()
    with pytest.raises(StoreTooNew, match="9999_later"):
        open_store(tmp_path)


def test_several_may_make_the_same_store_at_once(path):
    barrier, stores = Barrier(4), []

    def make():
        barrier.wait()
        stores.append(Store(path, create=True))

    threads = [Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.fact("made_at") for store in stores}) == 1
    for store in stores:
        store.close()


def test_a_store_that_another_process_makes_and_never_ends_is_not_waited_for_longer_than_for_a_writer(path):
    with locked(path.parent / "locks" / ".making"), pytest.raises(StoreBusy):
        Store(path, create=True, busy_seconds=0.05)


def test_a_store_whose_making_was_interrupted_is_made_whole(path):
    opened(path, MIGRATIONS / "store").close()
    with closing(Store(path)) as store, store.view() as view:
        assert view.horizon >= view.earliest_datestamp() > 0


def test_a_store_that_is_not_there_is_not_made_unasked(path, tmp_path):
    with pytest.raises(StoreMissing, match="gateway init"):
        Store(path)
    with pytest.raises(StoreMissing):
        open_inbox(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_became_empty_is_not_taken_for_a_new_one(path):
    path.touch()  # an earlier release left it
    with pytest.raises(StoreMissing, match="gateway init"):
        Store(path)
    Store(path, create=True).close()
    path.write_bytes(b"")
    for create in (False, True):
        with pytest.raises(StoreMissing, match=r"is empty, although .* Restore it"):
            Store(path, create=create)
    assert not path.stat().st_size


def test_a_database_that_cannot_be_made_leaves_nothing(tmp_path):
    path = tmp_path / "users.sqlite"
    (tmp_path / "0001_first.sql").write_text("create table one (a); insert into nowhere values (1);")
    with pytest.raises(StoreError, match="nowhere"):
        opened(path, tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0001_first.sql", "locks"]


def test_a_file_system_without_a_write_ahead_log_is_refused_at_the_door(tmp_path, monkeypatch):
    """SQLite raises nothing then: it answers with another mode, in which readers and writers wait for each other."""
    connect = sqlite3.connect

    def elsewhere(path: Path, **more: Any) -> sqlite3.Connection:
        return connect(f"{path.as_uri()}?vfs=unix-dotfile", **more | {"uri": True})  # it has no shared memory

    path = tmp_path / "store.sqlite"
    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", elsewhere)
        with pytest.raises(StoreUnwritable, match=r"no write-ahead log .* with the mode delete\. Move the instance"):
            opened(path, MIGRATIONS / "store")
    opened(path, MIGRATIONS / "store").close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)


# --- damage -------------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_reported(path):
    path.write_bytes(b"This is a letter, not a database. " * 1000)
    with pytest.raises(StoreDamaged, match="not a database"):
        Store(path)


def test_a_damaged_page_is_told_by_the_check_and_by_reading(open_furnished, make_change, path):
    store = open_furnished()
    for first in range(0, 3000, 1000):
        changes = tuple(make_change(f"{number}" * 9) for number in range(first, first + 1000))
        store.publish(store.intend(), Publication("laro", changes))
    assert store.check() == ()
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        (size,) = connection.execute("pragma page_size").fetchone()
    pages = path.stat().st_size // size
    with path.open("r+b") as file:
        for page in range(pages // 3, pages):  # behind the schema
            file.seek(page * size)
            file.write(b"\xff" * 100)
    store = Store(path)
    assert "damaged" in store.check()[0]
    with pytest.raises(StoreDamaged), store.view() as view:
        view.page(Selection("oai_dc"), None, 10_000)
    store.close()


# --- no room, no permission, no lock ------------------------------------------------------------------------------


def test_a_full_disk_stops_a_publication_and_nothing_of_it_is_there(open_furnished, make_change):
    store = open_furnished()
    store.publish(store.intend(), Publication("laro", (make_change("a"),)))
    with store._file.packing() as session:
        pages = session.one("pragma page_count")[0]
        session.execute(f"pragma max_page_count = {pages + 4}")
    intent = store.intend()
    text = b"<record><header></header>%b</record>" % os.urandom(200_000).hex().encode()
    large = make_change("b")._replace(records=(make_change("b").records[0]._replace(content=text),))
    with pytest.raises(StoreUnwritable, match="full"):
        store.publish(intent, Publication("laro", (large,)))
    with store.view() as view:
        assert view.count(Selection("oai_dc")) == 1
        assert view.horizon == intent.datestamp
    with store._file.packing() as session:
        session.execute("pragma max_page_count = 1000000")
    assert store.publish(intent, Publication("laro", (large,))) == 1


def test_a_store_that_cannot_be_written_is_read_and_tells_no_second_above_its_ceiling(
    open_furnished, clocks, make_change
):
    store = open_furnished()
    store.publish(store.intend(), Publication("laro", (make_change("a"),)))
    with store._file.packing() as session:
        session.execute("pragma query_only = on")
    clocks.pass_seconds(1000)
    with store.view() as view:
        assert view.count(Selection("oai_dc")) == 1
        assert view.horizon == 1_700_000_060
    with pytest.raises(StoreUnwritable, match="cannot be written"):
        store.intend()


def _ended_in_child(work: Callable[[], int]) -> int:
    """Do `work` in a child and return what it returns; an exception, which is printed, counts as 99."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = work()
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as a second pytest
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_where_nothing_can_be_written_beside_the_file_it_is_read_as_it_lies(open_furnished, make_change, path, caplog):
    store = open_furnished()
    store.publish(store.intend(), Publication("laro", (make_change("a"),)))
    store.close()
    assert not path.with_name(f"{path.name}-wal").exists()
    # SQLite follows no link there, so that it can make no file, as on a full disk and on one that is mounted read-only.
    path.with_name(f"{path.name}-shm").symlink_to("nowhere")
    with pytest.raises(StoreUnwritable):
        Store(path)
    with closing(Store(path, only_reads=True)) as store, store.view() as view:
        assert view.count(Selection("oai_dc")) == 1
        assert "is read without its log" in caplog.text
        with pytest.raises(StoreUnwritable):
            store.remember("a", "b")


def test_a_writer_waits_for_another_only_so_long(open_furnished, clocks):
    first, second = open_furnished(), open_furnished(busy_seconds=0)
    with first._file.writing():
        with pytest.raises(StoreBusy):
            second.remember("a", "b")
        clocks.pass_seconds(1000)
        with second.view() as view:
            assert view.horizon == 1_700_000_060, "the ceiling could not be raised"
    with second.view() as view:
        assert view.horizon == 1_700_001_000


def test_every_error_of_sqlite_becomes_one_of_ours(path):
    with closing(opened(path, MIGRATIONS / "store")) as file:
        with pytest.raises(GatewayError, match="no such table"), file.reading() as session:
            session.execute("select * from nowhere")
        with pytest.raises(StoreDamaged, match="UNIQUE"), file.writing() as session:
            session.executemany("insert into prefix (name) values (?)", [("a",), ("a",)])
        with pytest.raises(StoreUnwritable), file.reading() as session:
            session.execute("insert into prefix (name) values ('a')")


# --- connections --------------------------------------------------------------------------------------------------


def _insert_and_fail(session):
    session.execute("insert into prefix (name) values ('a')")
    raise ZeroDivisionError


def test_a_write_that_fails_is_rolled_back_and_its_connection_is_fit_for_use(path):
    with closing(opened(path, MIGRATIONS / "store")) as file:
        with pytest.raises(ZeroDivisionError), file.writing() as session:
            _insert_and_fail(session)
        with file.writing() as session:
            assert session.one("select count(*) from prefix") == (0,)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_child_after_a_fork_uses_connections_of_its_own(open_furnished, make_change):
    store = open_furnished()
    with store._file.packing() as mine:
        pass

    def work():
        with store._file.packing() as session:
            is_own = session is not mine
        store.publish(store.intend(), Publication("laro", (make_change("child"),)))
        return 0 if is_own else 1

    assert _ended_in_child(work) == 0
    with store._file.packing() as session:
        assert session is mine
    assert list(store.states("laro", ["child"])) == ["child"]


def test_a_store_whose_clock_is_damaged_is_opened_and_the_check_says_so(open_furnished, path):
    open_furnished().close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        (root,) = connection.execute("select rootpage from sqlite_master where name = 'clock'").fetchone()
        (size,) = connection.execute("pragma page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * 100)
    store = Store(path)
    assert "damaged" in store.check()[0]
    store.close()


_SCHEMA = "create table one (text text unique)"


def test_an_error_undoes_a_transaction_and_the_next_one_is_written(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    connection = made_with(_SCHEMA, path)
    for text, error in (("a", ZeroDivisionError), ("b", StoreError)):
        with pytest.raises(error):
            _write_and_fail(connection, path, text)
    with transaction(connection, path):
        connection.execute("insert into one values ('c')")
    assert made_with("", path).execute("select text from one").fetchall() == [("c",)]


def _write_and_fail(connection: Connection, path: Path, text: str) -> None:
    with transaction(connection, path):
        connection.execute("insert into one values (?)", (text,))
        if text == "a":
            raise ZeroDivisionError
        connection.execute("insert into one values (?)", (text,))


def test_an_inbox_that_is_lost_is_told_and_one_that_was_never_there_is_not(tmp_path, open_furnished) -> None:
    store, inbox = open_furnished(), tmp_path / "inbox.sqlite"
    check_inbox(store, settings_of(tmp_path))
    store.add_source(Source("filled", "http://filled.example.org/oai"))
    store.advance("filled", 0, 7)
    with pytest.raises(StoreMissing, match="restore --missing"):
        check_inbox(store, settings_of(tmp_path))
    inbox.write_bytes(b"")  # SQLite makes an empty file before it makes a database
    with pytest.raises(StoreMissing):
        check_inbox(store, settings_of(tmp_path))
    inbox.write_bytes(b"SQLite")
    check_inbox(store, settings_of(tmp_path))
