"""What an audit has learned so far, in a file of its own: it may be killed anywhere, and goes on where it was.

Works that Crossref lists, how far each window of the list has come, the records that are held, and who registered the
DOIs that Crossref did not list. Nothing here is larger in memory than one answer.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from gateway.store.queries import load_file
from gateway.store.sqlite_file import made_with, translated
from harvester.completeness.comparing import Difference, Held, title_key
from harvester.wire.crossref_works import Deposited

SQL = load_file(Path(__file__).with_name("ledger.sql"))
_SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists fact (name text primary key, value text not null) without rowid;
create table if not exists window (
  since text primary key, until text not null, cursor text not null default '*', received integer not null default 0,
  total integer not null default 0, is_done integer not null default 0) without rowid;
create table if not exists work (
  doi text primary key, title_key text not null, title text not null, journal text not null, issns text not null,
  dates text not null, year text not null, type text not null) without rowid;
create index if not exists work_title on work (title_key) where title_key <> '';
create table if not exists held (
  number integer primary key, identifier text not null, work text, title text not null, issns text not null,
  year text not null, has_file integer not null, dois text not null, differences text not null);
create index if not exists held_work on held (work);
create table if not exists agency (doi text primary key, name text not null) without rowid;
"""


class Window(NamedTuple):
    """A part of the list, by the days on which DOIs were created (empty: all), and how far it has come."""

    since: str
    until: str
    cursor: str = "*"
    received: int = 0


class Row(NamedTuple):
    """One row of what is published and held: a work with its records, or a record that is no work of the list."""

    doi: str
    title: str
    issns: tuple[str, ...]
    journal: str
    year: str
    type: str
    has_file: bool | None  # None: nothing is held of it
    identifiers: tuple[str, ...]
    differences: tuple[Difference, ...]


class Ledger:
    """One audit's file. Use it in a `with` block."""

    def __init__(self, path: Path) -> None:
        """Open the file, or make it."""
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._database = made_with(_SCHEMA, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with translated(self._path):
            self._database.execute("begin immediate")
            try:
                yield self._database
            except BaseException:
                self._database.execute("rollback")
                raise
            self._database.execute("commit")

    def _rows(self, query: str, *values: object) -> Sequence[tuple[str, ...]]:
        with translated(self._path):
            return self._database.execute(SQL[query], values).fetchall()

    def _walked(self, query: str) -> Iterator[tuple[str, ...]]:
        with translated(self._path):
            yield from self._database.execute(SQL[query])

    # -- the list --

    def fact(self, name: str) -> str:
        """Return a remembered fact, or an empty string."""
        return next((str(value) for (value,) in self._rows("fact", name)), "")

    def begin(self, facts: dict[str, str], windows: Iterable[tuple[str, str]]) -> None:
        """Remember what is asked, and put up the windows of the list."""
        with self._writing() as database:
            database.executemany(SQL["fact_put"], facts.items())
            database.executemany(SQL["window_add"], windows)

    def next_window(self) -> Window | None:
        """Return the first window that has not come to its end, or None."""
        rows = self._rows("window_next")
        return next((Window(since, until, cursor, int(received)) for since, until, cursor, received in rows), None)

    def receive(self, window: Window, works: Iterable[Deposited], total: int, *, is_done: bool) -> None:
        """Keep works, and how far their window has come, in one transaction."""
        told = {"since": window.since, "cursor": window.cursor, "received": window.received}
        with self._writing() as database:
            database.executemany(SQL["work_put"], map(_work_row, works))
            database.execute(SQL["window_put"], {**told, "total": total, "is_done": is_done})

    def short(self) -> Iterator[str]:
        """Return in a sentence each window of which fewer came than Crossref announced."""
        for since, _, received, total in self._rows("window_short"):
            place = f" of the works created in {since[:4]}" if since else ""
            yield f"Crossref announced {total}{place} and sent {received}."

    def work(self, doi: str) -> Deposited | None:
        """Return a work of the list, or None."""
        return next(map(_deposited, self._rows("work", doi)), None)

    def titled(self, key: str) -> Deposited | None:
        """Return the only work of a title, or None."""
        rows = self._rows("work_titled", key) if key else ()
        return _deposited(rows[0]) if len(rows) == 1 else None

    # -- what is held --

    def hold(self, found: Iterable[tuple[Held, Deposited | None, tuple[Difference, ...]]]) -> None:
        """Keep every record that is held, instead of those that were found before."""
        with self._writing() as database:
            database.execute(SQL["held_clear"])
            database.executemany(SQL["held_put"], (_held_row(*each) for each in found))

    def strays(self) -> Sequence[str]:
        """Return the DOIs of records that the list does not have, as far as it is not known who registered them."""
        return [doi for (doi,) in self._rows("strays")]

    def tell_agency(self, doi: str, name: str) -> None:
        """Remember who registered a DOI; empty: nobody."""
        with self._writing() as database:
            database.execute(SQL["agency_put"], (doi, name))

    # -- the report --

    def journals(self) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Return (ISSNs, title, last year) of everything by which works and records go."""
        return ((tuple(issns.split()), journal, year) for issns, journal, year in self._walked("journals"))

    def rows(self) -> Iterator[Row]:
        """Return every work with what is held of it, and then what is held and no work of the list."""
        for query in ("works", "unknown"):
            yield from map(self._row, self._walked(query))

    def _row(self, row: Sequence[object]) -> Row:
        doi, title, issns, journal, year, kind, has_file, identifiers, differences, dois = row
        found = [Difference(*each) for each in _flat(differences)]
        found += [self._stray(each) for each in _flat(dois)]
        held = tuple(each for each in json.loads(str(identifiers)) if each is not None)
        flag = None if has_file is None else bool(has_file)
        told = (str(doi), str(title), tuple(str(issns).split()), str(journal), str(year), str(kind))
        return Row(*told, flag, held, tuple(dict.fromkeys(found)))

    def _stray(self, doi: str) -> Difference:
        agencies = [name for (name,) in self._rows("agency", doi)]
        if not agencies:
            return Difference("doi", doi, "nobody could say who registered it")
        return Difference("doi", doi, f"registered with {agencies[0]}, not listed" if agencies[0] else "not registered")


def _flat(text: object) -> list[str]:
    return [each for inner in json.loads(str(text)) if inner is not None for each in inner]


def _work_row(work: Deposited) -> dict[str, str]:
    return {
        "doi": work.doi,
        "title_key": title_key(work.title),
        "title": work.title,
        "journal": work.journal,
        "issns": " ".join(sorted(work.issns)),
        "dates": " ".join(work.dates),
        "year": next(iter(work.years), ""),
        "type": work.type,
    }


def _deposited(row: Sequence[str]) -> Deposited:
    doi, title, journal, issns, dates, kind = row
    return Deposited(doi, title, journal, tuple(issns.split()), tuple(dates.split()), kind)


def _held_row(held: Held, work: Deposited | None, differences: tuple[Difference, ...]) -> dict[str, object]:
    strays = () if work is not None and work.doi in held.dois else held.dois
    return {
        "identifier": held.identifier,
        "work": work.doi if work else None,
        "title": held.title,
        "issns": " ".join(sorted(held.issns)),
        "year": next(iter(held.years), ""),
        "has_file": held.has_file,
        "dois": json.dumps(strays),
        "differences": json.dumps(differences),
    }
