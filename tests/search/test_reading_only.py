"""An index where nothing can be written beside it, as on a disk that is mounted read-only."""

import sqlite3
from contextlib import closing

import pytest

from gateway.core.errors import SearchUnavailable
from gateway.search.following import NAME
from tests.search.harness import Harness, change_of


def test_index_without_a_file_beside_it_is_read_as_it_is(harness: Harness) -> None:
    harness.add(change_of("1", title="Reef"))
    for tail in ("-wal", "-shm"):
        (harness.folder / f"{NAME}{tail}").unlink(missing_ok=True)
    # SQLite follows no link there, so that it can make no file.
    (harness.folder / f"{NAME}-shm").symlink_to("nowhere")
    assert harness.names("reef") == ["1"]


def test_index_that_another_process_holds_is_unavailable(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.search.sqlite_reader._BUSY_SECONDS", 0.0)
    harness.add(change_of("1", title="Reef"))
    with closing(sqlite3.connect(harness.folder / NAME, isolation_level=None)) as other:
        other.execute("pragma locking_mode = exclusive").close()
        other.execute("begin exclusive").close()
        with pytest.raises(SearchUnavailable, match="locked"):
            harness.search("reef")
