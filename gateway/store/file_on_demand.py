"""A database file that is opened when it is needed, and made with its first row. Only its owner may read it.

Most instances have no such file: no subscription, no user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from gateway.core.errors import StoreError
from gateway.store.sqlite_file import Parameters, Session, SqliteFile


class FileOnDemand:
    """The file of an instance. Safe for threads and processes. Every method may raise StoreError."""

    def __init__(self, path: Path, migrations: str) -> None:
        """Take the path of the file, which may be missing, and the name of the folder of its migrations."""
        self._path = path
        self._migrations = Path(__file__).parent / "migrations" / migrations
        self._lock = Lock()
        self._file: SqliteFile | None = None
        self._opened_as: tuple[int, int] | None = None

    def close(self) -> None:
        """Close all connections to the database."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None

    def rows(self, query: str, parameters: Parameters = ()) -> list[Sequence[Any]]:
        """Return the rows of a query; none without a file, or with an empty one: who made it was killed."""
        if self._known() is None:
            return []
        with self._opened(create=False).reading() as session:
            return session.execute(query, parameters).fetchall()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Lend a connection for several queries. Raise StoreMissing without a file."""
        with self._opened(create=False).reading() as session:
            yield session

    @contextmanager
    def writing(self, *, create: bool = False, at_most_seconds: float = inf) -> Iterator[Session]:
        """Write in one transaction; with `create`, make a missing file. Raise StoreMissing or StoreUnwritable.

        Raise StoreBusy if another process writes for `at_most_seconds`, or for as long as `SqliteFile` waits.
        """
        with self._opened(create=create).writing(at_most_seconds) as session:
            yield session

    def _opened(self, *, create: bool) -> SqliteFile:
        with self._lock:
            known = self._known()
            if self._file is not None and known != self._opened_as:
                self._file.close()  # it was deleted or replaced: what it said is no longer true
                self._file = None
            if self._file is None:
                self._file = SqliteFile(self._path, self._migrations, create=create)
                self._opened_as = self._known()
            return self._file

    def _known(self) -> tuple[int, int] | None:
        """Return which file this is; None if there is none, or an empty one."""
        try:
            known = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read: {error.strerror}.") from error
        return (known.st_dev, known.st_ino) if known.st_size else None
