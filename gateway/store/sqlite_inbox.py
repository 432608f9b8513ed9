"""The inbox on SQLite: what arrived, exactly, with the cursor after it in the same durable transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import zstandard

from gateway.errors import PageLost
from gateway.model import (
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
from gateway.store.queries import load
from gateway.store.sqlite_file import Session, SqliteFile
from gateway.store.waiting import PATIENCE_SECONDS

SQL = load("inbox")
T = TypeVar("T")

_LOST = RawPage("", "lost", "", 0, 0, (), b"")
_REMOVAL = "Removal"  # the verb of a page of ours: all records of a source were removed
_RESTORED = "Restored"  # and: this inbox is a copy of an earlier one
_LEVEL = 3  # four microseconds a record, an eighth of the bytes
_BATCH = 500


class SqliteInbox:
    """What arrived; see `Inbox` in gateway/store/base.py for what each method promises."""

    def __init__(self, path: Path, *, create: bool = False, only_reads: bool = False) -> None:
        """Open or make the file."""
        migrations = Path(__file__).parent / "migrations" / "inbox"
        self._file = SqliteFile(path, migrations, create=create, busy_seconds=PATIENCE_SECONDS, only_reads=only_reads)

    # -- pages ---------------------------------------------------------------------------------------------------

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None, harvest: str | None = None) -> int:
        """Keep a page, its slices, the cursor after it and what is remembered of the harvest."""
        row = _row(page, slices)
        with self._file.writing() as session:
            ((number,),) = session.execute(SQL["page_add"], row).fetchall()
            if cursor is not None:
                _put_cursor(session, cursor)
            if harvest is not None:
                session.execute(SQL["harvest_put"], (page.source, harvest))
            return int(number)

    def page(self, number: int) -> StoredPage:
        """Return one page."""
        return self._stored("page", number)

    def _stored(self, query: str, number: int) -> StoredPage:
        with self._file.reading() as session:
            row = session.one(SQL[query], (number,))
        if row is None:
            raise PageLost(number)
        return _page(number, row)

    def headers(self, number: int) -> StoredPage:
        """Return one page without its bytes."""
        return self._stored("page_headers", number)

    def last_number(self) -> int:
        """Return the number of the last page."""
        return self._number("page_last") or 0

    def number_behind(self, number: int) -> None:
        """Put an empty page at the number when the last page has a lower one."""
        with self._file.writing() as session:
            ((last,),) = session.execute(SQL["page_last"]).fetchall()
            if last < number:
                session.execute(SQL["page_lost"], (number, *_row(_LOST, ())))

    def pages(self, source: str, after: int) -> Iterator[StoredPage]:
        """Return the pages that hold records, each read by itself: nothing is locked while the caller works."""
        while (number := self._number("page_next", source, after)) is not None:
            yield self.page(number)
            after = number

    def extents(self, source: str, after: int, limit: int) -> tuple[tuple[int, int], ...]:
        """Return how many records the next pages hold."""
        with self._file.reading() as session:
            return tuple(session.execute(SQL["extents"], (source, after, limit)).fetchall())

    def overwrite(self, number: int, places: Collection[int]) -> None:
        """Overwrite slices of a page."""
        stored = self.page(number)
        page, slices = overwritten(stored, places)
        row = _row(page, slices)
        with self._file.writing() as session:
            session.execute(SQL["page_overwrite"], (*row[-3:], number))

    def settle(self) -> bool:
        """Empty the write-ahead log."""
        return self._file.settle()

    def last_answer(self, source: str, verb: str) -> RawPage | None:
        """Return the last answer to a verb."""
        number = self._number("answer_last", source, verb)
        return None if number is None else self.page(number).page

    def _number(self, query: str, *parameters: object) -> int | None:
        with self._file.reading() as session:
            row = session.one(SQL[query], parameters)
        return row[0] if row else None

    # -- cursors -------------------------------------------------------------------------------------------------

    def cursor(self, source: str, metadata_prefix: str, set_spec: str) -> Cursor:
        """Return the cursor of one list."""
        with self._file.reading() as session:
            (state,) = session.one(SQL["cursor"], (source, metadata_prefix, set_spec)) or ("",)
        return Cursor(source, metadata_prefix, set_spec, state)

    def cursors(self, source: str) -> tuple[Cursor, ...]:
        """Return the cursors of a source."""
        with self._file.reading() as session:
            return tuple(Cursor(*row) for row in session.execute(SQL["cursors"], (source,)))

    def put_cursor(self, cursor: Cursor) -> None:
        """Keep a cursor."""
        with self._file.writing() as session:
            _put_cursor(session, cursor)

    def windows(self, source: str) -> tuple[Cursor, ...]:
        """Return the windows of a source."""
        with self._file.reading() as session:
            rows = session.execute(SQL["windows"], (source,)).fetchall()
        return tuple(replace(Cursor(*row[:5]), outcome=WindowOutcome(row[5])) for row in rows)

    def put_windows(self, cursors: Sequence[Cursor]) -> None:
        """Keep several windows."""
        with self._file.writing() as session:
            for cursor in cursors:
                _put_cursor(session, cursor)

    def forget_windows(self, cursor: Cursor) -> None:
        """Forget the windows of one list."""
        with self._file.writing() as session:
            session.execute(SQL["windows_remove"], (cursor.source, cursor.metadata_prefix, cursor.set_spec))

    def harvest(self, source: str) -> str:
        """Return what is remembered of the harvest of a source."""
        with self._file.reading() as session:
            (state,) = session.one(SQL["harvest"], (source,)) or ("",)
        return str(state)

    def keep_harvest(self, source: str, state: str) -> None:
        """Remember something else of the harvest of a source."""
        with self._file.writing() as session:
            session.execute(SQL["harvest_put"], (source, state))

    # -- what the store is made of again -------------------------------------------------------------------------

    def sources(self) -> tuple[str, ...]:
        """Return the sources of which pages hold records."""
        with self._file.reading() as session:
            return tuple(name for (name,) in session.execute(SQL["record_sources"]))

    def pages_behind(self, source: str, after: int) -> int:
        """Return how many pages of a source hold records."""
        return self._number("record_pages", source, after) or 0

    def lost_until(self) -> int:
        """Return the number of the last page that was lost."""
        return self._number("pages_lost") or 0

    def remove_source(self, source: str, position: int, at: int) -> int:
        """Write that all records of a source were removed, as a page without records."""
        body = json.dumps({"position": position}).encode()
        return self.receive(RawPage(source, _REMOVAL, "", at, 0, (), body), (), None)

    def mark_restored(self, since: int, at: int) -> None:
        """Write that this inbox was restored, as a page without records."""
        self.receive(RawPage("", _RESTORED, "", at, 0, (), json.dumps({"since": since}).encode()), (), None)

    def restored(self) -> tuple[Restoration, ...]:
        """Return when this inbox was restored."""
        found: list[Restoration] = []
        number: int | None = 0
        while (number := self._number("entry_next", "", _RESTORED, number)) is not None:
            found.append(Restoration(number, json.loads(self.page(number).page.body)["since"]))
        return tuple(found)

    def removal(self, source: str, after: int) -> Removal | None:
        """Return the first removal of a source behind a page."""
        number = self._number("entry_next", source, _REMOVAL, after)
        return None if number is None else Removal(number, json.loads(self.page(number).page.body)["position"])

    def identity(self, source: str) -> KnownIdentity | None:
        """Return which repository a source is."""
        with self._file.reading() as session:
            row = session.one(SQL["identity"], (source,))
        if row is None:
            return None
        accepted, said = (Identity(*json.loads(text)) for text in row[:2])
        return KnownIdentity(accepted, said, row[2], bool(row[3]))

    def keep_identity(self, source: str, known: KnownIdentity) -> None:
        """Keep which repository a source is."""
        row = (source, *map(json.dumps, known[:2]), known.strange, int(known.is_strange_accepted))
        with self._file.writing() as session:
            session.execute(SQL["identity_put"], row)

    def source_clocks(self) -> dict[str, SourceClock]:
        """Return what each source said last that it is o'clock."""
        with self._file.reading() as session:
            rows = session.execute(SQL["source_clocks"]).fetchall()
        return {name: SourceClock(host, second, bool(is_sure), *rest) for name, host, second, is_sure, *rest in rows}

    def keep_source_clock(self, source: str, told: SourceClock) -> None:
        """Keep what a source says that it is o'clock."""
        with self._file.writing() as session:
            session.execute(SQL["source_clock_put"], (source, *told))

    def forget_identity(self, source: str) -> None:
        """Forget which repository a source is."""
        with self._file.writing() as session:
            for query in ("identity_forget", "source_clock_forget"):
                session.execute(SQL[query], (source,))

    def note(self, source: str) -> str:
        """Return the note on a source."""
        with self._file.reading() as session:
            (note,) = session.one(SQL["source_note"], (source,)) or ("",)
        return str(note)

    def keep_note(self, source: str, note: str) -> None:
        """Keep a note on a source."""
        with self._file.writing() as session:
            session.execute(SQL["source_note_put"], (source, note))

    def notes(self) -> tuple[tuple[str, str], ...]:
        """Return the notes on all sources."""
        with self._file.reading() as session:
            return tuple(session.execute(SQL["source_notes"]).fetchall())

    def keep_sets(self, source: str, sets: Sequence[SetDescription]) -> None:
        """Keep the sets of a source."""
        with self._file.writing() as session:
            rows = [(source, each.spec, each.name, each.description) for each in sets]
            session.executemany(SQL["announced_set_put"], rows)

    def kept_sets(self, source: str) -> tuple[SetDescription, ...]:
        """Return the sets of a source that were kept."""
        with self._file.reading() as session:
            return tuple(SetDescription(*row) for row in session.execute(SQL["announced_sets"], (source,)))

    # -- runs ----------------------------------------------------------------------------------------------------

    def start_run(self, source: str, at: int, stage: str = "harvest") -> int:
        """Begin a run."""
        with self._file.writing() as session:
            ((number,),) = session.execute(SQL["run_add"], (source, at, stage)).fetchall()
            return int(number)

    def tell_run(self, number: int, counts: dict[str, int]) -> None:
        """Write what a run has come to so far."""
        with self._file.writing() as session:
            session.execute(SQL["run_tell"], (json.dumps(counts), number))

    def end_run(
        self,
        number: int,
        at: int,
        outcome: RunOutcome,
        is_complete: bool,
        counts: dict[str, int],
        reasons: Sequence[str],
    ) -> None:
        """Write how a run ended."""
        row = (at, outcome.value, is_complete, json.dumps(counts), json.dumps(list(reasons)), number)
        with self._file.writing() as session:
            session.execute(SQL["run_end"], row)

    def add_event(self, event: Event) -> None:
        """Add to the story of a run."""
        with self._file.writing() as session:
            session.execute(SQL["event_add"], (event.run, event.at, event.level, event.text))

    def runs(self, source: str | None, limit: int, stage: str | None = None) -> tuple[Run, ...]:
        """Return the last runs."""
        parameters = {"source": source, "stage": stage, "limit": limit}
        with self._file.reading() as session:
            return tuple(_run(row) for row in session.execute(SQL["runs"], parameters))

    def run_totals(self) -> tuple[RunTotal, ...]:
        """Count all runs."""
        with self._file.reading() as session:
            rows = session.execute(SQL["run_totals"]).fetchall()
        return tuple(RunTotal(source, stage, RunOutcome(outcome), *others) for source, stage, outcome, *others in rows)

    def events(self, run: int) -> Iterator[Event]:
        """Return the story of a run, read in batches."""
        after = 0
        while rows := self._events(run, after):
            yield from (Event(*row[:4]) for row in rows)
            after = rows[-1][4]

    def _events(self, run: int, after: int) -> list[tuple[int, int, str, str, int]]:
        with self._file.reading() as session:
            return session.execute(SQL["events"], (run, after, _BATCH)).fetchall()

    def close(self) -> None:
        """Close every connection."""
        self._file.close()


def overwritten(stored: StoredPage, places: Collection[int]) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return a page and its slices with spaces where the metadata and abouts of these slices were."""
    page, slices = stored.page, list(stored.slices)
    text = bytearray(page.repaired or page.body)
    for place in places:
        each = slices[place]
        for start, stop in ((each.start, each.stop), *each.abouts):
            text[start:stop] = b" " * (stop - start)
        slices[place] = Slice(each.identifier, each.datestamp, each.sets, True, 0, 0)
    body, repaired = (b"", bytes(text)) if page.repaired else (bytes(text), b"")
    return replace(page, body=body, repaired=repaired), tuple(slices)


def _put_cursor(session: Session, cursor: Cursor) -> None:
    row = (cursor.source, cursor.metadata_prefix, cursor.set_spec, cursor.state)
    if cursor.window:
        session.execute(SQL["window_put"], (*row, cursor.window, cursor.outcome.value))
    else:
        session.execute(SQL["cursor_put"], row)


def _row(page: RawPage, slices: Sequence[Slice]) -> tuple[object, ...]:
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
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


def _run(row: tuple[Any, ...]) -> Run:
    number, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage = row
    said = json.loads(counts), tuple(json.loads(reasons)), stage
    return Run(number, source, started_at, ended_at, RunOutcome(outcome), bool(is_complete), *said)
