"""Which list is walked, the one in progress or a new one, and between which dates. Pure."""

from urllib.parse import parse_qsl, urlsplit

from gateway.core.errors import ConfigurationError
from gateway.core.model import RawPage
from harvester.http.dates import DAY, written
from harvester.sources import Options
from harvester.sources.oai_pmh.date_ranges import Window, window_of
from harvester.sources.oai_pmh.list_state import Dates, ListState, state_of, text_of


def begun(options: Options, state: ListState) -> ListState:
    """Return the list to walk: the one in progress if it is the one that is wanted, else a new one.

    Raise ConfigurationError when the dates to harvest are wrong.
    """
    is_window, (from_, until) = options.window is not None, _dates(options)
    if state.position.is_window and not is_window:
        state = state_of(state.position.paused)[0] if state.position.paused else state.at_rest()
    if state.position.is_begun and _has_dates(state) and _is_wanted(options, state, Window(from_, until)):
        return state
    if is_window:
        paused = state.position.paused or (
            text_of(state) if state.position.is_begun and not state.position.is_window else ""
        )
        return state.at_rest().moved(from_=from_, until=until, is_window=True, paused=paused)
    state = state.within(from_)
    if state.position.complete:
        since = written(state.position.complete - options.overlap_seconds, options.granularity or DAY)
        # A `from` later than `until` is no legal request.
        from_ = max(from_, min(since, until) if until else since)
    return state.at_rest().moved(from_=from_, until=until)


def begins_anew(text: str) -> bool:
    """Return whether the list with this state begins with all records: it has not begun, and none was complete before.

    A server that refuses or ignores dates sends all records each time.
    """
    state, _ = state_of(text)
    has_no_dates = state.profile.dates == Dates.REFUSED or state.profile.ignores_dates
    return not state.position.is_begun and (not state.position.complete or has_no_dates)


def asks_for_all(page: RawPage) -> bool:
    """Return whether a page answers a request for the whole list: one without `from` and without a token."""
    given = dict(parse_qsl(urlsplit(page.url).query))
    return page.verb == "ListRecords" and not given.keys() & {"from", "resumptionToken"}


def _dates(options: Options) -> Window:
    """Return the dates to ask for, in the granularity of the source. Raise ConfigurationError for wrong ones."""
    from_, until = options.bounds(options.granularity or DAY)
    if until and from_ > until:
        raise ConfigurationError(f"Nothing is dated from {from_} until {until}: from is later than until.")
    return Window(from_, until)


def _is_wanted(options: Options, state: ListState, wanted: Window) -> bool:
    """Return whether the list in progress brings what is wanted: this window, or all that the entry now asks for."""
    if options.window is not None:
        return state.position.is_window and (state.position.from_, state.position.until) == wanted
    is_to_its_end = window_of("", state.position.until).covers(window_of("", wanted.until))
    return state.position.reaches(wanted.from_) and is_to_its_end


def _has_dates(state: ListState) -> bool:
    """Return whether the dates of a list in progress can be read; a cursor may have been edited."""
    try:
        return bool(state.position.whole)
    except ValueError:
        return False
