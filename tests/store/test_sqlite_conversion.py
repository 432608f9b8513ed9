"""The store of an earlier release becomes one of blocks: it shows the same, whenever it was killed, full or shared."""

from __future__ import annotations

import os
import shutil
import sqlite3
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from gateway.errors import StoreUnwritable
from gateway.model import Key, Publication, Resource, Selection
from gateway.store import conversion_progress, sqlite_shrinking
from gateway.store.queries import load
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_blocks import as_departed
from gateway.store.sqlite_conversion import Pace, convert, is_due
from gateway.store.sqlite_file import SqliteFile
from tests.live import write_like_others
from tests.store.former_store import MIGRATIONS, PREFIXES, SETS, Former, make_former, without_former_tables

SQL = load("sqlite")
SMALL = Pace(records=110, members=200)
ALL_SETS = {0: None, **SETS}
fork = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")


def key_of(record: Former) -> Key:
    return Key(record.datestamp, record.item)


def listed(records: list[Former], prefix: int, collection: int, *, departed: bool) -> list[tuple[Key, bytes]]:
    """Return what the earlier release had in a list, in its order."""
    shown = []
    for record in sorted(records, key=key_of):
        if record.prefix == prefix and (collection == 0 or collection in record.sets):
            shown.append((key_of(record), record.content))
        elif record.prefix == prefix and departed and collection in record.departed:
            shown.append((key_of(record), as_departed(record.content)))
    return shown


def walked(view, selection: Selection, after: Key | None, limit: int = 60) -> list[bytes]:
    records: list[bytes] = []
    while True:
        page = view.page(selection, after, limit)
        records += page.records
        after = page.next
        if after is None:
            return records


def check_same(path: Path, records: list[Former]) -> None:
    """Check that a store shows the records of the earlier release, and that the check of stores is content."""
    for departed in (False, True):
        with closing(SqliteStore(path, show_departed=departed)) as store:
            assert store.check() == ()
            with store.view() as view:
                for prefix, name in PREFIXES.items():
                    for collection, spec in ALL_SETS.items():
                        wanted = [content for _, content in listed(records, prefix, collection, departed=departed)]
                        selection = Selection(name, spec)
                        assert walked(view, selection, None) == wanted
                        assert view.count(selection) == len(wanted)
    assert without_former_tables(path)


def opened(path: Path) -> SqliteFile:
    """Open a store whose schema is new, and whose records are not in blocks yet."""
    return SqliteFile(path, MIGRATIONS, create=False, dictionary=SQL["dictionary"])


@contextmanager
def converting(path: Path, step: Callable[[str], None] = lambda _: None, pace: Pace = SMALL) -> Iterator[SqliteFile]:
    """Open a file and convert it, with small transactions."""
    with closing(opened(path)) as file:
        convert(file, step, pace)
        yield file


@pytest.fixture
def records(path) -> list[Former]:
    return make_former(path)


def test_lists_and_records_are_the_same_as_before(path, records):
    check_same(path, records)
    with closing(SqliteStore(path)) as store, store.view() as view:
        for record in records:
            stored = view.record(record.identifier, PREFIXES[record.prefix])
            assert stored == (record.content, record.datestamp, record.digest, record.is_deleted)
        for prefix, name in PREFIXES.items():
            living = sorted((one for one in records if one.prefix == prefix and not one.is_deleted), key=key_of)
            assert view.entries(Selection(name), 1000) == tuple((one.identifier, one.datestamp) for one in living)
            resources = view.resources(Selection(name), 0, 10**6, 1000)
            assert {one.item: one.datestamp for one in resources} == {one.item: one.datestamp for one in living}
            assert all(isinstance(one, Resource) and one.length for one in resources)


@pytest.mark.slow
def test_a_token_of_the_earlier_release_goes_on_behind_its_record(path, records):
    with closing(SqliteStore(path, show_departed=True)) as store, store.view() as view:
        for collection, spec in ALL_SETS.items():
            wanted = listed(records, 1, collection, departed=True)
            for place, (key, _) in enumerate(wanted[::7]):
                rest = [content for _, content in wanted[place * 7 + 1 :]]
                assert walked(view, Selection("oai_dc", spec), key, 100) == rest


@pytest.mark.slow
def test_new_records_get_numbers_above_all_items(path, records, make_change):
    with closing(SqliteStore(path)) as store:
        store.publish(store.intend(), Publication("laro", (make_change("new"), make_change("u3"))))
        assert store.check() == ()
        with store.view() as view:
            page = view.page(Selection("oai_dc"), None, len(records) - 1)
            names = [content for content in walked(view, Selection("oai_dc"), None) if b"</header>new " in content]
            assert len(names) == 1
            assert page.next is None
    with closing(sqlite3.connect(path)) as connection:
        numbers = connection.execute("select number from place where datestamp > 1700000000").fetchall()
    assert sorted(number for (number,) in numbers) == [251, 252]


@pytest.mark.slow
@fork
def test_several_processes_convert_at_once(path, records):
    children = []
    for _ in range(3):
        children.append(os.fork())
        if children[-1] == 0:
            status = 1
            try:
                with converting(path, pace=Pace(records=20, members=50)):
                    status = 0
            finally:
                os._exit(status)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    check_same(path, records)


@pytest.mark.slow
def test_a_store_whose_tables_another_process_removes_meanwhile_is_converted(path, records):
    def step(name: str) -> None:
        if name == "move committed":
            with converting(path):
                pass

    with converting(path, step):
        pass
    check_same(path, records)


@pytest.mark.slow
def test_a_reader_of_an_old_state_is_waited_for_before_the_log_fills_the_disk(path, records, caplog, monkeypatch):
    monkeypatch.setattr("gateway.store.sqlite_file._SETTLE_MILLISECONDS", 20)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("begin")
        (count,) = reader.execute("select count(*) from record").fetchone()
        thread = Thread(target=_end_when_waited_for, args=(reader, caplog))
        thread.start()
        with converting(path, pace=Pace(records=5, members=200)):
            thread.join()
    assert count == len(records)
    assert caplog.text.count("Another process reads the store as it was.") == 1
    check_same(path, records)


def _end_when_waited_for(reader: sqlite3.Connection, caplog: pytest.LogCaptureFixture) -> None:
    ends = monotonic() + 240
    while "Another process reads" not in caplog.text and monotonic() < ends:
        sleep(0.01)
    sleep(0.3)  # it is waited for more than once
    reader.execute("rollback")


@pytest.mark.slow
def test_it_needs_at_most_twice_the_disk(tmp_path):
    path = tmp_path / "large" / "store.sqlite"
    path.parent.mkdir()
    records = make_former(path, items=1_500)
    before, sizes = path.stat().st_size, []
    files = [path, path.with_name("store.sqlite-wal")]
    with converting(path, lambda _: sizes.append(sum(file.stat().st_size for file in files))):
        pass
    assert len(sizes) > 50
    assert max(sizes) <= 2 * before
    check_same(path, records)


@pytest.mark.slow
def test_a_disk_that_is_full_is_a_sentence_and_loses_nothing(path, records):
    with closing(opened(path)) as file:
        with file.packing() as session:
            pages = session.one("pragma page_count")[0]
            session.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(StoreUnwritable, match=r"the disk is full.*An earlier release.*repeat the command"):
            convert(file, lambda _: None)
    check_same(path, records)


@pytest.mark.slow
def test_large_records_are_moved_a_few_at_a_time(path, monkeypatch):
    monkeypatch.setattr("gateway.store.sqlite_conversion._MOST_BYTES", 100_000)
    records = make_former(path)
    check_same(path, records)


@pytest.mark.slow
@fork
@pytest.mark.parametrize(("is_begun", "only_reads"), [(False, False), (True, True)])
def test_where_nothing_can_be_written_a_sentence_says_what_to_do(path, records, is_begun, only_reads):
    """No process may read a part of the records, or show an empty repository."""
    if is_begun:
        opened(path).close()
    path.parent.chmod(0o555)
    path.chmod(0o444)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            write_like_others()
            sentence = r"earlier release.*Make it writable" if only_reads else "cannot be written"
            with pytest.raises(StoreUnwritable, match=sentence):
                SqliteStore(path, only_reads=only_reads)
            status = 0
        except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as a second pytest
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    path.parent.chmod(0o755)
    path.chmod(0o644)
    check_same(path, records)


@pytest.mark.slow
@pytest.mark.parametrize("is_begun", [False, True])
def test_where_nothing_can_be_written_beside_an_earlier_store_a_reader_is_refused(path, records, is_begun):
    if is_begun:
        opened(path).close()
    # SQLite follows no link there, so that it can make no file, as on a full disk and on one that is mounted read-only.
    shared = path.with_name(f"{path.name}-shm")
    shared.symlink_to("nowhere")
    with pytest.raises(StoreUnwritable, match=r"An earlier release.*Make it writable"):
        SqliteStore(path, only_reads=True)
    shared.unlink()
    check_same(path, records)


@pytest.mark.slow
def test_a_store_that_a_reader_converts_has_the_schema_of_a_new_one(path, tmp_path, records):
    with closing(SqliteStore(path, only_reads=True)) as store, store.view() as view:
        assert len(walked(view, Selection("oai_dc"), None)) == 250
    check_same(path, records)
    new = tmp_path / "new" / "store.sqlite"
    SqliteStore(new, create=True).close()

    def schema(path: Path) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("select type, name, tbl_name, sql from sqlite_schema order by 1, 2").fetchall()

    assert schema(path) == schema(new)
    assert without_former_tables(new)


@pytest.mark.slow
def test_a_converted_store_that_is_written_anew_is_smaller_and_can_shrink(path, records, monkeypatch):
    monkeypatch.setattr(sqlite_shrinking, "_LEAST_BYTES", 0)
    with closing(SqliteStore(path)) as store:
        free = store.compact(is_thorough=True).kept_free
        assert free > 0
        store.settle()
        before = path.stat().st_size
        assert store.rewrite() >= free // 2
        store.settle()
        assert path.stat().st_size < before
        assert store.compact(is_thorough=True).kept_free == 0
    check_same(path, records)


@pytest.mark.slow
def test_the_log_says_how_far_it_is_and_how_long_it_takes_also_when_something_is_shown_beside(path, records, caplog):
    seconds = iter(range(0, 100_000, 15))
    with (
        conversion_progress.shown_by(lambda _done, _total: None, is_beside=True),
        converting(path, pace=Pace(records=100, clock=lambda: next(seconds))),
    ):
        pass
    total = len(records)
    assert caplog.messages[0].startswith(f"{total} of {total} records of the store are moved into blocks now.")
    assert caplog.messages[1] == f"100 of {total} records are in blocks. The rest takes about 95 s."
    assert caplog.messages[-1] == "All records are in blocks."


@pytest.mark.slow
def test_what_is_shown_is_not_logged_but_what_is_shown_beside_is(path, records, caplog):
    shown: list[tuple[int, int]] = []
    beside: list[tuple[int, int]] = []
    seconds = iter(range(0, 100_000, 15))
    with (
        conversion_progress.shown_by(lambda *counts: shown.append(counts)),
        conversion_progress.shown_by(lambda *counts: beside.append(counts), is_beside=True),
        converting(path, pace=Pace(records=100, clock=lambda: next(seconds))),
    ):
        pass
    total = len(records)
    assert shown == beside == sorted(shown)
    assert (shown[0], shown[1], shown[-1]) == ((0, total), (100, total), (total, total))
    assert len(caplog.messages) == 2, "the first one and the last one"
    assert conversion_progress.show(1, 2), "who shows nothing has the log"


def test_a_disk_with_too_little_space_is_a_sentence_before_anything_is_moved(path, records, monkeypatch):
    usage = shutil.disk_usage(path.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1_000_000))
    with pytest.raises(
        StoreUnwritable, match=r"needs \d+ MB of free disk, and there are 1 MB\. An earlier release"
    ) as error:
        SqliteStore(path)
    assert "free space on the disk, and repeat the command" in str(error.value)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("select count(*) from block").fetchone() == (0,)
    assert path.stat().st_size < 20_000_000, "a small store needs space for some transactions"
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=20_000_000))
    with pytest.raises(StoreUnwritable, match="needs 34 MB of free disk, and there are 20 MB"):
        SqliteStore(path)
    monkeypatch.undo()
    check_same(path, records)


def test_a_conversion_is_due_until_all_records_are_moved(path, records):
    assert is_due(path), "no release with blocks has opened it"
    opened(path).close()
    assert is_due(path)
    with converting(path):
        pass
    assert not is_due(path)


def test_no_conversion_is_due_without_records(tmp_path, path):
    assert not is_due(path), "no file"
    opened_new = SqliteFile(path, MIGRATIONS, create=True)
    assert not is_due(path), "an empty table"
    opened_new.close()
    (tmp_path / "text").write_text("This is no database, but a text that is long enough to be one." * 20)
    assert not is_due(tmp_path / "text")


def test_a_new_store_says_nothing_of_a_conversion(path, caplog):
    SqliteStore(path, create=True).close()
    assert caplog.messages == []
