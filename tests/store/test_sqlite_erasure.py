"""What was superseded is not in the file any more after it was erased, also what compaction must not touch yet."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from gateway.core.model import Publication, Selection
from gateway.store.store import Store

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
