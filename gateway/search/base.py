"""The protocols of the search: what every backend promises. The tests in `tests/search/` run over them.

An index follows the log of changes of the store from a position that it moves in the transaction of its entries. So it
can be killed at any moment. It is never a second truth: pages read each record from the store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from gateway.core.model import ChangeLine
from gateway.search.entries import Entry
from gateway.search.query import IndexState, Query, Results, YearCount


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
