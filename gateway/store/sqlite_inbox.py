"""The inbox on SQLite: what arrived, exactly, with the cursor after it in the same durable transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import zstandard

from gateway.errors import StoreDamaged
from gateway.model import Cursor, Event, RawPage, Run, RunOutcome, Slice, StoredPage, WindowOutcome
from gateway.store.queries import load
from gateway.store.sqlite_file import Session, SqliteFile

SQL = load("inbox")
T = TypeVar("T")

_LOST = RawPage("", "lost", "", 0, 0, (), b"")
_LEVEL = 3  # four microseconds a record, an eighth of the bytes
_BATCH = 500


class SqliteInbox:
    """What arrived; see `Inbox` in gateway/store/base.py for what each method promises."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open or make the file."""
        self._file = SqliteFile(path, Path(__file__).parent / "migrations" / "inbox", create=create)

    # -- pages ---------------------------------------------------------------------------------------------------

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None) -> int:
        """Keep a page, its slices and the cursor after it."""
        row = _row(page, slices)
        with self._file.writing() as session:
            ((number,),) = session.execute(SQL["page_add"], row).fetchall()
            if cursor is not None:
                _put_cursor(session, cursor)
            return int(number)

    def page(self, number: int) -> StoredPage:
        """Return one page."""
        with self._file.reading() as session:
            row = session.one(SQL["page"], (number,))
        if row is None:
            raise StoreDamaged(f"The page {number} is not in the inbox {self._file.path}.")
        return _page(number, row)

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
        len(slices),
        compressor.compress(text),
        compressor.compress(page.body),
        compressor.compress(page.repaired) if page.repaired else b"",
    )


def _page(number: int, row: tuple[Any, ...]) -> StoredPage:
    source, verb, url, received_at, status, headers, prefix, set_spec, repairs, slices, body, repaired = row
    read = zstandard.ZstdDecompressor().decompress
    page = RawPage(
        source=source,
        verb=verb,
        url=url,
        received_at=received_at,
        status=status,
        headers=_pairs(json.loads(headers)),
        body=read(body),
        metadata_prefix=prefix,
        set_spec=set_spec,
        repaired=read(repaired) if repaired else b"",
        repairs=tuple(json.loads(repairs)),
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
) -> Slice:
    scope = _pairs(declarations)
    return Slice(identifier, datestamp, tuple(sets), is_deleted, start, stop, _pairs(abouts), scope, problem)


def _pairs(lists: list[list[T]]) -> tuple[tuple[T, T], ...]:
    return tuple((first, second) for first, second in lists)


def _run(row: tuple[Any, ...]) -> Run:
    number, source, started_at, ended_at, outcome, is_complete, counts, reasons, stage = row
    said = json.loads(counts), tuple(json.loads(reasons)), stage
    return Run(number, source, started_at, ended_at, RunOutcome(outcome), bool(is_complete), *said)
