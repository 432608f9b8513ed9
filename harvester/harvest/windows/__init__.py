"""The windows of dates of a sliced first harvest: planned once, stored in the inbox, divided after a failure.

`harvest.py` walks them.

A window is written as its first and its last day, `2024-01-01/2024-01-31`; without a first day it is open. The last
window ends a day or more before the plan is made. The list itself then continues from there as an incremental harvest,
so that later changes are harvested, too. `run --full` makes a new plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from gateway.core.model import Cursor, WindowOutcome
from gateway.store.base import Inbox
from harvester.http.dates import DAY, moment_of, written
from harvester.sources import Options, SourceKind, Step

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
    first_of = {"year": yesterday.replace(month=1, day=1), "month": yesterday.replace(day=1), "day": yesterday}[unit]
    last = min(first_of - _DAY, until or date.max)
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


def _next(unit: str, day: date) -> date:
    """Return the first day of the unit after that of a day."""
    month = day.replace(day=28) + timedelta(days=4)
    return {"year": day.replace(month=12, day=31) + _DAY, "month": month.replace(day=1), "day": day + _DAY}[unit]


def windows_of(inbox: Inbox, cursor: Cursor) -> list[Cursor]:
    """Return the windows of the cursor's list; none when it is not sliced."""
    ours = (cursor.metadata_prefix, cursor.set_spec)
    return [window for window in inbox.windows(cursor.source) if (window.metadata_prefix, window.set_spec) == ours]


def plan(inbox: Inbox, cursor: Cursor, options: Options, unit: str, earliest: str, now: float) -> list[Cursor]:
    """Divide the cursor's list into windows, store them, and return them.

    The first begins with the `from` of the entry. Without one, it begins with the earliestDatestamp of the source,
    after an open window, because many sources have older records.
    """
    begin = options.from_ or earliest
    dates = planned(unit, _day(begin), _day(options.until), now, is_open=not options.from_)
    windows = [replace(cursor, state="", window=date) for date in dates]
    inbox.put_windows(windows)
    return windows


def day_before(windows: Sequence[Cursor], options: Options) -> str:
    """Return the last wanted day before the windows; empty when there is none."""
    first = min(dates_of(window.window)[0] for window in windows)
    begin = _day(options.from_)
    if not first or (begin is not None and first <= str(begin)):
        return ""
    return str(date.fromisoformat(first) - timedelta(days=1))


def divide(inbox: Inbox, cursor: Cursor) -> list[Cursor]:
    """Divide a window that cannot be harvested, and return its parts; without parts it has failed."""
    parts = [replace(cursor, state="", window=half, outcome=WindowOutcome.WAITING) for half in halves(cursor.window)]
    outcome = WindowOutcome.SPLIT if parts else WindowOutcome.FAILED
    inbox.put_windows([replace(cursor, outcome=outcome), *parts])
    return parts


def closed(kind: SourceKind, step: Step) -> Step:
    """Return the last step of a window with its outcome; of its state only the learned facts remain."""
    outcome = WindowOutcome.DONE if step.is_complete else WindowOutcome.FAILED
    return step._replace(cursor=replace(step.cursor, state=kind.learned((step.cursor,)), outcome=outcome))


def label_of(cursor: Cursor) -> str:
    """Return the label of a list: its metadataPrefix, its set, and the dates of its window."""
    return " ".join(filter(None, (cursor.metadata_prefix, cursor.set_spec, cursor.window)))


def behind(windows: Sequence[Cursor], options: Options) -> Options:
    """Return the options of the list itself, which continues after its windows."""
    last = max(dates_of(window.window)[1] for window in windows)
    first = str(date.fromisoformat(last) + _DAY)
    # A `from` behind the last date that is wanted is no legal request.
    from_ = min(first, options.until) if options.until else first
    is_whole = all(window.outcome in (WindowOutcome.DONE, WindowOutcome.SPLIT) for window in windows)
    return replace(options, from_=from_, windows_from=options.from_ if is_whole else None)


def _day(text: str) -> date | None:
    second = moment_of(text)
    return None if second is None else date.fromisoformat(written(second, DAY))
