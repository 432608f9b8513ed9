"""The store of an earlier release becomes one of blocks: it shows the same, whenever it was killed, full or shared."""

from contextlib import closing
from pathlib import Path

import pytest

from gateway.core.errors import StoreUnwritable
from gateway.core.model import Key, Resource, Selection
from gateway.store.block_reader import as_departed
from gateway.store.queries import load
from gateway.store.sqlite.connector import SqliteConnector
from gateway.store.sqlite.conversion import Pace, convert
from gateway.store.store import Store
from tests.store.former_store import MIGRATIONS, PREFIXES, SETS, Former, make_former, without_former_tables

SQL = load("sqlite/store")
SMALL = Pace(records=110, members=200)
ALL_SETS = {0: None, **SETS}


def key_of(record: Former) -> Key:
    return Key(record.datestamp, record.item)


def listed(records: list[Former], prefix: int, collection: int, *, departed: bool) -> list[bytes]:
    """Return what the earlier release had in a list, in its order."""
    shown = []
    for record in sorted(records, key=key_of):
        if record.prefix == prefix and (collection == 0 or collection in record.sets):
            shown.append(record.content)
        elif record.prefix == prefix and departed and collection in record.departed:
            shown.append(as_departed(record.content))
    return shown


def walked(view, selection: Selection) -> list[bytes]:
    records: list[bytes] = []
    after: Key | None = None
    while True:
        page = view.page(selection, after, 60)
        records += page.records
        after = page.next
        if after is None:
            return records


def check_same(path: Path, records: list[Former]) -> None:
    """Check that a store shows the records of the earlier release, and that the check of stores is content."""
    for departed in (False, True):
        with closing(Store(path, show_departed=departed)) as store:
            assert store.check() == ()
            with store.view() as view:
                for prefix, name in PREFIXES.items():
                    for collection, spec in ALL_SETS.items():
                        wanted = listed(records, prefix, collection, departed=departed)
                        selection = Selection(name, spec)
                        assert walked(view, selection) == wanted
                        assert view.count(selection) == len(wanted)
    assert without_former_tables(path)


def opened(path: Path) -> SqliteConnector:
    """Open a store whose schema is new, and whose records are not in blocks yet."""
    return SqliteConnector(path, MIGRATIONS, create=False)


@pytest.fixture
def records(path) -> list[Former]:
    return make_former(path)


def test_lists_and_records_are_the_same_as_before(path, records):
    check_same(path, records)
    with closing(Store(path)) as store, store.view() as view:
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
def test_a_disk_that_is_full_is_a_sentence_and_loses_nothing(path, records):
    with closing(opened(path)) as file:
        with file.packing() as session:
            pages = session.one("pragma page_count")[0]
            session.execute(f"pragma max_page_count = {pages}")
        with pytest.raises(StoreUnwritable, match=r"the disk is full.*An earlier release.*repeat the command"):
            convert(file, lambda _: None)
    check_same(path, records)


@pytest.mark.slow
def test_where_nothing_can_be_written_beside_an_earlier_store_a_reader_is_refused(path, records):
    opened(path).close()
    # SQLite follows no link there, so that it can make no file, as on a full disk and on one that is mounted read-only.
    shared = path.with_name(f"{path.name}-shm")
    shared.symlink_to("nowhere")
    with pytest.raises(StoreUnwritable, match=r"An earlier release.*Make it writable"):
        Store(path, only_reads=True)
    shared.unlink()
    check_same(path, records)
