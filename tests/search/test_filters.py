"""Filters and the counts of facets, compared with a plain count over all entries: with and without the limit."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gateway.model import ChangeLine
from gateway.search.entries import Entry
from gateway.search.query import Facet, Query, Results
from gateway.search.sqlite_index import SqliteIndex
from gateway.search.sqlite_reader import SqliteReader
from tests.rows import each_row

ITEMS = 400
WORDS = ("coral", "reef", "tide", "sand")
SOURCES, SETS = ("laro", "other", "third"), ("a", "b", "c", "d")
TYPES = ("article", "thesis", "report")
FIRST_YEAR, LAST_YEAR = 2001, 2008


def entries(random: Random) -> list[Entry]:
    return [
        Entry(
            f"oai:gateway.example.org:laro/{number}",
            tuple(random.sample(WORDS, random.randint(1, 3))),
            tuple(random.sample(WORDS, random.randint(0, 1))),
            (),
            (
                ("source", random.choice(SOURCES)),
                *(("set", name) for name in random.sample(SETS, random.randint(0, 3))),
                *(("type", name) for name in random.sample(TYPES, random.randint(0, 2))),
            ),
            random.choice((None, *range(FIRST_YEAR, LAST_YEAR + 1))),
            random.random() < 0.4,
        )
        for number in range(ITEMS)
    ]


def some(random: Random, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return no value, or some, perhaps with one that no entry has."""
    return () if random.random() < 0.5 else tuple(random.sample((*values, "unknown"), random.randint(1, 2)))


def query_of(random: Random) -> Query:
    is_dated = random.random() < 0.5
    return Query(
        " ".join(random.sample(WORDS, random.randint(0, 2))),
        sources=some(random, SOURCES),
        sets=some(random, SETS),
        types=some(random, TYPES),
        year_from=random.randint(FIRST_YEAR - 1, LAST_YEAR + 1) if is_dated else None,
        year_until=random.randint(FIRST_YEAR, LAST_YEAR) if is_dated and random.random() < 0.5 else None,
        has_file=random.choice((None, None, True, False)),
        order=random.choice(("relevance", "date")),
        limit=1000,
    )


def allows(query: Query, entry: Entry) -> dict[Facet, bool]:
    """Return for each filter whether it allows an entry."""

    def has(kind: str, wanted: tuple[str, ...]) -> bool:
        return not wanted or any((kind, text) in entry.values for text in wanted)

    is_dated = query.year_from is not None or query.year_until is not None
    year = entry.year or 0
    return {
        "source": has("source", query.sources),
        "set": has("set", query.sets),
        "type": has("type", query.types),
        "file": query.has_file in (None, entry.has_file),
        "year": not is_dated or (query.year_from or 1) <= year <= (query.year_until or 9999),
    }


def expected(query: Query, made: list[Entry]) -> tuple[set[str], dict[Facet, Counter[str]]]:
    """Return the identifiers of the entries that fit, and the counts of facets."""
    words = set(query.text.split())
    fitting: set[str] = set()
    counts: dict[Facet, Counter[str]] = {kind: Counter() for kind in ("source", "set", "year", "type", "file")}
    for entry in (entry for entry in made if words <= {*entry.title, *entry.other}):
        allowed = allows(query, entry)
        if all(allowed.values()):
            fitting.add(entry.identifier)
        values = [*entry.values, ("file", "yes" if entry.has_file else "no"), ("year", str(entry.year or ""))]
        for kind, text in values:
            if text and all(is_allowed for other, is_allowed in allowed.items() if other != kind):
                counts[kind][text] += 1  # type: ignore[index]
    return fitting, counts


def counts_of(results: Results) -> dict[Facet, Counter[str]]:
    return {kind: Counter(dict(values)) for kind, values in results.facets.items()}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Entry]]:
    path = tmp_path_factory.mktemp("search") / "search.sqlite"
    made = entries(Random(16))
    with closing(SqliteIndex(path, create=True)) as written:
        line = ChangeLine(1, "", "oai_dc", 1, "created")
        written.write([made[0]._replace(title=("stale",)), *made[1:]], (), line, 1)
        written.write(made[:1], (), line, 1)  # a new version: its former words are stale
    return path, made


@each_row("seed", range(60))
def test_results_and_facets_are_those_of_a_plain_count_within_the_limit_and_beyond_it(index, seed):
    path, made = index
    query = query_of(Random(seed))
    fitting, counts = expected(query, made)
    whole = SqliteReader(path).search(query)
    assert (set(whole.identifiers), whole.is_exact) == (fitting, True), query
    assert counts_of(whole) == counts, query

    most = len(fitting) + 1  # more entries may have the words, but fewer fit
    results = SqliteReader(path, most_hits=most).search(query)
    assert (results.identifiers, results.is_exact) == (whole.identifiers, True), query
    for kind, values in counts_of(results).items():
        assert values == counts[kind] or values.total() <= most * 3, (kind, query)
        assert all(count <= counts[kind][text] for text, count in values.items()), (kind, query)

    most = max(1, len(fitting) // 2)  # as many are counted, and all of them fit
    results = SqliteReader(path, most_hits=most).search(query)
    if len(fitting) > most:
        assert (results.is_exact, results.total) == (False, most), query
        assert set(results.identifiers) < fitting, query
    for kind, values in counts_of(results).items():
        assert all(count <= counts[kind][text] for text, count in values.items()), (kind, query)
