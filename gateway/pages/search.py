"""The search for people: reads the arguments of its form, and makes hits, filters and links of its results. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol
from urllib.parse import urlencode

from gateway.core.errors import QueryRefused
from gateway.core.model import Description
from gateway.core.names import FULLTEXT, SOURCES
from gateway.core.states import State
from gateway.pages.item import ShownFile, shown_files
from gateway.pages.reference import Reference, reference_of
from gateway.pages.shown import bare
from gateway.search.base import Facet, Query, Results

PAGE = 10
_MOST_VALUES = 10  # of one filter
_MOST_DIGITS = 4
_ORDERS = ("relevance", "date")
_LISTS: tuple[Facet, ...] = ("type", "source", "set")


class Arguments(Protocol):
    """The arguments of a request, each of which may be repeated."""

    def getlist(self, key: str) -> list[str]:
        """Return all values of an argument."""
        ...

    def get(self, key: str, default: str) -> str:
        """Return the first value of an argument."""
        ...


class Hit(NamedTuple):
    """One result: the item as its page shows it, in short. `search` is the state of the search for its file."""

    identifier: str
    path: str
    title: str
    reference: Reference
    source: str
    files: tuple[ShownFile, ...]
    search: State


class Choice(NamedTuple):
    """One value of a filter with the number of its results, and whether it is chosen."""

    value: str
    name: str
    records: int
    is_chosen: bool


class Chosen(NamedTuple):
    """One filter in force: its kind, its name, and the query without it."""

    facet: str
    name: str
    query: str


def query_of(arguments: Arguments, limit: int = PAGE) -> Query:
    """Return the query that the arguments mean. Raise QueryRefused if they cannot be read."""
    order = arguments.get("order", "") or "relevance"
    if order not in _ORDERS:
        raise QueryRefused(f"The order is relevance or date; {order[:20]!r} is neither.")
    return Query(
        text=arguments.get("q", ""),
        sources=tuple(filter(None, arguments.getlist("source"))),
        sets=tuple(filter(None, arguments.getlist("set"))),
        types=tuple(filter(None, arguments.getlist("type"))),
        year_from=_year(arguments.get("from", "")),
        year_until=_year(arguments.get("until", "")),
        has_file=True if arguments.get("file", "") else None,
        order="date" if order == "date" else "relevance",
        after=arguments.get("after", "") or None,
        limit=limit,
    )


def _year(text: str) -> int | None:
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise QueryRefused(f"A year has four digits; {text[:20]!r} is none.")
    return int(text)


def address(query: Query, **changes: object) -> str:
    """Return the query string of a query, with some arguments replaced."""
    values: dict[str, object] = {
        "q": query.text,
        "source": query.sources,
        "set": query.sets,
        "type": query.types,
        "from": query.year_from or "",
        "until": query.year_until or "",
        "file": "1" if query.has_file else "",
        "order": query.order if query.order != "relevance" else "",
    } | changes
    pairs = [
        (name, value)
        for name, entry in values.items()
        for value in (entry if isinstance(entry, tuple) else (entry,))
        if value or name == "q"
    ]
    return urlencode(pairs)


def hit_of(description: Description, path: str, source: str, search: State) -> Hit:
    """Return a result made of its published record and of the search for a file of it."""
    reference = reference_of(description.work)
    best = next((entry.text for entry in reference.identifiers), description.identifier)
    files = shown_files(description.work.files)
    return Hit(description.identifier, path, bare(reference.title) or best, reference, source, files, search)


def choices(query: Query, results: Results, names: Mapping[str, str]) -> dict[str, list[Choice]]:
    """Return the values of each filter that is a list, the chosen ones always among them.

    `names` are the names of sets by their specs.
    """
    return {
        facet: _choices(results.facets.get(facet, ()), _chosen(query, facet), _name_in(facet, names))
        for facet in _LISTS
    }


def _chosen(query: Query, facet: Facet) -> Sequence[str]:
    return {"source": query.sources, "set": query.sets, "type": query.types}.get(facet, ())


def _name_in(facet: Facet, names: Mapping[str, str]) -> Callable[[str], str]:
    """Return the function that gives the shown name of a value of a filter."""
    if facet == "set":
        return lambda value: names.get(value) or value
    return _capital if facet == "type" else lambda value: value


def _choices(counted: Iterable[tuple[str, int]], chosen: Sequence[str], name: Callable[[str], str]) -> list[Choice]:
    known = {value: count for value, count in counted if value not in (SOURCES, FULLTEXT)}
    first = [value for value in known if value not in chosen][: max(0, _MOST_VALUES - len(chosen))]
    return [Choice(value, name(value), known.get(value, 0), value in chosen) for value in (*chosen, *first)]


def _capital(value: str) -> str:
    return value[:1].upper() + value[1:] if ":" not in value else value


def chosen_filters(query: Query, names: Mapping[str, str]) -> list[Chosen]:
    """Return the filters in force, each with the query that removes it."""
    filters = []
    for facet in _LISTS:
        values = tuple(_chosen(query, facet))
        for value in values:
            rest = tuple(other for other in values if other != value)
            filters.append(Chosen(facet, _name_in(facet, names)(value), address(query, **{facet: rest})))
    if query.year_from:
        filters.append(Chosen("from", str(query.year_from), address(query, **{"from": ""})))
    if query.year_until:
        filters.append(Chosen("until", str(query.year_until), address(query, until="")))
    if query.has_file:
        filters.append(Chosen("file", "", address(query, file="")))
    return filters


def sets_named(results: Results, query: Query) -> tuple[str, ...]:
    """Return the specs of the sets whose names the page shows."""
    counted = [spec for spec, _ in results.facets.get("set", ())][: _MOST_VALUES + 2]
    return tuple(dict.fromkeys((*query.sets, *counted)))
