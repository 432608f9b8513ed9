"""What others have changed or hold: rows of blocks, own lists, and the file."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from gateway.model import Key, Publication, Selection
from gateway.store import sqlite_compaction
from gateway.store.sqlite_own_lists import OwnList, _grown

LIST = Selection("oai_dc")


@pytest.fixture
def full(store, clocks, make_change):
    """Return a store with two blocks in each list."""
    store.publish(store.intend(), Publication("laro", tuple(make_change(f"{number}") for number in range(200))))
    clocks.pass_seconds(1)
    return store


def test_work_on_rows_that_others_have_changed_is_dropped(full, monkeypatch):
    with full.view() as view:
        before = view.page(LIST, None, 200)
    monkeypatch.setattr(sqlite_compaction, "_is_same", lambda *_: False)
    done = full.compact(is_thorough=True)
    assert done.blocks == 0
    with full.view() as view:
        assert view.page(LIST, None, 200) == before


def test_an_own_list_that_another_process_has_dropped_does_not_grow(full):
    gone = OwnList(-99, 1, 1, Key(0, 0), is_ready=False, wanted_on=0)
    assert _grown(full._file, gone, lambda: 2**40, lambda: True, lambda _name: None) == 0


class Held:
    """A connection to a file that others hold for three tries."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection, self.refusals = connection, 3

    def execute(self, query: str) -> sqlite3.Cursor:
        if self.refusals:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return self.connection.execute(query)


def test_a_file_that_others_hold_is_given_its_log_as_soon_as_they_let_it_go(store, monkeypatch):
    with store._file.reading() as session:
        held: Any = Held(session.connection)
        assert store._file._keep_a_log(held) == "wal"
    assert held.refusals == 0
    monkeypatch.setattr(store._file, "_busy_seconds", -1)
    with pytest.raises(sqlite3.OperationalError):
        store._file._keep_a_log(Held(held.connection))
