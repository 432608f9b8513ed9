"""When each file of a mirror was asked for last, and what its servers sent: the memory of `mirror recheck`.

It lies in DIR/rechecks.sqlite and may be removed: then every file is due as if it had never been rechecked, and bytes
that contradict a document are sent once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

from gateway.xmltext import parse_utc_datetime
from harvester.mirror.catalogue import Entry
from harvester.mirror.holding import HeldFile
from harvester.mirror.memory import Memory
from harvester.mirror.planning import Want
from harvester.mirror.sent import Sent, with_newer
from harvester.mirror.verifying import Fate

NAME = "rechecks.sqlite"
_AT_ONCE = 1000
_FATES = frozenset(map(str, Fate))
_SCHEMA = """
DROP TABLE IF EXISTS file; -- of version 0.3.0, which knew less
DROP TABLE IF EXISTS object; -- the same
CREATE TABLE IF NOT EXISTS mirrored (
    identifier TEXT PRIMARY KEY,
    newest INTEGER, -- the version that the catalogue names last; 0: there is nothing to recheck
    head INTEGER, -- the version that was looked at last
    every INTEGER, -- the period by which it is known when it is due
    due_at INTEGER,
    round INTEGER -- of those that ask for everything, in which it was asked for last
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS round (number INTEGER, begun_at INTEGER, is_ended INTEGER);
CREATE TABLE IF NOT EXISTS checked (
    identifier TEXT, path TEXT, sha512 TEXT, at INTEGER, rounds INTEGER, PRIMARY KEY (identifier, path)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sent (
    identifier TEXT, path TEXT, url TEXT, entity_tag TEXT, last_modified TEXT, fate TEXT, reason TEXT, stated TEXT,
    PRIMARY KEY (identifier, path, url)
) WITHOUT ROWID;
"""
_TAKE = """
INSERT INTO mirrored VALUES (?, ?, 0, 0, 0, 0)
ON CONFLICT (identifier) DO UPDATE SET newest = excluded.newest WHERE newest <> excluded.newest
"""
_MAY_BE_DUE = "newest > 0 AND (every <> :every OR head <> newest OR due_at <= :now OR due_at > :now + :every)"
_NOT_IN_ROUND = "newest > 0 AND round <> :round"
_COUNT = "SELECT count(*) FROM mirrored WHERE "
_PAGE = "SELECT identifier FROM mirrored WHERE identifier > :after AND {} ORDER BY identifier LIMIT :most"
_LONGEST_ROUND_SECONDS = 30 * 86_400  # what began before it is begun anew


class Check(NamedTuple):
    """The last check of a file: of which held bytes, when, how many checks there were, and what its addresses sent."""

    sha512: str
    at: int
    rounds: int
    sent: tuple[Sent, ...] = ()

    def is_of(self, held: HeldFile | None) -> bool:
        """Tell whether it was a check of the bytes that are held, and after they came."""
        if held is None:
            return not self.sha512
        if self.sha512 != held.sha512:
            return False
        return not held.received_at or parse_utc_datetime(held.received_at)[0] <= self.at


class Known(NamedTuple):
    """When something of an object is due next, by a period, and in which round it was asked for; 0: in none."""

    every: int
    due_at: int
    round: int = 0


class Round(NamedTuple):
    """A round that asks for everything. One that `is_resumed` was begun by a process that did not end it."""

    number: int
    begun_at: int
    is_resumed: bool


def first_due(identifier: str, path: str, received_at: int, every: int) -> int:
    """Return when a file that was never rechecked is due: what arrived together is spread over the whole period."""
    fraction = int.from_bytes(sha256(f"{identifier} {path}".encode()).digest()[:4]) / (1 << 32)
    return received_at + round(every * fraction)


class Selection:
    """Some of the objects, in order; more may be noted while they are read."""

    def __init__(self, memory: Memory, condition: str, values: Mapping[str, int]) -> None:
        """Take the condition in SQL, and its values."""
        self._memory, self._condition, self._values = memory, condition, values

    def __iter__(self) -> Iterator[str]:
        """Return their identifiers."""
        after = ""
        while rows := self._memory.rows(
            _PAGE.format(self._condition), {**self._values, "after": after, "most": _AT_ONCE}
        ):
            yield from (identifier for (identifier,) in rows)
            after = rows[-1][0]

    def __len__(self) -> int:
        """Count them."""
        return int(self._memory.rows(_COUNT + self._condition, self._values)[0][0])


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

    def due(self, now: int, every: int) -> Selection:
        """Return the objects of which something may be due at a second, by a period.

        What is due later than a period from now was noted while the clock was ahead.
        """
        return Selection(self._memory, _MAY_BE_DUE, {"now": now, "every": every})

    def next_at(self, every: int) -> int | None:
        """Return when something is due next, by a period; None when there is nothing."""
        rows = self._memory.rows("SELECT min(due_at) FROM mirrored WHERE newest > 0 AND every = ?", (every,))
        return None if rows[0][0] is None else int(rows[0][0])

    def not_in(self, current: Round) -> Selection:
        """Return the objects that were not asked for in a round."""
        return Selection(self._memory, _NOT_IN_ROUND, {"round": current.number})

    def begun(self, now: int) -> Round:
        """Begin a round that asks for everything, or go on with the last one when it was not ended."""
        rows = self._memory.rows("SELECT number, begun_at, is_ended FROM round") or [(0, 0, 1)]
        ((number, begun_at, is_ended),) = rows
        if not is_ended and begun_at <= now < begun_at + _LONGEST_ROUND_SECONDS:
            return Round(number, begun_at, is_resumed=True)
        self._set_round(Round(number + 1, now, is_resumed=False), is_ended=False)
        return Round(number + 1, now, is_resumed=False)

    def end(self, current: Round) -> None:
        """Remember that a round has come to its end."""
        self._set_round(current, is_ended=True)

    def _set_round(self, current: Round, *, is_ended: bool) -> None:
        self._memory.rows("DELETE FROM round")
        self._memory.rows("INSERT INTO round VALUES (?, ?, ?)", (current.number, current.begun_at, is_ended))
        self._memory.commit()

    def of(self, identifier: str, wants: Iterable[Want]) -> dict[str, Check]:
        """Return the last checks of files of an object as they are held now, by their paths."""
        known = self._all(identifier)
        return {
            want.path: known[want.path] for want in wants if want.path in known and known[want.path].is_of(want.before)
        }

    def learn(self, identifier: str, want: Want, now: int, sha512: str, sent: Iterable[Sent]) -> None:
        """Remember what the addresses of a file sent to a run that was no recheck; `sha512` is what is held now."""
        check = self.of(identifier, [want]).get(want.path, Check("", 0, 0))
        known = with_newer(check.sent, sent, want.component.addresses)
        self._memory.rows("DELETE FROM sent WHERE identifier = ? AND path = ?", (identifier, want.path))
        self._put(identifier, {want.path: Check(sha512, now, check.rounds, known)})

    def refusing(self) -> list[str]:
        """Return the objects of which some address sent last what contradicts the document."""
        query = "SELECT DISTINCT identifier FROM sent WHERE fate <> ? ORDER BY identifier"
        return [identifier for (identifier,) in self._memory.rows(query, (str(Fate.KEPT),))]

    def _all(self, identifier: str) -> dict[str, Check]:
        query = "SELECT path, sha512, at, rounds FROM checked WHERE identifier = ?"
        found = {path: Check(*rest) for path, *rest in self._memory.rows(query, (identifier,))}
        query = "SELECT path, url, entity_tag, last_modified, fate, reason, stated FROM sent WHERE identifier = ?"
        for path, url, entity_tag, last_modified, fate, reason, stated in self._memory.rows(query, (identifier,)):
            if path in found and fate in _FATES:
                sent = Sent(url, entity_tag, last_modified, Fate(fate), reason, stated)
                found[path] = found[path]._replace(sent=(*found[path].sent, sent))
        return found

    def note(self, identifier: str, head: int, checks: Mapping[str, Check], known: Known) -> None:
        """Remember the checks of all files of an object."""
        self._memory.rows("DELETE FROM checked WHERE identifier = ?", (identifier,))
        self._memory.rows("DELETE FROM sent WHERE identifier = ?", (identifier,))
        self._put(identifier, checks)
        self._memory.rows("REPLACE INTO mirrored VALUES (?, ?, ?, ?, ?, ?)", (identifier, head, head, *known))

    def _put(self, identifier: str, checks: Mapping[str, Check]) -> None:
        rows = ((identifier, path, *check[:3]) for path, check in checks.items())
        self._memory.many("REPLACE INTO checked VALUES (?, ?, ?, ?, ?)", rows)
        answers = ((identifier, path, *each) for path, check in checks.items() for each in check.sent)
        self._memory.many("REPLACE INTO sent VALUES (?, ?, ?, ?, ?, ?, ?, ?)", answers)

    def commit(self) -> None:
        """Keep what was noted."""
        self._memory.commit()
