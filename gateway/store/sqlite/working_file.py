"""Opens a database for one sweep or one audit, with a schema and queries of the caller."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Self

from gateway.store.sqlite.file import translated

__all__ = ["WorkingFile", "made_with", "transaction", "translated"]


def made_with(schema: str, path: Path) -> sqlite3.Connection:
    """Return a connection to a database for one run, with the tables of `schema`.

    Raise StoreError; then nothing is left open.
    """
    with translated(path):
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.executescript(schema)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """Make what the block writes to the database at `path` one transaction; an exception in it undoes all of it.

    Raise StoreError.
    """
    with translated(path):
        connection.execute("begin immediate")
        try:
            yield connection
            connection.execute("commit")
        except BaseException:
            connection.rollback()
            raise


class WorkingFile:
    """A database of one run. Use it in a `with` block. Its methods raise StoreError when the file cannot be used."""

    def __init__(self, schema: str, path: Path) -> None:
        self._path, self._database = path, made_with(schema, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, self._path)

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with translated(self._path):
            return self._database.execute(query, values).fetchall()

    def _walked(self, query: str) -> Iterator[tuple[Any, ...]]:
        with translated(self._path):
            yield from self._database.execute(query)
