"""The windows of a sliced first harvest: planned once, stored in the inbox, divided after a failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from gateway.core.model import Cursor, WindowOutcome
from gateway.store.base import Inbox
from harvester.harvest.windows.days import dates_of, day_behind, halves, planned
from harvester.http.dates import DAY, moment_of, written
from harvester.sources import Options, SourceKind, Step


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
    first = day_behind(windows)
    # A `from` behind the last date that is wanted is no legal request.
    from_ = min(first, options.until) if options.until else first
    is_whole = all(window.outcome in (WindowOutcome.DONE, WindowOutcome.SPLIT) for window in windows)
    return replace(options, from_=from_, windows_from=options.from_ if is_whole else None)


def _day(text: str) -> date | None:
    second = moment_of(text)
    return None if second is None else date.fromisoformat(written(second, DAY))
