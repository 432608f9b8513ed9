"""The windows of a list whose first harvest is sliced: planned once, kept in the inbox, divided where one fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from gateway.model import Cursor, WindowOutcome
from gateway.store.base import Inbox
from harvester.sources import Options
from harvester.windows import day_behind, halves, planned
from harvester.wire.dates import moment_of


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


def divide(inbox: Inbox, cursor: Cursor) -> list[Cursor]:
    """Divide a window that will not come, and return its parts; it has failed when there are none."""
    parts = [replace(cursor, state="", window=each, outcome=WindowOutcome.WAITING) for each in halves(cursor.window)]
    outcome = WindowOutcome.SPLIT if parts else WindowOutcome.FAILED
    inbox.put_windows([replace(cursor, outcome=outcome), *parts])
    return parts


def behind(windows: Sequence[Cursor], options: Options) -> Options:
    """Return the options of the list itself: it goes on behind its windows."""
    first = day_behind(windows)
    # A `from` behind the last date that is wanted is no legal request.
    return replace(options, from_=min(first, options.until) if options.until else first)


def _day(text: str) -> date | None:
    second = moment_of(text)
    return None if second is None else datetime.fromtimestamp(max(second, 0), UTC).date()
