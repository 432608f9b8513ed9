"""What is done next when a list cannot be walked any further: one rung down. Pure.

* the token -> the token again -> written otherwise -> with the metadataPrefix beside it (`sent_otherwise`)
* from the last certain date on -> half of the window -> ... -> one day or one second (`below`)
* record by record, as ListIdentifiers names them -> left for later, or in quarantine
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from gateway.xmltext import utc_datetime
from harvester.wire.dates import SECONDS, moment_of, written
from harvester.wire.list_state import ListState, Rung
from harvester.wire.windows import Window, halves, text_of_windows, windows_of

# Which way of sending a token is turned round when it is refused, in this order; at first none, it is sent again.
_WAYS = ("", "is_verbatim", "wants_prefix")
_RESTARTS = 2  # of a list whose source does not look at dates


def sent_otherwise(state: ListState, codes: frozenset[str]) -> tuple[ListState, str]:
    """Return the list whose token, which was refused, is sent once more, and how; no sentence when every way is tried.

    A way that did not help is taken back.
    """
    if state.refused:
        state = _turned(state, _WAYS[state.refused - 1])
    for number in range(state.refused, len(_WAYS)):
        way = _WAYS[number]
        if way == "is_verbatim" and quote(state.token, safe="") == state.token:
            continue
        if way == "wants_prefix" and not codes - {"badResumptionToken"}:
            continue
        turned = replace(_turned(state, way), refused=number + 1)
        return turned, f"The token was refused; it was sent again{_in_words(way, turned)}."
    return replace(state, refused=0), ""


def _turned(state: ListState, way: str) -> ListState:
    if way == "is_verbatim":
        return replace(state, is_verbatim=not state.is_verbatim)
    return replace(state, wants_prefix=not state.wants_prefix) if way else state


def _in_words(way: str, state: ListState) -> str:
    if way == "is_verbatim":
        return " as the source had written it" if state.is_verbatim else " percent-encoded"
    if way == "wants_prefix":
        return f" with{'' if state.wants_prefix else 'out'} the metadataPrefix beside it"
    return ""


def below(state: ListState, granularity: str, earliest: int, latest: int) -> tuple[ListState, str]:
    """Return the list one rung down, and what that means.

    What came in order of its dates is certain up to the last of them, which is asked for again; of anything else
    the whole window is.
    """
    here = state.here
    if state.ignores_dates:
        if state.part and state.restarts < _RESTARTS:
            return begun_again(replace(state, restarts=state.restarts + 1)), "The list begins anew."
    elif state.last > here.from_:
        rest = Window(state.last, here.until)
        # What was announced of the window is not known of the rest of it.
        broken = replace(state, certain=rest.from_, unsized=state.unsized + 1)
        return entered(broken, rest), f"It goes on with what is dated {rest.from_} or later."
    else:
        parts = halves(here, granularity, earliest, latest)
        if parts:
            sentence = f"It is asked for in two parts: {parts[0].in_words}, and {parts[1].in_words}."
            return entered(replace(state, is_sliced=True), *parts), sentence
    sentence = f"What it has {here.in_words} is asked for record by record."
    return replace(state, token="", rung=Rung.SINGLY.value), sentence


def entered(state: ListState, window: Window, *others: Window) -> ListState:
    """Return the list at the beginning of a window; `others` come after it, before those that wait already."""
    waiting = " ".join(filter(None, (text_of_windows(*others), state.windows)))
    return replace(begun_again(state), window=str(window), windows=waiting)


def begun_again(state: ListState) -> ListState:
    """Return the list before a request without a token."""
    return replace(
        state,
        token="",
        refused=0,
        window="",
        windows="",
        rung=Rung.PAGES.value,
        part=0,
        part_announced=None,
        cursor_first=None,
        last="",
        is_unordered=False,
    )


def next_window(state: ListState) -> ListState | None:
    """Return the list at the beginning of its next window, None behind the last."""
    waiting = windows_of(state.windows)
    if not waiting:
        return None
    return entered(replace(state, windows=text_of_windows(*waiting[1:])), waiting[0])


def ordered(state: ListState, datestamps: list[str]) -> ListState:
    """Return the list after a page with these datestamps: how far it has come, as long as they come in order."""
    if state.is_unordered or not datestamps:
        return state
    is_uniform = len(set(map(len, datestamps))) == 1
    first, last = moment_of(datestamps[0]), moment_of(datestamps[-1])
    if not is_uniform or first is None or last is None or datestamps != sorted(datestamps):
        return replace(state, is_unordered=True, last="")
    if utc_datetime(first) < state.last:
        return replace(state, is_unordered=True, last="")
    return replace(state, last=utc_datetime(last))


def contradicts(state: ListState, size: int | None = None) -> bool:
    """Tell whether the numbers announced of the windows come to more than that of the list; `size` is one more."""
    return state.announced is not None and state.tally + (size or 0) > state.announced


def to_check(state: ListState) -> Window | None:
    """Return the dates of a list that has ended for which ListIdentifiers is to tell whether it is whole; None: no.

    A list in which a window was left cannot be whole, and its numbers say nothing.
    """
    if not state.has_gaps and (state.is_doubted or state.repeated or _has_less(state) or _has_moved(state)):
        return state.whole
    is_as_announced = state.distinct == state.announced == state.announced_first and not state.has_gaps
    if not state.certain or is_as_announced:
        return None
    if not state.has_gaps:
        return state.whole
    return Window(state.whole.from_, written((moment_of(state.certain) or 0) - 1, SECONDS))


def _has_less(state: ListState) -> bool:
    """Tell whether fewer came than were announced, or than there must be of those that the first answer counted.

    Where pages are counted, one record that goes and one that comes meanwhile leave all numbers as they are, and a
    third record unseen.
    """
    announced, first = state.announced, state.announced_first or 0
    return announced is not None and (state.distinct < announced or min(announced, state.distinct - state.late) < first)


def _has_moved(state: ListState) -> bool:
    """Tell whether records changed in a list without numbers and out of the order of its dates.

    Others may have slipped from page to page then. Where dates are in order, what changed comes again at the end.
    """
    return bool(state.late) and state.announced is None and state.is_unordered


def promised(state: ListState) -> int:
    """Return how many records were announced of the list at most, at its beginning or at its end; 0: none."""
    return max(state.announced_first or 0, state.announced or 0)


def is_short(state: ListState, tolerance: float = 0.0) -> bool:
    """Tell whether more than this share is missing of the records that were announced."""
    return promised(state) - state.distinct > tolerance * promised(state)


def announced(state: ListState) -> str:
    """Return the sentence for a number that was not kept."""
    return f"The source announced {promised(state)} records and sent {state.distinct}."


def misfit(state: ListState) -> str:
    """Return the sentence for what does not fit in a list that has ended."""
    if state.announced is not None and promised(state) != state.distinct:
        return announced(state)
    if state.repeated:
        return f"Records came again in one list: {state.repeated}; its pages may have shifted."
    if state.late and not state.is_doubted:
        return f"Records were added or changed while the list was walked: {state.late}; its pages may have shifted."
    if state.certain or state.is_sliced:
        return "The list could not be walked in one piece."
    return "The list may not have been whole."
