"""Which list is to be walked: the one in progress, or a new one, and between which dates. Pure."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from gateway.errors import ConfigurationError
from gateway.model import RawPage
from harvester.sources import Options
from harvester.wire.dates import DAY, bound, written
from harvester.wire.list_state import Dates, ListState, state_of, text_of
from harvester.wire.windows import Window, window_of


def begun(options: Options, state: ListState) -> ListState:
    """Return the list to walk: the one in progress if it is the one that is asked for, else a new one."""
    is_window, (from_, until) = options.window is not None, _dates(options)
    if state.is_window and not is_window:
        state = state_of(state.paused)[0] if state.paused else state.at_rest()
    if state.is_begun and _has_dates(state) and _is_wanted(options, state, Window(from_, until)):
        return state
    if is_window:
        paused = state.paused or (text_of(state) if state.is_begun and not state.is_window else "")
        return replace(state.at_rest(), from_=from_, until=until, is_window=True, paused=paused)
    state = state.within(from_)
    if state.complete:
        since = written(state.complete - options.overlap_seconds, options.granularity or DAY)
        # A `from` behind the last date that is wanted is no legal request.
        from_ = max(from_, min(since, until) if until else since)
    return replace(state.at_rest(), from_=from_, until=until)


def begins_anew(text: str) -> bool:
    """Tell whether the list with this state begins again with everything: it has not begun, and no list is behind it.

    A server that takes no dates, or minds none, sends everything each time.
    """
    state, _ = state_of(text)
    has_no_dates = state.dates == Dates.REFUSED or state.ignores_dates
    return not state.is_begun and (not state.complete or has_no_dates)


def asks_for_all(page: RawPage) -> bool:
    """Tell whether a page answers a request for the whole list: one that says neither since when nor how it goes on."""
    given = dict(parse_qsl(urlsplit(page.url).query))
    return page.verb == "ListRecords" and not given.keys() & {"from", "resumptionToken"}


def _dates(options: Options) -> Window:
    """Return between which dates is asked, as the source counts. Raise ConfigurationError for none."""
    granularity = options.granularity or DAY
    first, last = options.window or ("", "")
    try:
        from_ = bound(first or options.from_, granularity)
        until = bound(last or options.until, granularity, is_until=True)
    except ValueError as error:
        raise ConfigurationError(f"The dates to harvest are wrong: {error}.") from error
    if until and from_ > until:
        raise ConfigurationError(f"Nothing is dated from {from_} until {until}: from is later than until.")
    return Window(from_, until)


def _is_wanted(options: Options, state: ListState, wanted: Window) -> bool:
    """Tell whether the list in progress brings what is wanted: this very window, or all that the entry wants by now."""
    if options.window is not None:
        return state.is_window and (state.from_, state.until) == wanted
    is_to_its_end = window_of("", state.until).covers(window_of("", wanted.until))
    return state.reaches(wanted.from_) and is_to_its_end


def _has_dates(state: ListState) -> bool:
    """Tell whether the dates of a list in progress are some; whoever edits a cursor may write anything."""
    try:
        return bool(state.whole)
    except ValueError:
        return False
