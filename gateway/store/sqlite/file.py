"""One SQLite file: its connections, its transactions, its schema. All databases of an instance use it.

A connection is lent to one reader or writer at a time, and never shared. Every error of sqlite3 leaves this module as
one of ours.
"""

import logging
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from gateway.core.durable import sync_folder
from gateway.core.errors import StoreDamaged, StoreMissing, StoreTooNew, StoreUnwritable
from gateway.core.instance_folder import TAILS, Instance, remedy
from gateway.core.permissions import file_mode
from gateway.core.waiting import Waiting, locked
from gateway.core.working_file import BUSY, PRIMARY, UNWRITABLE, translated, translation
from gateway.store.connector import BUSY_SECONDS, Connector, Parameters
from gateway.store.queries import load

PAGE_BYTES = 16_384  # rows of 400 bytes: fewer, fuller pages than with 4 kB, and the blobs seldom overflow
_SQL = load("sqlite/store")
_BETWEEN_TRIES_SECONDS = 0.01
WRITER_CACHE_KIB = 32_768
_SETTLE_MILLISECONDS = 2_000  # the wait for readers of a page; a longer reader is not waited for
READER_CACHE_KIB = 8_192  # readers use the memory map; the cache is for the rest of the file, and for the log
MAPPED_BYTES = 8_000_000_000  # SQLite uses at most what it was compiled for, usually 2 GiB

_UNCHANGING = (
    "%s cannot be written, because of its permissions or a full disk. It is read without its log, so the last changes "
    "may be missing."
)
UPGRADE_UNWRITABLE: Final = (
    "{} An earlier release wrote it, and it must be changed before this release can read it. Make it writable, or free "
    "space on the disk, and repeat the command."
)
_LOG_MODE: Final = "wal"
_MAKING: Final = ".making"  # the lock of who makes a database; no source can have this name
_NO_LOG: Final = (
    "{} cannot be used: its file system allows no write-ahead log of SQLite, which answers with the mode {}. Move the "
    "instance to a disk of this host; one that is reached over a network does not do."
)


log = logging.getLogger("gateway.store")


class Session:
    """One connection; only one thread may use it at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany

    def one(self, query: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None. All rows are read, because an unfinished statement keeps its snapshot open."""
        rows = self.connection.execute(query, parameters).fetchall()
        return rows[0] if rows else None

    def begin(self) -> None:
        """Let all queries until the end of the loan read one snapshot."""
        self.execute("begin")

    def rollback(self) -> None:
        """Roll back the open transaction, if there is one."""
        if self.connection.in_transaction:
            self.connection.execute("rollback")


class SqliteFile(Connector):
    """A SQLite file with the schema of a folder of migrations. Safe for threads, and for processes that fork."""

    def __init__(
        self,
        path: Path,
        migrations: Path,
        *,
        create: bool,
        busy_seconds: float = BUSY_SECONDS,
        only_reads: bool = False,
        page_bytes: int = PAGE_BYTES,
        can_shrink: bool = False,
    ) -> None:
        """Open, make (if `create`) or upgrade the file. `busy_seconds` is how long a writer waits for another one.

        A new file has pages of `page_bytes`. If it `can_shrink`, free pages at its end can be given back to the disk.

        SQLite writes beside the file even to read it. If that is impossible, and `only_reads`, the file is read without
        the log that others may write, and a warning is logged.
        Raise StoreMissing, StoreTooNew, StoreBusy, StoreUnwritable or StoreDamaged.
        """
        super().__init__()
        self.path, self.name = path, str(path)
        self._page_bytes = page_bytes
        self._can_shrink = can_shrink
        self._busy_seconds = busy_seconds
        self._is_unchanging = False
        instance = Instance(path.parent)
        if not instance.has(path.name):  # SQLite would treat an empty file as a new one, and make all tables in it
            if not create:
                raise StoreMissing(f"{path} is missing or empty; `gateway init` makes it in a new instance.")
            self._make(instance, migrations)
        with translated(path):
            self._is_unchanging = only_reads and self._refuses_readers()
            self._upgrade(migrations)

    def translated(self) -> AbstractContextManager[None]:
        """Turn every error of SQLite inside the block into a StoreError."""
        return translated(self.path)

    # -- lending -------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Lend a connection for reading; a transaction that is open at the end is rolled back. Raise StoreError."""
        with translated(self.path), self._lent(self._readers, self._reader) as session:
            yield session

    @contextmanager
    def writing(self, at_most_seconds: float = inf, *, is_durable: bool = True) -> Iterator[Session]:
        """Lend a connection inside a write transaction, which is committed durably at the end, or rolled back.

        Without `is_durable`, a failure of power may undo it: the lock is not held until the disk has written it.
        Raise StoreBusy if the lock is not free within `busy_seconds`, or `at_most_seconds` if that is less. Raise
        another StoreError if the database cannot be read or written.
        """
        is_durable = is_durable and not self.is_unsynced
        with translated(self.path), self._lent(self._writers, self._writer) as session:
            if not is_durable:
                session.execute("pragma synchronous = normal")
            try:
                self._begin(session, min(at_most_seconds, self._busy_seconds))
                yield session
                session.execute("commit")
            finally:
                if not is_durable:
                    session.rollback()
                    session.execute("pragma synchronous = full")

    def _begin(self, session: Session, seconds: float) -> None:
        """Begin a write transaction; wait at most so many seconds for another process."""
        waiting = Waiting(self.path, seconds)
        while True:
            session.execute(f"pragma busy_timeout = {int(waiting.slice_seconds * 1000)}")
            try:
                session.execute("begin immediate")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & PRIMARY not in BUSY or not waiting.goes_on():
                    raise
            else:
                return

    @contextmanager
    def packing(self) -> Iterator[Session]:
        """Lend a writer's connection without a transaction, for work that should be done before the lock.

        Raise StoreError.
        """
        with translated(self.path), self._lent(self._writers, self._writer) as session:
            yield session

    def finish_erasure(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that.

        Raise StoreError.
        """
        with self.packing() as session:
            session.one("pragma wal_checkpoint(passive)")  # without the lock of writers, which the other one needs
            session.execute(f"pragma busy_timeout = {_SETTLE_MILLISECONDS}")
            row = session.one("pragma wal_checkpoint(truncate)")
        return row is not None and not row[0]

    # -- connecting ----------------------------------------------------------------------------------------------

    def _reader(self) -> Session:
        return self._connect(f"cache_size = -{READER_CACHE_KIB}", f"mmap_size = {MAPPED_BYTES}", "query_only = on")

    def _writer(self) -> Session:
        return self._connect(f"cache_size = -{WRITER_CACHE_KIB}", "synchronous = full", "secure_delete = on")

    def _connect(self, *pragmas: str) -> Session:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?immutable=1" if self._is_unchanging else self.path,
            uri=self._is_unchanging,
            timeout=min(self._busy_seconds, BUSY_SECONDS),
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            for pragma in pragmas:
                connection.execute(f"pragma {pragma}").close()
        except BaseException:
            connection.close()
            raise
        return Session(connection)

    def _refuses_readers(self) -> bool:
        """Return whether the file cannot be read because nothing can be written beside it; then log a warning."""
        session = self._connect()
        try:
            session.one(_SQL["tables_count"])
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & PRIMARY not in UNWRITABLE:
                raise
        else:
            return False
        finally:
            session.connection.close()
        log.warning(_UNCHANGING, self.path)
        return True

    # -- the schema ----------------------------------------------------------------------------------------------

    def _make(self, instance: Instance, migrations: Path) -> None:
        """Make the file whole or not at all: beside its place, which it takes when it has all tables."""
        path, new = self.path, self.path.with_name(f"{self.path.name}.new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path.parent / "locks" / _MAKING, self._busy_seconds):
                if instance.has(path.name):
                    return  # another process has made it meanwhile
                _remove(new)  # a killed process left it
                try:
                    new.touch(mode=file_mode(path.parent))  # SQLite gives the files beside it the same mode
                    self.path = new
                    with translated(path):
                        self._upgrade(migrations)
                    new.replace(path)
                    sync_folder(path.parent)
                    instance.note(path.name)
                finally:
                    self.path = path
                    _remove(new)
        except OSError as error:
            raise StoreUnwritable(f"{path} cannot be made: {error.strerror}.") from error

    def _upgrade(self, folder: Path) -> None:
        steps = _steps(folder)
        # Both are decided with the first table. In a file that has one, `auto_vacuum` would wait for the lock.
        shrinking = ("auto_vacuum = incremental",) if self._can_shrink and self._is_new() else ()
        session = self._connect(f"page_size = {self._page_bytes}", *shrinking)
        try:
            database = Database(session.connection)
            applied = {step.name for step in steps.applied(database)}
            if not applied and database.table_names():
                raise StoreDamaged(f"{self.path} is another database. {remedy(self.path.name)}")
            unknown = sorted(applied - {file.stem for file in folder.glob("*.sql")})
            if unknown:
                raise StoreTooNew(f"{self.path} was written by a newer release ({unknown[-1]}). Install that release.")
            if steps.pending(database):
                self._apply(session, steps, is_old=bool(applied))
        finally:
            session.connection.close()

    def _is_new(self) -> bool:
        return not self.path.stat().st_size

    def _apply(self, session: Session, steps: Migrations, *, is_old: bool) -> None:
        try:
            mode = self._keep_a_log(session)
            self._begin(session, self._busy_seconds)
            if mode != _LOG_MODE and not self._is_unchanging:  # the latter has no log, and cannot be written anyway
                raise StoreUnwritable(_NO_LOG.format(self.path, mode))
            # Under the lock, it checks again: another process may have done it meanwhile.
            steps.apply(Database(session.connection))
            session.execute("commit")
        except sqlite3.OperationalError as error:
            known = translation(error, self.path)
            if not is_old or not isinstance(known, StoreUnwritable):
                raise
            raise StoreUnwritable(UPGRADE_UNWRITABLE.format(known)) from error

    def _keep_a_log(self, session: Session) -> str:
        """Switch the file to a write-ahead log, and return its mode then: another one if the file system refuses that.

        SQLite does not wait for other processes that do so, or write.
        """
        ends = monotonic() + self._busy_seconds
        while True:
            try:
                (mode,) = session.execute(f"pragma journal_mode = {_LOG_MODE}").fetchone()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & PRIMARY not in BUSY or monotonic() > ends:
                    raise
                sleep(_BETWEEN_TRIES_SECONDS)
            else:
                return str(mode)


def _remove(path: Path) -> None:
    """Delete a database and what SQLite has written beside it. Raise OSError."""
    for tail in TAILS:
        path.with_name(f"{path.name}{tail}").unlink(missing_ok=True)


def _steps(folder: Path) -> Migrations:
    """Return the numbered files of `folder` as migrations; each one commits together with its mark."""
    steps = Migrations(folder.name)
    for file in sorted(folder.glob("*.sql")):
        steps(name=file.stem)(_step(file.read_text("utf-8")))
    return steps


def _step(script: str) -> Callable[[Database], None]:
    def run(database: Database) -> None:
        for statement in statements(script):
            database.execute(statement)

    return run


@cache
def statements(script: str) -> tuple[str, ...]:
    """Return the statements of a script.

    Executed one by one, they stay in the transaction; `executescript` of sqlite3 would commit it. (That of sqlite-utils
    searches for the end of a statement at every character, which took most of the time of making a store.)
    """
    statements = [""]
    for part in re.split("(?<=;)", script):  # SQLite knows whether a semicolon ends a statement
        statements[-1] += part
        if sqlite3.complete_statement(statements[-1]):
            statements.append("")
    return tuple(statement for statement in statements if statement.strip())
