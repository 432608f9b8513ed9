"""The report of an audit: per journal and year how much is held, and then every work and record by itself. Pure.

It answers three questions: what was published, what of it is held, and whether the metadata are right.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from harvester.completeness.ledger import Row


class State(StrEnum):
    """How a work stands: a closed list. The first three are works that Crossref lists."""

    WITH_FILE = "with_file"
    METADATA_ONLY = "metadata_only"
    MISSING = "missing"
    UNKNOWN = "unknown"  # held, and not listed by Crossref


COLUMNS = ("state", "journal", "issn", "year", "doi", "title", "type", "identifiers", "disagrees")


class Entry(NamedTuple):
    """One work or record of the report, under the name of its journal."""

    state: State
    journal: str
    row: Row

    @property
    def is_good(self) -> bool:
        """Tell whether it is held with its file, and its metadata agree."""
        return self.state is State.WITH_FILE and not self.row.differences

    def as_data(self) -> dict[str, object]:
        """Return it as data for JSON."""
        row = self.row
        told = (str(self.state), self.journal, list(row.issns), row.year, row.doi, row.title, row.type)
        return dict(
            zip(COLUMNS, (*told, list(row.identifiers), [each._asdict() for each in row.differences]), strict=True)
        )


def state_of(row: Row) -> State:
    """Return how a work or a record stands."""
    if not row.doi:
        return State.UNKNOWN
    if row.has_file is None:
        return State.MISSING
    return State.WITH_FILE if row.has_file else State.METADATA_ONLY


class Journals:
    """Journals by their ISSNs: what shares one is one journal, whose name is the latest that it had."""

    def __init__(self, seen: Iterable[tuple[tuple[str, ...], str, str]]) -> None:
        """Take (ISSNs, title, last year) of everything that there is."""
        self._roots: dict[str, str] = {}
        names: dict[str, tuple[str, str]] = {}
        told = [(issns, (year, title)) for issns, title, year in seen if issns]
        for issns, _ in told:
            for each in issns:
                self._roots[self.root(each)] = self.root(issns[0])
        for issns, name in told:
            root = self.root(issns[0])
            names[root] = max(names.get(root, ("", "")), name)
        self._names = {root: title for root, (_, title) in names.items()}

    def root(self, issn: str) -> str:
        """Return the ISSN that stands for a journal."""
        while (above := self._roots.setdefault(issn, issn)) != issn:
            issn = above
        return issn

    def name(self, row: Row) -> str:
        """Return the journal of a work: its title with the ISSN that stands for it, or what else it stands in."""
        if not row.issns:
            return row.journal or (f"({row.type})" if row.type else "(no journal)")
        root = self.root(row.issns[0])
        return f"{self._names.get(root, '')} {root}".strip()


def entries(rows: Iterable[Row], journals: Journals) -> Iterator[Entry]:
    """Return every row with its state and journal."""
    return (Entry(state_of(row), journals.name(row), row) for row in rows)


class Tally:
    """How many there are of what, per journal and year."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self.totals: Counter[str] = Counter()

    def counted(self, found: Iterable[Entry]) -> Iterator[Entry]:
        """Count entries as they pass."""
        for each in found:
            names = [str(each.state), *(["published"] if each.state is not State.UNKNOWN else [])]
            names += ["disagrees"] if each.row.differences else []
            names += [] if each.is_good else ["not_good"]
            self._counts.setdefault((each.journal, each.row.year), Counter()).update(names)
            self.totals.update(names)
            yield each

    def rows(self) -> Iterator[dict[str, object]]:
        """Return a row per journal and year."""
        for (journal, year), counts in sorted(self._counts.items()):
            yield {"journal": journal, "year": year, **{name: counts[name] for name in COUNTED}}


COUNTED = ("published", *map(str, State), "disagrees")


def csv_lines(found: Iterable[Entry]) -> Iterator[str]:
    """Return a table with a line for every work and record, as RFC 4180 has it but for the ends of lines."""
    yield _line(COLUMNS)
    for each in found:
        data = each.as_data()
        issns, identifiers = (" ".join(names) for names in (each.row.issns, each.row.identifiers))
        yield _line(
            [
                str(value)
                for value in {**data, "issn": issns, "identifiers": identifiers, "disagrees": _said(each)}.values()
            ]
        )


def _line(cells: Iterable[str]) -> str:
    # What begins like a formula is one to spreadsheets, and titles come from strangers.
    safe = (f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell for cell in cells)
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(safe)
    return written.getvalue()


def json_lines(found: Iterable[Entry]) -> Iterator[str]:
    """Return an object a line for every work and record."""
    return (json.dumps(each.as_data(), ensure_ascii=False) for each in found)


def text_lines(found: Iterable[Entry]) -> Iterator[str]:
    """Return a line for everything that is not held with its file, or disagrees."""
    for each in found:
        if not each.is_good:
            what = " ".join(filter(None, (each.row.doi, *each.row.identifiers, each.row.title[:80])))
            yield f"{str(each.state).replace('_', ' ')}: {what}{f' [{_said(each)}]' if each.row.differences else ''}"


def _said(entry: Entry) -> str:
    return "; ".join(f"{each.what}: {each.ours or 'none'} / {each.theirs}" for each in entry.row.differences)
