"""The states of a list: how it begins, and the transitions between its states while it is walked. Pure.

Every request is made in one of these states, and each answer leads to the next one; README.md draws them. The state is
a field of the position of the list (`phase`), which is committed with every answer. So a killed harvest continues in
it. Only the functions of this module set it. `Walk.step` refuses every transition that is not listed here.
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from gateway.core.errors import ConfigurationError
from gateway.core.model import RawPage
from harvester.http.dates import DAY, written
from harvester.sources import Options
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, window_of
from harvester.sources.oai_pmh.list_state import Dates, ListState, Phase, state_of, text_of

# From a state, to which others, and when.
TRANSITIONS: Mapping[Phase, Mapping[Phase, str]] = {
    Phase.PAGES: {
        Phase.PAGES: "a further token; a request or a token that is sent in another way; a list that begins again",
        Phase.WINDOW: "a refused token, a page that cannot be fetched, a list that loops, a source that needs dates",
        Phase.SINGLY: "ListRecords has brought nothing, or asking by date does not help",
        Phase.CHECK: "the end, where a number, a repetition or a change contradicts it",
        Phase.OVER: "the end",
    },
    Phase.WINDOW: {
        Phase.WINDOW: "a further token, the next window, half of this one, or the rest of it from its last date on",
        Phase.PAGES: "the source ignores dates, so the list continues or begins again as one; a list that is given up",
        Phase.SINGLY: "a window of one day or second that cannot be fetched",
        Phase.CHECK: "the last window has ended, and something contradicts the end of the list",
        Phase.OVER: "the last window has ended",
    },
    Phase.SINGLY: {
        Phase.SINGLY: "the next record",
        Phase.WINDOW: "all records of the window were asked for; ListIdentifiers failed, too; a list that is given up",
        Phase.PAGES: "a list that is given up goes back to where its failures began",
        Phase.CHECK: "all records of the last window were asked for, and something contradicts the end of the list",
        Phase.OVER: "all records were asked for",
    },
    Phase.CHECK: {
        Phase.CHECK: "the next record that is named and has not come",
        Phase.WINDOW: "fewer records are named than were announced: the list is asked for in two halves",
        Phase.OVER: "no record is missing, or the run says which are",
    },
    Phase.OVER: {},
}


class UnlistedTransition(RuntimeError):
    """A fault of this program: a list has got from one state to another in a way that is not listed."""


def check_transition(before: Phase, after: Phase) -> None:
    """Raise UnlistedTransition when the table has no transition from one state to the other."""
    if after not in TRANSITIONS[before]:
        raise UnlistedTransition(
            f"A list got from {before.name} to {after.name}, and TRANSITIONS (transitions.py) has no such transition."
        )


def restart(state: ListState) -> ListState:
    """Return the list before a request without a token and without a window (PAGES)."""
    return state.moved(token="", refused=0, window="", windows="", phase=Phase.PAGES, last="", least="").noted(
        part=0,
        part_twins=0,
        part_announced=None,
        cursor_first=None,
        is_unordered=False,
        is_unfalling=False,
        most=0,
        previous=None,
        edge="",
        edge_after="",
    )


def leave_windows(state: ListState) -> ListState:
    """Return the list that is walked as one from here on, without its windows (PAGES)."""
    return state.moved(window="", windows="", phase=Phase.PAGES)


def enter_window(state: ListState, window: Window, *others: Window) -> ListState:
    """Return the list at the beginning of a window (WINDOW); `others` follow it, before those that wait already."""
    waiting = " ".join(filter(None, (text_of_windows(*others), state.position.windows)))
    return restart(state).moved(window=str(window), windows=waiting, phase=Phase.WINDOW)


def ask_singly(state: ListState) -> ListState:
    """Return the list whose records are asked for one by one (SINGLY)."""
    return state.moved(phase=Phase.SINGLY)


def begin_check(state: ListState, window: Window) -> ListState:
    """Return the list, which has ended, before it is compared with ListIdentifiers between two dates (CHECK)."""
    return state.moved(token="", window=str(window), phase=Phase.CHECK)


# --- Which list is walked, the one in progress or a new one, and between which dates ---------------------------------


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
