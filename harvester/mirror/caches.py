"""Caches of a mirror: small SQLite databases that may be removed, because later runs fill them again.

DIR/rechecks.sqlite          the schedule of `mirror recheck`: the last request of each file, and the last answers.
                             Without it, each file is due as if it was never rechecked, and bytes that contradict a
                             document are fetched once more
DIR/doubtful/answers.sqlite  the short answers of servers, by host
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

from gateway.core.errors import StoreUnwritable
from gateway.core.working_file import load_file
from gateway.core.xmltext import parse_utc_datetime
from harvester.mirror.catalogue import Entry
from harvester.mirror.file_plan import LastAnswer, PlannedFile, with_newer
from harvester.mirror.object_state import HeldFile
from harvester.mirror.verify import Fate
from harvester.runtime.durable_files import reporting_unwritable

RECHECKS, ANSWERS = "rechecks.sqlite", "answers.sqlite"
_SQL = load_file(Path(__file__).with_name("caches.sql"))
# Errors of a damaged file: a cache is made again instead of a failure.
_DAMAGES = frozenset((sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR))
_PRIMARY = 0xFF  # of an extended error code


class CacheDatabase:
    """An open database, with tables by a file of SQL. A damaged one is replaced. All methods raise StoreUnwritable."""

    def __init__(self, file: Path, schema: str) -> None:
        self._file = file
        schema = Path(__file__).with_name(schema).read_text("utf-8")
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


# --- the answers of servers -----------------------------------------------------------------------------------------

MANY = 3  # addresses
_ALL = -1


class Answers:
    """The stored answers. The first short answer opens the database. For one thread; raises StoreUnwritable."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / ANSWERS
        self._memory: CacheDatabase | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def add(self, host: str, sha512: str, url: str, identifier: str) -> bool:
        """Store an answer; return whether three addresses have sent it."""
        memory = self._opened()
        memory.rows(_SQL["answer_put"], (host, sha512, url, identifier))
        return len(memory.rows(_SQL["identifiers"], (host, sha512, MANY))) == MANY

    def objects(self, host: str, sha512: str) -> set[str]:
        """Return the identifiers of the objects whose files got this answer."""
        return {identifier for (identifier,) in self._opened().rows(_SQL["identifiers"], (host, sha512, _ALL))}

    def _opened(self) -> CacheDatabase:
        if self._memory is None:
            self._memory = CacheDatabase(self._file, "repeated_answers_schema.sql")
        return self._memory


# --- the schedule ---------------------------------------------------------------------------------------------------

_AT_ONCE = 1000
_FATES = frozenset(map(str, Fate))
_LONGEST_ROUND_SECONDS = 30 * 86_400  # an older round is begun again


class Check(NamedTuple):
    """The last check of a file: the stored bytes, the second since 1970, the number of checks, and the answers."""

    sha512: str
    at: int
    rounds: int
    sent: tuple[LastAnswer, ...] = ()

    def is_of(self, held: HeldFile | None) -> bool:
        """Return whether it was a check of the stored bytes, after they were received."""
        if held is None:
            return not self.sha512
        if self.sha512 != held.sha512:
            return False
        return not held.received_at or parse_utc_datetime(held.received_at)[0] <= self.at


class NextCheck(NamedTuple):
    """The period of an object and the time when it is due next, in seconds, and its last round; 0: none."""

    every: int
    due_at: int
    round: int = 0


class Round(NamedTuple):
    """A round in which all files are requested. `is_resumed`: an earlier process began it and did not end it."""

    number: int
    begun_at: int
    is_resumed: bool


def first_due(identifier: str, path: str, received_at: int, every: int) -> int:
    """Return the second at which a new file is due. Files that were received together are spread over the period."""
    fraction = int.from_bytes(sha256(f"{identifier} {path}".encode()).digest()[:4]) / (1 << 32)
    return received_at + round(every * fraction)


class Selection:
    """The identifiers of some objects, in order. Checks may be stored while they are read."""

    def __init__(self, memory: CacheDatabase, query: str, values: Mapping[str, int]) -> None:
        self._memory, self._query, self._values = memory, query, values

    def __iter__(self) -> Iterator[str]:
        after = ""
        while rows := self._memory.rows(_SQL[self._query], {**self._values, "after": after, "most": _AT_ONCE}):
            yield from (identifier for (identifier,) in rows)
            after = rows[-1][0]

    def __len__(self) -> int:
        return int(self._memory.rows(_SQL[f"{self._query}_count"], self._values)[0][0])


class RecheckSchedule:
    """The schedule. Use it in a `with` block, in one thread. Its methods raise StoreUnwritable."""

    def __init__(self, folder: Path) -> None:
        self._memory = CacheDatabase(folder / RECHECKS, "recheck_schedule_schema.sql")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._memory.close()

    def take(self, entries: Iterable[Entry]) -> None:
        """Add the versions of all objects, in order. An object with a new version is due."""
        newest: dict[str, int] = {}
        for entry in entries:
            newest[entry.identifier] = 0 if entry.is_deleted else entry.head
            if len(newest) == _AT_ONCE:
                self._memory.many(_SQL["mirrored_add"], newest.items())
                newest.clear()
        self._memory.many(_SQL["mirrored_add"], newest.items())

    def due(self, now: int, every: int) -> Selection:
        """Return the objects that may be due at the second `now`, with a period of `every` seconds.

        A time that is more than a period ahead was stored while the clock was wrong, and counts as due.
        """
        return Selection(self._memory, "due", {"now": now, "every": every})

    def next_at(self, every: int) -> int | None:
        """Return the second at which the next object is due, by a period in seconds; None when there is none."""
        rows = self._memory.rows(_SQL["due_next"], (every,))
        return None if rows[0][0] is None else int(rows[0][0])

    def not_in(self, current: Round) -> Selection:
        """Return the objects that were not requested in a round."""
        return Selection(self._memory, "not_in_round", {"round": current.number})

    def begun(self, now: int) -> Round:
        """Begin a round of all files, or continue the last round when it was not ended."""
        rows = self._memory.rows(_SQL["round"]) or [(0, 0, 1)]
        ((number, begun_at, is_ended),) = rows
        if not is_ended and begun_at <= now < begun_at + _LONGEST_ROUND_SECONDS:
            return Round(number, begun_at, is_resumed=True)
        self._set_round(Round(number + 1, now, is_resumed=False), is_ended=False)
        return Round(number + 1, now, is_resumed=False)

    def end(self, current: Round) -> None:
        """Store that a round has ended."""
        self._set_round(current, is_ended=True)

    def _set_round(self, current: Round, *, is_ended: bool) -> None:
        self._memory.rows(_SQL["round_forget"])
        self._memory.rows(_SQL["round_add"], (current.number, current.begun_at, is_ended))
        self._memory.commit()

    def of(self, identifier: str, planned_files: Iterable[PlannedFile]) -> dict[str, Check]:
        """Return the last checks of the stored files of an object, by path."""
        known = self._all(identifier)
        return {
            planned.path: known[planned.path]
            for planned in planned_files
            if planned.path in known and known[planned.path].is_of(planned.before)
        }

    def learn(self, identifier: str, planned: PlannedFile, now: int, sha512: str, sent: Iterable[LastAnswer]) -> None:
        """Store the answers of a file from another run than a recheck; `sha512` is that of the stored bytes."""
        check = self.of(identifier, [planned]).get(planned.path, Check("", 0, 0))
        known = with_newer(check.sent, sent, planned.component.addresses)
        self._memory.rows(_SQL["sent_forget_file"], (identifier, planned.path))
        self._put(identifier, {planned.path: Check(sha512, now, check.rounds, known)})

    def refusing(self) -> list[str]:
        """Return the objects with an address whose last answer contradicts the document."""
        return [identifier for (identifier,) in self._memory.rows(_SQL["refusing"], (str(Fate.KEPT),))]

    def _all(self, identifier: str) -> dict[str, Check]:
        checks = {path: Check(*rest) for path, *rest in self._memory.rows(_SQL["checked"], (identifier,))}
        answers = self._memory.rows(_SQL["sent"], (identifier,))
        for path, url, entity_tag, last_modified, fate, reason, stated in answers:
            if path in checks and fate in _FATES:
                sent = LastAnswer(url, entity_tag, last_modified, Fate(fate), reason, stated)
                checks[path] = checks[path]._replace(sent=(*checks[path].sent, sent))
        return checks

    def note(self, identifier: str, head: int, checks: Mapping[str, Check], known: NextCheck) -> None:
        """Store the checks of all files of an object."""
        self._memory.rows(_SQL["checked_forget"], (identifier,))
        self._memory.rows(_SQL["sent_forget"], (identifier,))
        self._put(identifier, checks)
        self._memory.rows(_SQL["mirrored_put"], (identifier, head, head, *known))

    def _put(self, identifier: str, checks: Mapping[str, Check]) -> None:
        rows = ((identifier, path, *check[:3]) for path, check in checks.items())
        self._memory.many(_SQL["checked_put"], rows)
        answers = ((identifier, path, *answer) for path, check in checks.items() for answer in check.sent)
        self._memory.many(_SQL["sent_put"], answers)

    def commit(self) -> None:
        """Commit the stored checks."""
        self._memory.commit()
