"""The report of an audit: counts per journal and year, and then a line for each work and record. Pure.

It answers three questions: what was published, which part of it is stored, and whether the metadata are right.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from gateway.core.normal_forms import csv_line
from harvester.audit.ledger import Row


class State(StrEnum):
    """The state of a work: a closed list. The first three are states of works that Crossref lists."""

    WITH_FILE = "with_file"
    METADATA_ONLY = "metadata_only"
    MISSING = "missing"
    UNKNOWN = "unknown"  # stored, and not listed by Crossref


COLUMNS = ("state", "journal", "issn", "year", "doi", "title", "type", "identifiers", "disagrees")


class Entry(NamedTuple):
    """One work or record of the report, under the name of its journal."""

    state: State
    journal: str
    row: Row

    @property
    def is_good(self) -> bool:
        """Return whether it is stored with its file, and its metadata agree."""
        return self.state is State.WITH_FILE and not self.row.differences

    def as_data(self) -> dict[str, object]:
        """Return the entry as data for JSON, by the names in `COLUMNS`."""
        row = self.row
        key = (str(self.state), self.journal, list(row.issns), row.year, row.doi, row.title, row.type)
        return dict(
            zip(
                COLUMNS,
                (*key, list(row.identifiers), [difference._asdict() for difference in row.differences]),
                strict=True,
            )
        )


def state_of(row: Row) -> State:
    """Return the state of a work or a record."""
    if not row.doi:
        return State.UNKNOWN
    if row.has_file is None:
        return State.MISSING
    return State.WITH_FILE if row.has_file else State.METADATA_ONLY


class Journals:
    """Journals by their ISSNs. Works with a common ISSN are of one journal; its latest title counts."""

    def __init__(self, seen: Iterable[tuple[tuple[str, ...], str, str]]) -> None:
        self._roots: dict[str, str] = {}
        names: dict[str, tuple[str, str]] = {}
        titles = [(issns, (year, title)) for issns, title, year in seen if issns]
        for issns, _ in titles:
            for issn in issns:
                self._roots[self.root(issn)] = self.root(issns[0])
        for issns, name in titles:
            root = self.root(issns[0])
            names[root] = max(names.get(root, ("", "")), name)
        self._names = {root: title for root, (_, title) in names.items()}

    def root(self, issn: str) -> str:
        """Return the ISSN that identifies the journal of an ISSN."""
        while (above := self._roots.setdefault(issn, issn)) != issn:
            issn = above
        return issn

    def name(self, row: Row) -> str:
        """Return the journal of a work: its title and its ISSN; without an ISSN, its container or its type."""
        if not row.issns:
            return row.journal or (f"({row.type})" if row.type else "(no journal)")
        root = self.root(row.issns[0])
        return f"{self._names.get(root, '')} {root}".strip()


def entries(rows: Iterable[Row], journals: Journals) -> Iterator[Entry]:
    """Return an entry for each row, with its state and its journal."""
    return (Entry(state_of(row), journals.name(row), row) for row in rows)


class Tally:
    """Counts of works and records by state, per journal and year."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Counter[str]] = {}
        self.totals: Counter[str] = Counter()

    def counted(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Return the same entries, and count each of them."""
        for entry in entries:
            names = [str(entry.state), *(["published"] if entry.state is not State.UNKNOWN else [])]
            names += ["disagrees"] if entry.row.differences else []
            names += [] if entry.is_good else ["not_good"]
            self._counts.setdefault((entry.journal, entry.row.year), Counter()).update(names)
            self.totals.update(names)
            yield entry

    def rows(self) -> Iterator[dict[str, object]]:
        """Return a row per journal and year."""
        for (journal, year), counts in sorted(self._counts.items()):
            yield {"journal": journal, "year": year, **{name: counts[name] for name in COUNTED}}


COUNTED = ("published", *map(str, State), "disagrees")


def csv_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Return the lines of a CSV table (RFC 4180), without line ends; one for each work and record."""
    yield csv_line(COLUMNS)
    for entry in entries:
        issns, identifiers = (" ".join(names) for names in (entry.row.issns, entry.row.identifiers))
        joined = {"issn": issns, "identifiers": identifiers, "disagrees": _differences(entry)}
        yield csv_line({**entry.as_data(), **joined}.values())


def json_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Return a JSON object per line for each work and record."""
    return (json.dumps(entry.as_data(), ensure_ascii=False) for entry in entries)


def text_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Return a line for each work or record that is not stored with its file, or whose metadata disagree."""
    for entry in entries:
        if not entry.is_good:
            what = " ".join(filter(None, (entry.row.doi, *entry.row.identifiers, entry.row.title[:80])))
            differences = f" [{_differences(entry)}]" if entry.row.differences else ""
            yield f"{str(entry.state).replace('_', ' ')}: {what}{differences}"


def _differences(entry: Entry) -> str:
    return "; ".join(
        f"{difference.what}: {difference.ours or 'none'} / {difference.theirs}" for difference in entry.row.differences
    )
