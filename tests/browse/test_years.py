"""The years that the chart of the start page shows."""

from __future__ import annotations

from gateway.browse.years import MOST_YEARS, best_year, not_shown, shown_years
from gateway.search.query import YearCount
from tests.rows import each_row


def test_years_without_works_are_shown_as_such():
    counts = [YearCount(2021, 3, 1), YearCount(2019, 1, 0)]
    assert shown_years(counts, 2027) == [YearCount(2019, 1, 0), YearCount(2020, 0, 0), YearCount(2021, 3, 1)]


def test_a_year_to_come_is_an_error_of_a_record():
    assert shown_years([YearCount(2028, 1, 0), YearCount(2027, 1, 0)], 2027) == [YearCount(2027, 1, 0)]


def test_only_the_last_years_are_shown():
    shown = shown_years([YearCount(year, 1, 0) for year in range(1400, 2026)], 2027)
    assert (len(shown), shown[0].year, shown[-1].year) == (MOST_YEARS, 2025 - MOST_YEARS + 1, 2025)


def test_nothing_is_shown_of_nothing():
    assert shown_years([], 2027) == []


@each_row("counts", [[(2019, 2), (2021, 3), (2020, 1)], [(2019, 3), (2021, 3)]])
def test_the_best_year_is_the_latest_with_the_most(counts):
    assert best_year([YearCount(year, items, 0) for year, items in counts]).year == 2021


def test_works_without_a_year_are_counted_apart():
    counts = [YearCount(2019, 2, 0), YearCount(2020, 5, 5)]
    assert not_shown(10, counts) == 3
    assert not_shown(6, counts) == 0
