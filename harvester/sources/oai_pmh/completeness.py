"""Compare the end of a list, or an empty answer, with a few answers of ListIdentifiers.

A record that is named and has not come is a doubt. Then all identifiers are compared (`all_identifiers`), whatever
comes by dates. A source without ListIdentifiers is believed.

* An announced number is overruled only by another count that is complete in itself. `announced_tolerance` is the share
  that may be missing. Numbers of one page, or of all records so far, do not count.
* A ListIdentifiers that breaks off, or may be cut, proves nothing until it was asked from its last date on and named
  nothing new. If records change meanwhile, names are read in parts (`changing_list`).
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
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources import Compared, Step
from harvester.sources.budget import MOST_ANSWERS
from harvester.sources.oai_pmh.all_identifiers import IdentifierList
from harvester.sources.oai_pmh.answers import ListAnswer
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, window_of, windows_of
from harvester.sources.oai_pmh.fallback_rules import take_fallback
from harvester.sources.oai_pmh.identifiers_between_dates import IdentifiersBetweenDates
from harvester.sources.oai_pmh.list_identifiers import IdentifierPages
from harvester.sources.oai_pmh.list_state import Dates
from harvester.sources.oai_pmh.transitions import ask_singly, enter_window, restart
from harvester.sources.oai_pmh.walk import Walk
from harvester.sources.repeated_requests import PASSING

_LEFT_FOR_THE_END = 2  # so many of the answers that a run may read are kept for the end of the list
_DEADLINE_SECONDS = 60.0  # of each answer; the list can do without it
_UNANSWERED = (*PASSING, TryLater)


class Comparison(NamedTuple):
    """The result of a comparison with ListIdentifiers.

    `unseen` is a listed record that has not come, or empty. `is_beyond`: it has the date of the last record that came,
    or a later one. `is_end_shown`: all records of these dates were named, and have come. `has_none`: the source has no
    ListIdentifiers.
    """

    unseen: str = ""
    is_beyond: bool = False
    is_end_shown: bool = False
    has_none: bool = False


def contradicted_empty(walk: Walk, page: RawPage) -> Step | None:
    """Return the next step where ListIdentifiers names records and ListRecords has none; None where both have none.

    Records that fit into one answer are fetched one by one. For more of them the window is halved. Raise as
    `take_fallback` does.
    """
    here = walk.state.here
    names = IdentifiersBetweenDates(walk, here, here)
    try:
        unseen = names.unseen(MOST_ANSWERS)
        if unseen and names.answers == 1 and not names.has_ended:
            names.unseen(1)  # its token may lead to nothing: then one answer has all names
    except PASSING as error:
        walk.note(f"ListRecords returns no record {here.in_words}; ListIdentifiers does not confirm it. {error}")
        walk.doubt()
        return None
    if not (walk.state.position.window or walk.options.is_part):
        walk.options.answers.read(names.answers)
    if not unseen:
        if names.pages.breaks_off:
            walk.doubt()
        if not walk.state.position.window and not walk.is_behind_windows:
            walk.compared = Compared.WHOLE if names.has_ended and not names.has_none else Compared.NOTHING
        return None
    named = NotOaiPmh(f"ListRecords returns no record {here.in_words}; ListIdentifiers lists {unseen}.")
    if not names.has_ended:
        walk.doubt()
        return take_fallback(walk, named, page)
    walk.note(f"{named} It is asked for record by record.")
    walk.state = ask_singly(walk.state)
    return walk.step(page)


def contradicted_end(walk: Walk, page: RawPage, slices: tuple[Slice, ...], answer: ListAnswer) -> Step | None:
    """Return the next step where ListIdentifiers names records that are dated after the last page; None otherwise.

    This works for lists in the order of their dates, and for windows. Without ListIdentifiers, ListRecords itself is
    asked from the last date on. Where neither ListIdentifiers nor a number shows the end, an end that the standard does
    not allow is a doubt. Raise as `take_fallback` does.
    """
    is_open = not walk.has_size()
    walk.state = walk.state.noted(is_unread=walk.state.evidence.is_unread or bool(answer.unknown))
    if not walk.state.position.window and not walk.options.is_part:
        seen = compare(walk)
    elif is_open and (not walk.options.is_part or walk.state.position.token or answer.token or answer.unknown):
        seen = _compare_end(walk)
    else:
        return None
    if seen.is_beyond:
        return _go_on(walk, seen, page, slices)
    if seen.unseen:
        walk.doubt()
    if is_open and seen.has_none:
        rest = _from(walk) if walk.state.position.ordered else None
        is_part = bool(walk.state.position.token or walk.state.position.window or answer.unknown)
        if is_part and rest and rest != walk.state.here:
            walk.begin_part(enter_window(walk.state, rest))
            return walk.step(page, slices)
        seen = seen._replace(is_end_shown=not answer.unknown)
    if is_open and is_strange_end(walk, answer) and not seen.is_end_shown:
        walk.doubt_end()
    return None


def is_strange_end(walk: Walk, answer: ListAnswer) -> bool:
    """Return whether the standard has no such end.

    It has something unknown where a token may be, or white space for a token, or no token element behind pages with
    tokens. OAI-PMH 1.x ends its lists without an element.
    """
    if answer.unknown:
        return True
    if answer.token:
        return answer.token.is_blank
    return bool(walk.state.position.token) and not walk.state.profile.is_first_generation


def contradicted_break(walk: Walk, page: RawPage) -> Step | None:
    """Return the next step where a list broke off before records that ListIdentifiers names; None otherwise.

    This works for lists in the order of their dates only. Raise as `take_fallback` does.
    """
    is_asked = walk.state.evidence.part and walk.state.position.last > walk.state.here.from_
    seen = _compare_end(walk) if is_asked else Comparison()
    return _go_on(walk, seen, page) if seen.is_beyond else None


def _go_on(walk: Walk, seen: Comparison, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    walk.doubt()
    doubt = f"The list ended, and ListIdentifiers names {seen.unseen}, which has not come."
    return take_fallback(walk, NotOaiPmh(doubt), page, slices)


def _compare_end(walk: Walk) -> Comparison:
    """Return what ListIdentifiers names from the last date of a list or a window on."""
    try:
        return _compare_from_last_date(walk, MOST_ANSWERS)[0]
    except _UNANSWERED:
        return Comparison()


def identifiers_of_first_day(walk: Walk) -> frozenset[str]:
    """Return the identifiers of the day on which a list began, as named at its beginning; none where they are too many.

    Where no number is announced and dates are days, nothing else shows which records were added later on that day.
    """
    most = walk.options.answers.share - _LEFT_FOR_THE_END
    if most < 1:
        return frozenset()
    day = utc_datetime(walk.state.position.first)[:10]
    state = walk.state.moved(window=str(window_of(day, "")))
    pages = IdentifierPages(replace(walk.server, deadline_seconds=_DEADLINE_SECONDS), state)
    named: set[str] = set()
    try:
        for answer in islice(pages.answers(), most):
            walk.options.answers.read(1)
            if any(record.datestamp < day for record in answer.slices):
                return frozenset()
            named.update(record.identifier for record in answer.slices)
    except (*_UNANSWERED, RemoteError):
        return frozenset()
    return frozenset(named) if pages.has_ended else frozenset()


def compare(walk: Walk) -> Comparison:
    """Compare the records of a list with a few answers of ListIdentifiers. A further identifier is a doubt.

    Raise as `count_all` does.
    """
    count_all(walk)
    names = IdentifiersBetweenDates(walk, walk.whole, _until_begin(walk, walk.whole), _DEADLINE_SECONDS)
    try:
        seen = _compare_answers(walk, names)
    except _UNANSWERED as error:
        walk.note(f"ListIdentifiers could not be compared. {error}")
        seen = Comparison()
    walk.is_end_shown = walk.is_end_shown or names.keeps_its_number
    walk.compared = Compared.NOTHING
    if names.count and not names.is_unknown:
        is_end = names.has_ended and (seen.is_end_shown or not names.pages.breaks_off)
        is_whole = (is_end and names.count >= _received_count(walk)) or len(walk.named) >= _received_count(walk)
        walk.compared = Compared.WHOLE if is_whole else Compared.PART
    if seen.unseen and not seen.is_beyond:
        walk.note(f"ListIdentifiers names {seen.unseen}, which has not come.")
    is_cut = names.has_ended and _announces_more(walk, names)
    if is_cut:
        walk.note(f"ListIdentifiers announces {names.announced} records and names {names.count}.")
    is_cut_off = names.pages.is_unread or (walk.is_behind_windows and names.pages.breaks_off)
    is_open = is_cut_off and not (seen.is_end_shown or walk.has_size())
    if seen.unseen or is_cut or is_open:
        walk.doubt()
    return seen


def count_all(walk: Walk) -> None:
    """After windows, ask once how many records ListRecords announces of the whole list, and count what came.

    A window that fits on one page announces no number. Raise RemoteRefuses when the source refuses the request.
    """
    if not walk.is_behind_windows or walk.state.evidence.has_gaps or walk.state.evidence.in_windows:
        return
    state = walk.state.moved(window=str(_until_begin(walk, walk.whole)))
    try:
        answer = replace(walk.server, deadline_seconds=_DEADLINE_SECONDS).list_page(state, "ListRecords").answer
    except _UNANSWERED as error:
        walk.note(f"ListRecords does not say how many records there are in all. {error}")
        return
    size = answer.token.complete_list_size if answer.token else None
    if size is None or not walk.recall_all():
        return
    came = len(walk.received.all)
    in_windows = came - (walk.state.evidence.distinct - walk.state.evidence.in_windows)
    walk.note(f"ListRecords announces {size} records in all, of which {came} have come.")
    walk.state = walk.state.noted(in_windows=in_windows, announced_first=size, announced=size)


def _received_count(walk: Walk) -> float:
    """Return how many records have come of the whole list and its windows; infinity where it is not known."""
    if not walk.is_behind_windows or walk.state.evidence.in_windows:
        return walk.state.evidence.distinct
    return len(walk.received.all) if walk.recall_all() else inf


def _announces_more(walk: Walk, names: IdentifiersBetweenDates) -> bool:
    """Tell whether ListIdentifiers announces more records than it has named so far, and more than have come."""
    more = max(names.count + names.pages.twins, _received_count(walk) + walk.state.evidence.twins)
    return names.announced > more


def _compare_answers(walk: Walk, names: IdentifiersBetweenDates) -> Comparison:
    """Read the first answers. Of a longer list, read those from its last date on, and those at some places of it, too.

    Where no number is announced, its last date is asked for in any case.
    """
    came, answers = walk.state.evidence.distinct, walk.options.answers
    most, unseen = answers.share, names.unseen(1)
    left = most - 1
    answers.read(names.answers)
    is_more = not names.has_ended and _announces_more(walk, names)
    is_long = not names.has_ended and (is_more or names.count * most < came or not names.count)
    if not unseen and is_more:
        unseen, left = _more_announced(walk), left - 1
        answers.read(1)
    elif not (unseen or is_long):
        unseen = names.unseen(left)
        answers.read(names.answers - 1)
        left = most - names.answers
    if unseen:
        return _comparison_of(walk, names, unseen)
    if names.has_none:
        return Comparison(has_none=True)
    end = Comparison()
    if names.pages.breaks_off or (left > 0 and is_long) or not walk.has_size():
        # Where there is no order, `settle_short_pages` asks one question.
        is_ordered = bool(walk.state.position.ordered)
        end, read = (
            _compare_from_last_date(walk, max(1, left - 1), names.pages.largest) if is_ordered else (Comparison(), 1)
        )
        answers.read(read)
        left -= read
    if is_long and not end.unseen:
        end = _compare_places(walk, left) or end
    is_end_shown = not end.unseen and names.shows_end() and names.count >= came  # fewer may be cut
    # Where a token of ListRecords was not understood, one of ListIdentifiers may not be, either.
    is_all = names.answers > 1 or not walk.state.evidence.is_unread
    return end._replace(is_end_shown=end.is_end_shown or (is_end_shown and is_all))


def _compare_places(walk: Walk, most: int) -> Comparison | None:
    """Compare what is named at places that are others in each run, an answer each; None where all of it has come."""
    for date in walk.places.dates[: max(0, most)]:
        window = _from(walk, date)
        if window is None:
            return None
        names = IdentifiersBetweenDates(walk, window, _until_begin(walk, window), _DEADLINE_SECONDS)
        unseen = names.unseen(1)
        walk.options.answers.read(names.answers)
        if unseen:
            return _comparison_of(walk, names, unseen)
    return None


def _from(walk: Walk, date: str = "") -> Window | None:
    """Return the dates from the last one of a list on, or from another one on; None where they cannot be asked for.

    Without order, no date is the last one. Then one of the greatest stands for it: so few records that came are dated
    later that one answer names all, or one that has not come.
    """
    position, profile = walk.state.position, walk.state.profile
    moment = moment_of(date or position.ordered or (walk.newest or [""])[-1])
    if moment is None or profile.ignores_dates or profile.dates == Dates.REFUSED:
        return None
    return position.from_last(utc_datetime(moment))


def settle_short_pages(walk: Walk) -> tuple[Window, ...]:
    """Ask ListIdentifiers for what is dated around pages in the middle of the list that had fewer records than others.

    Where no number is announced, the greatest dates of a list without order are asked for, too. Return the windows in
    which it names a record that has not come, or for which it has no answer: there ListRecords is asked. A whole list
    may hide in both verbs what their lists of some dates have. Where a list without order did, return its two halves.
    A record that is still missing then is a doubt.
    """
    evidence, short = walk.state.evidence, windows_of(walk.state.evidence.short)
    is_mixed = evidence.mixed > 0 or not (evidence.is_settled or walk.state.position.ordered)
    end = None if evidence.is_settled or not is_mixed else _end_without_order(walk)
    if evidence.is_as_announced or not (short or end):
        return ()
    if short and is_mixed:
        walk.is_end_shown = False  # the records that a page lacks may have any date
    if not evidence.is_settled and _from(walk) is None:
        walk.state = walk.state.noted(is_settled=True, short="")
        walk.note("Some pages have fewer records than others, and no date shows where records may be missing.")
        if walk.compared is not Compared.WHOLE:
            walk.doubt()
        return ()
    named, unanswered = _ask_around(walk, short, end)
    if not evidence.is_settled:
        if is_mixed and unanswered and walk.compared is not Compared.WHOLE:
            walk.doubt()
        unanswered = [] if is_mixed else unanswered  # where there is no order, the records may have any date
        mixed = evidence.part if is_mixed else 0
        walk.state = walk.state.noted(is_settled=True, mixed=mixed, short=text_of_windows(*named))
        return (*named, *unanswered)
    is_hiding = is_mixed and len(named) < len(short)
    walk.state = walk.state.noted(short="", is_doubted=evidence.is_doubted or bool(named) or is_hiding)
    return _halves(walk) if is_hiding and not walk.state.position.is_sliced else ()


def _ask_around(walk: Walk, short: tuple[Window, ...], end: Window | None) -> tuple[list[Window], list[Window]]:
    """Return the windows in which ListIdentifiers names a record that has not come, and those without an answer."""
    named, unanswered = [], []
    for window in filter(None, (*short, end)):
        names = IdentifiersBetweenDates(walk, window, _until_begin(walk, window), _DEADLINE_SECONDS)
        try:
            unseen = names.unseen(1 if window == end else MOST_ANSWERS)
        except _UNANSWERED:
            unseen = ""
        if unseen:
            walk.note(f"{unseen}, which ListIdentifiers names {window.in_words}, has not come.")
            named.append(window)
        elif window == end:
            is_some = 0 < names.count < walk.state.evidence.part
            walk.is_end_shown = not short and (walk.is_end_shown or (is_some and names.shows_end()))
        elif not names.count:
            unanswered.append(window)
    return named, unanswered


def _halves(walk: Walk) -> tuple[Window, ...]:
    """Return the halves of a list without order that has hidden records."""
    walk.state = restart(walk.state).moved(is_sliced=True)
    walk.note("The list hides records that come by date. It is asked for in two halves.")
    return walk.halves(NotOaiPmh("The list hides records that come by date.")) or ()


def _end_without_order(walk: Walk) -> Window | None:
    """Return the greatest dates of a list without order; None for a window, or a part in one answer."""
    position, is_part = walk.state.position, walk.options.is_part
    return None if position.window or (is_part and not position.token) or walk.has_size() else _from(walk)


def _comparison_of(walk: Walk, names: IdentifiersBetweenDates, unseen: str) -> Comparison:
    """Return the record that has not come, and whether a list in the order of its dates ended before it."""
    last = None if walk.state.profile.ignores_dates else moment_of(walk.state.position.last)
    dated = moment_of(names.unseen_date)
    return Comparison(unseen, is_beyond=bool(last and dated and last <= dated))


def _compare_from_last_date(walk: Walk, most: int, full: int = 0) -> tuple[Comparison, int]:
    """Compare what is dated as the last record that came, or later. Return also how many answers were read.

    `full` is the number of identifiers in a full answer, if known.
    """
    rest = _from(walk)
    if rest is None:
        return Comparison(), 0
    names = IdentifiersBetweenDates(walk, rest, _until_begin(walk, rest), _DEADLINE_SECONDS)
    unseen, position = names.unseen(most), walk.state.position
    is_last = bool(position.last or (position.window and not position.least))
    is_some = 0 < names.count < walk.state.evidence.part  # as many: it may not look at dates
    is_end_shown = not unseen and is_some and names.shows_end(full) and bool(position.ordered)
    walk.is_end_shown = is_end_shown or walk.is_end_shown
    return Comparison(unseen, bool(unseen) and is_last, is_end_shown, names.has_none), names.answers


def _more_announced(walk: Walk) -> str:
    """Return a record that has not come, of those that were there when the list began; empty where none is named.

    A number that is too large is a doubt even where the answer does not name the missing record.
    """
    there = _until_begin(walk, walk.whole)
    names = IdentifiersBetweenDates(walk, there, there, _DEADLINE_SECONDS)
    unseen = names.unseen(1)
    if not unseen and (_announces_more(walk, names) or not names.answers):
        walk.note("ListIdentifiers announces more records than came.")
        walk.doubt()
    return unseen


def doubt_about_end(walk: Walk, listing: IdentifierList) -> str:
    """Return the reason to doubt the end of a list of identifiers that named missing records; empty for none.

    Where no number is announced, a list that was cut looks like a whole one. So the dates from its last identifier on
    are asked for once more, also where one answer names just what came of a doubted list. Where that shows nothing,
    identifiers in one answer are no proof for a list that broke off, if they are more than came. A list that was read
    in parts was asked for by its dates already.
    """
    state, beyond = walk.state, listing.beyond
    is_open = (
        not state.evidence.is_as_announced
        if listing.missing_count
        else state.evidence.is_doubted and listing.count and listing.answers == 1
    )
    is_shown = listing.keeps_its_number or listing.is_in_parts or listing.is_end_shown
    if not is_open or is_shown or state.profile.is_first_generation:
        return ""
    unseen, is_end = "", False
    if beyond and not state.profile.ignores_dates:
        names = IdentifiersBetweenDates(walk, beyond, _until_begin(walk, beyond))
        try:
            unseen = names.unseen(MOST_ANSWERS)
        except PASSING as error:
            walk.note(f"ListIdentifiers could not be asked for what is dated {beyond.in_words}. {error}")
        is_end = 0 < names.count < listing.count  # as many: it may not look at dates
    if beyond and unseen:
        return f"ListIdentifiers names {unseen} {beyond.in_words}, and does not name it {state.here.in_words}."
    is_broken = state.evidence.has_pages and (
        state.evidence.is_doubted or bool(state.position.certain) or bool(state.position.restarts)
    )
    is_part = bool(state.position.window) and not (state.evidence.breaks_off or state.evidence.is_unread)
    is_explained = not (listing.missing_count or state.evidence.is_unread)
    if is_end or listing.answers > 1 or not is_broken or is_explained or is_part:
        return ""
    return f"Nothing shows that the {listing.count} records that ListIdentifiers names in one answer are all."


def _until_begin(walk: Walk, window: Window) -> Window:
    """Return a window that ends when the list began: the next harvest brings what was added since."""
    return Window(window.from_, min(filter(None, (utc_datetime(walk.state.position.first), window.until))))
