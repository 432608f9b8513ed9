"""ListRecords, page by page: what each page brings, and whether another one follows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gateway.core.errors import DatesRefused, NotOaiPmh, OaiError, RemoteError
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import DAY, SECONDS, bound, moment_of, written
from harvester.sources import Step
from harvester.sources.oai_pmh.answers import ListAnswer, is_in
from harvester.sources.oai_pmh.completeness import (
    contradicted_break,
    contradicted_empty,
    contradicted_end,
    identifiers_of_first_day,
)
from harvester.sources.oai_pmh.date_ranges import Window, is_outside, text_of_windows, window_of, windows_of
from harvester.sources.oai_pmh.list_run import ListRun, span
from harvester.sources.oai_pmh.list_state import Dates, ListState
from harvester.sources.oai_pmh.next_part import (
    complete_part,
    leave_loop,
    resend_token,
    take_fallback,
)
from harvester.sources.repeated_requests import PASSING, PATIENCE

_DAY_SECONDS = 86_400
_MUCH_SLOWER, _SLOW_MS = 10, 5000  # DSpace#12980: from 89 ms at first to 12,988 ms at record 151,200
_MOST_SHORT = 4  # windows around short pages that are asked for
_MOST_NAMED = 5  # unknown elements in a sentence
_MOST_STALE_PAGES = 10  # in a row without a new record, each with a further token

# The codes of the standard. Any other code mostly means that the server has just failed.
_CODES = frozenset(error.code for error in OaiError.__subclasses__())


def next_page(run: ListRun) -> Step:
    """Ask for the next page and return the step that it leads to.

    Raise as `take_fallback` does, and the errors of `asked` for a refused request.
    """
    is_hurried = run.position.window or run.options.budget.is_spent
    server, token = replace(run.server, patience=PATIENCE if is_hurried else None), run.position.token
    try:
        page, answer, seconds = server.list_page(run.state, "ListRecords", token, partial(_may_change, run))
    except PASSING as error:
        return take_fallback(run, error)
    if answer.errors and not answer.slices:
        return _after_errors(run, page, answer)
    _note_time(run, seconds, answer)
    return _after_page(run, page, answer)


def _may_change(run: ListRun, answer: ListAnswer) -> bool:
    """Tell whether this answer may differ a moment later: an unknown error, or an end where more was announced.

    Primo ends lists early with an empty page. When it is asked again, the page has records (dpla/ingestion3#777).
    """
    if answer.errors:
        return not answer.slices and not {code for code, _ in answer.errors} & _CODES and not run.state.is_past
    is_end = not answer.slices and not (answer.token and answer.token.text)
    return is_end and bool(run.position.token) and run.state.is_short


def _after_errors(run: ListRun, page: RawPage, answer: ListAnswer) -> Step:
    """Return the step after an answer that has only errors: the end, or another way to ask."""
    codes = frozenset(code for code, _ in answer.errors)
    if codes == {"noRecordsMatch"}:
        _note_first(run, page, answer)
        return _retry_with_dates(run, answer, page) if _may_need_dates(run) else _after_empty_page(run, page)
    if not run.position.token:
        return _retry_first_request(run, codes, answer, page)
    if not _is_surely_past(run) and (sentence := resend_token(run, codes)):
        run.note(sentence)
        return run.step(page)
    if run.state.is_past:
        run.note(f"The token after the last record was refused ({', '.join(sorted(codes))}).")
        return _end_by_number(run, page)
    return take_fallback(run, RemoteError(answer.errors), page)


def _is_surely_past(run: ListRun, slices: tuple[Slice, ...] = ()) -> bool:
    """Return whether the number was announced before so many records had come.

    The number of one page, or of all records so far, proves nothing. `slices` are what the last token has brought.
    """
    is_behind_first = not slices and run.received.tokens == {run.position.token}
    return run.state.is_past and run.state.has_size and not is_behind_first


def _end_by_number(run: ListRun, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part that ended because as many records came as were announced, if that is certain."""
    if not _is_surely_past(run, slices):
        run.doubt_end()
    return complete_part(run, page, slices)


def _after_empty_page(run: ListRun, page: RawPage) -> Step:
    """Continue after an answer without records.

    The list is checked where records were expected: after a token, or from a date that is asked for again because a
    record has it. Any other empty answer is believed when ListIdentifiers names no record, either.
    """
    is_promised = bool(run.position.token or (run.position.certain and run.position.certain == run.state.here.from_))
    if is_promised and _is_surely_past(run):
        return complete_part(run, page)
    if is_promised:
        run.doubt_end()
        found = None if run.state.is_short else contradicted_break(run)
    else:
        found = contradicted_empty(run)
    if found is None:
        return complete_part(run, page)
    if found.has_all_names:
        run.note(f"{found.error} It is asked for record by record.")
        run.state = run.state.singly()
        return run.step(page)
    if not is_promised:
        run.doubt()
    return take_fallback(run, found.error, page)


def _after_page(run: ListRun, page: RawPage, answer: ListAnswer) -> Step:
    """Return the step after a page. A page that came before, or that was not asked for, is a failure."""
    _note_first(run, page, answer)
    run.losses = answer.losses
    is_past = run.state.is_past
    if is_past and run.received.recall() and run.received.has(answer.slices) and not _has_moved(run, answer):
        run.note("Behind the announced number of records, the same ones came again.")
        return _end_by_number(run, page)
    if run.received.repeats(answer.slices):
        run.note("The answer has the records of an earlier one.")
        return _end_by_number(run, page) if is_past else leave_loop(run, page, (), "the same records")
    if run.position.token and any(_is_unrequested(run, record) for record in answer.slices):
        return _without_strays(run, answer, page)
    return _after_good_page(run, answer, page)


def _after_good_page(run: ListRun, answer: ListAnswer, page: RawPage) -> Step:
    """Accept a page: the next one follows, or the end of this part, or a fallback step when the list loops."""
    token = answer.token.text if answer.token else ""
    _note_size(run, answer)
    slices = _count_page(run, answer)
    if answer.errors:
        run.note("The answer has records and errors: " + str(RemoteError(answer.errors)))
    if not token:
        return _after_last_page(run, answer, page, slices)
    if run.state.is_past and token in run.received.tokens:
        return _end_by_number(run, page, slices)
    if token in run.received.tokens:
        return leave_loop(run, page, slices, "a resumptionToken it had given before")
    if run.received.stale_pages == _MOST_STALE_PAGES:
        return leave_loop(run, page, slices, f"{_MOST_STALE_PAGES} pages in a row with nothing new")
    run.received.tokens.add(token)
    run.state = run.state.moved(token=token, refused=0)
    return run.step(page, slices)


def _after_last_page(run: ListRun, answer: ListAnswer, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    """Continue after a page without a token. It may not be the last one if it is empty, or ends with an error.

    Nor may it be the last one where no number is announced: a source may end every list after 10,000 records.
    """
    if answer.errors and not run.state.is_past:
        run.doubt()
    if not answer.slices:
        return _after_empty_page(run, page)
    is_strange = answer.is_strange_end(is_continued=bool(run.position.token))
    if answer.unknown:
        run.note(f"The list has what is not understood, and no token: {', '.join(answer.unknown[:_MOST_NAMED])}.")
    if not run.state.has_size and (is_strange or run.state.size is None or run.options.is_part):
        found = contradicted_end(run, answer)
        if isinstance(found, Window):
            run.begin_part(run.state.in_window(found))
            return run.step(page, slices)
        if found is not None:
            return take_fallback(run, found.error, page, slices)
    return complete_part(run, page, slices)


def _without_strays(run: ListRun, answer: ListAnswer, page: RawPage) -> Step:
    """Keep what was asked for, and take a fallback step: a request without a token asks for set and dates again."""
    own = tuple(record for record in answer.slices if not _is_unrequested(run, record))
    strays = len(answer.slices) - len(own)
    lost = NotOaiPmh(f"The resumptionToken brought records of other sets or dates than were asked for: {strays}.")
    return take_fallback(run, lost, page, _count_page(run, replace(answer, slices=own)))


def _has_moved(run: ListRun, answer: ListAnswer) -> bool:
    """Tell whether a record has changed since the list began. Pages that are counted by offset shift then."""
    since = utc_datetime(run.position.first)
    return any(record.datestamp > since[: len(record.datestamp)] for record in answer.slices)


def _count_page(run: ListRun, answer: ListAnswer) -> tuple[Slice, ...]:
    """Count the slices of a page; return those to keep."""
    is_opening, datestamps = not run.position.token, [record.datestamp for record in answer.slices]
    is_as_before = is_opening and run.received.opens_like_another(run.state.here, answer.slices)
    if is_opening:
        _note_opening(run, answer)
    _note_dates(run, answer, is_as_before=is_as_before)
    _note_cursor(run, answer)
    _note_order(run, datestamps)
    _note_short(run, datestamps)
    run.comparison.add_dates(datestamps)
    since, is_ordered = utc_datetime(run.position.first)[: len(DAY)], bool(run.position.ordered)
    records = run.received.add_page(answer.slices, since, run.position.first, is_ordered=is_ordered)
    if records.news:
        run.failures.in_a_row = 0
    if records.fresh:
        run.note_records(records.kept, records.news, records.fresh)
    evidence = run.evidence
    run.state = run.state.noted(
        received=evidence.received + len(records.kept),
        repeated=evidence.repeated + records.repeated,
        twins=evidence.twins + records.twins,
        late=evidence.late + _late_among(run, answer),
        has_pages=evidence.has_pages or bool(answer.slices),
    )
    run.state = run.state.of_part(count=run.part.count + records.fresh, twins=run.part.twins + records.fresh_twins)
    _note_disputed(run, records.disputed)
    if is_opening and _may_hide_changes(run, answer):
        run.pages.there = identifiers_of_first_day(run)
    return records.kept


def _note_disputed(run: ListRun, slices: tuple[Slice, ...]) -> None:
    """Remember records that came as living and as deleted with one date: each is asked for at the end."""
    run.comparison.disputed |= dict.fromkeys(record.identifier for record in slices)
    for day in (record.datestamp[: len(DAY)] for record in slices):
        before = windows_of(run.evidence.disputed) or (window_of(day, day),)
        here = window_of(min(day, before[0].from_), max(day, before[0].until[: len(DAY)]))
        run.state = run.state.noted(disputed=str(here))


def _may_hide_changes(run: ListRun, answer: ListAnswer) -> bool:
    """Tell whether neither number, order nor dates of a list that begins will show what changes meanwhile."""
    state = run.state
    has_more = bool(answer.token and answer.token.text) and state.evidence.announced is None and state.part.is_unordered
    is_whole = not (
        state.position.window or run.options.is_part or state.position.until or state.profile.is_first_generation
    )
    return has_more and is_whole and all(len(record.datestamp) == len(DAY) for record in answer.slices)


# --- The first request of a part where it is refused: in the other granularity, without dates, or with dates ---------


def _retry_first_request(run: ListRun, codes: frozenset[str], answer: ListAnswer, page: RawPage) -> Step:
    """Ask once in the other granularity: some servers announce one and accept only the other.

    If that is refused, too, the whole list is requested without dates: some sources have no selective harvesting
    (zvdd.org). Raise DatesRefused for refused dates that the run or the configuration states, RemoteError for other
    errors. In a window, raise RemoteError only when the source does not even answer Identify.
    """
    has_dates = "badArgument" in codes and any(run.state.here) and run.profile.dates != Dates.REFUSED
    if has_dates and not run.pages.has_other_granularity:
        run.pages.has_other_granularity = True
        other = SECONDS if run.granularity == DAY else DAY
        run.note(f"The dates were refused; they were sent again as {other}.")
        run.state = run.state.learning(granularity=other)
        return run.step(page)
    if run.position.window:
        return take_fallback(run, RemoteError(answer.errors), page)
    if has_dates and not (run.options.window is not None or run.options.from_ or run.options.until):
        run.note(f"{RemoteError(answer.errors)} The whole list is asked for, without dates.")
        run.state = run.state.learning(granularity="", dates=Dates.REFUSED.value, ignores_dates=True)
        return run.step(page)
    raise (DatesRefused if has_dates else RemoteError)(answer.errors)


def _may_need_dates(run: ListRun) -> bool:
    """Return whether the list may be empty only because no dates were sent: no record ever came without dates."""
    is_open = not (run.position.token or run.position.window or any(run.position.whole))
    return is_open and run.profile.dates != Dates.OPTIONAL


def _retry_with_dates(run: ListRun, answer: ListAnswer, page: RawPage) -> Step:
    """Ask again with dates: some servers find nothing without them (LearningRegistry#60).

    The earliestDatestamp is not trusted: older records are requested as well. Raise RemoteError when the source does
    not even answer Identify.
    """
    run.note("Nothing matches without dates; the same is asked for with some.")
    earliest, _ = span(*run.identified(RemoteError(answer.errors), is_fresh=False))
    before, since = Window(until=written(earliest - 1, SECONDS)), Window(from_=written(earliest, SECONDS))
    run.begin_part(run.state.learning(dates=Dates.NEEDED.value).in_window(since, before))
    return run.step(page)


# --- What a page shows besides its records ----------------------------------------------------------------------------


def _note_first(run: ListRun, page: RawPage, answer: ListAnswer) -> None:
    """At the first answer of a list, remember its responseDate: the next harvest begins there."""
    if run.position.first:
        return
    given = moment_of(answer.response_date)
    if given is None:
        ours = utc_datetime(page.received_at)
        run.note(f"The responseDate {answer.response_date!r} is none; our own time {ours} stands for it.")
    elif given > page.received_at + _DAY_SECONDS:
        run.note(f"The responseDate {answer.response_date!r} lies in the future; our own time is used.")
        given = None
    # Records outside of the dates that were asked for are noted and accepted.
    from_ = bound(run.state.here.from_, run.granularity)
    stamps = [record.datestamp for record in answer.slices if record.datestamp]
    outside = sum(stamp[: len(from_)] < from_[: len(stamp)] for stamp in stamps)
    if outside:
        run.note(f"Records older than from={from_} were sent: {outside} of {len(answer.slices)} on the first page.")
    first = page.received_at if given is None else given
    run.state = run.state.moved(first=first).learning(is_first_generation=answer.version.startswith("1"))


def _note_time(run: ListRun, seconds: float, answer: ListAnswer) -> None:
    """Remember the least time that a page of records took, and tell once when the pages become much slower."""
    if not answer.slices or not seconds:
        return
    best = run.profile.best_page_ms
    took = max(1, round(1000 * seconds))
    run.state = run.state.learning(best_page_ms=min(best or took, took))
    if not run.pages.has_slowed and took > max(_SLOW_MS, _MUCH_SLOWER * best) and best:
        run.pages.has_slowed = True
        run.note(
            f"A page took {took / 1000:.1f} seconds where the fastest took {best / 1000:.1f}; "
            "where each page is slower than the one before, `slice` in the entry of the source helps."
        )


def _note_opening(run: ListRun, answer: ListAnswer) -> None:
    """Notice at the first answer of a part whether records come without dates, respect them, and name their set."""
    if not answer.slices:
        return
    here, set_spec = run.state.here, run.cursor.set_spec
    dates = run.profile.dates or ("" if any(here) else Dates.OPTIONAL.value)
    names_set = bool(set_spec) and all(record.sets and is_in(set_spec, record) for record in answer.slices)
    keeps_dates = any(here) and not run.profile.ignores_dates and not is_outside(here, answer.slices)
    run.state = run.state.learning(dates=dates).noted(names_set=names_set, keeps_dates=keeps_dates)


def _is_unrequested(run: ListRun, record: Slice) -> bool:
    """Return whether a token brought a record that nobody asked for, and the first request brought none such.

    Some tokens forget the set or the dates (SobekCM#6, LearningRegistry#53).
    """
    is_of_other_set = run.evidence.names_set and not is_in(run.cursor.set_spec, record)
    return is_of_other_set or (run.evidence.keeps_dates and is_outside(run.state.here, (record,)))


def _note_dates(run: ListRun, answer: ListAnswer, *, is_as_before: bool) -> None:
    """Notice a source that ignores dates: it sends records dated more than a day outside of the window.

    A smaller difference may be a clock that does not run in UTC (vufind#1350, DOAJ#786). `is_as_before`: the answer is
    the same as for another window.
    """
    if not run.position.window or run.profile.ignores_dates:
        return
    if is_as_before or is_outside(run.state.here, answer.slices):
        run.note("The source ignores from and until; its list is walked as one.")
        announced = run.part.announced or run.evidence.announced
        run.state = run.state.without_windows().learning(ignores_dates=True)
        run.state = run.state.noted(is_doubted=True, announced=announced)


def _note_size(run: ListRun, answer: ListAnswer) -> None:
    """Remember how many records are announced: of the list, or of the window that is being walked."""
    size, announced = answer.token.complete_list_size if answer.token else None, run.evidence.announced
    if size is None:
        return
    if run.position.window:
        run.state = run.state.of_part(announced=size)
        return
    if announced is not None and announced != size:
        run.note(f"The completeListSize changed from {announced} to {size}.")
    first = size if run.evidence.announced_first is None else run.evidence.announced_first
    run.state = run.state.noted(announced_first=first, announced=size)


def _late_among(run: ListRun, answer: ListAnswer) -> int:
    """Count the records of a further page that are dated after the first answer of the list: they moved, or are new.

    A record that is also dated after this answer proves nothing. If no number is announced, a record that is dated with
    the day on which the list began counts, too, unless it was named with that day when the list began.
    """
    now = moment_of(answer.response_date)
    if not run.position.token or now is None:
        return 0
    first, last = utc_datetime(run.position.first), utc_datetime(now)
    is_open, there = run.evidence.announced is None, run.pages.there
    return sum(
        first < record.datestamp <= last
        or (is_open and record.datestamp == first[: len(DAY)] and record.identifier not in there)
        for record in answer.slices
    )


def _note_cursor(run: ListRun, answer: ListAnswer) -> None:
    """Notice a cursor that is larger than the number of records that came: then a page was lost.

    The cursor should count the records before this answer. Some sources include this answer, and some count pages
    (fairchive#2888, DOAJ). The cursor of the first answer shows which.
    """
    cursor, part = answer.token.cursor if answer.token else None, run.part
    if not part.count:
        run.state = run.state.of_part(cursor_first=cursor)
        return
    entries = part.count + part.twins + (0 if part.cursor_first == 0 else len(answer.slices))
    if not run.evidence.is_doubted and cursor is not None and cursor > entries:
        run.note(f"The cursor says {cursor} where {part.count} records had come.")
        run.doubt()


def _note_order(run: ListRun, datestamps: list[str]) -> None:
    """Remember the last date of a page while the dates come in order."""
    part, position = run.part, run.position
    if not datestamps or (part.is_unordered and part.is_unfalling):
        return
    first, last, in_order = _written(datestamps[0]), _written(datestamps[-1]), sorted(datestamps)
    is_known = len(set(map(len, datestamps))) == 1 and bool(first and last)
    rises = is_known and not part.is_unordered and datestamps == in_order and first >= position.last
    falls = is_known and not part.is_unfalling and datestamps == in_order[::-1]
    falls = falls and (not position.least or first <= position.least)
    run.state = run.state.of_part(is_unordered=not rises, is_unfalling=not falls)
    run.state = run.state.moved(last=last if rises else "", least=last if falls else "")


def _note_short(run: ListRun, datestamps: list[str]) -> None:
    """Remember the dates around a short page before this one, and of many such pages some, until they are settled.

    A page in the middle of a list is short if it has fewer records than another one.
    """
    evidence, part, chance = run.evidence, run.part, run.options.answers.chance
    count = len(datestamps)
    if evidence.is_settled:
        return
    edge_after = (_written(datestamps[-1]) if datestamps else "") or part.edge_after
    uneven, windows = evidence.uneven, list(windows_of(evidence.short))
    if part.previous is not None and part.previous < max(part.most, count):
        uneven += 1
        around = _around(run.state, "" if count > part.most else part.edge, edge_after)
        if len(windows) < _MOST_SHORT:
            windows.append(around)
        elif chance() < _MOST_SHORT / uneven:
            windows[int(chance() * _MOST_SHORT)] = around
    run.state = run.state.noted(uneven=uneven, short=text_of_windows(*windows)).of_part(
        most=max(part.most, count), previous=count, edge=part.edge_after, edge_after=edge_after
    )


def _around(state: ListState, before: str, after: str) -> Window:
    """Return the window between two datestamps of a list; it begins where the list does for an empty one."""
    if state.position.least and not state.position.last:
        return Window(after, before or state.here.until)
    return Window(*sorted((before or state.here.from_, after)))


def _written(datestamp: str) -> str:
    moment = moment_of(datestamp)
    return "" if moment is None else utc_datetime(moment)
