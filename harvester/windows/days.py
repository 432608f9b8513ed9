"""A first harvest in slices: the windows of dates that a long list is divided into, each to be walked by itself. Pure.

A window is written as its first and its last day, `2024-01-01/2024-01-31`; without a first day it is open. They end a
day or more before they are planned, and the list itself goes on from there as an incremental harvest: what was changed
meanwhile carries a date behind them, so nothing falls between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

from gateway.model import Cursor, WindowOutcome

UNITS = ("year", "month", "day")
# Those that are still to be walked.
OPEN = (WindowOutcome.WAITING, WindowOutcome.FAILED)

_DAY = timedelta(days=1)
_YEAR = timedelta(days=365)
# No repository had records before there was OAI-PMH, but for those that give their records the dates of the works.
_EARLIEST = date(1995, 1, 1)


def planned(unit: str, earliest: date | None, until: date | None, now: float, *, is_open: bool) -> tuple[str, ...]:
    """Return the windows from `earliest` to the end of the last whole unit before yesterday, or to `until`.

    `is_open`: the first one has no beginning, because `earliest` is only what a source says of itself.
    """
    yesterday = datetime.fromtimestamp(now, UTC).date() - _DAY
    last = min(_first_of(unit, yesterday) - _DAY, until or date.max)
    begin = earliest or _EARLIEST
    if is_open:
        begin = min(max(begin, _EARLIEST), last)
    found: list[str] = []
    while begin <= last:
        # What is dated before there were repositories is one window: most of that time has no records.
        end = min(_next(unit, max(begin, _EARLIEST)) - _DAY, last)
        found.append(f"{'' if is_open and not found else begin}/{end}")
        begin = end + _DAY
    return tuple(found)


def dates_of(window: str) -> tuple[str, str]:
    """Return the first and the last day of a window; an open one has no first."""
    first, _, last = window.partition("/")
    return first, last


def halves(window: str) -> tuple[str, ...]:
    """Return a window in two; of an open one the last year is cut off; none when it cannot be divided."""
    first, last = dates_of(window)
    end = date.fromisoformat(last)
    if not first:
        middle = end - _YEAR
        return (f"/{middle}", f"{middle + _DAY}/{end}") if end > _EARLIEST else ()
    begin = date.fromisoformat(first)
    middle = begin + (end - begin) // 2
    return (f"{begin}/{middle}", f"{middle + _DAY}/{end}") if begin < end else ()


def is_ignored(window: str, datestamps: Sequence[str]) -> bool:
    """Tell whether most of what came for a window lies outside of it: then the source does not keep to dates."""
    first, last = dates_of(window)
    outside = sum(not first <= each[: len(last)] <= last for each in datestamps)
    return 2 * outside > len(datestamps)


def day_behind(windows: Iterable[Cursor]) -> str:
    """Return the day behind the last of some windows."""
    return str(date.fromisoformat(max(dates_of(each.window)[1] for each in windows)) + _DAY)


def _first_of(unit: str, day: date) -> date:
    return {"year": day.replace(month=1, day=1), "month": day.replace(day=1), "day": day}[unit]


def _next(unit: str, day: date) -> date:
    """Return the first day of the unit behind that in which a day lies."""
    month = day.replace(day=28) + timedelta(days=4)
    return {"year": day.replace(month=12, day=31) + _DAY, "month": month.replace(day=1), "day": day + _DAY}[unit]
