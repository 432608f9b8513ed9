"""When each file of a mirror was asked for last, and what its server said of it: the memory of `mirror recheck`.

It lies in DIR/rechecks.sqlite and may be removed: then every file is due as if it had never been rechecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from harvester.mirror.catalogue import Entry
from harvester.mirror.memory import opened

NAME = "rechecks.sqlite"
_AT_ONCE = 1000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS object (identifier TEXT PRIMARY KEY, head INTEGER, due_at INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due ON object (due_at, identifier);
CREATE TABLE IF NOT EXISTS file (
    identifier TEXT, path TEXT, sha512 TEXT, at INTEGER, rounds INTEGER, entity_tag TEXT, last_modified TEXT,
    PRIMARY KEY (identifier, path)
) WITHOUT ROWID;
"""
_TAKE = """
INSERT INTO object VALUES (?, ?, 0)
ON CONFLICT (identifier) DO UPDATE SET head = excluded.head, due_at = 0 WHERE head <> excluded.head
"""
_DUE = "SELECT identifier FROM object WHERE due_at <= ? AND identifier > ? ORDER BY identifier LIMIT ?"


class Check(NamedTuple):
    """The last check of a file: of which bytes, when, the how manieth, and by what the server knows them again."""

    sha512: str
    at: int
    rounds: int
    entity_tag: str = ""
    last_modified: str = ""


def first_due(identifier: str, path: str, received_at: int, every: int) -> int:
    """Return when a file that was never rechecked is due: what arrived together is spread over the whole period."""
    fraction = int.from_bytes(sha256(f"{identifier} {path}".encode()).digest()[:4]) / (1 << 32)
    return received_at + round(every * fraction)


class Rechecks:
    """The memory. Use it in a `with` block; for one thread."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the mirror."""
        self._database = opened(folder / NAME, _SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.commit()
        self._database.close()

    def take(self, entries: Iterable[Entry]) -> None:
        """Take the versions of the objects that there are, in order; one that is new is to be looked at."""
        living: dict[str, int] = {}
        for each in entries:
            living[each.identifier] = each.head
            if len(living) == _AT_ONCE:
                self._database.executemany(_TAKE, living.items())
                living.clear()
        self._database.executemany(_TAKE, living.items())

    def due(self, now: int) -> Iterator[str]:
        """Return the objects of which something may be due at a second."""
        after = ""
        while rows := self._database.execute(_DUE, (now, after, _AT_ONCE)).fetchall():
            yield from (identifier for (identifier,) in rows)
            after = rows[-1][0]

    def of(self, identifier: str) -> Mapping[str, Check]:
        """Return the last checks of the files of an object, by their paths."""
        query = "SELECT path, sha512, at, rounds, entity_tag, last_modified FROM file WHERE identifier = ?"
        return {path: Check(*rest) for path, *rest in self._database.execute(query, (identifier,))}

    def note(self, identifier: str, head: int, checks: Mapping[str, Check], due_at: int) -> None:
        """Remember the checks of all files of an object, and when the next is due."""
        self._database.execute("DELETE FROM file WHERE identifier = ?", (identifier,))
        rows = ((identifier, path, *check) for path, check in checks.items())
        self._database.executemany("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._database.execute("REPLACE INTO object VALUES (?, ?, ?)", (identifier, head, due_at))

    def commit(self) -> None:
        """Keep what was noted."""
        self._database.commit()
