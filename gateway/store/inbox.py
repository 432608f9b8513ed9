"""The inbox on SQLite: what arrived, unchanged, with the cursor after it in the same durable transaction."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import zstandard

from gateway.core.errors import PageLost
from gateway.core.model import (
    Cursor,
    Event,
    Identity,
    KnownIdentity,
    RawPage,
    Removal,
    Restoration,
    Run,
    RunOutcome,
    RunTotal,
    SetDescription,
    Slice,
    SourceClock,
    StoredPage,
    WindowOutcome,
)
from gateway.core.waiting import PATIENCE_SECONDS, is_locked
from gateway.store.connecting import connect, connect_locks
from gateway.store.connector import Database, Session
from gateway.store.damage import DAMAGE
from gateway.store.queries import load

SQL = load("inbox")
T = TypeVar("T")

_LOST = RawPage("", "lost", "", 0, 0, (), b"")
_REMOVAL = "Removal"  # the verb of our own page that notes the removal of a source
_RESTORED = "Restored"  # and of one that notes a restore of this inbox
_LEVEL = 3  # four microseconds a record, an eighth of the bytes
_BATCH = 500
_SAMPLE = 200  # pages that a short check reads
_PAGES_AT_ONCE = 20  # of which only the identifiers are read


class Inbox(Database):
    """The database of what arrived: pages, slices, cursors, and the log of the runs."""

    def __init__(self, path: Path, *, create: bool = False, url: str = "", only_reads: bool = False) -> None:
        self._folder, self._locks = path.parent, connect_locks(url)
        super().__init__(
            connect(path, "inbox", create=create, url=url, busy_seconds=PATIENCE_SECONDS, only_reads=only_reads)
        )

    # -- pages ---------------------------------------------------------------------------------------------------

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None, harvest: str | None = None) -> int:
        """Store a page, its slices and the cursor after it in one durable transaction; return the page's number.

        The cursor may be that of a window. `harvest` is the new state of the harvest; None: it does not change.
        """
        row = _row(page, slices)
        with self._file.writing() as session:
            ((number,),) = session.execute(SQL["page_add"], row).fetchall()
            if cursor is not None:
                _put_cursor(session, cursor)
            if harvest is not None:
                session.execute(SQL["harvest_put"], (page.source, harvest))
            return int(number)

    def page(self, number: int) -> StoredPage:
        """Return one page. Raise PageLost if it is missing."""
        return self._stored("page", number)

    def _stored(self, query: str, number: int) -> StoredPage:
        row = self._file.one(SQL[query], (number,))
        if row is None:
            raise PageLost(number)
        return _page(number, row)

    def headers(self, number: int) -> StoredPage:
        """Return one page without its bytes, which are not read. Raise PageLost if it is missing."""
        return self._stored("page_headers", number)

    def last_number(self) -> int:
        """Return the highest number of a page; 0 if there is no page."""
        return self._number("page_last") or 0

    def number_behind(self, number: int) -> None:
        """Give new pages numbers above this one."""
        with self._file.writing() as session:
            ((last,),) = session.execute(SQL["page_last"]).fetchall()
            if last < number:
                session.execute(SQL["page_lost"], (number, *_row(_LOST, ())))

    def pages(self, source: str, after: int) -> Iterator[StoredPage]:
        """Yield the pages of a source that have records, sorted by number, after the page `after`."""
        while (number := self._number("page_next", source, after)) is not None:
            yield self.page(number)
            after = number

    def extents(self, source: str, after: int, limit: int) -> tuple[tuple[int, int], ...]:
        """Return (number, how many records) of the first `limit` pages that `pages` would return."""
        return tuple(self._file.rows(SQL["extents"], (source, after, limit)))

    def identifiers(self, source: str, metadata_prefix: str, after: int) -> Iterator[str]:
        """Yield the identifiers of the slices of a source in a format, on its pages after the page `after`.

        They are in the order in which they came. The bytes of the pages are not read.
        """
        read = zstandard.ZstdDecompressor().decompress
        while rows := self._file.rows(SQL["identifiers"], (source, metadata_prefix, after, _PAGES_AT_ONCE)):
            for number, slices in rows:
                yield from (fields[0] for fields in json.loads(read(slices)))
                after = number

    def overwrite(self, number: int, places: Collection[int]) -> None:
        """Overwrite the metadata and abouts of these slices of a page for good; from then on they count as deleted.

        The rest of the page stays. If the page was repaired, its received bytes are removed too.
        """
        stored = self.page(number)
        page, slices = overwritten(stored, places)
        row = _row(page, slices)
        self._file.change(SQL["page_overwrite"], (*row[-3:], number))

    def check(self, *, is_whole: bool = False) -> tuple[str, ...]:
        """Return a message for each page that cannot be read: of the last ones and a sample, or of all."""
        numbers = [number for (number,) in self._file.rows(SQL["page_numbers"])]
        step = 1 if is_whole else max(1, len(numbers) // _SAMPLE)
        problems = []
        for number in dict.fromkeys((*numbers[-_SAMPLE:], *numbers[::step])):
            try:
                self.page(number)
            except (*DAMAGE, zstandard.ZstdError, LookupError) as error:
                problems.append(f"Page {number} of the inbox is damaged: {error}.")
        return tuple(problems)

    def last_answer(self, source: str, verb: str) -> RawPage | None:
        """Return the last page that answers `verb` (Identify, ListSets, ListMetadataFormats), or None."""
        number = self._number("answer_last", source, verb)
        return None if number is None else self.page(number).page

    def _number(self, query: str, *parameters: object) -> int | None:
        row = self._file.one(SQL[query], parameters)
        return row[0] if row else None

    # -- cursors -------------------------------------------------------------------------------------------------

    def cursor(self, source: str, metadata_prefix: str, set_spec: str) -> Cursor:
        """Return the cursor of one list; its state is empty if none is stored."""
        (state,) = self._file.one(SQL["cursor"], (source, metadata_prefix, set_spec)) or ("",)
        return Cursor(source, metadata_prefix, set_spec, state)

    def cursors(self, source: str) -> tuple[Cursor, ...]:
        """Return all cursors of a source."""
        return tuple(Cursor(*row) for row in self._file.rows(SQL["cursors"], (source,)))

    def put_cursor(self, cursor: Cursor) -> None:
        """Store a cursor without a page."""
        with self._file.writing() as session:
            _put_cursor(session, cursor)

    def windows(self, source: str) -> tuple[Cursor, ...]:
        """Return all windows of the lists of a source, sorted by list and dates."""
        rows = self._file.rows(SQL["windows"], (source,))
        return tuple(replace(Cursor(*row[:5]), outcome=WindowOutcome(row[5])) for row in rows)

    def window_counts(self) -> dict[str, Counter[WindowOutcome]]:
        """Return how many windows of each source have which outcome; sources without windows are left out."""
        counts: defaultdict[str, Counter[WindowOutcome]] = defaultdict(Counter)
        with self._file.reading() as session:
            for source, outcome, count in session.execute(SQL["window_counts"]).fetchall():
                counts[source][WindowOutcome(outcome)] = count
        return dict(counts)

    def put_windows(self, cursors: Sequence[Cursor]) -> None:
        """Store several windows and their outcomes in one transaction."""
        with self._file.writing() as session:
            for cursor in cursors:
                _put_cursor(session, cursor)

    def forget_windows(self, cursor: Cursor) -> None:
        """Delete the windows of the cursor's list."""
        self._file.change(SQL["windows_remove"], (cursor.source, cursor.metadata_prefix, cursor.set_spec))

    def harvest(self, source: str) -> str:
        """Return the stored state of the harvest of a source; an empty string if there is none."""
        (state,) = self._file.one(SQL["harvest"], (source,)) or ("",)
        return str(state)

    def keep_harvest(self, source: str, state: str) -> None:
        """Store the state of the harvest of a source."""
        self._file.change(SQL["harvest_put"], (source, state))

    # -- what the store is made of again -------------------------------------------------------------------------

    def sources(self) -> tuple[str, ...]:
        """Return the names of the sources that have pages with records, sorted."""
        return tuple(name for name, _ in self._file.rows(SQL["record_sources"], {"source": ""}))

    def last_pages(self, source: str = "") -> dict[str, int]:
        """Return the number of the last page with records of a source, or of each; one that has none is left out."""
        return dict(self._file.rows(SQL["record_sources"], {"source": source}))

    def pages_behind(self, source: str, after: int) -> int:
        """Return how many pages with records a source has after the page `after`."""
        return self._number("record_pages", source, after) or 0

    def lost_until(self) -> int:
        """Return the number of the last page that was lost with an earlier inbox; 0 if none was lost."""
        return self._number("pages_lost") or 0

    def remove_source(self, source: str, position: int, at: int) -> int:
        """Write the removal of all records of a source, whose pages up to `position` are published.

        Return the number of the entry, which is above that of every earlier page. `at` is the second of the removal.
        """
        body = json.dumps({"position": position}).encode()
        return self.receive(RawPage(source, _REMOVAL, "", at, 0, (), body), (), None)

    def mark_restored(self, since: int, at: int) -> None:
        """Write that this inbox was restored from a backup at the second `at`, and lost what arrived after `since`."""
        self.receive(RawPage("", _RESTORED, "", at, 0, (), json.dumps({"since": since}).encode()), (), None)

    def restored(self) -> tuple[Restoration, ...]:
        """Return the restorations of this inbox, the first one first."""
        restorations: list[Restoration] = []
        number: int | None = 0
        while (number := self._number("entry_next", "", _RESTORED, number)) is not None:
            restorations.append(Restoration(number, json.loads(self.page(number).page.body)["since"]))
        return tuple(restorations)

    def removal(self, source: str, after: int) -> Removal | None:
        """Return the first removal of a source after the page `after`, or None."""
        number = self._number("entry_next", source, _REMOVAL, after)
        return None if number is None else Removal(number, json.loads(self.page(number).page.body)["position"])

    def identity(self, source: str) -> KnownIdentity | None:
        """Return the stored identity of a source; None if it is unknown."""
        row = self._file.one(SQL["identity"], (source,))
        return None if row is None else _identity(row)

    def differing_identities(self) -> dict[str, KnownIdentity]:
        """Return the stored identities whose parts are not all alike, by source. All others wait for nobody."""
        return {row[4]: _identity(row) for row in self._file.rows(SQL["identities_differing"])}

    def keep_identity(self, source: str, known: KnownIdentity) -> None:
        """Store the identity of a source."""
        row = (source, *map(json.dumps, known[:2]), known.strange, int(known.is_strange_accepted))
        self._file.change(SQL["identity_put"], row)

    def source_clocks(self) -> dict[str, SourceClock]:
        """Return the last known time of each source, by name."""
        rows = self._file.rows(SQL["source_clocks"])
        return {name: SourceClock(host, second, bool(is_sure), *rest) for name, host, second, is_sure, *rest in rows}

    def keep_source_clock(self, source: str, clock: SourceClock) -> None:
        """Store the time of a source."""
        self._file.change(SQL["source_clock_put"], (source, *clock))

    def forget_identity(self, source: str) -> None:
        """Delete the identity of a source, and its clock."""
        with self._file.writing() as session:
            for query in ("identity_forget", "source_clock_forget"):
                session.execute(SQL[query], (source,))

    def note(self, source: str) -> str:
        """Return the note on a source; an empty string if there is none."""
        (note,) = self._file.one(SQL["source_note"], (source,)) or ("",)
        return str(note)

    def keep_note(self, source: str, note: str) -> None:
        """Store what the store needs to know of a source when it is made again."""
        self._file.change(SQL["source_note_put"], (source, note))

    def notes(self) -> tuple[tuple[str, str], ...]:
        """Return the notes on all sources as (source, note), in the order of their first notes."""
        return tuple(self._file.rows(SQL["source_notes"]))

    def keep_sets(self, source: str, sets: Sequence[SetDescription]) -> None:
        """Store the sets of a source under our specs, with their names and descriptions. No set is ever deleted."""
        with self._file.writing() as session:
            rows = [(source, set_.spec, set_.name, set_.description) for set_ in sets]
            session.executemany(SQL["announced_set_put"], rows)

    def kept_sets(self, source: str) -> tuple[SetDescription, ...]:
        """Return the stored sets of a source, sorted by spec."""
        return tuple(SetDescription(*row) for row in self._file.rows(SQL["announced_sets"], (source,)))

    # -- runs ----------------------------------------------------------------------------------------------------

    def start_run(self, source: str, at: int, stage: str = "harvest") -> int:
        """Begin a run of a stage at the second `at`; return its number."""
        with self._file.writing() as session:
            ((number,),) = session.execute(SQL["run_add"], (source, at, stage)).fetchall()
            return int(number)

    def store_progress(self, number: int, counts: dict[str, int]) -> None:
        """Write the counts of a run so far; `end_run` replaces them."""
        self._file.change(SQL["run_progress_put"], (json.dumps(counts), number))

    def end_run(
        self,
        number: int,
        at: int,
        outcome: RunOutcome,
        is_complete: bool,
        counts: dict[str, int],
        reasons: Sequence[str],
    ) -> None:
        """Write the end of a run: the second, the outcome, the counts, and the reasons of a failure."""
        row = (at, outcome.value, is_complete, json.dumps(counts), json.dumps(list(reasons)), number)
        self._file.change(SQL["run_end"], row)

    def add_event(self, event: Event) -> None:
        """Add an event to the log of a run."""
        self._file.change(SQL["event_add"], (event.run, event.at, event.level, event.text))

    def runs(self, source: str | None, limit: int, stage: str | None = None) -> tuple[Run, ...]:
        """Return the last `limit` runs, the newest first, of one source and stage, or of all (None)."""
        parameters = {"source": source, "stage": stage, "limit": limit}
        if stage is None:
            query = SQL["runs"] if source is None else SQL["runs_of_source"]
        else:
            query = SQL["runs_of_stage"] if source is None else SQL["runs_of_source_stage"]
        return tuple(map(_run, self._file.rows(query, parameters)))

    def has_died(self, run: Run) -> bool:
        """Return whether a run is marked as running, and no process works on its source."""
        if run.outcome is not RunOutcome.RUNNING or self._works_on(run.source):
            return False
        row = self._file.one(SQL["run"], (run.number,))  # it may just have ended
        return row is not None and _run(row).outcome is RunOutcome.RUNNING

    def _works_on(self, source: str) -> bool:
        return is_locked(self._folder, source) or self._locks.is_held(source)

    def last_runs(self, source: str = "") -> tuple[Run, ...]:
        """Return the last run of each stage of a source, or of each source."""
        return tuple(map(_run, self._file.rows(SQL["runs_last"], {"source": source})))

    def last_harvests(self, without: Collection[str]) -> tuple[int, Run | None]:
        """Return of how many sources the last harvest is complete, and the last one of all; some do not count."""
        with self._file.reading() as session:
            parameters = {"without": json.dumps(list(without))}
            complete, last = session.one(SQL["harvests_complete"], parameters) or (0, None)
            row = session.one(SQL["run"], (last,))
        return complete, _run(row) if row else None

    def run_totals(self) -> tuple[RunTotal, ...]:
        """Return the number of runs by source, stage and outcome, including running ones."""
        rows = self._file.rows(SQL["run_totals"])
        return tuple(RunTotal(source, stage, RunOutcome(outcome), *others) for source, stage, outcome, *others in rows)

    def events(self, run: int) -> Iterator[Event]:
        """Yield the events of a run, the oldest first."""
        after = 0
        while rows := self._file.rows(SQL["events"], (run, after, _BATCH)):
            yield from (Event(*row[:4]) for row in rows)
            after = rows[-1][4]


def overwritten(stored: StoredPage, places: Collection[int]) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return a page and its slices with spaces where the metadata and abouts of these slices were."""
    page, slices = stored.page, list(stored.slices)
    text = bytearray(page.repaired or page.body)
    for place in places:
        slice_ = slices[place]
        for start, stop in ((slice_.start, slice_.stop), *slice_.abouts):
            text[start:stop] = b" " * (stop - start)
        slices[place] = Slice(slice_.identifier, slice_.datestamp, slice_.sets, True, 0, 0)
    body, repaired = (b"", bytes(text)) if page.repaired else (bytes(text), b"")
    return replace(page, body=body, repaired=repaired), tuple(slices)


def _put_cursor(session: Session, cursor: Cursor) -> None:
    row = (cursor.source, cursor.metadata_prefix, cursor.set_spec, cursor.state)
    if cursor.window:
        session.execute(SQL["window_put"], (*row, cursor.window, cursor.outcome.value))
    else:
        session.execute(SQL["cursor_put"], row)


def _row(page: RawPage, slices: Sequence[Slice]) -> tuple[object, ...]:
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    text = json.dumps(slices, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return (
        page.source,
        page.verb,
        page.url,
        page.received_at,
        page.status,
        json.dumps(page.headers),
        page.metadata_prefix,
        page.set_spec,
        json.dumps(page.repairs),
        page.list_begun,
        len(slices),
        compressor.compress(text),
        compressor.compress(page.body),
        compressor.compress(page.repaired) if page.repaired else b"",
    )


def _page(number: int, row: tuple[Any, ...]) -> StoredPage:
    source, verb, url, received_at, status, headers, prefix, set_spec, repairs, list_begun, slices, body, repaired = row
    read = zstandard.ZstdDecompressor().decompress
    page = RawPage(
        source=source,
        verb=verb,
        url=url,
        received_at=received_at,
        status=status,
        headers=_pairs(json.loads(headers)),
        body=read(body) if body else b"",
        metadata_prefix=prefix,
        set_spec=set_spec,
        repaired=read(repaired) if repaired else b"",
        repairs=tuple(json.loads(repairs)),
        list_begun=list_begun,
    )
    return StoredPage(number, page, tuple(_slice(*fields) for fields in json.loads(read(slices))))


def _slice(
    identifier: str,
    datestamp: str,
    sets: list[str],
    is_deleted: bool,
    start: int,
    stop: int,
    abouts: list[list[int]],
    declarations: list[list[str]],
    problem: str,
    waits: bool = False,
) -> Slice:
    scope = _pairs(declarations)
    return Slice(identifier, datestamp, tuple(sets), is_deleted, start, stop, _pairs(abouts), scope, problem, waits)


def _pairs(lists: list[list[T]]) -> tuple[tuple[T, T], ...]:
    return tuple((first, second) for first, second in lists)


def _identity(row: Sequence[Any]) -> KnownIdentity:
    accepted, seen = (Identity(*json.loads(text)) for text in row[:2])
    return KnownIdentity(accepted, seen, row[2], bool(row[3]))


def _run(row: tuple[Any, ...]) -> Run:
    number, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage = row
    facts = json.loads(counts), tuple(json.loads(reasons)), stage
    return Run(number, source, started_at, ended_at, RunOutcome(outcome), bool(is_complete), *facts)
