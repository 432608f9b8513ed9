"""Damaged records of an earlier release: they stop no conversion, are in no list unnoticed, and can be made again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
import zstandard

from gateway.errors import StoreDamaged
from gateway.model import ItemChange, Publication, Record, Selection
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_conversion import convert
from gateway.store.sqlite_file import Session
from gateway.xmltext import utc_datetime
from tests.rows import each_row
from tests.store.former_store import DICTIONARIES, PREFIXES, Former, make_former, without_former_tables
from tests.store.test_sqlite_conversion import SMALL, check_same, key_of, listed, opened

pytestmark = pytest.mark.slow  # stores are made and read whole


class Killed(BaseException):
    """What a step raises in a process that dies there."""


@pytest.fixture
def records(path) -> list[Former]:
    return make_former(path)


def damage(path: Path, changes: str, where: str) -> None:
    """Damage records of the earlier release."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(f"update record set {changes} where {where}").rowcount > 0
        connection.commit()


def refused_of(path: Path, records: list[Former]) -> list[str]:
    """Return the identifiers of the records that cannot be read; all others must be the same as before."""
    refused = []
    with closing(SqliteStore(path)) as store, store.view() as view:
        for record in records:
            try:
                stored = view.record(record.identifier, PREFIXES[record.prefix])
            except StoreDamaged:
                refused.append(record.identifier)
            else:
                assert stored == (record.content, record.datestamp, record.digest, record.is_deleted)
    return refused


HUGE = b"\x28\xb5\x2f\xfd\xc0\x00" + b"\xff" * 7 + b"\x7f"  # the head of a frame that announces 2^63 bytes
DAMAGES = [
    "content = x'00'",
    "content = null",
    "content = 7",
    "content = cast(x'ff00' as text)",
    "dictionary = 77",
    "dictionary = 'x'",
    f"content = x'{HUGE.hex()}'",
    f"content = x'{zstandard.ZstdCompressor().compress(b'no record').hex()}', dictionary = 0",
]


@each_row("changes", DAMAGES)
def test_a_damaged_record_stops_nothing_and_the_check_names_its_item(tmp_path, changes, caplog):
    """Nobody gets a list without it: each page that has its place is refused, in every coding, until it is mended."""
    path = tmp_path / "store.sqlite"
    records = make_former(path)
    caplog.clear()
    if changes == "content = null":
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("pragma writable_schema = on")
            connection.execute("update sqlite_schema set sql = replace(sql, 'content blob not null', 'content blob')")
            connection.commit()
    damage(path, changes, "item = 200 and prefix = 2")
    SqliteStore(path).close()
    assert "All records are in blocks, but so many were damaged before: 1." in caplog.text
    assert "`gateway rebuild` makes them again" in caplog.text
    assert without_former_tables(path)
    (lost,) = (record for record in records if (record.item, record.prefix) == (200, 2))
    assert refused_of(path, records) == [lost.identifier]
    with closing(SqliteStore(path)) as store:
        problems = store.check()
        assert f"Number of its items: 1; from {utc_datetime(lost.datestamp)}" in problems[0]
        assert lost.identifier in problems[0]
        assert "`gateway rebuild` makes the records of damaged blocks again." in problems[1]
        assert len(problems) == 2
        with store.view() as view:
            selection = Selection("oai_didl")
            assert view.count(selection) == len([record for record in records if record.prefix == 2])
            before = max(key_of(one) for one in records if one.prefix == 2 and key_of(one) < key_of(lost))
            with pytest.raises(StoreDamaged, match="is missing"):
                view.parts(selection, before, 100, only_headers=False, is_exact=False)
            behind = view.page(selection, key_of(lost), 1000).records
            wanted = listed(records, 2, 0, departed=False)
            assert list(behind) == [content for key, content in wanted if key > key_of(lost)]


def test_a_damaged_record_that_is_published_again_is_sound_and_nothing_is_left_of_it(path, records):
    damage(path, "content = x'00'", "item in (1, 2, 200) and prefix = 1")
    with closing(SqliteStore(path)) as store:
        assert len(store.check()) == 4
        assert store.give_up_damaged() == 3
        contents = {item: b"<record><header></header>new %d</record>" % item for item in (1, 2, 200)}
        changes = tuple(
            ItemChange(f"u{item}", f"oai:laro/u{item}", False, (), (), (Record("oai_dc", b"d", False, content),))
            for item, content in contents.items()
        )
        store.publish(store.intend(), Publication("laro", changes))
        assert store.check(is_whole=True) == ()
        with store.view() as view:
            for item, content in contents.items():
                stored = view.record(f"oai:laro/u{item}", "oai_dc")
                assert stored is not None
                assert stored.content == content


@pytest.mark.parametrize("is_thorough", [False, True])
def test_compaction_forgets_no_damaged_record(path, records, is_thorough):
    """Also not the one that no other block needs as a neighbour: the last one."""
    last = max((record for record in records if record.prefix == 1), key=key_of)
    damage(path, "content = x'00'", f"item in (7, 100, {last.item}) and prefix = 1")
    with closing(SqliteStore(path)) as store:
        for _ in range(2):
            assert store.compact(is_thorough=is_thorough).damaged == 3
            problems = " ".join(store.check())
            assert all(f"oai:laro/u{item}." in problems for item in (7, 100, last.item))


def test_damaged_records_are_counted_although_the_conversion_is_killed(path, records, caplog):
    damage(path, "content = x'00'", "item in (1, 2, 200) and prefix = 2")
    for last in range(1, 12, 2):
        with suppress(Killed), closing(opened(path)) as file:
            convert(file, killer(last), SMALL)
    SqliteStore(path).close()
    assert caplog.text.count("so many were damaged before: 3.") == 1
    assert refused_of(path, records) == [f"oai:laro/u{item}" for item in (1, 2, 200)]


def killer(last: int) -> Callable[[str], None]:
    """Return what ends a conversion at its step with this number."""
    steps = iter(range(last))

    def step(_name: str) -> None:
        if next(steps, None) is None:
            raise Killed

    return step


def test_very_many_damaged_records_end_the_conversion_with_what_to_do(path, records, monkeypatch):
    """As without a dictionary. What was not moved stays as it was."""
    monkeypatch.setattr("gateway.store.sqlite_conversion._MOST_DAMAGED", 30)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("delete from dictionary where id = 2")
        connection.commit()
    for _ in range(2):
        with pytest.raises(StoreDamaged, match=r"More than 30 records of .*damaged. Restore the store with"):
            SqliteStore(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("insert into dictionary values (2, 1, 1, ?)", (DICTIONARIES[2],))
        connection.commit()
    check_same(path, records)


def test_a_dictionary_that_is_missing_damages_the_records_that_need_it(path, records):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("delete from dictionary where id = 2")
        connection.commit()
    lost = refused_of(path, records)
    assert lost == [record.identifier for record in records if record.item % 3 == 2]


def test_damaged_sets_of_an_item_end_the_conversion_with_what_to_do(path, records):
    """Nobody knows in which lists its records are."""
    for stored in ("[1", "{}x", '["a"]', "[[]]"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("update item set sets = ? where id = 3", (stored,))
            connection.commit()
        with pytest.raises(StoreDamaged, match=r"The sets of the item 3 are damaged\. Restore the store with"):
            SqliteStore(path)


def test_a_dictionary_that_a_database_lacks_is_named():
    with closing(sqlite3.connect(":memory:")) as connection:
        session = Session(connection, "select 1 where ? < 0")
        with pytest.raises(StoreDamaged, match="The dictionary 3"):
            session.codec.unpack(3, b"")
