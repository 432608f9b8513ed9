"""The search for full text on SQLite: which items are due, who has taken them, how it ended, and what was answered.

A file of its own beside the store: searching writes often, and nobody who reads records should wait for it. Killed at
any moment, an item is due again when its lease runs out; what was written with a lease that was lost is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import zstandard

from gateway.errors import StoreDamaged
from gateway.model import Decision, Ending, Lease, Refusal, SearchState, Unpublished
from gateway.store.queries import load
from gateway.store.sqlite_file import SqliteFile
from gateway.store.waiting import PATIENCE_SECONDS

SQL = load("discovery")
_LEVEL = 3
_NO_BASIS = "none"  # no digest: every search went by another one

# From all decisions on the copies of an item so far, those that are to be added.
Decide: TypeAlias = Callable[[Sequence[Decision]], Sequence[Decision]]


def open_discovery(folder: Path) -> SqliteDiscovery:
    """Open the searches of an instance folder, or make the file. Raise as `open_store`."""
    return SqliteDiscovery(folder / "discovery.sqlite")


class SqliteDiscovery:
    """The searches of one instance. Safe for threads and processes."""

    def __init__(self, path: Path) -> None:
        """Open or make the file."""
        migrations = Path(__file__).parent / "migrations" / "discovery"
        self._file = SqliteFile(path, migrations, create=True, busy_seconds=PATIENCE_SECONDS)

    def settle(self) -> bool:
        """Write the log back into the file and empty it; False: a reader is in the way."""
        return self._file.settle()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # -- what is to be searched for ------------------------------------------------------------------------------

    def position(self, source: str) -> int:
        """Return the number of the last item of a source that was looked at; 0 at first."""
        with self._file.reading() as session:
            (item,) = session.one(SQL["position"], (source,)) or (0,)
        return int(item)

    def enlist(self, source: str, items: Iterable[tuple[str, str]], item: int, at: int, list_: str = "") -> None:
        """Put items (identifier, upstream) up for a search, and remember the number of the last one looked at.

        `list_` is what this number is remembered by, where a source is looked through for several reasons.
        """
        with self._file.writing() as session:
            rows = [(identifier, source, upstream, at) for identifier, upstream in items]
            session.executemany(SQL["enlist"], rows)
            session.execute(SQL["position_put"], (list_ or source, item))

    def renew(self, before: int, sources: Collection[str], at: int) -> int:
        """Make due again what was searched before a second; return how many. No sources: all."""
        with self._file.writing() as session:
            asked = {"before": before, "sources": _told(sources), "at": at}
            return int(session.execute(SQL["renew"], asked).rowcount)

    def renew_outdated(self, bases: Iterable[tuple[str, str]], at: int) -> int:
        """Make due again those items (identifier, basis) that were searched for on another basis; return how many.

        A search that is under way has lost its lease.
        """
        with self._file.writing() as session:
            rows = ({"identifier": name, "basis": basis, "at": at} for name, basis in bases)
            return sum(int(session.execute(SQL["renew_outdated"], row).rowcount) for row in rows)

    def outdated(self, identifier: str, basis: str) -> Lease | None:
        """Return an item that was searched for on another basis, and is not due, without taking it; else None."""
        with self._file.reading() as session:
            row = session.one(SQL["outdated"], {"identifier": identifier, "basis": basis})
        return Lease(*row) if row else None

    def lease(self, at: int, seconds: int, sources: Collection[str] = (), identifier: str = "") -> Lease | None:
        """Take the item that is due longest, or this one whether it is due or not; None when there is none.

        Nobody else gets it until the lease has run out.
        """
        with self._file.writing() as session:
            if not identifier:
                (identifier,) = session.one(SQL["due_next"], {"at": at, "sources": _told(sources)}) or ("",)
            row = session.one(SQL["lease"], {"identifier": identifier, "until": at + seconds})
        return Lease(*row) if row else None

    def due(self, after: str, at: int, sources: Collection[str] = (), identifier: str = "", before: int = 0) -> Lease:
        """Return the item behind `after` that a search would take, without taking it; one of no name: there is none.

        With what was searched before a second, or this one whether it is due or not.
        """
        asked = {"after": after, "at": at, "sources": _told(sources), "identifier": identifier, "before": before}
        with self._file.reading() as session:
            return Lease(*(session.one(SQL["due"], asked) or ("", "", "", 0, 0)))

    def done(
        self,
        lease: Lease,
        outcome: str,
        story: str,
        at: int,
        decide: Decide = lambda _: (),
        endings: Iterable[Ending] = (),
        basis: str = "",
        due: int = 0,
    ) -> bool:
        """Write how a search ended for good, and what is decided. False: the lease was lost, nothing is written.

        `basis` is a digest of what it went by. With `due`, the item waits until that second and is then due again, as
        if it had not been searched for: when something may be had then that is withheld now.
        """
        return self._end(lease, "waiting" if due else "done", due, outcome, story, at, decide, endings, basis)

    def waiting(
        self,
        lease: Lease,
        until: int,
        outcome: str,
        story: str,
        at: int,
        endings: Iterable[Ending] = (),
        basis: str = "",
    ) -> bool:
        """Write how a search ended that is to be repeated. False: the lease was lost, and nothing is written."""
        return self._end(lease, "waiting", until, outcome, story, at, None, endings, basis)

    def _end(
        self,
        lease: Lease,
        state: str,
        due: int,
        outcome: str,
        story: str,
        at: int,
        decide: Decide | None,
        endings: Iterable[Ending],
        basis: str,
    ) -> bool:
        """Write how a search ended; without `decide` it is one of several tries, and has not ended for good."""
        row = {
            "state": state,
            "due": due,
            "outcome": outcome,
            "at": at,
            "story": zstandard.compress(story.encode(), _LEVEL),
            "basis": basis,
            "is_over": decide is not None,
            "identifier": lease.identifier,
            "lease": lease.number,
        }
        with self._file.writing() as session:
            is_written = bool(session.execute(SQL["end"], row).rowcount)
            if is_written:
                held = session.execute(SQL["decisions"], (lease.identifier,)).fetchall()
                news = decide([_decision(each) for each in held]) if decide else ()
                session.executemany(SQL["decision_add"], news)
                session.executemany(SQL["ending_add"], endings)
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
        return None if row is None else self._search(row)

    def searches(self, after: str, limit: int) -> tuple[SearchState, ...]:
        """Return at most `limit` of the items that were searched for, behind the identifier `after`."""
        with self._file.reading() as session:
            return tuple(map(self._search, session.execute(SQL["searches"], (after, limit)).fetchall()))

    def _search(self, row: Sequence[Any]) -> SearchState:
        identifier, source, upstream, state, due, tries, outcome, at, packed = row
        story = self._unpacked(packed).decode() if packed else ""
        return SearchState(identifier, source, upstream, state, due, tries, outcome, at, story)

    def forget(self, identifiers: Iterable[str]) -> None:
        """Forget the searches for some items, and what was decided of their files."""
        with self._file.writing() as session:
            names = [(each,) for each in identifiers]
            session.executemany(SQL["search_forget"], names)
            session.executemany(SQL["decisions_forget"], names)
            session.executemany(SQL["refusals_forget"], names)

    def counts(self) -> tuple[tuple[str, str, str, int], ...]:
        """Return (source, state, outcome, number of items)."""
        with self._file.reading() as session:
            return tuple(session.execute(SQL["counts"]).fetchall())

    def endings(self) -> tuple[tuple[Ending, int], ...]:
        """Return how steps and copies ended in which month, each with how often."""
        with self._file.reading() as session:
            return tuple((Ending(*row[:-1]), row[-1]) for row in session.execute(SQL["endings"]).fetchall())

    # -- what is decided -----------------------------------------------------------------------------------------

    def decide(self, decision: Decision) -> None:
        """Add a decision; it is in force until another one on the same copy."""
        with self._file.writing() as session:
            session.execute(SQL["decision_add"], decision)
            session.execute(SQL["change"], (decision.identifier,))

    def refuse(self, refusal: Refusal, decisions: Iterable[Decision] = ()) -> None:
        """Keep that a DOI is not that of an item, with what is decided of its files; the item is due again."""
        with self._file.writing() as session:
            session.execute(SQL["refusal_add"], refusal)
            session.executemany(SQL["decision_add"], decisions)
            session.execute(SQL["change"], (refusal.identifier,))
            due = {"identifier": refusal.identifier, "basis": _NO_BASIS, "at": refusal.at}
            session.execute(SQL["renew_outdated"], due)

    def refusals(self, identifier: str) -> tuple[Refusal, ...]:
        """Return the DOIs that are refused for an item, with who refused each, when and why."""
        with self._file.reading() as session:
            return tuple(map(Refusal._make, session.execute(SQL["refusals"], (identifier,)).fetchall()))

    def decisions(self, identifier: str) -> tuple[Decision, ...]:
        """Return all decisions on the copies of an item, in the order in which they were taken."""
        with self._file.reading() as session:
            return tuple(map(_decision, session.execute(SQL["decisions"], (identifier,)).fetchall()))

    def decided(self, verdict: str, after: tuple[str, str], limit: int) -> tuple[Decision, ...]:
        """Return at most `limit` decisions in force with a verdict, behind an (identifier, url), in their order."""
        with self._file.reading() as session:
            rows = session.execute(SQL["decided"], (verdict, *after, limit)).fetchall()
            return tuple(map(_decision, rows))

    # -- what is published ---------------------------------------------------------------------------------------

    def unpublished(
        self, after: str, limit: int, sources: Collection[str] = (), identifier: str = ""
    ) -> tuple[Unpublished, ...]:
        """Return items behind `after` of which something may have to be published; of some sources, or this one."""
        asked = {"after": after, "limit": limit, "sources": _told(sources), "identifier": identifier}
        with self._file.reading() as session:
            return tuple(Unpublished(*row) for row in session.execute(SQL["unpublished"], asked).fetchall())

    def change_all(self) -> None:
        """Let everything that was ever accepted be looked at again."""
        with self._file.writing() as session:
            session.execute(SQL["change_all"])

    def start_again(self) -> None:
        """Look at everything again, for another store: nothing is published in it, and its items have other numbers."""
        with self._file.writing() as session:
            session.execute(SQL["change_searched"])
            session.execute(SQL["positions_forget"])

    def published(self, items: Iterable[Unpublished]) -> None:
        """Note that items are published as they stood when they were returned, or later."""
        with self._file.writing() as session:
            session.executemany(SQL["publish"], [(each.changed, each.identifier) for each in items])

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

    # -- hosts ---------------------------------------------------------------------------------------------------

    def away_until(self, host: str) -> int:
        """Return the second until which a host is left alone; 0: nobody said so."""
        with self._file.reading() as session:
            (until,) = session.one(SQL["host_away"], (host,)) or (0,)
        return int(until)

    def stay_away(self, host: str, until: int) -> None:
        """Leave a host alone until a second."""
        with self._file.writing() as session:
            session.execute(SQL["host_put"], (host, until))

    def _unpacked(self, content: bytes) -> bytes:
        try:
            return zstandard.decompress(content)
        except zstandard.ZstdError as error:
            raise StoreDamaged(f"{self._file.path}: a story or an answer cannot be read: {error}.") from error


def _decision(row: Sequence[Any]) -> Decision:
    return Decision._make(row)._replace(is_undoing=bool(row[-1]))


def _told(sources: Collection[str]) -> str:
    """Return the names of sources as one text with a space around each; empty for all of them."""
    return f" {' '.join(sources)} " if sources else ""
