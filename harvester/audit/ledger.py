"""The ledger of an audit: a database file of its results so far. After a kill, the audit continues with it.

It has the works that Crossref lists, the cursor of each window of the list, and the stored records. It also has the
agencies of DOIs that Crossref did not list. No more than one answer is in memory.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gateway.core.working_file import WorkingFile, load_file
from harvester.audit.compare import Difference, HeldWork, title_key
from harvester.audit.crossref import Deposited

SQL = load_file(Path(__file__).with_name("ledger.sql"))
_SCHEMA = Path(__file__).with_name("ledger_schema.sql").read_text("utf-8")


class Window(NamedTuple):
    """A part of the list, by the days on which DOIs were created (empty: all), and its cursor."""

    since: str
    until: str
    cursor: str = "*"
    received: int = 0


class Row(NamedTuple):
    """One row of the report: a work with its records, or a record that is not a work of the list."""

    doi: str
    title: str
    issns: tuple[str, ...]
    journal: str
    year: str
    type: str
    has_file: bool | None  # None: it is not stored
    identifiers: tuple[str, ...]
    differences: tuple[Difference, ...]


class Ledger(WorkingFile):
    """The file of one audit. Use it in a `with` block. Its methods raise StoreError when the file cannot be used."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(_SCHEMA, path)

    # -- the list --

    def fact(self, name: str) -> str:
        """Return a stored fact, or an empty string."""
        return next((str(value) for (value,) in self._rows(SQL["fact"], (name,))), "")

    def begin(self, facts: dict[str, str], windows: Iterable[tuple[str, str]]) -> None:
        """Store the facts of the audit, and the windows of the list."""
        with self._writing() as database:
            database.executemany(SQL["fact_put"], facts.items())
            database.executemany(SQL["window_add"], windows)

    def next_window(self) -> Window | None:
        """Return the first window that is not read to its end, or None."""
        rows = self._rows(SQL["window_next"])
        return next((Window(since, until, cursor, int(received)) for since, until, cursor, received in rows), None)

    def receive(self, window: Window, works: Iterable[Deposited], total: int, *, is_done: bool) -> None:
        """Store works and the cursor of their window in one transaction."""
        position = {"since": window.since, "cursor": window.cursor, "received": window.received}
        with self._writing() as database:
            database.executemany(SQL["work_put"], map(_work_row, works))
            database.execute(SQL["window_put"], {**position, "total": total, "is_done": is_done})

    def short(self) -> Iterator[str]:
        """Return a sentence for each window with fewer works than Crossref announced."""
        for since, _, received, total in self._rows(SQL["window_short"]):
            place = f" of the works created in {since[:4]}" if since else ""
            yield f"Crossref announced {total}{place} and sent {received}."

    def work(self, doi: str) -> Deposited | None:
        """Return a work of the list, or None."""
        return next(map(_deposited, self._rows(SQL["work"], (doi,))), None)

    def titled(self, key: str) -> Deposited | None:
        """Return the work with a title key; None when there is none or more than one."""
        rows = self._rows(SQL["work_titled"], (key,)) if key else ()
        return _deposited(rows[0]) if len(rows) == 1 else None

    # -- what is stored --

    def hold(self, rows: Iterable[tuple[HeldWork, Deposited | None, tuple[Difference, ...]]]) -> None:
        """Replace the results about stored records."""
        with self._writing() as database:
            database.execute(SQL["held_clear"])
            database.executemany(SQL["held_put"], (_held_row(*row) for row in rows))

    def strays(self) -> Sequence[str]:
        """Return the DOIs of records that are not in the list and whose agency is unknown."""
        return [doi for (doi,) in self._rows(SQL["strays"])]

    def set_agency(self, doi: str, name: str) -> None:
        """Store the registration agency of a DOI; empty: it is not registered."""
        with self._writing() as database:
            database.execute(SQL["agency_put"], (doi, name))

    # -- the report --

    def journals(self) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Return (ISSNs, title, last year) of the journals of all works and records."""
        return ((tuple(issns.split()), journal, year) for issns, journal, year in self._walked(SQL["journals"]))

    def rows(self) -> Iterator[Row]:
        """Return every work with what is stored of it, and then what is stored and no work of the list."""
        for query in ("works", "unknown"):
            yield from map(self._row, self._walked(SQL[query]))

    def _row(self, row: Sequence[object]) -> Row:
        doi, title, issns, journal, year, kind, has_file, identifiers, differences, dois = row
        known_differences = [Difference(*difference) for difference in _flat(differences)]
        known_differences += [self._stray(doi) for doi in _flat(dois)]
        held = tuple(identifier for identifier in json.loads(str(identifiers)) if identifier is not None)
        flag = None if has_file is None else bool(has_file)
        values_ = (str(doi), str(title), tuple(str(issns).split()), str(journal), str(year), str(kind))
        return Row(*values_, flag, held, tuple(dict.fromkeys(known_differences)))

    def _stray(self, doi: str) -> Difference:
        agencies = [name for (name,) in self._rows(SQL["agency"], (doi,))]
        if not agencies:
            return Difference("doi", doi, "nobody could say who registered it")
        return Difference("doi", doi, f"registered with {agencies[0]}, not listed" if agencies[0] else "not registered")


def _flat(text: object) -> list[str]:
    return [value for inner in json.loads(str(text)) if inner is not None for value in inner]


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


def _held_row(held: HeldWork, work: Deposited | None, differences: tuple[Difference, ...]) -> dict[str, object]:
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
