"""The memories of a mirror: small databases that may be removed, because what they had to remember is learned anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gateway.errors import StoreUnwritable
from harvester.mirror.ocfl import telling

# What the file itself is to blame for: what it had to remember is not worth a failure.
_DAMAGES = frozenset((sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR))
_PRIMARY = 0xFF  # of an extended error code


class Memory:
    """An open memory with the tables of its schema. One that is damaged is begun anew. Raise StoreUnwritable."""

    def __init__(self, file: Path, schema: str) -> None:
        """Open it, or make it."""
        self._file = file
        with telling(file):
            file.parent.mkdir(exist_ok=True)
            with self._telling():
                try:
                    self._database = _connected(file, schema)
                except sqlite3.DatabaseError as error:
                    if error.sqlite_errorcode & _PRIMARY not in _DAMAGES:
                        raise
                    file.with_name(f"{file.name}-journal").unlink(missing_ok=True)
                    file.unlink(missing_ok=True)
                    self._database = _connected(file, schema)

    def rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[tuple[Any, ...]]:
        """Do what a query says, and return all of its rows."""
        with self._telling():
            return self._database.execute(query, values).fetchall()

    def many(self, query: str, values: Iterable[Sequence[object]]) -> None:
        """Do what a query says with each of these values."""
        with self._telling():
            self._database.executemany(query, values)

    def commit(self) -> None:
        """Keep what was written."""
        with self._telling():
            self._database.commit()

    def close(self) -> None:
        """Keep what was written, and let go of the file."""
        try:
            self.commit()
        finally:
            self._database.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            told = f"{self._file} cannot be read or written: {error}."
            raise StoreUnwritable(f"{told} It may be removed: what it remembers is learned anew.") from error


def _connected(file: Path, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(file)
    try:
        database.execute("PRAGMA synchronous = OFF").close()
        database.executescript(schema)
        ((verdict,),) = database.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.DatabaseError:
        database.close()
        raise
    if verdict != "ok":
        database.close()
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    return database
