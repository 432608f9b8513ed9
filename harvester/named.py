"""Which records a source named, and what is to be done about those that we hold: a file of its own, for there are many.

It lies on the instance's disk while a sweep lasts, without a name, and nothing is lost with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from sqlite3 import Connection
from tempfile import NamedTemporaryFile
from types import TracebackType
from typing import NamedTuple, Self

from gateway.store.sqlite_file import made_with, translated

_BATCH = 500
_SCHEMA = """
pragma journal_mode = off;
pragma synchronous = off;
create table named (
  identifier blob primary key, is_deleted integer not null, place integer, known integer not null default 0
) without rowid;
create table noted (id integer primary key, kind text not null, identifier blob not null);
"""


class Known(IntEnum):
    """What is known here of a record that a source names: a closed list."""

    NOTHING = 0
    HELD = 1  # living or deleted
    UNUSABLE = 2  # it came, and is in quarantine
    UNFETCHED = 3  # it was asked for, and did not come
    TAKEN_DOWN = 4
    ASKED = 5  # by this very sweep


class Heading(NamedTuple):
    """A record as a list names it. `is_wanted`: it is one of those that a harvest of this list is to bring."""

    identifier: str
    is_deleted: bool
    is_wanted: bool = True


class Named:
    """The identifiers of one list, and notes about some. Use it in a `with` block; the file goes with it."""

    def __init__(self, folder: Path) -> None:
        """Make the file in a folder."""
        with NamedTemporaryFile(dir=folder, prefix="sweep-", suffix=".sqlite") as file:
            self._path = Path(file.name)
            self._connection = made_with(_SCHEMA, self._path)
        # The name is gone; the file goes when its connection closes, or its process dies.

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def add(self, headings: Iterable[Heading], place: int = 0) -> int:
        """Add what the list of a set names; `place` is that of the set among those of the source.

        Return how many are new. A record that is named as living lives, and one that any list wants is wanted.
        """
        headings = [each for each in headings if each.identifier]
        rows = [(_bytes(each.identifier), each.is_deleted, place if each.is_wanted else None) for each in headings]
        with self._writing() as connection:
            before = connection.total_changes
            insert = "insert or ignore into named (identifier, is_deleted, place) values (?, ?, ?)"
            connection.executemany(insert, rows)
            new = connection.total_changes - before
            if new < len(rows):
                living = [(identifier,) for identifier, is_deleted, _ in rows if not is_deleted]
                connection.executemany("update named set is_deleted = 0 where identifier = ? and is_deleted", living)
                wanted = [(at, identifier) for identifier, _, at in rows if at is not None]
                connection.executemany("update named set place = ? where identifier = ? and place is null", wanted)
        return new

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with translated(self._path):
            self._connection.execute("begin")
            yield self._connection
            self._connection.execute("commit")

    def know(self, known: Known, identifiers: Iterable[str]) -> None:
        """Remember what is known of these, where they are named and nothing was known of them."""
        rows = [(known.value, _bytes(each)) for each in identifiers]
        with self._writing() as connection:
            connection.executemany("update named set known = ? where identifier = ? and known = 0", rows)

    def living(self, known: Known | None = None) -> int:
        """Return how many are named as living and wanted; of which this is known, if it is given."""
        query = "select count(*) from named where not is_deleted and place is not null and known = ifnull(?, known)"
        with translated(self._path):
            ((count,),) = self._connection.execute(query, (known,)).fetchall()
        return int(count)

    def known(self, known: Known) -> Iterator[tuple[str, int]]:
        """Return which are named as living and wanted, and of which this is known, with the place of their set."""
        after = b""
        query = """select identifier, place from named
            where not is_deleted and place is not null and known = ? and identifier > ? order by identifier limit ?"""
        while True:
            with translated(self._path):
                rows = self._connection.execute(query, (known.value, after, _BATCH)).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            yield from ((_text(identifier), place) for identifier, place in rows)

    def is_living(self, identifier: str) -> bool:
        """Tell whether the source named it, and not as deleted."""
        with translated(self._path):
            query = "select 1 from named where identifier = ? and not is_deleted"
            return bool(self._connection.execute(query, (_bytes(identifier),)).fetchall())

    def is_known(self, known: Known, identifier: str) -> bool:
        """Tell whether this is known of a record that is named."""
        with translated(self._path):
            query = "select 1 from named where identifier = ? and known = ?"
            return bool(self._connection.execute(query, (_bytes(identifier), known.value)).fetchall())

    def note(self, kind: str, identifiers: Iterable[str]) -> None:
        """Keep identifiers under a kind of note, in order."""
        rows = [(kind, _bytes(each)) for each in identifiers]
        with self._writing() as connection:
            connection.executemany("insert into noted (kind, identifier) values (?, ?)", rows)

    def count(self, kind: str) -> int:
        """Return how many were noted under a kind."""
        with translated(self._path):
            ((count,),) = self._connection.execute("select count(*) from noted where kind = ?", (kind,)).fetchall()
        return int(count)

    def noted(self, kind: str) -> Iterator[tuple[str, ...]]:
        """Return what was noted under a kind, in batches."""
        after = 0
        query = "select id, identifier from noted where kind = ? and id > ? order by id limit ?"
        while True:
            with translated(self._path):
                rows = self._connection.execute(query, (kind, after, _BATCH)).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            yield tuple(_text(identifier) for _, identifier in rows)


def _bytes(identifier: str) -> bytes:
    return identifier.encode("utf-8", "surrogatepass")


def _text(identifier: bytes) -> str:
    return identifier.decode("utf-8", "surrogatepass")
