"""SQLite files of a sweep, an audit or an index: the caller gives the schema and the named queries."""

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

from gateway.core.errors import StoreBusy, StoreDamaged, StoreError, StoreUnwritable

# Why a database refuses writers.
COPIED: Final = "it was copied by `gateway store copy`. Set the setting store to the copy"
UNWRITABLE = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "the file or its folder cannot be written",
    sqlite3.SQLITE_CANTOPEN: "the file, or one beside it, cannot be opened or made",
    sqlite3.SQLITE_PERM: "the system forbids it",
    sqlite3.SQLITE_IOERR: "the disk refused",
    sqlite3.SQLITE_IOERR_SHMSIZE: "the disk is full",  # the file is sound; its -shm file cannot be made
}
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT)
_MOST_SHOWN: Final = 100  # bytes of a message that is no text
_NO_TEXT: Final = "Could not decode to UTF-8"  # the sqlite3 of Python, of bytes whose type has changed
_QUERY = re.compile(
    r"^-- name: (?P<name>\w+)\n-- (?P<sentence>[^\n]+)\n(?P<text>.*?;)[ \t]*$", re.MULTILINE | re.DOTALL
)
PRIMARY: Final = 0xFF  # the low byte of an extended code is the primary code


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn every error of sqlite3 inside the block into a StoreError; its message names `path`.

    Raise StoreDamaged if even the message of an error is damaged.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise translation(error, path) from error
    except UnicodeDecodeError as error:  # sqlite3 cannot even read the message about a damaged schema
        raise StoreDamaged(f"{path} is damaged: {error.object[:_MOST_SHOWN]!r}.") from error


def translation(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the error of ours for one of sqlite3; its message names `path`."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    if code in BUSY:
        return StoreBusy(f"{path} is being written by another process: {error}.")
    if code in UNWRITABLE:
        reason = UNWRITABLE.get(getattr(error, "sqlite_errorcode", code), UNWRITABLE[code])
        return StoreUnwritable(f"{path} cannot be written: {reason} ({error}).")
    if str(error).startswith(_NO_TEXT):
        return StoreDamaged(f"{path} is damaged: {_NO_TEXT} a value. It is not what was written.")
    if str(error) == COPIED:
        return StoreUnwritable(f"{path} cannot be written: {error}.")
    if code in _DAMAGED:
        return StoreDamaged(f"{path} is damaged: {error}.")
    return StoreError(f"{path}: {error}.")


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


def load_file(file: Path) -> Mapping[str, str]:
    """Return the queries of a file, by name. Raise OSError."""
    text = file.read_text("utf-8")
    return MappingProxyType({query["name"]: query["text"].removesuffix(";") for query in _QUERY.finditer(text)})
