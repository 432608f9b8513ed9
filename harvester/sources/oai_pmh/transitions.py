"""The states of a list that is being walked, and the transitions between them. Pure.

Every request is made in one of these states, and each answer leads to the next one; README.md draws them. The state is
a field of the position of the list (`phase`), which is committed with every answer. So a killed harvest continues in
it. Only the functions of this module set it. `Walk.step` refuses every transition that is not listed here.
"""

from collections.abc import Mapping

from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows
from harvester.sources.oai_pmh.list_state import ListState, Phase

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
