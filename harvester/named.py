"""Which records a source named, and what is to be done about those that we hold: a file of its own, for there are many.

It lies on the instance's disk while a sweep lasts, without a name, and nothing is lost with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import TracebackType
from typing import Self

from gateway.store.sqlite_file import made_with, translated

_BATCH = 500
_SCHEMA = """
pragma journal_mode = off;
pragma synchronous = off;
create table named (identifier blob primary key, is_deleted integer not null) without rowid;
create table noted (id integer primary key, kind text not null, identifier blob not null);
"""


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

    def add(self, headers: Iterable[tuple[str, bool]]) -> int:
        """Add (identifier, is_deleted) pairs; return how many are new. A record that is named as living lives."""
        rows = [(_bytes(identifier), is_deleted) for identifier, is_deleted in headers]
        with translated(self._path):
            before = self._connection.total_changes
            self._connection.execute("begin")
            self._connection.executemany("insert or ignore into named values (?, ?)", rows)
            new = self._connection.total_changes - before
            living = [(identifier,) for identifier, is_deleted in rows if not is_deleted]
            self._connection.executemany("update named set is_deleted = 0 where identifier = ? and is_deleted", living)
            self._connection.execute("commit")
        return new

    def is_living(self, identifier: str) -> bool:
        """Tell whether the source named it, and not as deleted."""
        with translated(self._path):
            query = "select 1 from named where identifier = ? and not is_deleted"
            return bool(self._connection.execute(query, (_bytes(identifier),)).fetchall())

    def note(self, kind: str, identifiers: Iterable[str]) -> None:
        """Keep identifiers under a kind of note, in order."""
        rows = [(kind, _bytes(each)) for each in identifiers]
        with translated(self._path):
            self._connection.execute("begin")
            self._connection.executemany("insert into noted (kind, identifier) values (?, ?)", rows)
            self._connection.execute("commit")

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
            yield tuple(identifier.decode("utf-8", "surrogatepass") for _, identifier in rows)


def _bytes(identifier: str) -> bytes:
    return identifier.encode("utf-8", "surrogatepass")
