"""The memories of a mirror: small databases that may be removed, because what they had to remember is learned anew."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from harvester.mirror.ocfl import telling


def opened(file: Path, schema: str) -> sqlite3.Connection:
    """Open a memory with the tables of its schema; one that is damaged is begun anew."""
    with telling(file):
        file.parent.mkdir(exist_ok=True)
        try:
            return _connected(file, schema)
        except sqlite3.DatabaseError:  # what it had to remember is not worth a failure
            file.unlink(missing_ok=True)
            return _connected(file, schema)


def _connected(file: Path, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(file)
    try:
        with closing(database.execute("PRAGMA synchronous = OFF")):
            database.executescript(schema)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database
