"""The search for full text: items that are due, their leases, outcomes, and stored answers.

It is a separate database: a search writes often, and readers of the store must not wait for it. If a process is killed,
its item is due again when the lease ends. Nothing is written with a lease that has ended.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import zstandard

from gateway.core.model import Alarm, Decision, Ending, FoundCopy, Lease, Refusal, SearchState, Unpublished, Written
from gateway.core.waiting import PATIENCE_SECONDS
from gateway.store.connecting import connect
from gateway.store.connector import Session
from gateway.store.discovery_lists import CopyLists, DecisionLists, Offers, Rechecks, Samples, enter
from gateway.store.discovery_rows import (
    LEVEL,
    Decide,
    alarm_of,
    copy_rows,
    decision_of,
    decision_row,
    is_on_other_bytes,
    spaced,
    unpacked,
)
from gateway.store.queries import load

SQL = load("discovery")
_NO_BASIS = "none"  # no digest, so it differs from the basis of every search


class Discovery(CopyLists, DecisionLists, Offers):
    """The database of the search for full text: items that are due, their leases, outcomes, and stored answers.

    It is safe for threads and processes. If a process is killed, its item is due again when the lease ends. Nothing is
    written with a lease that has ended. `samples` are random samples of the files that rules have accepted, `rechecks`
    the rechecks of published files.
    """

    def __init__(
        self, path: Path, *, url: str = "", only_reads: bool = False, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        """Open the file; make it if it is missing, unless it is only read.

        A writer waits for another process for at most `patience_seconds`.
        """
        super().__init__(
            connect(
                path, "discovery", create=not only_reads, url=url, busy_seconds=patience_seconds, only_reads=only_reads
            )
        )
        self.samples = Samples(self._file)
        self.rechecks = Rechecks(self._file)

    # -- what is to be searched for ------------------------------------------------------------------------------

    def position(self, source: str) -> int:
        """Return the number of the last item of a source that was listed for a search; 0 at first."""
        (item,) = self._file.one(SQL["position"], (source,)) or (0,)
        return int(item)

    def enlist(self, source: str, items: Iterable[tuple[str, str]], item: int, at: int, list_: str = "") -> None:
        """Add items (identifier, upstream identifier) to the search, and store `item`, the number of the last one.

        `list_` names the position, if the items of a source are listed for several reasons.
        """
        with self._file.writing() as session:
            rows = [(identifier, source, upstream, at) for identifier, upstream in items]
            session.executemany(SQL["enlist"], rows)
            session.execute(SQL["position_put"], (list_ or source, item))

    def renew(self, before: int, sources: Collection[str], at: int) -> int:
        """Make items due that were searched for before a second; return how many. No sources: all."""
        with self._file.writing() as session:
            names = sources or {source for source, *_ in session.execute(SQL["counts"])}
            rows = ({"before": before, "source": source, "at": at} for source in names)
            return sum(int(session.execute(SQL["renew"], row).rowcount) for row in rows)

    def renew_outdated(self, bases: Iterable[tuple[str, str]], at: int) -> int:
        """Make those items (identifier, basis) due whose last search had another basis; return how many.

        A running search for one of them loses its lease.
        """
        with self._file.writing() as session:
            rows = ({"identifier": name, "basis": basis, "at": at} for name, basis in bases)
            return sum(int(session.execute(SQL["renew_outdated"], row).rowcount) for row in rows)

    def outdated(self, identifier: str, basis: str) -> Lease | None:
        """Return an item that is not due and whose last search had another basis, without a lease; else None."""
        row = self._file.one(SQL["outdated"], {"identifier": identifier, "basis": basis})
        return Lease(*row) if row else None

    def lease(self, at: int, seconds: int, sources: Collection[str] = (), identifier: str = "") -> Lease | None:
        """Take the item that has been due longest, or the given one even if it is not due; None if there is none.

        Nobody else gets it for so many seconds.
        """
        with self._file.writing() as session:
            if not identifier:
                query = SQL["due_next_of" if len(sources) == 1 else "due_next"]
                (identifier,) = session.one(query, {"at": at, **_named(sources)}) or ("",)
            row = session.one(SQL["lease"], {"identifier": identifier, "until": at + seconds})
        return Lease(*row) if row else None

    def due(self, after: str, at: int, sources: Collection[str] = (), identifier: str = "", before: int = 0) -> Lease:
        """Return the next item after `after` that a search would take, without a lease; empty if there is none.

        Items that were searched for before the second `before` count as due, and so does `identifier`.
        """
        asked = {"after": after, "at": at, "sources": spaced(sources), "identifier": identifier, "before": before}
        return Lease(*(self._file.one(SQL["due"], asked) or ("", "", "", 0, 0)))

    def done(
        self,
        lease: Lease,
        outcome: str,
        search_json: str,
        at: int,
        decide: Decide | None = lambda _: (),
        endings: Iterable[Ending] = (),
        basis: str = "",
        due: int = 0,
        copies: Iterable[FoundCopy] = (),
    ) -> bool:
        """Write the end of a search, its copies, and the decisions.

        Return False, and write nothing, if the lease has ended. `search_json` is the search as JSON, `basis` a digest
        of the data that it used. With `due`, the item is due again at that second, such as the end of an embargo.
        Without `decide`, it was one of several tries, and the search is repeated at `due`.
        """
        row = {
            "state": "waiting" if due else "done",
            "due": due,
            "outcome": outcome,
            "at": at,
            "story": zstandard.compress(search_json.encode(), LEVEL),
            "basis": basis,
            "is_over": decide is not None,
            "identifier": lease.identifier,
            "lease": lease.number,
        }
        with self._file.writing() as session:
            is_written = bool(session.execute(SQL["end"], row).rowcount)
            if is_written:
                held = session.execute(SQL["decisions"], (lease.identifier,)).fetchall()
                news = decide([decision_of(row) for row in held]) if decide else ()
                session.execute(SQL["copies_drop"], (lease.identifier,))
                session.executemany(SQL["copy_put"], copy_rows(copies))
                session.executemany(SQL["decision_add"], map(decision_row, news))
                session.executemany(SQL["ending_add"], endings)
        return is_written

    def release(self, lease: Lease, at: int) -> None:
        """Return a leased item, as if it had not been leased."""
        self._file.change(SQL["release"], {"identifier": lease.identifier, "lease": lease.number, "at": at})

    # -- results -------------------------------------------------------------------------------------------------

    def search(self, identifier: str) -> SearchState | None:
        """Return the state of the search for one item, or None if it was never listed.

        Raise StoreDamaged when the stored state cannot be read.
        """
        row = self._file.one(SQL["search"], (identifier,))
        return None if row is None else self._search(row)

    def searches(self, after: str, limit: int) -> tuple[SearchState, ...]:
        """Return at most `limit` finished searches, sorted by identifier, after the identifier `after`."""
        return tuple(map(self._search, self._file.rows(SQL["searches"], (after, limit))))

    def _search(self, row: Sequence[Any]) -> SearchState:
        identifier, source, upstream, state, due, tries, outcome, at, packed = row
        search_json = unpacked(self._file, packed, "a stored search", bytes.decode) if packed else ""
        return SearchState(identifier, source, upstream, state, due, tries, outcome, at, search_json)

    def forget(self, identifiers: Iterable[str]) -> None:
        """Delete the searches for some items, all that was decided on their files, and texts that only these have."""
        with self._file.writing() as session:
            for name in [(identifier,) for identifier in identifiers]:  # one by one: two may have the same file
                session.execute(SQL["first_pages_forget"], {"identifier": name[0]})
                session.execute(SQL["search_forget"], name)
                session.execute(SQL["decisions_forget"], name)
                session.execute(SQL["copies_forget"], name)
                session.execute(SQL["refusals_forget"], name)
                session.execute(SQL["sampled_forget"], name)
                session.execute(SQL["judgements_forget"], name)
                session.execute(SQL["rechecks_forget"], (*name, "[]"))
            session.execute(SQL["reasons_forget"])

    def counts(self) -> tuple[tuple[str, str, str, int], ...]:
        """Return rows of (source, state, outcome, number of items)."""
        return tuple(self._file.rows(SQL["counts"]))

    def searched(self) -> dict[str, int]:
        """Return the number of items that were searched for, by source; a source without them is left out."""
        return dict(self._file.rows(SQL["searched"]))

    def endings(self, since: int = 0) -> Iterator[tuple[Ending, int]]:
        """Yield the ends of steps and copies, with the number of each; those since a day, or all.

        Those of a source, a step and a host stand together. They may be millions.
        """
        with self._file.reading() as session:
            yield from ((Ending(*row[:-1]), row[-1]) for row in session.execute(SQL["endings"], (since,)))

    def add_up_endings(self, day: int, source: str = "") -> None:
        """Add the numbers of days before `day` to those of their month without a day; of one source, or of all."""
        arguments = {"day": day, "source": source}
        with self._file.writing() as session:
            session.execute(SQL["endings_add_up"], arguments)
            session.execute(SQL["endings_forget"], arguments)

    def searched_since(self, source: str, second: int, limit: int) -> tuple[SearchState, ...]:
        """Return at most `limit` searches of a source that ended at this second or later, the latest first."""
        with self._file.reading() as session:
            rows = session.execute(SQL["searched_since"], (source, second, limit)).fetchall()
            return tuple(map(self._search, rows))

    # -- alarms --------------------------------------------------------------------------------------------------

    def open_alarm(self, alarm: Alarm) -> bool:
        """Store an alarm under a new number. Return False, and store nothing, if the same one is in force."""
        evidence = map(json.dumps, (alarm.before, alarm.after, alarm.examples))
        row = (alarm.source, alarm.step, alarm.host, alarm.what, alarm.opened_at, *evidence)
        return bool(self._file.change(SQL["alarm_open"], row))

    def alarms(self, *, with_closed: bool = False) -> tuple[Alarm, ...]:
        """Return the alarms in force, or all, sorted by number."""
        return tuple(map(alarm_of, self._file.rows(SQL["alarms" if with_closed else "alarms_in_force"])))

    def close_alarm(self, number: int, at: int) -> None:
        """Close an alarm at a second; one that is closed stays so."""
        self._file.change(SQL["alarm_close"], (at, number))

    def acknowledge_alarm(self, number: int, at: int, by: str, comment: str) -> bool:
        """Store that a person has seen an alarm. Return False if it is unknown, closed, or already acknowledged."""
        return bool(self._file.change(SQL["alarm_acknowledge"], (at, by, comment, number)))

    # -- what is decided -----------------------------------------------------------------------------------------

    def decide(self, *decisions: Decision) -> None:
        """Add decisions, all of them or none; each is in force until another one on the same copy."""
        with self._file.writing() as session:
            _add(session, decisions)

    def decide_next(self, *decisions: Decision) -> Written:
        """Add each decision if that with its `number` is still the last one on its copy; 0: there is none.

        It is not added either if the copy has other bytes now than its `sha256`, or if nobody knows the copy. A copy
        whose new bytes no rule decided on can still be rejected. All are written in one transaction.
        """
        written, met, changed = [], [], []
        with self._file.writing() as session:
            for decision in decisions:
                row = session.one(SQL["decision_last"], (decision.identifier, decision.url))
                last = decision_of(row) if row else None
                (digest,) = session.one(SQL["copy_digest"], (decision.identifier, decision.url)) or ("",)
                if last is not None and last.number != decision.number:
                    met.append(last)
                elif is_on_other_bytes(decision, last, digest):
                    changed.append(decision)
                else:
                    _add(session, (decision,))
                    written.append(decision)
            enter(session, written)
        return Written(tuple(written), tuple(met), tuple(changed))

    def refuse(self, refusal: Refusal, decisions: Iterable[Decision] = ()) -> None:
        """Store that a DOI does not belong to an item, and decisions on its files; the item becomes due."""
        with self._file.writing() as session:
            session.execute(SQL["refusal_add"], refusal)
            session.executemany(SQL["decision_add"], map(decision_row, decisions))
            session.execute(SQL["change"], (refusal.identifier,))
            due = {"identifier": refusal.identifier, "basis": _NO_BASIS, "at": refusal.at}
            session.execute(SQL["renew_outdated"], due)

    def refusals(self, identifier: str) -> tuple[Refusal, ...]:
        """Return the refused DOIs of an item."""
        return tuple(map(Refusal._make, self._file.rows(SQL["refusals"], (identifier,))))

    def decisions(self, identifier: str) -> tuple[Decision, ...]:
        """Return all decisions on the copies of an item, the oldest first."""
        return tuple(map(decision_of, self._file.rows(SQL["decisions"], (identifier,))))

    def history(self, identifier: str, url: str) -> tuple[Decision, ...]:
        """Return all decisions on one copy, the oldest first; fast also for an item with many copies."""
        return tuple(map(decision_of, self._file.rows(SQL["decision_history"], (identifier, url))))

    # -- what is published ---------------------------------------------------------------------------------------

    def unpublished(
        self, after: str, limit: int, sources: Collection[str] = (), identifiers: Collection[str] | None = None
    ) -> tuple[Unpublished, ...]:
        """Return at most `limit` items after `after` that may have unpublished changes.

        No sources: of all sources. With `identifiers`, only these items count.
        """
        asked = {"after": after, "limit": limit, **_named(sources)}
        query = SQL["unpublished_of" if len(sources) == 1 else "unpublished"]
        if identifiers is not None:  # however many others are unpublished
            asked["identifiers"] = json.dumps(sorted(set(identifiers)))
            query = SQL["unpublished_among"]
        return tuple(Unpublished(*row) for row in self._file.rows(query, asked))

    def unpublished_sources(self) -> frozenset[str]:
        """Return the sources of which `unpublished` would return items."""
        return frozenset(name for (name,) in self._file.rows(SQL["unpublished_sources"]))

    def change_all(self) -> None:
        """Mark every item that ever had an accepted file as changed."""
        self._file.change(SQL["change_all"])

    def start_again(self) -> None:
        """Mark every item as changed, for a new store: nothing is published in it, and its items have other numbers."""
        with self._file.writing() as session:
            session.execute(SQL["change_searched"])
            session.execute(SQL["positions_forget"])

    def published(self, items: Iterable[Unpublished]) -> None:
        """Note that these items are published, in the state in which they were returned or a later one."""
        with self._file.writing() as session:
            session.executemany(SQL["publish"], [(item.changed, item.identifier) for item in items])

    # -- answers -------------------------------------------------------------------------------------------------

    def answer(self, question: bytes, at: int) -> bytes | None:
        """Return the stored answer to a question, or None if there is none that is valid at the second `at`.

        Raise StoreDamaged when the stored answer cannot be read.
        """
        row = self._file.one(SQL["answer"], (question, at))
        return unpacked(self._file, row[0], "a stored answer", bytes) if row else None

    def keep_answer(self, question: bytes, content: bytes, expires: int) -> None:
        """Store an answer until the second `expires`."""
        self._file.change(SQL["answer_put"], (question, expires, zstandard.compress(content, LEVEL)))

    def forget_answers(self, at: int) -> None:
        """Delete the answers that have expired at the second `at`."""
        self._file.change(SQL["answers_expire"], (at,))

    # -- hosts ---------------------------------------------------------------------------------------------------

    def away_until(self, host: str) -> int:
        """Return the second until which no request may go to a host; 0 if there is no such limit."""
        (until,) = self._file.one(SQL["host_away"], (host,)) or (0,)
        return int(until)

    def stay_away(self, host: str, until: int) -> None:
        """Prevent requests to a host until the second `until`."""
        self._file.change(SQL["host_put"], (host, until))


def _add(session: Session, decisions: Sequence[Decision]) -> None:
    session.executemany(SQL["decision_add"], map(decision_row, decisions))
    session.executemany(SQL["change"], [(decision.identifier,) for decision in decisions])


def _named(sources: Collection[str]) -> dict[str, object]:
    """Return the parameters of queries for one source, and for several or all."""
    return {"source": next(iter(sources), ""), "sources": spaced(sources)}
