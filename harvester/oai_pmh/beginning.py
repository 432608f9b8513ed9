"""Which list is to be walked: the one in progress, or a new one, and between which dates. Pure."""

from __future__ import annotations

from dataclasses import replace

from gateway.errors import ConfigurationError
from harvester.sources import Options
from harvester.wire.dates import DAY, bound, written
from harvester.wire.list_state import ListState, state_of, text_of


def begun(options: Options, state: ListState) -> ListState:
    """Return the list to walk: the one in progress if it is the one that is asked for, else a new one."""
    granularity = options.granularity or DAY
    try:
        if options.window is None:
            from_, until = bound(options.from_, granularity), bound(options.until, granularity, is_until=True)
        else:
            from_ = bound(options.window[0] or options.from_, granularity)
            until = bound(options.window[1] or options.until, granularity, is_until=True)
    except ValueError as error:
        raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error
    is_window = options.window is not None
    if state.complete and not is_window:
        since = written(state.complete - options.overlap_seconds, granularity)
        # A `from` behind the last date that is wanted is no legal request.
        from_ = max(from_, min(since, until) if until else since)
    is_same = state.is_window == is_window and (not is_window or (state.from_, state.until) == (from_, until))
    if state.is_begun and is_same and _has_dates(state):
        return state
    if state.is_window and not is_window and state.paused:
        return state_of(state.paused)[0]
    paused = state.paused or (text_of(state) if state.is_begun and not state.is_window else "")
    new = replace(state.at_rest(), from_=from_, until=until, is_window=is_window)
    return replace(new, paused=paused) if is_window else new


def _has_dates(state: ListState) -> bool:
    """Tell whether the dates of a list in progress are some; whoever edits a cursor may write anything."""
    try:
        return bool(state.whole)
    except ValueError:
        return False
