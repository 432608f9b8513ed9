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
from harvester.mirror.sent import Sent
from harvester.mirror.verifying import Fate

NAME = "rechecks.sqlite"
_AT_ONCE = 1000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS object (identifier TEXT PRIMARY KEY, head INTEGER, due_at INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS due ON object (due_at, identifier);
DROP TABLE IF EXISTS file; -- of version 0.3.0, which knew less
CREATE TABLE IF NOT EXISTS checked (
    identifier TEXT, path TEXT, sha512 TEXT, at INTEGER, rounds INTEGER, PRIMARY KEY (identifier, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sent (
    identifier TEXT, path TEXT, url TEXT, entity_tag TEXT, last_modified TEXT, fate TEXT, reason TEXT, stated TEXT,
    PRIMARY KEY (identifier, path, url)
) WITHOUT ROWID;
"""
_TAKE = """
INSERT INTO object VALUES (?, ?, 0)
ON CONFLICT (identifier) DO UPDATE SET head = excluded.head, due_at = 0 WHERE head <> excluded.head
"""
_DUE = "SELECT identifier FROM object WHERE due_at <= ? AND identifier > ? ORDER BY identifier LIMIT ?"


class Check(NamedTuple):
    """The last check of a file: of which bytes that are held, when, the how manieth, and what its addresses sent."""

    sha512: str
    at: int
    rounds: int
    sent: tuple[Sent, ...] = ()


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
        query = "SELECT path, sha512, at, rounds FROM checked WHERE identifier = ?"
        found = {path: Check(*rest) for path, *rest in self._database.execute(query, (identifier,))}
        query = "SELECT path, url, entity_tag, last_modified, fate, reason, stated FROM sent WHERE identifier = ?"
        for path, url, entity_tag, last_modified, fate, reason, stated in self._database.execute(query, (identifier,)):
            sent = Sent(url, entity_tag, last_modified, Fate(fate), reason, stated)
            found[path] = found[path]._replace(sent=(*found[path].sent, sent))
        return found

    def note(self, identifier: str, head: int, checks: Mapping[str, Check], due_at: int) -> None:
        """Remember the checks of all files of an object, and when the next is due."""
        self._database.execute("DELETE FROM checked WHERE identifier = ?", (identifier,))
        self._database.execute("DELETE FROM sent WHERE identifier = ?", (identifier,))
        rows = ((identifier, path, *check[:3]) for path, check in checks.items())
        self._database.executemany("INSERT INTO checked VALUES (?, ?, ?, ?, ?)", rows)
        answers = ((identifier, path, *each) for path, check in checks.items() for each in check.sent)
        self._database.executemany("INSERT INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?)", answers)
        self._database.execute("REPLACE INTO object VALUES (?, ?, ?)", (identifier, head, due_at))

    def commit(self) -> None:
        """Keep what was noted."""
        self._database.commit()
