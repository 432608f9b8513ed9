"""Opens a database for one sweep or one audit, with a schema and queries of the caller."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gateway.store.sqlite_file import translated

__all__ = ["made_with", "transaction", "translated"]


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
