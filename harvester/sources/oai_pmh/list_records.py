"""ListRecords, page by page: what each page brings, and whether another one follows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gateway.core.errors import DatesRefused, NotOaiPmh, RemoteError
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, SECONDS, written
from harvester.sources import Options, Step
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.completeness import (
    contradicted_break,
    contradicted_empty,
    contradicted_end,
    identifiers_of_first_day,
    is_strange_end,
)
from harvester.sources.oai_pmh.date_ranges import Window
from harvester.sources.oai_pmh.end_of_list import complete_part
from harvester.sources.oai_pmh.fallback_rules import leave_loop, note_order, note_short, resend_token, take_fallback
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.observations import (
    late_among,
    note_cursor,
    note_dates,
    note_first,
    note_opening,
    note_size,
    unrequested_records,
)
from harvester.sources.oai_pmh.transitions import enter_window
from harvester.sources.oai_pmh.walk import Walk, span
from harvester.sources.repeated_requests import PASSING, PATIENCE

_MOST_NAMED = 5  # unknown elements in a sentence
_MOST_STALE_PAGES = 10  # in a row without a new record, each with a further token

# The codes of the standard. Any other code mostly means that the server has just failed.
_CODES = frozenset(
    (
        "badArgument",
        "badResumptionToken",
        "badVerb",
        "cannotDisseminateFormat",
        "idDoesNotExist",
        "noMetadataFormats",
        "noRecordsMatch",
        "noSetHierarchy",
    )
)


def next_page(walk: Walk) -> Step:
    """Ask for the next page and return the step that it leads to.

    Raise as `take_fallback` does, and the errors of `asked` for a refused request.
    """
    is_hurried = walk.state.position.window or walk.options.budget.is_spent
    server, token = replace(walk.server, patience=PATIENCE if is_hurried else None), walk.state.position.token
    try:
        page, answer, seconds = server.list_page(walk.state, "ListRecords", token, partial(_may_change, walk))
    except PASSING as error:
        return take_fallback(walk, error)
    if answer.errors and not answer.slices:
        return _after_errors(walk, page, answer)
    walk.note_time(seconds, answer)
    return _after_page(walk, page, answer)


def _may_change(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether this answer may differ a moment later: an unknown error, or an end where more was announced.

    Primo ends lists early with an empty page. When it is asked again, the page has records (dpla/ingestion3#777).
    """
    if answer.errors:
        return not answer.slices and not {code for code, _ in answer.errors} & _CODES and not walk.is_past()
    is_end = not answer.slices and not (answer.token and answer.token.text)
    return is_end and bool(walk.state.position.token) and walk.is_short()


def _after_errors(walk: Walk, page: RawPage, answer: ListAnswer) -> Step:
    """Return the step after an answer that has only errors: the end, or another way to ask."""
    codes = frozenset(code for code, _ in answer.errors)
    if codes == {"noRecordsMatch"}:
        walk.state = note_first(walk.state, page.received_at, answer, walk.granularity(), walk.note)
        return retry_with_dates(walk, answer, page) if may_need_dates(walk.state) else _after_empty_page(walk, page)
    if not walk.state.position.token:
        return retry_first_request(walk, codes, answer, page)
    state, note = (walk.state, "") if walk.is_surely_past() else resend_token(walk.state, codes)
    walk.state = state
    if note:
        walk.note(note)
        return walk.step(page)
    if walk.is_past():
        walk.note(f"The token after the last record was refused ({', '.join(sorted(codes))}).")
        return _end_by_number(walk, page)
    return take_fallback(walk, RemoteError(answer.errors), page)


def _end_by_number(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part that ended because as many records came as were announced, if that is certain."""
    if not walk.is_surely_past(slices):
        walk.doubt_end()
    return complete_part(walk, page, slices)


def _after_empty_page(walk: Walk, page: RawPage) -> Step:
    """Continue after an answer without records.

    The list is checked where records were expected: after a token, or from a date that is asked for again because a
    record has it. Any other empty answer is believed when ListIdentifiers names no record, either.
    """
    state = walk.state
    is_promised = bool(state.position.token) or (
        bool(state.position.certain) and state.position.certain == state.here.from_
    )
    if not is_promised:
        return contradicted_empty(walk, page) or complete_part(walk, page)
    if walk.is_surely_past():
        return complete_part(walk, page)
    walk.doubt_end()
    step = None if walk.is_short() else contradicted_break(walk, page)
    return step or complete_part(walk, page)


def _after_page(walk: Walk, page: RawPage, answer: ListAnswer) -> Step:
    """Return the step after a page. A page that came before, or that was not asked for, is a failure."""
    walk.state = note_first(walk.state, page.received_at, answer, walk.granularity(), walk.note)
    walk.losses = answer.losses
    is_past = walk.is_past()
    if is_past and walk.received.recall() and walk.received.has(answer.slices) and not _has_moved(walk, answer):
        walk.note("Behind the announced number of records, the same ones came again.")
        return _end_by_number(walk, page)
    if walk.received.repeats(answer.slices):
        walk.note("The answer has the records of an earlier one.")
        return _end_by_number(walk, page) if is_past else leave_loop(walk, page, (), "the same records")
    if unrequested := unrequested_records(walk.state, answer, walk.cursor.set_spec):
        return _without_strays(walk, answer, page, unrequested)
    return _after_good_page(walk, answer, page)


def _after_good_page(walk: Walk, answer: ListAnswer, page: RawPage) -> Step:
    """Accept a page: the next one follows, or the end of this part, or a fallback step when the list loops."""
    token = answer.token.text if answer.token else ""
    walk.state = note_size(walk.state, answer, walk.note)
    slices = _count_page(walk, answer)
    if answer.errors:
        walk.note("The answer has records and errors: " + str(RemoteError(answer.errors)))
    if not token:
        return _after_last_page(walk, answer, page, slices)
    if walk.is_past() and token in walk.received.tokens:
        return _end_by_number(walk, page, slices)
    if token in walk.received.tokens:
        return leave_loop(walk, page, slices, "a resumptionToken it had given before")
    if walk.received.stale_pages == _MOST_STALE_PAGES:
        return leave_loop(walk, page, slices, f"{_MOST_STALE_PAGES} pages in a row with nothing new")
    walk.received.tokens.add(token)
    walk.state = walk.state.moved(token=token, refused=0)
    return walk.step(page, slices)


def _after_last_page(walk: Walk, answer: ListAnswer, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    """Continue after a page without a token. It may not be the last one if it is empty, or ends with an error.

    Nor may it be the last one where no number is announced: a source may end every list after 10,000 records.
    """
    if answer.errors and not walk.is_past():
        walk.doubt()
    if not answer.slices:
        return _after_empty_page(walk, page)
    is_strange = is_strange_end(walk, answer)
    if answer.unknown:
        walk.note(f"The list has what is not understood, and no token: {', '.join(answer.unknown[:_MOST_NAMED])}.")
    if not walk.has_size() and (is_strange or walk.size() is None or walk.options.is_part):
        return contradicted_end(walk, page, slices, answer) or complete_part(walk, page, slices)
    return complete_part(walk, page, slices)


def _without_strays(walk: Walk, answer: ListAnswer, page: RawPage, unrequested: tuple[Slice, ...]) -> Step:
    """Keep what was asked for, and take a fallback step: a request without a token asks for set and dates again."""
    own = tuple(record for record in answer.slices if record not in unrequested)
    lost = NotOaiPmh(
        f"The resumptionToken brought records of other sets or dates than were asked for: {len(unrequested)}."
    )
    return take_fallback(walk, lost, page, _count_page(walk, replace(answer, slices=own)))


def _has_moved(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether a record has changed since the list began. Pages that are counted by offset shift then."""
    since = utc_datetime(walk.state.position.first)
    return any(record.datestamp > since[: len(record.datestamp)] for record in answer.slices)


def _count_page(walk: Walk, answer: ListAnswer) -> tuple[Slice, ...]:
    """Count the slices of a page; return those to keep."""
    is_opening = not walk.state.position.token
    is_as_before = is_opening and walk.received.opens_like_another(walk.state.here, answer.slices)
    state = note_opening(walk.state, answer, walk.cursor.set_spec) if is_opening else walk.state
    state = note_dates(state, answer, walk.note, is_as_before=is_as_before)
    state = note_cursor(state, answer, walk.note)
    datestamps = [record.datestamp for record in answer.slices]
    state = note_short(note_order(state, datestamps), datestamps, walk.options.answers.chance)
    records = walk.add_page(answer.slices, utc_datetime(state.position.first)[:10], state)
    if records.news:
        walk.failures = 0
    if records.fresh:
        walk.note_records(records.kept, records.news, records.fresh)
    walk.state = state.noted(
        received=state.evidence.received + len(records.kept),
        repeated=state.evidence.repeated + records.repeated,
        twins=state.evidence.twins + records.twins,
        part=state.evidence.part + records.fresh,
        part_twins=state.evidence.part_twins + records.fresh_twins,
        late=state.evidence.late + late_among(state, answer, walk.there),
        has_pages=state.evidence.has_pages or bool(answer.slices),
    )
    walk.note_disputed(records.disputed)
    if is_opening and _may_hide_changes(walk, answer):
        walk.there = identifiers_of_first_day(walk)
    return records.kept


def _may_hide_changes(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether neither number, order nor dates of a list that begins will show what changes meanwhile."""
    state = walk.state
    has_more = (
        bool(answer.token and answer.token.text) and state.evidence.announced is None and state.evidence.is_unordered
    )
    is_whole = not (
        state.position.window or walk.options.is_part or state.position.until or state.profile.is_first_generation
    )
    return has_more and is_whole and all(len(record.datestamp) == len(DAY) for record in answer.slices)


# --- The first request of a part where it is refused: in the other granularity, without dates, or with dates ---------


def retry_first_request(walk: Walk, codes: frozenset[str], answer: ListAnswer, page: RawPage) -> Step:
    """Ask once in the other granularity: some servers announce one and accept only the other.

    If that is refused, too, the whole list is requested without dates: some sources have no selective harvesting
    (zvdd.org). Raise DatesRefused for refused dates that the run or the configuration states, RemoteError for other
    errors. In a window, raise RemoteError only when the source does not even answer Identify.
    """
    has_dates = "badArgument" in codes and any(walk.state.here) and walk.state.profile.dates != Dates.REFUSED
    if has_dates and not walk.has_other_granularity:
        walk.has_other_granularity = True
        other = SECONDS if walk.granularity() == DAY else DAY
        walk.note(f"The dates were refused; they were sent again as {other}.")
        walk.state = walk.state.learning(granularity=other)
        return walk.step(page)
    if walk.state.position.window:
        return take_fallback(walk, RemoteError(answer.errors), page)
    if has_dates and not _has_own_dates(walk.options):
        walk.note(f"{RemoteError(answer.errors)} The whole list is asked for, without dates.")
        walk.state = walk.state.learning(granularity="", dates=Dates.REFUSED.value, ignores_dates=True)
        return walk.step(page)
    raise (DatesRefused if has_dates else RemoteError)(answer.errors)


def _has_own_dates(options: Options) -> bool:
    """Return whether the dates that were sent come from the entry or the command."""
    return options.window is not None or bool(options.from_ or options.until)


def may_need_dates(state: ListState) -> bool:
    """Return whether the list may be empty only because no dates were sent: no record ever came without dates."""
    is_open = not (state.position.token or state.position.window or any(state.position.whole))
    return is_open and state.profile.dates != Dates.OPTIONAL


def retry_with_dates(walk: Walk, answer: ListAnswer, page: RawPage) -> Step:
    """Ask again with dates: some servers find nothing without them (LearningRegistry#60).

    The earliestDatestamp is not trusted: older records are requested as well. Raise RemoteError when the source does
    not even answer Identify.
    """
    walk.note("Nothing matches without dates; the same is asked for with some.")
    earliest, _ = span(*walk.identified(RemoteError(answer.errors), is_fresh=False))
    before, since = Window(until=written(earliest - 1, SECONDS)), Window(from_=written(earliest, SECONDS))
    walk.begin_part(enter_window(walk.state.learning(dates=Dates.NEEDED.value), since, before))
    return walk.step(page)
