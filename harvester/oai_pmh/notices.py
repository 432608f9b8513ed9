"""What an answer tells besides its records: its time, its numbers, whether it keeps to the dates. Pure.

Each function returns the list as it is known then, and adds to `notes` what is worth telling.
"""

from __future__ import annotations

from dataclasses import replace

from gateway.model import Slice
from gateway.xmltext import utc_datetime
from harvester.wire.dates import bound, moment_of
from harvester.wire.http import Fetched
from harvester.wire.list_state import Dates, ListState
from harvester.wire.oai_pmh import ListAnswer
from harvester.wire.windows import Window

_DAY_SECONDS = 86_400
_NEVER = 1 << 60


def first_noticed(
    state: ListState, fetched: Fetched, answer: ListAnswer, granularity: str, notes: list[str]
) -> ListState:
    """At the first answer of a list, remember when it was given: the next harvest goes on from there."""
    if state.first:
        return state
    given, received = moment_of(answer.response_date), fetched.received_at
    if given is None:
        ours = utc_datetime(received)
        notes.append(f"The responseDate {answer.response_date!r} is none; our own time {ours} stands for it.")
    elif given > received + _DAY_SECONDS:
        notes.append(f"The responseDate {answer.response_date!r} lies in the future; our own time is used.")
        given = None
    # A source that does not keep to the dates it was asked for is told; its records are taken nevertheless.
    from_ = bound(state.here.from_, granularity)
    stamps = [each.datestamp for each in answer.slices if each.datestamp]
    outside = sum(stamp[: len(from_)] < from_[: len(stamp)] for stamp in stamps)
    if outside:
        notes.append(f"Records older than from={from_} were sent: {outside} of {len(answer.slices)} on the first page.")
    is_older = answer.version.startswith("1")
    return replace(state, first=received if given is None else given, is_first_generation=is_older)


def opening_noticed(state: ListState, answer: ListAnswer, set_spec: str) -> ListState:
    """Notice at the first answer of a part whether records come without dates, or keep to them, and name their set."""
    if not answer.slices:
        return state
    dates = state.dates or ("" if any(state.here) else Dates.OPTIONAL.value)
    names_set = bool(set_spec) and all(each.sets and is_in(set_spec, each) for each in answer.slices)
    keeps_dates = any(state.here) and not state.ignores_dates and not lies_beside(state.here, answer.slices)
    return replace(state, dates=dates, names_set=names_set, keeps_dates=keeps_dates)


def strays(state: ListState, answer: ListAnswer, set_spec: str) -> tuple[Slice, ...]:
    """Return what a token has brought that was not asked for, where the request before it had none of that.

    Some tokens forget the set or the dates (SobekCM#6, LearningRegistry#53).
    """
    if not state.token:
        return ()
    return tuple(
        each
        for each in answer.slices
        if (state.names_set and not is_in(set_spec, each)) or (state.keeps_dates and lies_beside(state.here, (each,)))
    )


def is_in(set_spec: str, record: Slice) -> bool:
    """Tell whether a record may be in a set: it names the set, or one below it, or none at all."""
    return not record.sets or any(f"{each}:".startswith(f"{set_spec}:") for each in record.sets)


def dates_noticed(state: ListState, answer: ListAnswer, notes: list[str], *, is_as_before: bool) -> ListState:
    """Notice when windows are of no use: when a source sends what lies more than a day beside the one asked for.

    Less than that may be a clock that does not run in UTC (vufind#1350, DOAJ#786). `is_as_before`: the answer is the
    same as for another window.
    """
    if not state.window or state.ignores_dates:
        return state
    if not is_as_before and not lies_beside(state.here, answer.slices):
        return state
    notes.append("The source does not keep to from and until; its list is walked as one.")
    announced = state.part_announced or state.announced
    return replace(state, window="", windows="", ignores_dates=True, is_doubted=True, announced=announced)


def lies_beside(window: Window, slices: tuple[Slice, ...]) -> bool:
    """Tell whether any of these records is dated more than a day beside a window."""
    from_, until = moment_of(window.from_), moment_of(window.until)
    first = -_NEVER if from_ is None else from_ - _DAY_SECONDS
    last = _NEVER if until is None else until + _DAY_SECONDS
    stamps = (moment_of(each.datestamp) for each in slices)
    return any(stamp is not None and not first <= stamp <= last for stamp in stamps)


def size_noticed(state: ListState, answer: ListAnswer, notes: list[str]) -> ListState:
    """Remember how many records are announced: of the list, or of the window that is being walked."""
    size = answer.token.complete_list_size if answer.token else None
    if size is None:
        return state
    if state.window:
        return replace(state, part_announced=size)
    if state.announced is not None and state.announced != size:
        notes.append(f"The completeListSize changed from {state.announced} to {size}.")
    first = size if state.announced_first is None else state.announced_first
    return replace(state, announced_first=first, announced=size)


def late_among(state: ListState, answer: ListAnswer, there: frozenset[str]) -> int:
    """Count what a token has brought that is dated after the first answer of the list: it moved, or was not there then.

    What is dated after this answer, too, says nothing of when it came. A day says it only where there are no numbers,
    so that nothing else does: then what is dated of the day on which the list began may have come since, unless it is
    `there`: named as of that day when the list began.
    """
    now = moment_of(answer.response_date)
    if not state.token or now is None:
        return 0
    first, last = utc_datetime(state.first), utc_datetime(now)
    is_open = state.announced is None
    return sum(
        first < each.datestamp <= last or (is_open and each.datestamp == first[:10] and each.identifier not in there)
        for each in answer.slices
    )


def cursor_noticed(state: ListState, answer: ListAnswer, notes: list[str]) -> ListState:
    """Notice when the cursor is further than what has come: then a page was lost.

    It should count what came before this answer; some count what has come with it, and some pages
    (fairchive#2888, DOAJ). What the first answer says tells which.
    """
    cursor = answer.token.cursor if answer.token else None
    if not state.part:
        return replace(state, cursor_first=cursor)
    with_this = 0 if state.cursor_first == 0 else len(answer.slices)
    if state.is_doubted or cursor is None or cursor <= state.part + with_this:
        return state
    notes.append(f"The cursor says {cursor} where {state.part} records had come.")
    return replace(state, is_doubted=True)
