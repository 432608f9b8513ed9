"""The search index on SQLite (FTS5), open for writing. Reading is in `sqlite_reader`."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from gateway.core.errors import IndexDamaged, StoreBusy, StoreError, StoreUnwritable
from gateway.core.model import ChangeLine
from gateway.core.working_file import load_file, transaction, translated
from gateway.search.base import IndexState
from gateway.search.entries import Entry
from gateway.search.words import EVERYTHING, name_term, value_term, written

SQL = load_file(Path(__file__).with_name("search.sql"))
SCHEMA = Path(__file__).with_name("search_schema.sql")

_NUMBERED = {"value": (SQL["value_add"], SQL["value"]), "combination": (SQL["combination_add"], SQL["combination"])}

VERSION: Final = 3  # of the schema and of the words, as in the schema; an index of another one is made anew
TAILS: Final = ("", "-wal", "-shm", "-journal")
_BUSY_SECONDS = 5.0
_DIGEST_BYTES = 6  # SQLite stores an integer in so many bytes; texts with the same digest are compared


def mark_of(line: ChangeLine) -> str:
    """Return the text that names a line of the log of changes; a log with the same line is the same log up to there."""
    return json.dumps([line.number, line.identifier, line.metadata_prefix, line.datestamp, line.kind])


class SqliteIndex:
    """An index in one file; `Index` in gateway/search/base.py has the promises of all methods."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open the file, or make it. Raise IndexDamaged, StoreError."""
        self._path = path
        with _translated(path):
            is_new = create and not path.exists()
            if is_new:
                path.touch(mode=0o666)  # the umask decides; SQLite would never let a group write
            self._connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_BUSY_SECONDS, isolation_level=None
            )
            try:
                self._prepare(is_new=is_new)
            except BaseException:
                self._connection.close()
                raise
        self._number = lru_cache(maxsize=10_000)(self._numbered)

    def _prepare(self, *, is_new: bool) -> None:
        execute = self._connection.execute
        if is_new:
            self._connection.executescript(SCHEMA.read_text("utf-8")).close()
        (version,) = execute(SQL["version"]).fetchone()
        if version != VERSION:
            raise IndexDamaged(f"{self._path} has the version {version}, not {VERSION}.")
        execute(SQL["durability"]).close()
        execute(SQL["cache"]).close()
        row = execute(SQL["state"]).fetchone()
        if row is None or [*map(type, row)] != [int, str, int, int]:
            raise IndexDamaged(f"{self._path} has no state.")

    def state(self) -> IndexState:
        """Return the state."""
        with _translated(self._path):
            position, _, reached, stale = self._connection.execute(SQL["state"]).fetchone()
            (items,) = self._connection.execute(SQL["item_count"]).fetchone()
        return IndexState(items, stale, position, reached, size_of(self._path))

    def mark(self) -> str:
        """Return the text that names the line of the log that was written last; empty at first."""
        with _translated(self._path):
            return str(self._connection.execute(SQL["state"]).fetchone()[1])

    def write(self, entries: Iterable[Entry], removed: Collection[str], line: ChangeLine | None, reached: int) -> None:
        """Write entries, which replace former ones, and remove items, in one transaction."""
        news = {entry.identifier: (entry, _digest(entry)) for entry in entries}
        with self._transaction() as connection:
            known = _known(connection, [*news, *removed])
            unchanged = {name for name, (_, digest) in news.items() if known.get(name, (0, None))[1] == digest}
            _forget(connection, [number for name, (number, _) in known.items() if name not in unchanged])
            added = [new for name, new in news.items() if name not in unchanged]
            ((last,),) = connection.execute(SQL["item_last"]).fetchall()
            rows = [self._rows(number, *new) for number, new in enumerate(added, last + 1)]
            connection.executemany(SQL["item_add"], [item for item, _ in rows])
            # All at once: a row that is written into another table in between makes FTS5 write what it has gathered.
            connection.executemany(SQL["word_add"], [words for _, words in rows])
            connection.execute(SQL["reached_move"], (reached,))
            if line is not None:
                connection.execute(SQL["position_move"], (line.number, mark_of(line)))

    def remove(self, identifiers: Collection[str]) -> None:
        """Remove items at once. The position stays."""
        with self._transaction() as connection:
            _forget(connection, [number for number, _ in _known(connection, identifiers).values()])

    def close(self) -> None:
        """Close it; the last connection to a file writes its log into it."""
        try:
            with _translated(self._path):
                self._connection.execute(SQL["checkpoint"]).close()
        finally:
            self._connection.close()

    def _rows(self, item: int, entry: Entry, digest: int) -> tuple[tuple[object, ...], tuple[int, str, str]]:
        """Return the rows of an item with this number, and of its words. Missing values are added."""
        values = (*entry.values, ("file", "yes" if entry.has_file else "no"))
        numbers = [self._number("value", value) for value in values]
        combination = self._number("combination", (json.dumps(numbers),))
        name = _number_of(entry.identifier)
        words = min(len(entry.title), 9_999)
        year = self._number("value", ("year", str(entry.year or "")))
        terms = (*map(name_term, entry.names), *map(value_term, (*numbers, year)), EVERYTHING)
        return (
            (item, name, entry.identifier, combination, entry.year, entry.has_file, words, digest),
            (item, written(entry.title), written(entry.other, terms)),
        )

    def _numbered(self, table: str, key: tuple[str, ...]) -> int:
        """Return the number of a value or a combination, which is added if it is missing."""
        add, number = _NUMBERED[table]
        self._connection.execute(add, key)
        return int(self._connection.execute(number, key).fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _translated(self._path):
            try:
                with transaction(self._connection, self._path) as connection:
                    yield connection
            except BaseException:
                self._number.cache_clear()  # their rows are undone
                raise


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn errors of sqlite3 into IndexDamaged, except those of a busy file or a full disk.

    An error of SQL means that the file has another schema than it should.
    """
    try:
        with translated(path):
            yield
    except (StoreBusy, StoreUnwritable):
        raise
    except StoreError as error:
        raise IndexDamaged(str(error)) from error


def _known(connection: sqlite3.Connection, identifiers: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return (number, digest) of those of these items that are in the index."""
    names = json.dumps([_number_of(identifier) for identifier in identifiers])
    rows = connection.execute(SQL["item_known"], (names,)).fetchall()
    wanted = frozenset(identifiers)
    return {identifier: (number, digest) for identifier, number, digest in rows if identifier in wanted}


def _forget(connection: sqlite3.Connection, numbers: Collection[int]) -> None:
    if numbers:
        connection.executemany(SQL["item_remove"], [(number,) for number in numbers])
        connection.execute(SQL["stale_add"], (len(numbers),))


def _digest(entry: Entry) -> int:
    """Return what recognizes an entry that has not changed."""
    lists = (entry.title, entry.other, entry.names, map(" ".join, entry.values))
    return _number_of("\0".join((*map("\n".join, lists), str(entry.year), str(entry.has_file))))


def _number_of(text: str) -> int:
    """Return a digest of a text as a positive integer."""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=_DIGEST_BYTES).digest(), "big")


def size_of(path: Path) -> int:
    """Return how many bytes an index has on the disk."""
    files = (path.with_name(f"{path.name}{tail}") for tail in TAILS)
    return sum(file.stat().st_size for file in files if file.exists())


def discard(path: Path) -> None:
    """Delete an index with everything beside it; the file itself first, so that no reader takes the rest for it."""
    for tail in TAILS:
        path.with_name(f"{path.name}{tail}").unlink(missing_ok=True)
