"""Reads the search index on SQLite. Each search opens the file, so one that is replaced, lost or made is noticed.

The first 10,000 items that fit are sorted and counted, and pages end there. The work of one search is limited.
"""

import json
import re
import sqlite3
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from gateway.core.errors import QueryRefused, SearchUnavailable
from gateway.core.names import FULLTEXT, SOURCES
from gateway.search.base import FACETS, MOST_HITS, Facet, IndexState, Query, Reader, Results, YearCount
from gateway.search.following import NAME
from gateway.search.sqlite_index import SQL, VERSION, size_of
from gateway.search.words import all_of, any_of, of_text, value_term

MOST_SECONDS = 3.0  # of one search, on a machine that is busy
_STEPS_BETWEEN_CHECKS = 1_000  # instructions of SQLite: far less than a millisecond
_BUSY_SECONDS = 2.0
_KEY = re.compile(r"(-?[0-9]{1,15})\.(-?[0-9]{1,15})\.(-?[0-9]{1,15})")
_HOW = "`gateway index` makes it, and so does the next command that publishes"
_LAST_YEAR = 9999
_IS_FILE = {True: "yes", False: "no"}

_SortKey = tuple[int, int, int]
# The numbers of the values that each filter allows; with none, no item can fit.
_Filters = Mapping[Facet, frozenset[int]]
_Facets = dict[Facet, tuple[tuple[str, int], ...]]


class _Item(NamedTuple):
    number: int
    combination: int
    year: int | None
    title_words: int


class _Value(NamedTuple):
    kind: str
    text: str


class _Matches(NamedTuple):
    """The items that fit, the numbers of those that fit by their title, and whether these are all that fit.

    `disregarding` has, for each filter, the items that fit if that filter is not set.
    """

    items: list[_Item]
    titled: frozenset[int]
    is_exact: bool
    disregarding: Mapping[Facet, list[_Item]]


class SqliteReader:
    """The index in one file, for reading; `Reader` in gateway/search/base.py has the promises of all methods."""

    def __init__(
        self, path: Path, *, is_on: bool = True, most_hits: int = MOST_HITS, most_seconds: float = MOST_SECONDS
    ) -> None:
        """Take the path of the file, which may be missing. `most_hits` is how many items are sorted and counted."""
        self._path = path
        self._is_on = is_on
        self._most_hits = most_hits
        self._most_seconds = most_seconds

    def state(self) -> IndexState:
        """Return the state of the index. Raise SearchUnavailable."""
        with self._opened() as connection:
            position, _, reached, stale = connection.execute(SQL["state"]).fetchone()
            (items,) = connection.execute(SQL["item_count"]).fetchone()
            return IndexState(items, stale, position, reached, size_of(self._path))

    def years(self) -> tuple[YearCount, ...]:
        """Return how many items each year of publication has, the latest year first. Raise SearchUnavailable."""
        with self._opened() as connection:
            return tuple(YearCount(*row) for row in connection.execute(SQL["years"]))

    def search(self, query: Query) -> Results:
        """Return the results of a query. Raise SearchUnavailable, and QueryRefused for a key that is none of ours."""
        after = _key_of(query.after)
        with self._opened() as connection:
            return _Search(connection, query, self._most_hits).results(after)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file inside one snapshot."""
        try:
            with closing(self._connection()) as connection:
                ends = monotonic() + self._most_seconds
                connection.set_progress_handler(lambda: monotonic() > ends, _STEPS_BETWEEN_CHECKS)
                connection.execute(SQL["snapshot"])
                (version,) = connection.execute(SQL["version"]).fetchone()
                if version != VERSION:
                    raise SearchUnavailable(f"The search index is one of another release. {_HOW.capitalize()}.")
                yield connection
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                raise SearchUnavailable("The search took too long. Use other words, or add some.") from error
            raise SearchUnavailable(f"The search index cannot be read: {error}. {_HOW.capitalize()}.") from error
        except (LookupError, TypeError, ValueError) as error:  # because of what damaged pages may contain
            raise SearchUnavailable(f"The search index is damaged: {error}. {_HOW.capitalize()}.") from error

    def _connection(self) -> sqlite3.Connection:
        if not self._is_on:
            raise SearchUnavailable("The search is switched off; the setting browse_search switches it on.")
        if not self._path.is_file():
            is_begun = self._path.with_name(f"{self._path.name}.new").is_file()
            reason = "is being made" if is_begun else "is missing"
            raise SearchUnavailable(f"The search index {reason}; {_HOW}.")
        address = self._path.absolute().as_uri()
        connection = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
        try:
            connection.execute(SQL["schema_version"]).close()
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            # Nothing can be written beside it, not even the file that readers share.
            return sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
        except BaseException:
            connection.close()
            raise
        return connection


class _Search:
    """One search in one snapshot."""

    def __init__(self, connection: sqlite3.Connection, query: Query, most_hits: int) -> None:
        self._execute, self._query, self._most = connection.execute, query, most_hits
        self._values = {number: _Value(kind, text) for number, kind, text in connection.execute(SQL["values"])}
        self._numbers = {value: number for number, value in self._values.items()}
        self._years = sorted((int(text) for kind, text in self._numbers if kind == "year" and text), reverse=True)
        (_, _, self._reached, _) = connection.execute(SQL["state"]).fetchone()
        self._text = of_text(query.text)
        self._read: dict[int, list[int]] = {}  # combinations

    def results(self, after: _SortKey | None) -> Results:
        """Return the page after a key."""
        matches = self._matches(self._filters())
        ordered = sorted((self._sort_key(item, matches.titled), item.number) for item in matches.items)
        keys = [key for key, _ in ordered]
        first = 0 if after is None else bisect_right(keys, after)
        page = ordered[first : first + self._query.limit]
        last = first + len(page)
        return Results(
            identifiers=self._identifiers([number for _, number in page]),
            total=len(ordered),
            is_exact=matches.is_exact,
            reached=self._reached,
            next=_text_of(keys[last - 1]) if 0 < last < len(ordered) else None,
            previous=_before(keys, first, self._query.limit),
            facets=self._facets(matches),
        )

    # -- what fits -----------------------------------------------------------------------------------------------

    def _filters(self) -> _Filters:
        """Return the numbers of the values that each filter allows, of those that are set."""
        query = self._query
        stated: dict[Facet, Sequence[str]] = {"source": query.sources, "set": query.sets, "type": query.types}
        if query.has_file is not None:
            stated["file"] = (_IS_FILE[query.has_file],)
        if query.year_from is not None or query.year_until is not None:
            least, most = query.year_from or 0, _LAST_YEAR if query.year_until is None else query.year_until
            stated["year"] = [str(year) for year in self._years if least <= year <= most]
        return {kind: self._known(kind, texts) for kind, texts in stated.items() if texts or kind == "year"}

    def _known(self, kind: str, texts: Iterable[str]) -> frozenset[int]:
        values = (_Value(kind, text) for text in texts)
        return frozenset(self._numbers[value] for value in values if value in self._numbers)

    def _matches(self, filters: _Filters) -> _Matches:
        """Return the items that fit, at most the limit: those with the words in the title first, or the latest."""
        if self._text is None:
            return _Matches([], frozenset(), True, {})
        with_words, is_exact = self._first(_expression(self._text, {}))
        if is_exact:
            items, disregarding = self._split(with_words, filters)
            return _Matches(items, self._titled({}), True, disregarding)
        disregarding = {kind: self._first(_expression(self._text, _without(kind, filters)))[0] for kind in filters}
        items, is_exact = self._first(_expression(self._text, filters)) if filters else (with_words, False)
        if not is_exact and self._query.order == "date":
            items = self._latest(filters)
        elif not is_exact and self._text:
            titled, _ = self._first(_expression(of_text(self._query.text, in_title=True) or "", filters))
            merged = {item.number: item for item in (*titled, *items)}
            numbers = frozenset(item.number for item in titled)
            return _Matches([*merged.values()][: self._most], numbers, False, disregarding)
        return _Matches(items, self._titled(filters) if is_exact else frozenset(), is_exact, disregarding)

    def _titled(self, filters: _Filters) -> frozenset[int]:
        """Return the numbers of the items with the words in the title, if the order depends on them."""
        expression = _expression(of_text(self._query.text, in_title=True) or "", filters)
        if not self._text or expression is None or self._query.order == "date":
            return frozenset()
        return frozenset(number for (number,) in self._execute(SQL["numbers"], (expression, self._most + 1)))

    def _split(self, items: list[_Item], filters: _Filters) -> tuple[list[_Item], dict[Facet, list[_Item]]]:
        """Return those of these items that fit, and for each filter those that fit if it is not set."""
        years = {int(self._values[number].text) for number in filters.get("year", ())}
        failing: dict[int, list[Facet]] = {
            combination: [kind for kind, allowed in filters.items() if kind != "year" and allowed.isdisjoint(numbers)]
            for combination, numbers in self._combinations(items if filters else ()).items()
        }
        fitting: list[_Item] = []
        others: dict[Facet, list[_Item]] = {kind: [] for kind in filters}
        for item in items:
            failed = failing.get(item.combination, [])
            if "year" in filters and item.year not in years:
                failed = [*failed, "year"]
            if not failed:
                fitting.append(item)
            elif len(failed) == 1:
                others[failed[0]].append(item)
        return fitting, {kind: fitting + near for kind, near in others.items()}

    def _latest(self, filters: _Filters) -> list[_Item]:
        """Return the items of the latest years, at most the limit; those without a year are the last."""
        latest: list[_Item] = []
        for year in (*map(str, self._years), ""):
            number = self._known("year", [year])
            if len(latest) < self._most and number and number <= filters.get("year", number):
                latest += self._first(_expression(self._text or "", {**filters, "year": number}))[0]
        return latest[: self._most]

    def _first(self, expression: str | None) -> tuple[list[_Item], bool]:
        """Return the newest items that fit, at most the limit, and whether these are all. None: no item can fit."""
        if expression is None:
            return [], True
        rows = self._execute(SQL["matches"], (expression, self._most + 1)).fetchall()
        items = [_Item(*row[1:]) for row in rows if row[1] is not None]  # the others are stale
        return items[: self._most], len(rows) <= self._most

    # -- order and counts ----------------------------------------------------------------------------------------

    def _sort_key(self, item: _Item, titled: Collection[int]) -> _SortKey:
        if self._query.order == "date":
            return (1 if item.year is None else -item.year), 0, -item.number
        return int(item.number not in titled), item.title_words, -item.number

    def _identifiers(self, numbers: Sequence[int]) -> tuple[str, ...]:
        names = dict(self._execute(SQL["identifiers"], (json.dumps(numbers),)).fetchall())
        return tuple(names[number] for number in numbers)

    def _facets(self, matches: _Matches) -> _Facets:
        """Return the values of facets with their counts; those of one as if its own filter was not set."""
        facets = self._counted(matches.items)
        for kind, items in matches.disregarding.items():
            facets[kind] = self._counted(items)[kind]
        return facets

    def _counted(self, items: Sequence[_Item]) -> _Facets:
        """Return the values of all facets of these items, with their counts."""
        years = Counter([item.year for item in items if item.year is not None])
        combinations = Counter([item.combination for item in items])
        numbers: Counter[int] = Counter()
        for combination, values in self._combinations(items).items():
            count = combinations[combination]
            for number in values:
                numbers[number] += count
        counts: dict[str, dict[str, int]] = {kind: {} for kind in FACETS}
        for number, count in numbers.items():
            value = self._values[number]
            if not _is_redundant(value):
                counts[value.kind][value.text] = count
        facets: _Facets = {
            kind: tuple(sorted(counts[kind].items(), key=lambda pair: (-pair[1], pair[0]))) for kind in FACETS
        }
        facets["year"] = tuple((str(year), years[year]) for year in sorted(years, reverse=True))
        return facets

    def _combinations(self, items: Iterable[_Item]) -> dict[int, list[int]]:
        """Return the numbers of the values that items have, by their combinations."""
        wanted = {item.combination for item in items}
        if unread := wanted - self._read.keys():
            rows = self._execute(SQL["combinations"], (json.dumps([*unread]),))
            self._read.update((combination, json.loads(values)) for combination, values in rows)
        return {combination: self._read[combination] for combination in wanted}


def _expression(text: str, filters: _Filters) -> str | None:
    """Return the expression of items with these words that every filter allows; None: no item can fit."""
    if not all(filters.values()):
        return None
    restricted = (any_of(map(value_term, sorted(numbers))) for numbers in filters.values())
    return all_of([*filter(None, [text]), *restricted])


def _without(kind: Facet, filters: _Filters) -> _Filters:
    return {other: numbers for other, numbers in filters.items() if other != kind}


def _is_redundant(value: _Value) -> bool:
    """Return whether a set is the same as another facet: that of a source, or of items with files."""
    is_of_source = value.text.startswith(f"{SOURCES}:") and value.text.count(":") == 1
    return value.kind == "set" and (is_of_source or value.text == FULLTEXT)


def _before(keys: Sequence[_SortKey], first: int, limit: int) -> str | None:
    """Return the key of the page before the one that begins at `first`; empty if that is the first page."""
    if not first:
        return None
    return _text_of(keys[first - limit - 1]) if first > limit else ""


def _text_of(key: _SortKey) -> str:
    return ".".join(map(str, key))


def _key_of(text: str | None) -> _SortKey | None:
    """Return the key in a text; None for the first page. Raise QueryRefused."""
    if not text:
        return None
    match = _KEY.fullmatch(text)
    if match is None:
        raise QueryRefused("The key of the page is none of ours. Begin again with the first page.")
    return int(match[1]), int(match[2]), int(match[3])


# --- Opens the search of an instance folder for reading. This is the only module that chooses a backend of it --------


def open_search(folder: Path, *, is_on: bool = True) -> Reader:
    """Return the search of an instance folder. It never fails: a search says if there is no index, or if it is off.

    It may be opened before a fork, and used by several threads.
    """
    return SqliteReader(folder / NAME, is_on=is_on)
