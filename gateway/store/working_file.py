"""Opens a database for one run or one audit, with a schema and queries of the caller."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from gateway.store.sqlite_file import translated

__all__ = ["made_with", "translated"]


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
