"""Ends for which the source's word is all there is: some answers of ListIdentifiers tell whether it names any more.

That is an answer without records, and the end of every list. What is named and has not come is a doubt, so that all
names are compared (`roll`): what comes by dates alone never outweighs a name. A source that has no ListIdentifiers is
believed.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from math import inf
from typing import NamedTuple

from gateway.errors import NotOaiPmh, RemoteError, TryLater
from gateway.model import RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.descent import one_rung_down
from harvester.oai_pmh.names import Names
from harvester.oai_pmh.naming import Naming
from harvester.oai_pmh.requests import only, url_of
from harvester.oai_pmh.roll import Roll
from harvester.oai_pmh.walk import Walk
from harvester.sources import Compared, Step
from harvester.sources._answers import MOST_ANSWERS
from harvester.sources._asking import PASSING, PATIENCE, asked
from harvester.wire.dates import moment_of
from harvester.wire.list_state import Rung
from harvester.wire.oai_pmh import ResumptionToken
from harvester.wire.windows import Window, window_of

_LEFT_FOR_THE_END = 2  # answers of those that a run may read
_DEADLINE_SECONDS = 60.0  # of each: a list that has ended goes without them
_UNANSWERED = (*PASSING, TryLater)


class Seen(NamedTuple):
    """What was seen: a record that has not come, or none; whether it was named among those from the last date on.

    `is_end_shown`: all of those were named, and have come.
    """

    unseen: str = ""
    is_beyond: bool = False
    is_end_shown: bool = False


def nothing_shown(walk: Walk, page: RawPage) -> Step | None:
    """Return the step behind an answer without records where ListIdentifiers names some; None where it names none.

    As many as fit into one answer are asked for one by one; more are asked for in halves.
    """
    here = walk.state.here
    names = Names(walk, here, here)
    try:
        unseen = names.unseen(MOST_ANSWERS)
    except PASSING as error:
        walk.notes.append(f"Nothing comes {here.in_words}, and ListIdentifiers does not say the same. {error}")
        walk.doubt()
        return None
    if not (walk.state.window or walk.options.is_part):
        walk.options.answers.read(names.answers)
    if not unseen:
        if not walk.state.window and not walk.is_behind_windows:
            walk.compared = Compared.WHOLE if names.has_ended and not names.has_none else Compared.NOTHING
        return None
    named = NotOaiPmh(f"Nothing comes {here.in_words}, and ListIdentifiers names {unseen} there.")
    if not names.has_ended:
        walk.doubt()
        return one_rung_down(walk, named, page)
    walk.notes.append(f"{named} It is asked for record by record.")
    walk.state = replace(walk.state, rung=Rung.SINGLY.value)
    return walk.step(page)


def end_shown(walk: Walk, page: RawPage, slices: tuple[Slice, ...], token: ResumptionToken | None) -> Step | None:
    """Return the step behind a last page where ListIdentifiers names what is dated later; None where it names nothing.

    That can be asked of a list in the order of its dates only. Where neither that nor a number tells that this is the
    end, a doubt is what the standard does not have: white space for a token, or none at all behind pages with tokens.
    """
    is_open = walk.size() is None
    if not walk.state.window and not walk.options.is_part:
        seen = compare(walk)
    elif is_open and (walk.state.token or token):
        seen = _of_the_end(walk)
    else:
        return None
    if seen.is_beyond:
        walk.doubt()
        told = f"The list ended at {walk.state.last}, and ListIdentifiers names {seen.unseen}, which has not come."
        return one_rung_down(walk, NotOaiPmh(told), page, slices)
    # OAI-PMH 1.x ends its lists without an element.
    is_strange = token.is_blank if token else bool(walk.state.token) and not walk.state.is_first_generation
    if is_open and is_strange and not seen.is_end_shown:
        walk.doubt()
    return None


def _of_the_end(walk: Walk) -> Seen:
    """Look whether anything more is named from the last date of a window on."""
    try:
        return _from_the_last_date_on(walk, MOST_ANSWERS)[0]
    except _UNANSWERED:
        return Seen()


def named_of_today(walk: Walk) -> frozenset[str]:
    """Return what is named of the day on which a list began, at its beginning; none where these are too many.

    Without a number and where dates are days, this alone tells what came later on that day.
    """
    most = walk.options.answers.share - _LEFT_FOR_THE_END
    if most < 1:
        return frozenset()
    day = utc_datetime(walk.state.first)[:10]
    state = replace(walk.state, window=str(window_of(day, "")))
    naming = Naming(walk.options, walk.cursor, walk.fetch, state, PATIENCE, _DEADLINE_SECONDS)
    named: set[str] = set()
    try:
        for answer in islice(naming.answers(), most):
            walk.options.answers.read(1)
            if any(each.datestamp < day for each in answer.slices):
                return frozenset()
            named.update(each.identifier for each in answer.slices)
    except (*_UNANSWERED, RemoteError):
        return frozenset()
    return frozenset(named) if naming.has_ended else frozenset()


def compare(walk: Walk) -> Seen:
    """Compare what has come of a list with a few answers of ListIdentifiers; what else is named is a doubt."""
    count_all(walk)
    names = Names(walk, walk.whole, _dated(walk, walk.whole), _DEADLINE_SECONDS)
    try:
        seen = _compared(walk, names)
    except _UNANSWERED as error:
        walk.notes.append(f"ListIdentifiers could not be compared. {error}")
        seen = Seen()
    walk.compared = Compared.NOTHING
    if names.count and not names.is_unknown:
        is_whole = names.has_ended and names.count >= _came(walk)
        walk.compared = Compared.WHOLE if is_whole else Compared.PART
    if seen.unseen and not seen.is_beyond:
        walk.notes.append(f"ListIdentifiers names {seen.unseen}, which has not come.")
    is_cut = names.has_ended and _announces_more(walk, names)
    if is_cut:
        walk.notes.append(f"ListIdentifiers announces {names.announced} records and names {names.count}.")
    if seen.unseen or is_cut:
        walk.doubt()
    return seen


def count_all(walk: Walk) -> None:
    """Behind windows, ask once how many records ListRecords announces of all, and count what came.

    A window that fits on one page announces nothing.
    """
    if not walk.is_behind_windows or walk.state.has_gaps or walk.state.in_windows:
        return
    state = replace(walk.state, window=str(_dated(walk, walk.whole)))
    url = url_of(walk.options, walk.cursor, state, "ListRecords", "")
    try:
        _, answer = asked(
            walk.options,
            walk.fetch,
            url,
            only("ListRecords"),
            patience=PATIENCE,
            deadline_seconds=_DEADLINE_SECONDS,
        )
    except _UNANSWERED as error:
        walk.notes.append(f"ListRecords does not say how many records there are in all. {error}")
        return
    size = answer.token.complete_list_size if answer.token else None
    if size is None or not walk.recall_all():
        return
    came = len(walk.arrivals.all)
    in_windows = came - (walk.state.distinct - walk.state.in_windows)
    walk.notes.append(f"ListRecords announces {size} records in all, of which {came} have come.")
    walk.state = replace(walk.state, in_windows=in_windows, announced_first=size, announced=size)


def _came(walk: Walk) -> float:
    """Return how many records have come of the whole list, its windows included; without end where nobody knows."""
    if not walk.is_behind_windows or walk.state.in_windows:
        return walk.state.distinct
    return len(walk.arrivals.all) if walk.recall_all() else inf


def _announces_more(walk: Walk, names: Names) -> bool:
    """Tell whether ListIdentifiers announces more than it has named so far, and than has come."""
    return names.announced > names.count and names.announced > _came(walk)


def _compared(walk: Walk, names: Names) -> Seen:
    """Read the first answers, and, of a longer list in the order of its dates, those from its last date on."""
    came, answers = walk.state.distinct, walk.options.answers
    most, unseen = answers.share, names.unseen(1)
    left = most - 1
    answers.read(names.answers)
    is_more = _announces_more(walk, names)
    end = Seen()
    if left and not unseen and not names.has_ended and (is_more or names.count * most < came or not names.count):
        end, read = _from_the_last_date_on(walk, max(1, left - 1))
        answers.read(read)
        left -= read
    if unseen or end.unseen:
        return end if end.unseen else _found(walk, names, unseen)
    if is_more and not names.has_ended:
        unseen, left = _more_announced(walk), left - 1
        answers.read(1)
    if not unseen:
        unseen = names.unseen(left)
        answers.read(names.answers - 1)
    if unseen:
        return _found(walk, names, unseen)
    return end._replace(is_end_shown=end.is_end_shown or names.has_ended)


def _found(walk: Walk, names: Names, unseen: str) -> Seen:
    """Return what was seen, and whether a list in the order of its dates may just have ended before it."""
    last = None if walk.state.ignores_dates else moment_of(walk.state.last)
    dated = moment_of(names.unseen_date)
    return Seen(unseen, is_beyond=bool(last and dated and last <= dated))


def _from_the_last_date_on(walk: Walk, most: int) -> tuple[Seen, int]:
    """Look at what is dated as the last record that came, or later; return how many answers were read, too."""
    state = walk.state
    if not state.last or state.ignores_dates:
        return Seen(), 0
    rest = Window(state.last, state.here.until)
    names = Names(walk, rest, _dated(walk, rest), _DEADLINE_SECONDS)
    unseen = names.unseen(most)
    return Seen(unseen, bool(unseen), is_end_shown=not unseen and names.has_ended), names.answers


def _more_announced(walk: Walk) -> str:
    """Return what has not come where ListIdentifiers announces more than that of what was there when the list began.

    It is a doubt even where the answer that says so does not name it.
    """
    there = _dated(walk, walk.whole)
    names = Names(walk, there, there, _DEADLINE_SECONDS)
    unseen = names.unseen(1)
    if not unseen and (names.announced > _came(walk) or not names.answers):
        walk.notes.append("ListIdentifiers announces more records than came.")
        walk.doubt()
    return unseen


def more_than_named(walk: Walk, roll: Roll) -> str:
    """Return what speaks against the end of a roll that named what had not come; nothing where it can be believed.

    Where no number tells how many there are, a roll that was cut looks like a whole one. So what it names last is asked
    for once more, by its date, also where one answer names just what came of a doubted list. Of a list that broke off,
    names in one answer are no proof where that shows nothing, and more had been named than came. A roll that was read
    in parts was asked for by its dates already.
    """
    state, beyond = walk.state, roll.beyond
    is_as_announced = state.distinct == state.announced == state.announced_first
    is_open = not is_as_announced if roll.missing_count else state.is_doubted and roll.count and roll.answers == 1
    if not is_open or roll.keeps_its_number or state.is_first_generation or roll.is_in_parts:
        return ""
    unseen, is_end = "", False
    if beyond and not state.ignores_dates:
        names = Names(walk, beyond, _dated(walk, beyond))
        try:
            unseen = names.unseen(MOST_ANSWERS)
        except PASSING as error:
            walk.notes.append(f"ListIdentifiers could not be asked for what is dated {beyond.in_words}. {error}")
        is_end = 0 < names.count < roll.count  # as many: it may not look at dates
    if beyond and unseen:
        return f"ListIdentifiers names {unseen} {beyond.in_words}, and does not name it {state.here.in_words}."
    is_broken = state.has_pages and (state.is_doubted or bool(state.certain) or bool(state.restarts))
    if is_end or roll.answers > 1 or not is_broken or not roll.missing_count or state.window:
        return ""
    return f"Nothing shows that the {roll.count} records that ListIdentifiers names in one answer are all."


def _dated(walk: Walk, window: Window) -> Window:
    """Return a window up to when the list began: what was added while it was walked comes with the next one."""
    return Window(window.from_, min(filter(None, (utc_datetime(walk.state.first), window.until))))
