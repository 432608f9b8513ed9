"""The pages of a list, one after the other: what each brings, and whether another follows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from gateway.errors import NotOaiPmh, RemoteError
from gateway.model import RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.descent import one_rung_down, ring
from harvester.oai_pmh.ending import part_had
from harvester.oai_pmh.ladder import ordered, sent_otherwise
from harvester.oai_pmh.notices import cursor_noticed, dates_noticed, late_among, opening_noticed, size_noticed, strays
from harvester.oai_pmh.opening import asked_otherwise, asked_with_dates, is_to_be_dated
from harvester.oai_pmh.probing import end_shown, named_of_today, nothing_shown
from harvester.oai_pmh.requests import only, url_of
from harvester.oai_pmh.walk import Walk
from harvester.sources import Step
from harvester.sources._asking import PASSING, PATIENCE, asked
from harvester.wire.dates import DAY
from harvester.wire.http import Fetched
from harvester.wire.oai_pmh import ListAnswer

_BARREN_PAGES = 10  # in a row with nothing new, each with a further token

# Every other code is of the server's own making, and mostly means that something there has just gone wrong.
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


def page(walk: Walk) -> Step:
    """Ask for the next page and return the step behind it."""
    url = url_of(walk.options, walk.cursor, walk.state, "ListRecords", walk.state.token)
    patience = PATIENCE if walk.state.window or walk.options.budget.is_spent else None
    try:
        fetched, answer = asked(
            walk.options, walk.fetch, url, only("ListRecords"), partial(_is_doubtful, walk), patience=patience
        )
    except PASSING as error:
        return one_rung_down(walk, error)
    if answer.errors and not answer.slices:
        return _after_errors(walk, fetched, answer)
    walk.note_time(fetched, answer)
    return _after_page(walk, fetched, answer)


def _is_doubtful(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether this answer may be another a moment later: a strange error, or an end where more was announced.

    Primo ends lists early with an empty page that is full a moment later (dpla/ingestion3#777).
    """
    if answer.errors:
        return not answer.slices and not {code for code, _ in answer.errors} & _CODES and not walk.is_past()
    is_end = not answer.slices and not (answer.token and answer.token.text)
    return is_end and bool(walk.state.token) and walk.is_short()


def _after_errors(walk: Walk, fetched: Fetched, answer: ListAnswer) -> Step:
    """Return the step behind an answer that has nothing but errors: the end, or another way to ask."""
    codes = frozenset(code for code, _ in answer.errors)
    page = walk.raw(fetched, answer)
    if codes == {"noRecordsMatch"}:
        walk.note_first(fetched, answer)
        return asked_with_dates(walk, answer, page) if is_to_be_dated(walk.state) else _nothing_more(walk, page)
    if not walk.state.token:
        return asked_otherwise(walk, codes, answer, page)
    walk.state, note = (walk.state, "") if walk.is_surely_past() else sent_otherwise(walk.state, codes)
    if note:
        walk.notes.append(note)
        return walk.step(page)
    if walk.is_past():
        walk.notes.append(f"The token after the last record was refused ({', '.join(sorted(codes))}).")
        return _past(walk, page)
    return one_rung_down(walk, RemoteError(answer.errors), page)


def _past(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Go on behind a part that has ended because as many came as were announced, if that can be believed."""
    if not walk.is_surely_past(slices):
        walk.doubt()
    return part_had(walk, page, slices)


def _nothing_more(walk: Walk, page: RawPage) -> Step:
    """Go on behind an answer without records.

    What should have brought some is to be checked: a token, or a date that is asked for again because a record has it.
    Whatever else may have some is believed to have none when ListIdentifiers names none, either.
    """
    state = walk.state
    is_promised = bool(state.token) or (bool(state.certain) and state.certain == state.here.from_)
    if not is_promised:
        return nothing_shown(walk, page) or part_had(walk, page)
    if not walk.is_surely_past():
        walk.doubt()
    return part_had(walk, page)


def _after_page(walk: Walk, fetched: Fetched, answer: ListAnswer) -> Step:
    """Return the step behind a page; one that came before, or is not what was asked for, leads elsewhere."""
    walk.note_first(fetched, answer)
    walk.losses = answer.losses
    page = walk.raw(fetched, answer)
    is_past = walk.is_past()
    if is_past and walk.arrivals.recall() and walk.arrivals.has(answer.slices) and not _has_moved(walk, answer):
        walk.notes.append("Behind the announced number of records, the same ones came again.")
        return _past(walk, page)
    if walk.arrivals.repeats(answer.slices):
        walk.notes.append("The answer has the records of an earlier one.")
        return _past(walk, page) if is_past else ring(walk, page, (), "the same records")
    if found := strays(walk.state, answer, walk.cursor.set_spec):
        return _without_strays(walk, answer, page, found)
    return _after_good_page(walk, answer, page)


def _after_good_page(walk: Walk, answer: ListAnswer, page: RawPage) -> Step:
    """Take a page: more of the list follows, or the end of this part, or another way when the list goes in rings."""
    token = answer.token.text if answer.token else ""
    walk.state = size_noticed(walk.state, answer, walk.notes)
    slices = _taken(walk, answer)
    if answer.errors:
        walk.notes.append("The answer has records and errors: " + str(RemoteError(answer.errors)))
    if not token:
        return _last(walk, answer, page, slices)
    if walk.is_past() and token in walk.arrivals.tokens:
        return _past(walk, page, slices)
    if token in walk.arrivals.tokens:
        return ring(walk, page, slices, "a resumptionToken it had given before")
    if walk.arrivals.barren == _BARREN_PAGES:
        return ring(walk, page, slices, f"{_BARREN_PAGES} pages in a row with nothing new")
    walk.arrivals.tokens.add(token)
    walk.state = replace(walk.state, token=token, refused=0)
    return walk.step(page, slices)


def _last(walk: Walk, answer: ListAnswer, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    """Go on behind a page without a token. One that is empty, or breaks off with an error, may not be the last.

    Nor may it be where no size was told, and there are several pages, or a token that is empty where none is due.
    """
    if answer.errors and not walk.is_past():
        walk.doubt()
    if not answer.slices:
        return _nothing_more(walk, page)
    if walk.size() is None and (walk.state.token or answer.token):
        return end_shown(walk, page, slices, answer.token) or part_had(walk, page, slices)
    return part_had(walk, page, slices)


def _without_strays(walk: Walk, answer: ListAnswer, page: RawPage, found: tuple[Slice, ...]) -> Step:
    """Keep what was asked for, and go on in another way: a request without a token is for just that again."""
    own = tuple(each for each in answer.slices if each not in found)
    lost = NotOaiPmh(f"The resumptionToken brought records of other sets or dates than were asked for: {len(found)}.")
    return one_rung_down(walk, lost, page, _taken(walk, replace(answer, slices=own)))


def _has_moved(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether a record has changed since the list began: where pages are counted, others slipped then."""
    since = utc_datetime(walk.state.first)
    return any(each.datestamp > since[: len(each.datestamp)] for each in answer.slices)


def _taken(walk: Walk, answer: ListAnswer) -> tuple[Slice, ...]:
    """Return the slices to keep of a page, having counted them."""
    is_opening = not walk.state.token
    is_as_before = is_opening and walk.arrivals.opens_like_another(walk.state.here, answer.slices)
    state = opening_noticed(walk.state, answer, walk.cursor.set_spec) if is_opening else walk.state
    state = dates_noticed(state, answer, walk.notes, is_as_before=is_as_before)
    state = cursor_noticed(state, answer, walk.notes)
    found = walk.arrivals.sorted_out(answer.slices, utc_datetime(state.first)[:10])
    if found.news:
        walk.failures = 0
    if found.fresh:
        walk.note_records(found.kept, found.news, found.fresh)
    walk.state = replace(
        ordered(state, [each.datestamp for each in answer.slices]),
        received=state.received + len(found.kept),
        repeated=state.repeated + found.repeated,
        part=state.part + found.fresh,
        late=state.late + late_among(state, answer, walk.there),
        has_pages=state.has_pages or bool(answer.slices),
    )
    if is_opening and _may_hide_changes(walk, answer):
        walk.there = named_of_today(walk)
    return found.kept


def _may_hide_changes(walk: Walk, answer: ListAnswer) -> bool:
    """Tell whether neither number, order nor date of a list that begins will tell what changes while it is walked."""
    state = walk.state
    has_more = bool(answer.token and answer.token.text) and state.announced is None and state.is_unordered
    is_whole = not (state.window or walk.options.is_part or state.until or state.is_first_generation)
    return has_more and is_whole and all(len(each.datestamp) == len(DAY) for each in answer.slices)
