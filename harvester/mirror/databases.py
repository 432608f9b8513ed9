"""Caches of a mirror: small SQLite databases that may be removed, because later runs fill them again."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gateway.core.errors import StoreUnwritable
from gateway.store.queries import load_file
from harvester.runtime.durable_files import reporting_unwritable

_SQL = load_file(Path(__file__).with_name("databases.sql"))
# Errors of a damaged file: a cache is made again instead of a failure.
_DAMAGES = frozenset((sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR))
_PRIMARY = 0xFF  # of an extended error code


class CacheDatabase:
    """An open database with the tables of a schema. A damaged file is replaced. All methods raise StoreUnwritable."""

    def __init__(self, file: Path, schema: str) -> None:
        self._file = file
        with reporting_unwritable(file):
            file.parent.mkdir(exist_ok=True)
            if file.is_symlink():  # nothing outside of the mirror is written
                file.unlink()
            with self._reporting_damage():
                try:
                    self._database = _connected(file, schema)
                except sqlite3.DatabaseError as error:
                    if error.sqlite_errorcode & _PRIMARY not in _DAMAGES:
                        raise
                    file.with_name(f"{file.name}-journal").unlink(missing_ok=True)
                    file.unlink(missing_ok=True)
                    self._database = _connected(file, schema)

    def rows(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[tuple[Any, ...]]:
        """Run a query, and return all of its rows."""
        with self._reporting_damage():
            return self._database.execute(query, values).fetchall()

    def many(self, query: str, values: Iterable[Sequence[object]]) -> None:
        """Run a query with each of these rows of values."""
        with self._reporting_damage():
            self._database.executemany(query, values)

    def commit(self) -> None:
        """Commit."""
        with self._reporting_damage():
            self._database.commit()

    def close(self) -> None:
        """Commit, and close the file."""
        try:
            self.commit()
        finally:
            self._database.close()

    @contextmanager
    def _reporting_damage(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            message = f"{self._file} cannot be read or written: {error}."
            raise StoreUnwritable(f"{message} It is a cache and may be removed.") from error


def _connected(file: Path, schema: str) -> sqlite3.Connection:
    database = sqlite3.connect(file)
    try:
        database.executescript(_SQL["faster"])
        database.executescript(schema)
        ((verdict,),) = database.execute(_SQL["damage"]).fetchall()
    except sqlite3.DatabaseError:
        database.close()
        raise
    if verdict != "ok":
        database.close()
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
    return database
