"""Compare the end of a list, or an empty answer, with a few answers of ListIdentifiers.

A record that is named and has not come is a doubt. Then all identifiers are compared (`single_records`), whatever
comes by dates. A source without ListIdentifiers is believed.

* An announced number is overruled only by another count that is complete in itself. `announced_tolerance` is the share
  that may be missing. Numbers of one page, or of all records so far, do not count.
* A ListIdentifiers that breaks off, or may be cut, proves nothing until it was asked from its last date on and named
  nothing new. If records change meanwhile, names are read in parts (`list_identifiers`).
* An empty answer is believed if ListIdentifiers names nothing for the same dates. If the first request of a list
  matches no record, it is repeated with dates.
* A record that is listed as living and as deleted with one datestamp is decided by GetRecord, for up to 50 records.
  If GetRecord answers `cannotDisseminateFormat`, the record is not part of the list, except in `oai_dc`.
"""

from dataclasses import replace
from itertools import islice
from math import inf
from typing import NamedTuple

from gateway.core.errors import NotOaiPmh, RemoteError, TryLater
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources import Compared
from harvester.sources.budget import MOST_ANSWERS
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, window_of, windows_of
from harvester.sources.oai_pmh.identifiers_between_dates import IdentifiersBetweenDates, until_begin
from harvester.sources.oai_pmh.list_identifiers import IdentifierPages
from harvester.sources.oai_pmh.list_run import ListRun
from harvester.sources.oai_pmh.list_state import Dates
from harvester.sources.repeated_requests import PASSING

_LEFT_FOR_THE_END = 2  # so many of the answers that a run may read are kept for the end of the list
_DEADLINE_SECONDS = 60.0  # of each answer; the list can do without it
_UNANSWERED = (*PASSING, TryLater)


class Found(NamedTuple):
    """The result of a comparison with ListIdentifiers.

    `unseen` is a listed record that has not come, or empty. `is_beyond`: it has the date of the last record that came,
    or a later one. `is_end_shown`: all records of these dates were named, and have come. `has_none`: the source has no
    ListIdentifiers.
    """

    unseen: str = ""
    is_beyond: bool = False
    is_end_shown: bool = False
    has_none: bool = False


class Contradiction(NamedTuple):
    """What contradicts the end of a part. `has_all_names`: one answer of ListIdentifiers has all that is missing."""

    error: NotOaiPmh
    has_all_names: bool = False


def contradicted_empty(run: ListRun) -> Contradiction | None:
    """Return what ListIdentifiers names where ListRecords has no record; None where both have none."""
    here = run.state.here
    names = IdentifiersBetweenDates(run, here, dated=here)
    try:
        unseen = names.unseen(MOST_ANSWERS)
        if unseen and names.answers == 1 and not names.has_ended:
            names.unseen(1)  # its token may lead to nothing: then one answer has all names
    except PASSING as error:
        run.note(f"ListRecords returns no record {here.in_words}; ListIdentifiers does not confirm it. {error}")
        run.doubt()
        return None
    if not (run.position.window or run.options.is_part):
        run.options.answers.read(names.answers)
    if unseen:
        sentence = f"ListRecords returns no record {here.in_words}; ListIdentifiers lists {unseen}."
        return Contradiction(NotOaiPmh(sentence), names.has_ended)
    if names.pages.breaks_off:
        run.doubt()
    if not run.position.window and not run.is_behind_windows:
        run.comparison.compared = Compared.WHOLE if names.has_ended and not names.has_none else Compared.NOTHING
    return None


def contradicted_end(run: ListRun, answer: ListAnswer) -> Contradiction | Window | None:
    """Return what ListIdentifiers names of records that are dated after the last page; None where there is none.

    This works for lists in the order of their dates, and for windows. Without ListIdentifiers, ListRecords itself is
    to be asked from the last date on: return this window. Where neither ListIdentifiers nor a number shows the end, an
    end that the standard does not allow is a doubt.
    """
    is_open = not run.state.has_size
    run.state = run.state.noted(is_unread=run.evidence.is_unread or bool(answer.unknown))
    if not run.position.window and not run.options.is_part:
        seen = compare(run)
    elif is_open and (not run.options.is_part or run.position.token or answer.token or answer.unknown):
        seen = _compare_end(run)
    else:
        return None
    if seen.is_beyond:
        return _beyond(run, seen)
    if seen.unseen:
        run.doubt()
    if is_open and seen.has_none:
        rest = _from(run) if run.position.ordered else None
        is_part = bool(run.position.token or run.position.window or answer.unknown)
        if is_part and rest and rest != run.state.here:
            return rest
        seen = seen._replace(is_end_shown=not answer.unknown)
    if is_open and answer.is_strange_end(is_continued=bool(run.position.token)) and not seen.is_end_shown:
        run.doubt_end()
    return None


def contradicted_break(run: ListRun) -> Contradiction | None:
    """Return what ListIdentifiers names behind the place where a list broke off; None where there is none.

    This works for lists in the order of their dates only.
    """
    is_asked = run.part.count and run.position.last > run.state.here.from_
    seen = _compare_end(run) if is_asked else Found()
    return _beyond(run, seen) if seen.is_beyond else None


def _beyond(run: ListRun, seen: Found) -> Contradiction:
    run.doubt()
    return Contradiction(NotOaiPmh(f"The list ended, and ListIdentifiers names {seen.unseen}, which has not come."))


def _compare_end(run: ListRun) -> Found:
    """Return what ListIdentifiers names from the last date of a list or a window on."""
    try:
        return _compare_from_last_date(run, MOST_ANSWERS)[0]
    except _UNANSWERED:
        return Found()


def identifiers_of_first_day(run: ListRun) -> frozenset[str]:
    """Return the identifiers of the day on which a list began, as named at its beginning; none where they are too many.

    Where no number is announced and dates are days, nothing else shows which records were added later on that day.
    """
    most = run.options.answers.share - _LEFT_FOR_THE_END
    if most < 1:
        return frozenset()
    day = utc_datetime(run.position.first)[:10]
    state = run.state.moved(window=str(window_of(day, "")))
    pages = IdentifierPages(replace(run.server, deadline_seconds=_DEADLINE_SECONDS), state)
    named: set[str] = set()
    try:
        for answer in islice(pages.answers(), most):
            run.options.answers.read(1)
            if any(record.datestamp < day for record in answer.slices):
                return frozenset()
            named.update(record.identifier for record in answer.slices)
    except (*_UNANSWERED, RemoteError):
        return frozenset()
    return frozenset(named) if pages.has_ended else frozenset()


def compare(run: ListRun) -> Found:
    """Compare the records of a list with a few answers of ListIdentifiers. A further identifier is a doubt.

    Raise as `count_all` does.
    """
    count_all(run)
    names = IdentifiersBetweenDates(run, run.whole, _DEADLINE_SECONDS)
    try:
        seen = _compare_answers(run, names)
    except _UNANSWERED as error:
        run.note(f"ListIdentifiers could not be compared. {error}")
        seen = Found()
    keeps_its_number = names.pages.has_ended and names.pages.names(names.pages.announced)
    run.comparison.is_end_shown = run.comparison.is_end_shown or keeps_its_number
    run.comparison.compared = Compared.NOTHING
    if names.count and not names.is_unknown:
        is_end = names.has_ended and (seen.is_end_shown or not names.pages.breaks_off)
        is_whole = (is_end and names.count >= _received_count(run)) or len(run.comparison.named) >= _received_count(run)
        run.comparison.compared = Compared.WHOLE if is_whole else Compared.PART
    if seen.unseen and not seen.is_beyond:
        run.note(f"ListIdentifiers names {seen.unseen}, which has not come.")
    is_cut = names.has_ended and _announces_more(run, names)
    if is_cut:
        run.note(f"ListIdentifiers announces {names.announced} records and names {names.count}.")
    is_cut_off = names.pages.is_unread or (run.is_behind_windows and names.pages.breaks_off)
    is_open = is_cut_off and not (seen.is_end_shown or run.state.has_size)
    if seen.unseen or is_cut or is_open:
        run.doubt()
    return seen


def count_all(run: ListRun) -> None:
    """After windows, ask once how many records ListRecords announces of the whole list, and count what came.

    A window that fits on one page announces no number. Raise RemoteRefuses when the source refuses the request.
    """
    if not run.is_behind_windows or run.evidence.has_gaps or run.evidence.in_windows:
        return
    state = run.state.moved(window=str(until_begin(run, run.whole)))
    try:
        answer = replace(run.server, deadline_seconds=_DEADLINE_SECONDS).list_page(state, "ListRecords").answer
    except _UNANSWERED as error:
        run.note(f"ListRecords does not say how many records there are in all. {error}")
        return
    size = answer.token.complete_list_size if answer.token else None
    if size is None or not run.recall_all():
        return
    came = len(run.received.all)
    in_windows = came - (run.evidence.distinct - run.evidence.in_windows)
    run.note(f"ListRecords announces {size} records in all, of which {came} have come.")
    run.state = run.state.noted(in_windows=in_windows, announced_first=size, announced=size)


def _received_count(run: ListRun) -> float:
    """Return how many records have come of the whole list and its windows; infinity where it is not known."""
    if not run.is_behind_windows or run.evidence.in_windows:
        return run.evidence.distinct
    return len(run.received.all) if run.recall_all() else inf


def _announces_more(run: ListRun, names: IdentifiersBetweenDates) -> bool:
    """Tell whether ListIdentifiers announces more records than it has named so far, and more than have come."""
    more = max(names.count + names.pages.twins, _received_count(run) + run.evidence.twins)
    return names.announced > more


def _compare_answers(run: ListRun, names: IdentifiersBetweenDates) -> Found:
    """Read the first answers. Of a longer list, read those from its last date on, and those at some places of it, too.

    Where no number is announced, its last date is asked for in any case.
    """
    came, answers = run.evidence.distinct, run.options.answers
    most, unseen = answers.share, names.unseen(1)
    left = most - 1
    answers.read(names.answers)
    is_more = not names.has_ended and _announces_more(run, names)
    is_long = not names.has_ended and (is_more or names.count * most < came or not names.count)
    if not unseen and is_more:  # of those that were there when the list began
        there = IdentifiersBetweenDates(run, until_begin(run, run.whole), _DEADLINE_SECONDS)
        unseen, left = there.unseen(1), left - 1
        answers.read(1)
        if not unseen and (_announces_more(run, there) or not there.answers):
            run.note("ListIdentifiers announces more records than came.")
            run.doubt()
    elif not (unseen or is_long):
        unseen = names.unseen(left)
        answers.read(names.answers - 1)
        left = most - names.answers
    if unseen:
        return _found(run, names, unseen)
    if names.has_none:
        return Found(has_none=True)
    end = Found()
    if names.pages.breaks_off or (left > 0 and is_long) or not run.state.has_size:
        # Where there is no order, `settle_short_pages` asks one question.
        is_ordered = bool(run.position.ordered)
        end, read = _compare_from_last_date(run, max(1, left - 1), names.pages.largest) if is_ordered else (Found(), 1)
        answers.read(read)
        left -= read
    if is_long and not end.unseen:
        end = _compare_places(run, left) or end
    is_end_shown = not end.unseen and names.shows_end() and names.count >= came  # fewer may be cut
    # Where a token of ListRecords was not understood, one of ListIdentifiers may not be, either.
    is_all = names.answers > 1 or not run.evidence.is_unread
    return end._replace(is_end_shown=end.is_end_shown or (is_end_shown and is_all))


def _compare_places(run: ListRun, most: int) -> Found | None:
    """Compare what is named at places that are others in each run, an answer each; None where all of it has come."""
    for date in run.comparison.places.dates[: max(0, most)]:
        window = _from(run, date)
        if window is None:
            return None
        names = IdentifiersBetweenDates(run, window, _DEADLINE_SECONDS)
        unseen = names.unseen(1)
        run.options.answers.read(names.answers)
        if unseen:
            return _found(run, names, unseen)
    return None


def _from(run: ListRun, date: str = "") -> Window | None:
    """Return the dates from the last one of a list on, or from another one on; None where they cannot be asked for.

    Without order, no date is the last one. Then one of the greatest stands for it: so few records that came are dated
    later that one answer names all, or one that has not come.
    """
    position, profile = run.position, run.profile
    moment = moment_of(date or position.ordered or (run.comparison.newest or [""])[-1])
    if moment is None or profile.ignores_dates or profile.dates == Dates.REFUSED:
        return None
    return position.from_last(utc_datetime(moment))


def settle_short_pages(run: ListRun) -> tuple[Window, ...]:
    """Ask ListIdentifiers for what is dated around pages in the middle of the list that had fewer records than others.

    Where no number is announced, the greatest dates of a list without order are asked for, too. Return the windows in
    which it names a record that has not come, or for which it has no answer: there ListRecords is asked. A whole list
    may hide in both verbs what their lists of some dates have. Where a list without order did, return its two halves.
    A record that is still missing then is a doubt.
    """
    evidence, short = run.evidence, windows_of(run.evidence.short)
    is_mixed = evidence.mixed > 0 or not (evidence.is_settled or run.position.ordered)
    has_no_end = run.position.window or (run.options.is_part and not run.position.token) or run.state.has_size
    end = None if evidence.is_settled or not is_mixed or has_no_end else _from(run)
    if evidence.is_as_announced or not (short or end):
        return ()
    if short and is_mixed:
        run.comparison.is_end_shown = False  # the records that a page lacks may have any date
    takes_dates = not (run.profile.ignores_dates or run.profile.dates == Dates.REFUSED)
    if not evidence.is_settled and not (takes_dates and (end or any(map(any, short)))):
        run.state = run.state.noted(is_settled=True, short="")
        run.note("Some pages have fewer records than others, and no date shows where records may be missing.")
        if run.comparison.compared is not Compared.WHOLE:
            run.doubt()
        return ()
    named, unanswered = _ask_around(run, short, end)
    if not evidence.is_settled:
        if is_mixed and unanswered and run.comparison.compared is not Compared.WHOLE:
            run.doubt()
        unanswered = [] if is_mixed else unanswered  # where there is no order, the records may have any date
        mixed = run.part.count if is_mixed else 0
        run.state = run.state.noted(is_settled=True, mixed=mixed, short=text_of_windows(*named))
        return (*named, *unanswered)
    is_hiding = is_mixed and len(named) < len(short)
    run.state = run.state.noted(short="", is_doubted=evidence.is_doubted or bool(named) or is_hiding)
    if not is_hiding or run.position.is_sliced:
        return ()
    run.state = run.state.restarted().moved(is_sliced=True)
    hiding = "The list hides records that come by date."
    run.note(f"{hiding} It is asked for in two halves.")
    return run.halves(NotOaiPmh(hiding)) or ()


def _ask_around(run: ListRun, short: tuple[Window, ...], end: Window | None) -> tuple[list[Window], list[Window]]:
    """Return the windows in which ListIdentifiers names a record that has not come, and those without an answer."""
    named, unanswered = [], []
    for window in filter(None, (*short, end)):
        names = IdentifiersBetweenDates(run, window, _DEADLINE_SECONDS)
        try:
            unseen = names.unseen(1 if window == end else MOST_ANSWERS)
        except _UNANSWERED:
            unseen = ""
        if unseen:
            run.note(f"{unseen}, which ListIdentifiers names {window.in_words}, has not come.")
            named.append(window)
        elif window == end:
            is_some = 0 < names.count < run.part.count
            run.comparison.is_end_shown = not short and (run.comparison.is_end_shown or (is_some and names.shows_end()))
        elif not names.count:
            unanswered.append(window)
    return named, unanswered


def _found(run: ListRun, names: IdentifiersBetweenDates, unseen: str) -> Found:
    """Return the record that has not come, and whether a list in the order of its dates ended before it."""
    last = None if run.profile.ignores_dates else moment_of(run.position.last)
    dated = moment_of(names.unseen_date)
    return Found(unseen, is_beyond=bool(last and dated and last <= dated))


def _compare_from_last_date(run: ListRun, most: int, full: int = 0) -> tuple[Found, int]:
    """Compare what is dated as the last record that came, or later. Return also how many answers were read.

    `full` is the number of identifiers in a full answer, if known.
    """
    rest = _from(run)
    if rest is None:
        return Found(), 0
    names = IdentifiersBetweenDates(run, rest, _DEADLINE_SECONDS)
    unseen, position = names.unseen(most), run.position
    is_last = bool(position.last or (position.window and not position.least))
    is_some = 0 < names.count < run.part.count  # as many: it may not look at dates
    is_end_shown = not unseen and is_some and names.shows_end(full) and bool(position.ordered)
    run.comparison.is_end_shown = is_end_shown or run.comparison.is_end_shown
    return Found(unseen, bool(unseen) and is_last, is_end_shown, names.has_none), names.answers
