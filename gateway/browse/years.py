"""The works of the last years, for the chart of the start page. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gateway.search.query import YearCount

MOST_YEARS: Final = 40


def shown_years(counts: Iterable[YearCount], latest: int, most: int = MOST_YEARS) -> list[YearCount]:
    """Return the last years up to the last one with works, the earliest first, those without works included.

    A year after `latest` is an error of a record, and is left out.
    """
    known = {count.year: count for count in counts if count.year <= latest}
    if not known:
        return []
    last = max(known)
    first = max(min(known), last - most + 1)
    return [known.get(year) or YearCount(year, 0, 0) for year in range(first, last + 1)]


def not_shown(records: int, counts: Iterable[YearCount]) -> int:
    """Return how many of all records are in none of these years: their year is unknown, or too early or late.

    The search index may be behind the store: never below zero.
    """
    return max(0, records - sum(count.items for count in counts))


def best_year(counts: Sequence[YearCount]) -> YearCount:
    """Return the year with the most works, of several the latest. `counts` must not be empty."""
    return max(counts, key=lambda count: (count.items, count.year))
