"""What the classes of the store ask of a database. Only a connector knows its driver; `connecting` chooses one.

A connector has the schema of one database of ours (such as `inbox`) and lends sessions, which run the named queries of
`sql/`. Everything that differs between databases is behind these two.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

Parameters: TypeAlias = Sequence[object] | Mapping[str, object]

BUSY_SECONDS = 30.0  # for databases that web workers write too; commands wait longer (`waiting`)


class Shrunk(NamedTuple):
    """By how many bytes a file became smaller, how many stay free in one that cannot, and whether nothing is left."""

    bytes: int = 0
    kept_free: int = 0
    is_complete: bool = True


class Rows(Protocol):
    """What a query returned."""

    @property
    def rowcount(self) -> int:
        """How many rows the query has changed."""

    def fetchone(self) -> Any:  # noqa: ANN401 - a query names its columns
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Yield all rows that are left."""


class Session(Protocol):
    """One connection, lent to one reader or writer at a time. Only one thread may use it."""

    def begin(self) -> None:
        """Let all queries until the end of the loan read one snapshot."""

    def rollback(self) -> None:
        """End the snapshot, or roll back what is not committed."""

    def execute(self, query: str, parameters: Parameters = ..., /) -> Rows:
        """Run a query."""

    def executemany(self, query: str, rows: Iterable[Parameters], /) -> Rows:
        """Run a query that changes something once for each of these rows."""

    def one(self, query: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row, or None."""


class Lent(Session, Protocol):
    """A session that can be lent again."""

    connection: Any


T = TypeVar("T", bound=Lent)


class Connector(ABC):
    """One database of ours, whose idle connections are lent. Safe for threads, and for processes that fork.

    Every method may raise StoreError.
    """

    path: Path
    name: str  # what messages call it

    def __init__(self) -> None:
        self.is_unsynced = False
        self._lock = Lock()
        self._is_closed = False
        self._process = os.getpid()
        self._readers: list[Any] = []
        self._writers: list[Any] = []
        self._abandoned: list[Any] = []

    @abstractmethod
    def translated(self) -> AbstractContextManager[None]:
        """Turn every error of the driver inside the block into a StoreError."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[Session]:
        """Lend a session for reading."""

    @abstractmethod
    def writing(self, at_most_seconds: float = inf, *, is_durable: bool = True) -> AbstractContextManager[Session]:
        """Lend a session inside a write transaction, which is committed at the end, or rolled back.

        There is one at a time. Without `is_durable`, a failure of power may undo it. Raise StoreBusy if another process
        writes for `at_most_seconds`, or for as long as the connector waits.
        """

    @abstractmethod
    def finish_erasure(self) -> bool:
        """Erase for good what was deleted; return False if a reader prevents that."""

    @abstractmethod
    def note_written(self, size: int) -> bool:
        """Note that a small transaction wrote so many bytes; return whether a reader makes more of them costly."""

    @abstractmethod
    def shrink(self, seconds: float, is_stopped: Callable[[], bool], step: Callable[[str], None]) -> Shrunk:
        """Give free space back to the disk, in small steps, for so many `seconds` or until `is_stopped`."""

    @abstractmethod
    def vacuum(self) -> int:
        """Write everything anew; return by how many bytes it is smaller."""

    @abstractmethod
    def damages(self, session: Session, *, is_whole: bool) -> Iterator[str]:
        """Yield what the database itself finds damaged; `is_whole`: its indexes are read too."""

    @abstractmethod
    def convert(self, step: Callable[[str], None]) -> None:
        """Move what an earlier release wrote in another layout."""

    # -- for a copy of the database (`copying`); `session` is that of a write transaction ------------------------

    @abstractmethod
    def tables(self, session: Session) -> dict[str, tuple[str, ...]]:
        """Return the tables and their columns, sorted, without those that each database fills by itself."""

    @abstractmethod
    def stream(self, session: Session, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table; there may be any number of them."""

    @abstractmethod
    def add(self, session: Session, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Store rows of a table."""

    @abstractmethod
    def triggers_off(self, session: Session) -> AbstractContextManager[None]:
        """Let triggers do nothing inside the block, which is in the transaction."""

    @abstractmethod
    def last_numbers(self, session: Session) -> dict[str, int]:
        """Return the last number that was given in each table that gives none twice."""

    @abstractmethod
    def continue_numbers(self, session: Session, last: Mapping[str, int]) -> None:
        """Let new rows get numbers above those of the rows, and above `last`."""

    @abstractmethod
    def refuse_writers(self, session: Session) -> None:
        """Let every writer get StoreUnwritable from the end of the transaction on: there is a copy."""

    def rows(self, query: str, parameters: Parameters = ()) -> list[Any]:
        """Return all rows of one query."""
        with self.reading() as session:
            return session.execute(query, parameters).fetchall()

    def one(self, query: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """Return the first row of one query, or None."""
        with self.reading() as session:
            return session.one(query, parameters)

    def change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one query in a transaction of its own; return how many rows it has changed."""
        with self.writing() as session:
            return session.execute(query, parameters).rowcount

    @contextmanager
    def unsynced(self) -> Iterator[None]:
        """Let no transaction inside the block wait for the disk; `Store.unsynced` has the promise."""
        self.is_unsynced = True
        try:
            yield
        finally:
            self.is_unsynced = False

    @contextmanager
    def _lent(self, idle: list[T], connect: Callable[[], T]) -> Iterator[T]:
        self._forget_parent()
        with self._lock:
            session = idle.pop() if idle else None
        session = session or connect()
        try:
            yield session
        finally:
            session.rollback()
            with self._lock:
                idle.append(session)
            if self._is_closed:
                self.close()

    def _forget_parent(self) -> None:
        # A connection must not be used, nor even closed, in a forked process.
        if self._process != os.getpid():
            self._process, self._lock = os.getpid(), Lock()
            self._abandoned += self._readers + self._writers
            self._readers.clear()
            self._writers.clear()

    def close(self) -> None:
        """Close all connections; one that is lent is closed when it is returned."""
        self._is_closed = True
        self._forget_parent()
        with self._lock, self.translated():
            for session in self._readers + self._writers:
                session.connection.close()
            self._readers.clear()
            self._writers.clear()


class Database:
    """What the classes of the databases have in common."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def finish_erasure(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that."""
        return self._file.finish_erasure()

    def close(self) -> None:
        """Close all connections to the database."""
        self._file.close()
