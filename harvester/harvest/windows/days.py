"""The windows of dates into which the first harvest of a long list is divided. Pure.

A window is written as its first and its last day, `2024-01-01/2024-01-31`; without a first day it is open. The last
window ends a day or more before the plan is made. The list itself then continues from there as an incremental harvest,
so that later changes are harvested, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

from gateway.core.model import Cursor, WindowOutcome

UNITS = ("year", "month", "day")
# Those that are still to be walked.
OPEN = (WindowOutcome.WAITING, WindowOutcome.FAILED)

_DAY = timedelta(days=1)
_YEAR = timedelta(days=365)
# No repository had records before there was OAI-PMH, but for those that give their records the dates of the works.
_EARLIEST = date(1995, 1, 1)


def planned(unit: str, earliest: date | None, until: date | None, now: float, *, is_open: bool) -> tuple[str, ...]:
    """Return the windows from `earliest` to the end of the last whole unit before yesterday, or to `until`.

    `is_open`: the first window has no first day, because `earliest` is only a statement of the source.
    """
    yesterday = datetime.fromtimestamp(now, UTC).date() - _DAY
    last = min(_first_of(unit, yesterday) - _DAY, until or date.max)
    begin = earliest or _EARLIEST
    if is_open:
        begin = min(max(begin, _EARLIEST), last)
    names: list[str] = []
    while begin <= last:
        # The time before there were repositories is one window, because most of it has no records.
        end = min(_next(unit, max(begin, _EARLIEST)) - _DAY, last)
        names.append(f"{'' if is_open and not names else begin}/{end}")
        begin = end + _DAY
    return tuple(names)


def dates_of(window: str) -> tuple[str, str]:
    """Return the first and the last day of a window; an open one has no first."""
    first, _, last = window.partition("/")
    return first, last


def halves(window: str) -> tuple[str, ...]:
    """Return the two halves of a window; of an open one, the last year is one half; none when it cannot be divided."""
    first, last = dates_of(window)
    end = date.fromisoformat(last)
    if not first:
        middle = end - _YEAR
        return (f"/{middle}", f"{middle + _DAY}/{end}") if end > _EARLIEST else ()
    begin = date.fromisoformat(first)
    middle = begin + (end - begin) // 2
    return (f"{begin}/{middle}", f"{middle + _DAY}/{end}") if begin < end else ()


def is_ignored(window: str, datestamps: Sequence[str]) -> bool:
    """Return whether most records of a window are outside of it: then the source ignores dates."""
    first, last = dates_of(window)
    outside = sum(not first <= datestamp[: len(last)] <= last for datestamp in datestamps)
    return 2 * outside > len(datestamps)


def day_behind(windows: Iterable[Cursor]) -> str:
    """Return the day after the last of some windows."""
    return str(date.fromisoformat(max(dates_of(window.window)[1] for window in windows)) + _DAY)


def _first_of(unit: str, day: date) -> date:
    return {"year": day.replace(month=1, day=1), "month": day.replace(day=1), "day": day}[unit]


def _next(unit: str, day: date) -> date:
    """Return the first day of the unit after that of a day."""
    month = day.replace(day=28) + timedelta(days=4)
    return {"year": day.replace(month=12, day=31) + _DAY, "month": month.replace(day=1), "day": day + _DAY}[unit]
