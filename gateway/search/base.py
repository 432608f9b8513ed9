"""The search as its users and backends know it: queries, results, and what every backend promises.

An index follows the log of changes of the store from a position that it moves in the transaction of its entries. So it
can be killed at any moment. It is never a second truth: pages read each record from the store, and show only
results that it still has. The counts of a facet disregard its own filter. The tests in
`tests/search/` run over every backend.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from gateway.core.errors import QueryRefused
from gateway.core.model import ChangeLine
from gateway.search.entries import Entry

MOST_LETTERS: Final = 400  # of the text of a query
MOST_VALUES: Final = 100  # of one facet that a query may name
MOST_RESULTS: Final = 1000  # on one page
MOST_HITS: Final = 10_000  # that are sorted and counted; pages end there

Order: TypeAlias = Literal["relevance", "date"]
Facet: TypeAlias = Literal["source", "set", "year", "type", "file"]
FACETS: Final[tuple[Facet, ...]] = ("source", "set", "year", "type", "file")


@dataclass(frozen=True, slots=True)
class Query:
    """A query. Every word of `text` must be in an item; an empty text fits all items.

    Of the values of one field, an item must have at least one; an empty field does not restrict. Years are inclusive.
    `after` is a key of earlier results; None or empty: the first page.
    Raise QueryRefused if the query is too long, or a value is one that no query may have.
    """

    text: str = ""
    sources: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    year_from: int | None = None
    year_until: int | None = None
    has_file: bool | None = None
    order: Order = "relevance"
    after: str | None = None
    limit: int = 10

    def __post_init__(self) -> None:
        """Check the sizes."""
        if len(self.text) > MOST_LETTERS:
            raise QueryRefused(f"The query has {len(self.text)} characters; it may have {MOST_LETTERS}.")
        if any(len(values) > MOST_VALUES for values in (self.sources, self.sets, self.types)):
            raise QueryRefused(f"The query names more than {MOST_VALUES} values of one filter.")
        if self.order not in ("relevance", "date"):
            raise QueryRefused("The order of results is `relevance` or `date`.")
        if not 1 <= self.limit <= MOST_RESULTS:
            raise QueryRefused(f"A page of results has 1 to {MOST_RESULTS} results.")


@dataclass(frozen=True, slots=True)
class Results:
    """A page of results: identifiers of items, in order.

    If `is_exact`, all items that fit were counted. Otherwise `total` is how many were looked at, of more, and facets
    and pages are of those. `facets` has (value, count), the most frequent value first; years, the latest first. The
    counts of one facet disregard the filter of that facet. `next` and `previous` are keys for `after`; None: there is
    no such page; an empty `previous` is the first page. `reached` is the second up to which the index is complete.
    """

    identifiers: tuple[str, ...]
    total: int
    is_exact: bool
    reached: int
    next: str | None = None
    previous: str | None = None
    facets: Mapping[Facet, tuple[tuple[str, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of an index: its items, stale entries, last line of the log of changes, and the second it reached."""

    items: int
    stale: int
    position: int
    reached: int
    bytes: int


class YearCount(NamedTuple):
    """The items of one year of publication: how many there are, and how many of them have a file."""

    year: int
    items: int
    with_file: int


class Index(Protocol):
    """An index that is open for writing, by one process at a time.

    Every method may raise IndexDamaged and StoreError.
    """

    def state(self) -> IndexState:
        """Return the state."""
        ...

    def mark(self) -> str:
        """Return the text that names the line of the log that was written last; empty at first."""
        ...

    def write(self, entries: Iterable[Entry], removed: Collection[str], line: ChangeLine | None, reached: int) -> None:
        """Write entries, which replace former ones, and remove items, in one transaction.

        `line` is the last line of the log of changes that they come from; None: the position stays. `reached` is the
        second up to which the index is complete. An entry that is equal to the former one is not written.
        """
        ...

    def remove(self, identifiers: Collection[str]) -> None:
        """Remove items at once. The position stays."""
        ...

    def close(self) -> None:
        """Close it, with everything in its one file."""
        ...


class Reader(Protocol):
    """An index that is only read. It may be used by several threads."""

    def search(self, query: Query) -> Results:
        """Return the results of a query. Raise SearchUnavailable, and QueryRefused for a key that is none of ours."""
        ...

    def years(self) -> tuple[YearCount, ...]:
        """Return how many items each year of publication has, the latest year first. Raise SearchUnavailable."""
        ...

    def state(self) -> IndexState:
        """Return the state of the index. Raise SearchUnavailable."""
        ...
