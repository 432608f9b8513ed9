"""When each file of a mirror was asked for last, and what its server said of it: the memory of `mirror recheck`.

It lies in DIR/rechecks.sqlite and may be removed: then every file is due as if it had never been rechecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from harvester.mirror.catalogue import Entry
from harvester.mirror.memory import Memory
from harvester.mirror.sent import Sent
from harvester.mirror.verifying import Fate

NAME = "rechecks.sqlite"
_AT_ONCE = 1000
_SCHEMA = """
DROP TABLE IF EXISTS file; -- of version 0.3.0, which knew less
DROP TABLE IF EXISTS object; -- the same
CREATE TABLE IF NOT EXISTS mirrored (
    identifier TEXT PRIMARY KEY,
    newest INTEGER, -- the version that the catalogue names last; 0: there is nothing to recheck
    head INTEGER, -- the version that was looked at last
    every INTEGER, -- the period by which it is known when it is due
    due_at INTEGER
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checked (
    identifier TEXT, path TEXT, sha512 TEXT, at INTEGER, rounds INTEGER, PRIMARY KEY (identifier, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sent (
    identifier TEXT, path TEXT, url TEXT, entity_tag TEXT, last_modified TEXT, fate TEXT, reason TEXT, stated TEXT,
    PRIMARY KEY (identifier, path, url)
) WITHOUT ROWID;
"""
_TAKE = """
INSERT INTO mirrored VALUES (?, ?, 0, 0, 0)
ON CONFLICT (identifier) DO UPDATE SET newest = excluded.newest WHERE newest <> excluded.newest
"""
_MAY_BE_DUE = """
newest > 0 AND (:every = 0 OR every <> :every OR head <> newest OR due_at <= :now OR due_at > :now + :every)
"""
_DUE = f"SELECT identifier FROM mirrored WHERE identifier > :after AND {_MAY_BE_DUE} ORDER BY identifier LIMIT :most"  # noqa: S608 - of constants
_COUNT = f"SELECT count(*) FROM mirrored WHERE {_MAY_BE_DUE}"  # noqa: S608 - the same


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
        self._memory = Memory(folder / NAME, _SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._memory.close()

    def take(self, entries: Iterable[Entry]) -> None:
        """Take the versions of the objects that there are, in order; one that is new is to be looked at."""
        newest: dict[str, int] = {}
        for each in entries:
            newest[each.identifier] = 0 if each.is_deleted else each.head
            if len(newest) == _AT_ONCE:
                self._memory.many(_TAKE, newest.items())
                newest.clear()
        self._memory.many(_TAKE, newest.items())

    def due(self, now: int, every: int) -> Iterator[str]:
        """Return the objects of which something may be due at a second, by a period; 0: all of them.

        What is due later than a period from now was noted while the clock was ahead.
        """
        after = ""
        while rows := self._memory.rows(_DUE, {"now": now, "every": every, "after": after, "most": _AT_ONCE}):
            yield from (identifier for (identifier,) in rows)
            after = rows[-1][0]

    def count(self, now: int, every: int) -> int:
        """Return how many objects `due` has."""
        return int(self._memory.rows(_COUNT, {"now": now, "every": every})[0][0])

    def of(self, identifier: str) -> Mapping[str, Check]:
        """Return the last checks of the files of an object, by their paths."""
        query = "SELECT path, sha512, at, rounds FROM checked WHERE identifier = ?"
        found = {path: Check(*rest) for path, *rest in self._memory.rows(query, (identifier,))}
        query = "SELECT path, url, entity_tag, last_modified, fate, reason, stated FROM sent WHERE identifier = ?"
        for path, url, entity_tag, last_modified, fate, reason, stated in self._memory.rows(query, (identifier,)):
            sent = Sent(url, entity_tag, last_modified, Fate(fate), reason, stated)
            found[path] = found[path]._replace(sent=(*found[path].sent, sent))
        return found

    def note(self, identifier: str, head: int, checks: Mapping[str, Check], due_at: int, every: int) -> None:
        """Remember the checks of all files of an object, and when the next is due by a period."""
        self._memory.rows("DELETE FROM checked WHERE identifier = ?", (identifier,))
        self._memory.rows("DELETE FROM sent WHERE identifier = ?", (identifier,))
        rows = ((identifier, path, *check[:3]) for path, check in checks.items())
        self._memory.many("INSERT INTO checked VALUES (?, ?, ?, ?, ?)", rows)
        answers = ((identifier, path, *each) for path, check in checks.items() for each in check.sent)
        self._memory.many("INSERT INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?)", answers)
        self._memory.rows("REPLACE INTO mirrored VALUES (?, ?, ?, ?, ?)", (identifier, head, head, every, due_at))

    def commit(self) -> None:
        """Keep what was noted."""
        self._memory.commit()
