"""The windows of a list whose first harvest is sliced: planned once, kept in the inbox, divided where one fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from gateway.model import Cursor, WindowOutcome
from gateway.store.base import Inbox
from harvester.sources import Options, SourceKind, Step
from harvester.windows.days import dates_of, day_behind, halves, planned
from harvester.wire.dates import DAY, moment_of, written


def windows_of(inbox: Inbox, cursor: Cursor) -> list[Cursor]:
    """Return the windows of the cursor's list; none when it is not sliced."""
    ours = (cursor.metadata_prefix, cursor.set_spec)
    return [each for each in inbox.windows(cursor.source) if (each.metadata_prefix, each.set_spec) == ours]


def plan(inbox: Inbox, cursor: Cursor, options: Options, unit: str, earliest: str, now: float) -> list[Cursor]:
    """Divide the cursor's list into windows, keep them, and return them.

    It begins with the `from` of the source's entry; else with what the source calls its `earliest` datestamp, and
    before that an open window, since many have older records.
    """
    begin = options.from_ or earliest
    dates = planned(unit, _day(begin), _day(options.until), now, is_open=not options.from_)
    windows = [replace(cursor, state="", window=each) for each in dates]
    inbox.put_windows(windows)
    return windows


def day_before(windows: Sequence[Cursor], options: Options) -> str:
    """Return the last day that lies before the windows and is wanted by now; empty when none is."""
    first = min(dates_of(each.window)[0] for each in windows)
    begin = _day(options.from_)
    if not first or (begin is not None and first <= str(begin)):
        return ""
    return str(date.fromisoformat(first) - timedelta(days=1))


def divide(inbox: Inbox, cursor: Cursor) -> list[Cursor]:
    """Divide a window that will not come, and return its parts; it has failed when there are none."""
    parts = [replace(cursor, state="", window=each, outcome=WindowOutcome.WAITING) for each in halves(cursor.window)]
    outcome = WindowOutcome.SPLIT if parts else WindowOutcome.FAILED
    inbox.put_windows([replace(cursor, outcome=outcome), *parts])
    return parts


def closed(kind: SourceKind, step: Step) -> Step:
    """Return the last step of a window with what became of it; of its state only what was learned remains."""
    outcome = WindowOutcome.DONE if step.is_complete else WindowOutcome.FAILED
    return step._replace(cursor=replace(step.cursor, state=kind.learned((step.cursor,)), outcome=outcome))


def label_of(cursor: Cursor) -> str:
    """Return how a list is called: its metadataPrefix, and its set, and the dates of its window."""
    return " ".join(filter(None, (cursor.metadata_prefix, cursor.set_spec, cursor.window)))


def behind(windows: Sequence[Cursor], options: Options) -> Options:
    """Return the options of the list itself: it goes on behind its windows."""
    first = day_behind(windows)
    # A `from` behind the last date that is wanted is no legal request.
    from_ = min(first, options.until) if options.until else first
    is_whole = all(each.outcome in (WindowOutcome.DONE, WindowOutcome.SPLIT) for each in windows)
    return replace(options, from_=from_, windows_from=options.from_ if is_whole else None)


def _day(text: str) -> date | None:
    second = moment_of(text)
    return None if second is None else date.fromisoformat(written(second, DAY))
