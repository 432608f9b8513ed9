"""Facts of an answer besides its records: its time, its numbers, whether it respects the dates. Pure.

Each `note_` function returns the list with what was noticed, and calls `note` with what belongs in the run log.
"""

from collections.abc import Callable

from gateway.core.model import Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import bound, moment_of
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.transitions import leave_windows

_DAY_SECONDS = 86_400
_NEVER = 1 << 60


def note_first(
    state: ListState, received: int, answer: ListAnswer, granularity: str, note: Callable[[str], None]
) -> ListState:
    """At the first answer of a list, remember its responseDate: the next harvest begins there."""
    if state.position.first:
        return state
    given = moment_of(answer.response_date)
    if given is None:
        ours = utc_datetime(received)
        note(f"The responseDate {answer.response_date!r} is none; our own time {ours} stands for it.")
    elif given > received + _DAY_SECONDS:
        note(f"The responseDate {answer.response_date!r} lies in the future; our own time is used.")
        given = None
    # Records outside of the dates that were asked for are noted and accepted.
    from_ = bound(state.here.from_, granularity)
    stamps = [record.datestamp for record in answer.slices if record.datestamp]
    outside = sum(stamp[: len(from_)] < from_[: len(stamp)] for stamp in stamps)
    if outside:
        note(f"Records older than from={from_} were sent: {outside} of {len(answer.slices)} on the first page.")
    is_older = answer.version.startswith("1")
    return state.moved(first=received if given is None else given).learning(is_first_generation=is_older)


def note_opening(state: ListState, answer: ListAnswer, set_spec: str) -> ListState:
    """Notice at the first answer of a part whether records come without dates, respect them, and name their set."""
    if not answer.slices:
        return state
    dates = state.profile.dates or ("" if any(state.here) else Dates.OPTIONAL.value)
    names_set = bool(set_spec) and all(record.sets and is_in(set_spec, record) for record in answer.slices)
    keeps_dates = any(state.here) and not state.profile.ignores_dates and not is_outside(state.here, answer.slices)
    return state.learning(dates=dates).noted(names_set=names_set, keeps_dates=keeps_dates)


def unrequested_records(state: ListState, answer: ListAnswer, set_spec: str) -> tuple[Slice, ...]:
    """Return the records that a token brought and nobody asked for, where the first request brought none of them.

    Some tokens forget the set or the dates (SobekCM#6, LearningRegistry#53).
    """
    if not state.position.token:
        return ()
    return tuple(
        record
        for record in answer.slices
        if (state.evidence.names_set and not is_in(set_spec, record))
        or (state.evidence.keeps_dates and is_outside(state.here, (record,)))
    )


def is_in(set_spec: str, record: Slice) -> bool:
    """Return whether a record may be in a set: it names the set, or one below it, or none at all."""
    return not record.sets or any(f"{spec}:".startswith(f"{set_spec}:") for spec in record.sets)


def note_dates(state: ListState, answer: ListAnswer, note: Callable[[str], None], *, is_as_before: bool) -> ListState:
    """Notice a source that ignores dates: it sends records dated more than a day outside of the window.

    A smaller difference may be a clock that does not run in UTC (vufind#1350, DOAJ#786). `is_as_before`: the answer is
    the same as for another window.
    """
    if not state.position.window or state.profile.ignores_dates:
        return state
    if not is_as_before and not is_outside(state.here, answer.slices):
        return state
    note("The source ignores from and until; its list is walked as one.")
    announced = state.evidence.part_announced or state.evidence.announced
    return leave_windows(state).learning(ignores_dates=True).noted(is_doubted=True, announced=announced)


def is_outside(window: Window, slices: tuple[Slice, ...]) -> bool:
    """Return whether any of these records is dated more than a day outside of a window."""
    from_, until = moment_of(window.from_), moment_of(window.until)
    first = -_NEVER if from_ is None else from_ - _DAY_SECONDS
    last = _NEVER if until is None else until + _DAY_SECONDS
    stamps = (moment_of(record.datestamp) for record in slices)
    return any(stamp is not None and not first <= stamp <= last for stamp in stamps)


def note_size(state: ListState, answer: ListAnswer, note: Callable[[str], None]) -> ListState:
    """Remember how many records are announced: of the list, or of the window that is being walked."""
    size = answer.token.complete_list_size if answer.token else None
    if size is None:
        return state
    if state.position.window:
        return state.noted(part_announced=size)
    if state.evidence.announced is not None and state.evidence.announced != size:
        note(f"The completeListSize changed from {state.evidence.announced} to {size}.")
    first = size if state.evidence.announced_first is None else state.evidence.announced_first
    return state.noted(announced_first=first, announced=size)


def late_among(state: ListState, answer: ListAnswer, there: frozenset[str]) -> int:
    """Count the records of a further page that are dated after the first answer of the list: they moved, or are new.

    A record that is also dated after this answer proves nothing. If no number is announced, a record that is dated with
    the day on which the list began counts, too. The exceptions are those `there`: named with that day when the list
    began.
    """
    now = moment_of(answer.response_date)
    if not state.position.token or now is None:
        return 0
    first, last = utc_datetime(state.position.first), utc_datetime(now)
    is_open = state.evidence.announced is None
    return sum(
        first < record.datestamp <= last
        or (is_open and record.datestamp == first[:10] and record.identifier not in there)
        for record in answer.slices
    )


def note_cursor(state: ListState, answer: ListAnswer, note: Callable[[str], None]) -> ListState:
    """Notice a cursor that is larger than the number of records that came: then a page was lost.

    The cursor should count the records before this answer. Some sources include this answer, and some count pages
    (fairchive#2888, DOAJ). The cursor of the first answer shows which.
    """
    cursor = answer.token.cursor if answer.token else None
    if not state.evidence.part:
        return state.noted(cursor_first=cursor)
    with_this = 0 if state.evidence.cursor_first == 0 else len(answer.slices)
    entries = state.evidence.part + state.evidence.part_twins + with_this
    if state.evidence.is_doubted or cursor is None or cursor <= entries:
        return state
    note(f"The cursor says {cursor} where {state.evidence.part} records had come.")
    return state.noted(is_doubted=True)
