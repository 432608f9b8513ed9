"""The part of `Discovery` that stores the rechecks of published files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import zstandard

from gateway.core.errors import StoreDamaged
from gateway.core.model import Ending, FileRecheck, RecheckCounts
from gateway.core.model.rechecks import NEVER_DUE, SHARES
from gateway.store.connector import Connector, Session
from gateway.store.discovery_rows import copy_rows, decision_of, decision_row
from gateway.store.queries import load
from gateway.store.values import Conclude

SQL = load("discovery")
LEVEL = 3  # of the compression of stories and answers


class Rechecks:
    """The last recheck of each published file. It is safe for threads and processes."""

    def __init__(self, file: Connector) -> None:
        self._file = file

    def publish(self, files: Mapping[str, Iterable[FileRecheck]]) -> None:
        """Store the published files of some items, with first facts; forget their files that are not published.

        The rechecks of known files stay. If the published bytes have changed, their validators are forgotten.
        """
        with self._file.writing() as session:
            for identifier, rechecks in files.items():
                rows = tuple(rechecks)
                session.execute(SQL["rechecks_forget"], (identifier, json.dumps([recheck.url for recheck in rows])))
                session.executemany(SQL["recheck_add"], rows)

    def list_anew(self, list_: str) -> None:
        """Forget the position of a list of published files, so that all are listed again."""
        self._file.change(SQL["position_forget"], (list_,))

    def schedule(self, source: str, every: int, at: int) -> None:
        """Store the period of the files of a source in seconds; 0: they are due only when asked for.

        A file without a recheck counts as rechecked in the second `at`.
        """
        asked = {"source": source, "every": every, "at": at, "never": NEVER_DUE, "shares": SHARES}
        self._file.change(SQL["rechecks_schedule"], asked)

    def ask(self, source: str, before: int) -> bool:
        """Make all files of a source due that were not looked at since a second.

        Return False, and write nothing, if files that were asked for earlier are still due.
        """
        with self._file.writing() as session:
            is_asked = session.one(SQL["rechecks_asked"], (source,)) == (1,)
            if not is_asked:
                session.execute(SQL["rechecks_ask"], (source, before))
        return not is_asked

    def next_at(self, source: str) -> int | None:
        """Return the second at which the next file of a source is due; None: it has no files."""
        (due,) = self._file.one(SQL["rechecks_next"], (source,)) or (None,)
        return None if due is None else int(due)

    def next_of_all(self) -> dict[str, int]:
        """Return what `next_at` returns, by source; sources without files are left out."""
        return dict(self._file.rows(SQL["rechecks_next_of_all"]))

    def counts(self, source: str, at: int) -> RecheckCounts:
        """Return the numbers of the files of a source in a second."""
        row = self._file.one(SQL["rechecks_count"], (source, at))
        files, due, failing, unseen = row or (0, 0, 0, 0)
        return RecheckCounts(files, due, failing, unseen, self.next_at(source))

    def hosts(self, source: str, at: int) -> tuple[str, ...]:
        """Return the hosts of the files of a source that are due."""
        return tuple(host for (host,) in self._file.rows(SQL["rechecks_hosts"], (source, at)))

    def due(self, source: str, host: str, at: int, after: tuple[int, str, str], limit: int) -> tuple[FileRecheck, ...]:
        """Return at most `limit` due files at a host, sorted by (due, identifier, url), after `after`."""
        return tuple(map(_recheck_of, self._file.rows(SQL["rechecks_due"], (source, host, at, *after, limit))))

    def failing(self, source: str, host: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` items of a source with a file at a host that was not seen at the last recheck."""
        with self._file.reading() as session:
            rows = session.execute(SQL["rechecks_failing"], (source, host, limit)).fetchall()
            return tuple(identifier for (identifier,) in rows)

    def longest_unseen(self, source: str) -> FileRecheck | None:
        """Return the file of a source that could not be rechecked for the longest time; None: there is none."""
        row = self._file.one(SQL["recheck_unseen"], (source,))
        return _recheck_of(row) if row else None

    def of_item(self, identifier: str) -> tuple[FileRecheck, ...]:
        """Return the rechecks of the files of an item, sorted by address."""
        return tuple(map(_recheck_of, self._file.rows(SQL["rechecks_of"], (identifier,))))

    def write(self, rechecks: Iterable[FileRecheck], endings: Iterable[Ending] = ()) -> None:
        """Store rechecks, and count their outcomes. A file whose published bytes have changed is left out."""
        with self._file.writing() as session:
            session.executemany(SQL["recheck_put"], (recheck._asdict() for recheck in rechecks))
            session.executemany(SQL["ending_add"], endings)

    def conclude(self, recheck: FileRecheck, number: int, url: str, conclude: Conclude, sha256: str = "") -> bool:
        """Store the recheck of a file that has changed, and what follows from it, all or nothing.

        `number` is that of the last decision on the copy `url` that the caller knows; 0: there is none. Return False,
        and write nothing, if there is another one meanwhile, or no search. `sha256` is the digest of new bytes. A
        search for the item that is under way loses its lease, and the item is due.
        """
        with self._file.writing() as session:
            if not self._concluded(session, recheck.identifier, number, url, conclude, recheck.looked_at):
                return False
            session.execute(SQL["recheck_put"], recheck._asdict())
            if sha256:
                session.execute(SQL["recheck_change"], (sha256, recheck.identifier, recheck.url))
        return True

    def judge_again(self, identifier: str, number: int, url: str, conclude: Conclude, at: int) -> bool:
        """Store what follows from judging a file of an item again in the second `at`, as `conclude` does."""
        with self._file.writing() as session:
            return self._concluded(session, identifier, number, url, conclude, at)

    def _concluded(self, session: Session, identifier: str, number: int, url: str, conclude: Conclude, at: int) -> bool:
        rows = session.execute(SQL["decisions"], (identifier,)).fetchall()
        decisions = tuple(map(decision_of, rows))
        last = max((decision.number for decision in decisions if decision.url == url), default=0)
        search = session.one(SQL["search"], (identifier,))
        if last != number or search is None:
            return False
        news = conclude(decisions, self._unpacked(search[-1]))
        story = zstandard.compress(news.search_json.encode(), LEVEL) if news.search_json else b""
        session.execute(SQL["story_put"], {"story": story, "identifier": identifier, "at": at})
        if news.outcome:
            session.execute(SQL["outcome_put"], (news.outcome, identifier))
        session.executemany(SQL["copy_put"], copy_rows(news.copies))
        session.executemany(SQL["decision_add"], map(decision_row, news.decisions))
        return True

    def stamping_hosts(self) -> frozenset[str]:
        """Return the hosts that stamp each download."""
        return frozenset(name for (name,) in self._file.rows(SQL["stamping_hosts"]))

    def note_stamping(self, host: str, at: int) -> None:
        """Store that a host stamps each download."""
        self._file.change(SQL["stamping_host_add"], (host, at))

    def _unpacked(self, story: bytes) -> str:
        try:
            return zstandard.decompress(story).decode() if story else ""
        except zstandard.ZstdError as error:
            raise StoreDamaged(f"{self._file.path}: a stored search cannot be read: {error}.") from error


def _recheck_of(row: Sequence[Any]) -> FileRecheck:
    recheck = FileRecheck._make(row)
    return recheck._replace(is_named=bool(recheck.is_named))
