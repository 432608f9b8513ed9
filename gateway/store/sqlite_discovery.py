"""The search for full text on SQLite: which items are due, who has taken them, how it ended, and what was answered.

A file of its own beside the store: searching writes often, and nobody who reads records should wait for it. Killed at
any moment, an item is due again when its lease runs out; what was written with a lease that was lost is not written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import zstandard

from gateway.errors import StoreDamaged
from gateway.model import Decision, Lease, SearchState
from gateway.store.queries import load
from gateway.store.sqlite_file import SqliteFile

SQL = load("discovery")
_LEVEL = 3


def open_discovery(folder: Path) -> SqliteDiscovery:
    """Open the searches of an instance folder, or make the file. Raise as `open_store`."""
    return SqliteDiscovery(folder / "discovery.sqlite")


class SqliteDiscovery:
    """The searches of one instance. Safe for threads and processes."""

    def __init__(self, path: Path) -> None:
        """Open or make the file."""
        self._file = SqliteFile(path, Path(__file__).parent / "migrations" / "discovery", create=True)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # -- what is to be searched for ------------------------------------------------------------------------------

    def position(self, source: str) -> int:
        """Return the number of the last item of a source that was looked at; 0 at first."""
        with self._file.reading() as session:
            (item,) = session.one(SQL["position"], (source,)) or (0,)
        return int(item)

    def enlist(self, source: str, items: Iterable[tuple[str, str]], item: int, at: int) -> None:
        """Put items (identifier, upstream) up for a search, and remember the number of the last one looked at."""
        with self._file.writing() as session:
            rows = [(identifier, source, upstream, at) for identifier, upstream in items]
            session.executemany(SQL["enlist"], rows)
            session.execute(SQL["position_put"], (source, item))

    def renew(self, before: int, sources: Collection[str], at: int) -> int:
        """Make due again what was searched before a second; return how many. No sources: all."""
        with self._file.writing() as session:
            asked = {"before": before, "sources": _told(sources), "at": at}
            return int(session.execute(SQL["renew"], asked).rowcount)

    def lease(self, at: int, seconds: int, sources: Collection[str] = (), identifier: str = "") -> Lease | None:
        """Take the item that is due longest, or this one whether it is due or not; None when there is none.

        Nobody else gets it until the lease has run out.
        """
        with self._file.writing() as session:
            if not identifier:
                (identifier,) = session.one(SQL["due_next"], {"at": at, "sources": _told(sources)}) or ("",)
            row = session.one(SQL["lease"], {"identifier": identifier, "until": at + seconds})
        return Lease(*row) if row else None

    def done(self, lease: Lease, outcome: str, story: str, at: int, decisions: Sequence[Decision] = ()) -> bool:
        """Write how a search ended for good, and what was decided. False: the lease was lost, nothing is written."""
        return self._end(lease, "done", 0, outcome, story, at, decisions)

    def waiting(self, lease: Lease, until: int, outcome: str, story: str, at: int) -> bool:
        """Write how a search ended that is to be repeated. False: the lease was lost, and nothing is written."""
        return self._end(lease, "waiting", until, outcome, story, at)

    def _end(
        self,
        lease: Lease,
        state: str,
        due: int,
        outcome: str,
        story: str,
        at: int,
        decisions: Sequence[Decision] = (),
    ) -> bool:
        row = {
            "state": state,
            "due": due,
            "outcome": outcome,
            "at": at,
            "story": zstandard.compress(story.encode(), _LEVEL),
            "identifier": lease.identifier,
            "lease": lease.number,
        }
        with self._file.writing() as session:
            is_written = bool(session.execute(SQL["end"], row).rowcount)
            if is_written:
                session.executemany(SQL["decision_add"], decisions)
        return is_written

    def release(self, lease: Lease, at: int) -> None:
        """Give an item back, as if it had not been taken."""
        with self._file.writing() as session:
            session.execute(SQL["release"], {"identifier": lease.identifier, "lease": lease.number, "at": at})

    # -- what is told of it --------------------------------------------------------------------------------------

    def search(self, identifier: str) -> SearchState | None:
        """Return what is known of the search for one item, or None when it was never put up."""
        with self._file.reading() as session:
            row = session.one(SQL["search"], (identifier,))
        if row is None:
            return None
        identifier, source, upstream, state, due, tries, outcome, at, packed = row
        story = self._unpacked(packed).decode() if packed else ""
        return SearchState(identifier, source, upstream, state, due, tries, outcome, at, story)

    def counts(self) -> tuple[tuple[str, str, str, int], ...]:
        """Return (source, state, outcome, number of items)."""
        with self._file.reading() as session:
            return tuple(session.execute(SQL["counts"]).fetchall())

    # -- what is decided -----------------------------------------------------------------------------------------

    def decide(self, decision: Decision) -> None:
        """Add a decision; it is in force until another one on the same copy."""
        with self._file.writing() as session:
            session.execute(SQL["decision_add"], decision)

    def decisions(self, identifier: str) -> tuple[Decision, ...]:
        """Return all decisions on the copies of an item, in the order in which they were taken."""
        with self._file.reading() as session:
            return tuple(Decision(*row) for row in session.execute(SQL["decisions"], (identifier,)).fetchall())

    def decided(self, verdict: str, after: str, limit: int) -> tuple[Decision, ...]:
        """Return at most `limit` decisions in force with a verdict, of items behind `after`."""
        with self._file.reading() as session:
            rows = session.execute(SQL["decided"], (verdict, after, limit)).fetchall()
            return tuple(Decision(*row) for row in rows)

    # -- answers -------------------------------------------------------------------------------------------------

    def answer(self, question: bytes, at: int) -> bytes | None:
        """Return what was answered to a question, as long as it holds."""
        with self._file.reading() as session:
            row = session.one(SQL["answer"], (question, at))
        return self._unpacked(row[0]) if row else None

    def keep_answer(self, question: bytes, content: bytes, expires: int) -> None:
        """Keep an answer until a second."""
        with self._file.writing() as session:
            session.execute(SQL["answer_put"], (question, expires, zstandard.compress(content, _LEVEL)))

    def forget_answers(self, at: int) -> None:
        """Forget what does not hold any more."""
        with self._file.writing() as session:
            session.execute(SQL["answers_expire"], (at,))

    def _unpacked(self, content: bytes) -> bytes:
        try:
            return zstandard.decompress(content)
        except zstandard.ZstdError as error:
            raise StoreDamaged(f"{self._file.path}: a story or an answer cannot be read: {error}.") from error


def _told(sources: Collection[str]) -> str:
    """Return the names of sources as one text with a space around each; empty for all of them."""
    return f" {' '.join(sources)} " if sources else ""
