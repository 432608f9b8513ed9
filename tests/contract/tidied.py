"""A store that another one tidies up at every step that it takes outside of the lock: a backend of the contract tests.

Each time, all blocks that are worth it are made anew, what was superseded is erased, and every set gets an own list in
every format. Sometimes all own lists are dropped.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from gateway.errors import StoreBusy
from gateway.store.sqlite import SqliteStore
from gateway.store.sqlite_own_lists import drop, own_lists, today, want
from gateway.store.sqlite_rows import EVERYTHING

STEPS = frozenset(
    {
        "clock told",
        "snapshot taken",
        "intent committed",
        "datestamp taken",
        "publication packed",
        "publication committed",
        "compaction committed",
    }
)
_BUSY_SECONDS = 0.2  # a test may have the lock itself
_OFTEN = 7  # so often, own lists are dropped


class TidiedStore(SqliteStore):
    """The store on SQLite, which is tidied up all the time."""

    def __init__(self, path: Path, **more: Any) -> None:
        self._turns, self._lock, self._tidier = count(1), Lock(), None
        super().__init__(path, step=self._tidy, **more)
        self._tidier = SqliteStore(path, clock=more.get("clock"), busy_seconds=_BUSY_SECONDS)

    def _tidy(self, name: str) -> None:
        if self._tidier is not None and name in STEPS and self._lock.acquire(blocking=False):
            try:
                with suppress(StoreBusy):
                    tidy(self._tidier, next(self._turns))
            finally:
                self._lock.release()

    def close(self) -> None:
        if self._tidier is not None:
            self._tidier.close()
        super().close()


def tidy(store: SqliteStore, turn: int) -> None:
    """Do all that compaction, takedowns and harvesters of sparse sets can do to the blocks of a store."""
    store.erase_superseded()
    with store._file.writing() as session:
        if not turn % _OFTEN:
            for one in own_lists(session):
                drop(session, one)
        places = "select distinct collection.id, format.prefix from collection, format where collection.id <> ?"
        for collection, prefix in session.execute(places, (EVERYTHING,)).fetchall():
            want(session, collection, prefix, today())
    store.compact(is_thorough=True)


def open_tidied(folder: Path, **more: Any) -> TidiedStore:
    """Return the store of a folder, as `open_store` does."""
    return TidiedStore(folder / "store.sqlite", **more)
