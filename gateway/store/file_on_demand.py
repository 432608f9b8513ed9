"""A database file that is opened when it is needed, and made with its first row. Only its owner may read it.

Most instances have no such file: no subscription, no user.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Lock
from typing import Any

from gateway.store.connecting import connect, state_of
from gateway.store.connector import Connector, Parameters, Session


class FileOnDemand:
    """The file of an instance. Safe for threads and processes. Every method may raise StoreError."""

    def __init__(self, path: Path, database: str, url: str = "") -> None:
        """Take the path of the file, which may be missing, the name of the database, and its URL if it is no file."""
        self._url = url
        self._path = path
        self._database = database
        self._lock = Lock()
        self._file: Connector | None = None
        self._opened_as: Hashable | None = None

    def close(self) -> None:
        """Close all connections to the database."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file = None

    def rows(self, query: str, parameters: Parameters = ()) -> list[Sequence[Any]]:
        """Return the rows of a query; none without a file, or with an empty one: who made it was killed."""
        if state_of(self._path, self._url) is None:
            return []
        with self._opened(create=False).reading() as session:
            return session.execute(query, parameters).fetchall()

    def change(self, query: str, parameters: Parameters = ()) -> int:
        """Run one query in a transaction of its own; return how many rows it has changed. Raise StoreMissing."""
        return self._opened(create=False).change(query, parameters)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Lend a connection for several queries. Raise StoreMissing without a file."""
        with self._opened(create=False).reading() as session:
            yield session

    @contextmanager
    def writing(self, *, create: bool = False, at_most_seconds: float = inf) -> Iterator[Session]:
        """Write in one transaction; with `create`, make a missing file. Raise StoreMissing or StoreUnwritable.

        Raise StoreBusy if another process writes for `at_most_seconds`, or for as long as `Connector` waits.
        """
        with self._opened(create=create).writing(at_most_seconds) as session:
            yield session

    def _opened(self, *, create: bool) -> Connector:
        with self._lock:
            known = state_of(self._path, self._url)
            if self._file is not None and known != self._opened_as:
                self._file.close()  # it was deleted or replaced: what it said is no longer true
                self._file = None
            if self._file is None:
                self._file = connect(self._path, self._database, create=create or bool(self._url), url=self._url)
                self._opened_as = state_of(self._path, self._url)
            return self._file
