"""The connector to SQLite: a file that gives its free pages back to the disk, in small steps, or is written anew.

A step moves pages from the end of the file into free ones. It is one transaction, so a kill between two steps loses
nothing, and a reader of an old state keeps what it reads. The file is shorter as soon as the log is moved into it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, Final

from gateway.core.errors import StoreError, StoreUnwritable
from gateway.core.working_file import COPIED
from gateway.store.connector import BUSY_SECONDS, Session, Shrunk
from gateway.store.sqlite.conversion import convert
from gateway.store.sqlite.file import SqliteFile

DAMAGED_VALUE: Final = sqlite3.DatabaseError

_STEP_SECONDS: Final = 0.001  # of the lock; then the step is written, which takes about as long
_MOST_PAGES: Final = 200  # of a step
_PAGES_PER_FREE: Final = 100  # a smaller share of free pages is left to the next publications
_LEAST_BYTES: Final = 1_048_576  # and so are fewer bytes
_WRITTEN_PER_PAGE: Final = 2  # a moved page, and the one that leads to it
_INCREMENTAL: Final = (2,)  # only such a file can shrink; it is decided before its first table, or when written anew
_STEPS_BETWEEN_BEATS: Final = 100_000  # of SQLite: some hundredths of a second
_TABLES: Final = """
select name from sqlite_master where type = 'table' and name <> 'clock' and substr(name, 1, 1) <> '_'
  and substr(name, 1, 7) <> 'sqlite_' order by name"""
_COLUMNS: Final = "select name from pragma_table_info(?) order by name"
_TEMPORARY: Final = "SQLITE_TMPDIR"  # names the folder of the temporary files of SQLite


def _step(session: Session) -> tuple[int, int]:
    """Remove pages from the end of the file for some milliseconds; return how many, and how many are free then."""
    ends, before = monotonic() + _STEP_SECONDS, _number(session, "page_count")
    for _ in range(_MOST_PAGES):
        session.execute("pragma incremental_vacuum(1)")  # the module sqlite3 does one page, whatever the number
        if monotonic() >= ends:
            break
    return before - _number(session, "page_count"), _number(session, "freelist_count")


def _beat() -> None:
    """Let Python handle signals while SQLite works; a KeyboardInterrupt stops SQLite."""


@contextmanager
def _temporary_files_in(folder: Path) -> Iterator[None]:
    """Let SQLite make its temporary files in a folder: that of the system may be small."""
    former = os.environ.get(_TEMPORARY)
    os.environ[_TEMPORARY] = str(folder)
    try:
        yield
    finally:
        del os.environ[_TEMPORARY]
        if former is not None:
            os.environ[_TEMPORARY] = former


def _numbers(session: Session) -> list[str]:
    """Return the tables that give no number twice."""
    made = session.execute("select name from sqlite_master where type = 'table' and lower(sql) like '%autoincrement%'")
    return [name for (name,) in made.fetchall()]


def _number(session: Session, name: str) -> int:
    (number,) = session.one(f"pragma {name}") or (0,)
    return int(number)


# --- The write-ahead log while many small transactions write ---------------------------------------------------------

_BYTES_BETWEEN_CHECKPOINTS: Final = 8 * 1_048_576
_LONGEST_BYTES: Final = 128 * 1_048_576  # of what a reader with an old snapshot keeps


class WriteAheadLog:
    """The write-ahead log of a file; `is_long` while a reader keeps so much of it that work should pause."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file
        self._written = 0  # bytes since the last checkpoint
        self.is_long = False

    def note(self, written: int) -> None:
        """Note how many bytes were written; move the log into the file if it is time. Raise StoreError."""
        self._written += written
        if self.is_long or self._written >= _BYTES_BETWEEN_CHECKPOINTS:
            self.move()

    def move(self) -> None:
        """Move as much of the log into the file as readers allow, which also shortens the file. Raise StoreError."""
        self._written = 0
        with self._file.packing() as session:
            _, pages, moved = session.one("pragma wal_checkpoint(passive)") or (0, 0, 0)
            (page_bytes,) = session.one("pragma page_size") or (0,)
        self.is_long = (pages - moved) * page_bytes > _LONGEST_BYTES


class SqliteConnector(SqliteFile):
    """The file of a database of ours; see `Connector`."""

    @cached_property
    def _log(self) -> WriteAheadLog:
        return WriteAheadLog(self)

    def note_written(self, size: int) -> bool:
        """Return whether a reader with an old snapshot keeps so much of the write-ahead log that work should pause."""
        self._log.note(size)
        return self._log.is_long

    def shrink(self, seconds: float, is_stopped: Callable[[], bool], step: Callable[[str], None]) -> Shrunk:
        """Give free pages back to the disk if at least a hundredth of the file and 1 MiB are free.

        It also ends when a reader keeps too much of the log.
        """
        ends, log = monotonic() + seconds, WriteAheadLog(self)
        with self.reading() as session:
            page_bytes, pages, free = (_number(session, name) for name in ("page_size", "page_count", "freelist_count"))
            can_shrink = session.one("pragma auto_vacuum") == _INCREMENTAL
        if free * _PAGES_PER_FREE < pages or free * page_bytes < _LEAST_BYTES:
            return Shrunk()
        if not can_shrink:
            return Shrunk(kept_free=free * page_bytes)
        removed = 0
        while free and not (log.is_long or is_stopped() or monotonic() >= ends):
            with self.writing(max(0.0, ends - monotonic()), is_durable=False) as session:
                moved, free = _step(session)
                step("pages moved")
            step("shrinking committed")
            removed += moved
            log.note(moved * page_bytes * _WRITTEN_PER_PAGE)
        log.move()
        return Shrunk(removed * page_bytes, is_complete=not free)

    def vacuum(self) -> int:
        """Write all of the file anew in one transaction: it has no free pages then, and can shrink from now on.

        Others read meanwhile, and writers wait. The log and a temporary file in the same folder are as large as the new
        file. Raise KeyboardInterrupt at the signal.
        """
        self.finish_erasure()  # the log may be long, and its space is needed
        try:
            return self._rewrite()
        except StoreUnwritable:
            with suppress(StoreError):
                self.finish_erasure()  # the log is as long as the disk allowed
            raise

    def _rewrite(self) -> int:
        with self.packing() as session, _temporary_files_in(self.path.parent):
            before = _number(session, "page_count")
            session.execute(f"pragma busy_timeout = {int(BUSY_SECONDS * 1000)}")
            session.execute("pragma auto_vacuum = incremental")
            session.connection.set_progress_handler(_beat, _STEPS_BETWEEN_BEATS)
            try:
                session.execute("vacuum")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                    raise KeyboardInterrupt from error
                raise
            finally:
                session.connection.set_progress_handler(None, 0)
            return (before - _number(session, "page_count")) * _number(session, "page_size")

    def damages(self, session: Session, *, is_whole: bool) -> Iterator[str]:
        """Yield what the check of SQLite finds."""
        for (text,) in session.execute("pragma integrity_check(10)" if is_whole else "pragma quick_check(10)"):
            if text != "ok":
                yield f"The file is damaged: {text}."

    # -- copies --------------------------------------------------------------------------------------------------

    def tables(self, session: Session) -> dict[str, tuple[str, ...]]:
        """Return all tables but the marks of migrations and the clock."""
        names = [name for (name,) in session.execute(_TABLES).fetchall()]
        rows = {name: session.execute(_COLUMNS, (name,)).fetchall() for name in names}
        return {name: tuple(column for (column,) in columns) for name, columns in rows.items()}

    def stream(self, session: Session, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table."""
        yield from session.execute(f"select {', '.join(columns)} from {table}")  # noqa: S608 - a table of ours

    def add(self, session: Session, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Store rows."""
        named, places = ", ".join(columns), ", ".join("?" * len(columns))
        session.executemany(f"insert into {table} ({named}) values ({places})", rows)  # noqa: S608 - a table of ours

    @contextmanager
    def triggers_off(self, session: Session) -> Iterator[None]:
        """Drop all triggers, and make them again at the end."""
        triggers = session.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in triggers:
            session.execute(f'drop trigger "{name}"')
        yield
        for _, text in triggers:
            session.execute(text)

    def last_numbers(self, session: Session) -> dict[str, int]:
        """Return what the table of SQLite says."""
        return dict(session.execute("select name, seq from sqlite_sequence").fetchall() if _numbers(session) else ())

    def continue_numbers(self, session: Session, last: Mapping[str, int]) -> None:
        """Write what is above into the table of SQLite, which has what the rows have."""
        present = self.last_numbers(session)
        for table in _numbers(session):
            number = max(present.get(table, 0), last.get(table, 0))
            session.execute("delete from sqlite_sequence where name = ?", (table,))
            session.execute("insert into sqlite_sequence (name, seq) values (?, ?)", (table, number))

    def refuse_writers(self, session: Session) -> None:
        """Make triggers that refuse every change."""
        for table in self.tables(session):
            for deed in ("insert", "update", "delete"):
                body = f"begin select raise(abort, '{COPIED}'); end"
                session.execute(f'create trigger if not exists "copied_{table}_{deed}" before {deed} on {table} {body}')

    def convert(self, step: Callable[[str], None]) -> None:
        """Move the records of an earlier release into blocks."""
        convert(self, step)
