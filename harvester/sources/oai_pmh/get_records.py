"""Fetch record by record what ListIdentifiers names and has not come, and decide whether the list is whole."""

from collections.abc import Iterator
from itertools import islice

from gateway.core.errors import GatewayError, NoContent
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import moment_of
from harvester.sources import Compared, Step
from harvester.sources.oai_pmh.all_identifiers import IdentifierList, Missing, get_record, is_denied, unfetched
from harvester.sources.oai_pmh.completeness import doubt_about_end
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, windows_of
from harvester.sources.oai_pmh.end_of_list import complete_part, end_list, end_part
from harvester.sources.oai_pmh.fallback_rules import dispute_in, misfit_in_words, take_fallback
from harvester.sources.oai_pmh.list_state import ListState, Phase
from harvester.sources.oai_pmh.transitions import enter_window, restart
from harvester.sources.oai_pmh.walk import MOST_FAILURES, Walk
from harvester.sources.repeated_requests import PASSING

MOST_GONE = 50  # records that came and are not named any more, each of which is asked for


def record_by_record(walk: Walk) -> Iterator[Step]:
    """Fetch the missing records one by one; the last step says what follows for the list.

    Raise as `take_fallback` does, and the errors of `asked` for a refused request.
    """
    with IdentifierList(walk.server, walk.fetch, walk.state) as listing:
        listing.read(walk.received.all, walk.received.lacks)
        in_vain = 0
        for named in listing.missing():
            step = _record_step(walk, listing, named)
            yield step
            in_vain = in_vain + 1 if any(record.problem for record in step.slices) else 0
            if in_vain == MOST_FAILURES:
                listing.break_off(
                    f"GetRecord failed for {in_vain} records in a row, the last of them {named.identifier}."
                )
                break
        for identifier in islice(walk.disputed, MOST_GONE):
            yield _record_step(walk, listing, Missing(identifier, is_deleted=True))
        yield _after_listing(walk, listing)


def _record_step(walk: Walk, listing: IdentifierList, named: Missing) -> Step:
    """Return a step with one record, or with the reason why it could not be fetched.

    A record that is not named at its date any more has been deleted in the meantime.
    """
    walk.check_budget()
    identifier = named.identifier
    try:
        page, slices, losses = get_record(walk.server, walk.state, named)
        walk.losses = losses
    except PASSING as error:
        walk.trouble = error
        proof, _ = walk.identified(error, is_fresh=True)
        page, slices = unfetched(proof, walk.server.record_url(walk.state, identifier), identifier, error)
    if any(not record.problem for record in slices):
        walk.note_records(slices, 1, 1)
    elif slices and is_denied(page) and _is_gone(listing, named):
        walk.note(f"{identifier} was named, and is gone by now: it is not named any more, and not known.")
        slices = ()
    walk.add_single_record(identifier, slices)
    return walk.step(page, slices)


def _is_gone(listing: IdentifierList, named: Missing) -> bool:
    """Return whether a record that GetRecord does not know is not named at its date any more, either."""
    if named.dated is None or not listing.is_in_parts:
        return False
    dated = utc_datetime(named.dated)
    try:
        return not listing.parts.names(Window(dated, dated), named.identifier)
    except PASSING:
        return False


def _after_listing(walk: Walk, listing: IdentifierList) -> Step:
    """Return the step after a list of identifiers, which decides whether its window is whole."""
    page = listing.page or walk.identified(listing.trouble, is_fresh=True)[0]
    walk.note(
        f"ListIdentifiers names {listing.count} records {walk.state.here.in_words}; {listing.missing_count} of them "
        "had not come and were asked for one by one."
    )
    if listing.is_in_parts:
        why = "It breaks off" if listing.has_broken_off else "Records changed in the meantime"
        again = (
            f"ListIdentifiers was read once more in {listing.parts.number} parts, each of which is shown to be whole"
        )
        walk.note(f"{why}, so {again}.")
        if listing.unnamed_count:
            listing.note_gone(_count_gone(walk, listing))
    if walk.state.position.phase is Phase.CHECK:
        return _end_check(walk, listing, page)
    if listing.is_outside:
        walk.note("The source ignores from and until, so its list has all records.")
        walk.state = walk.state.moved(window="", windows="").learning(ignores_dates=True)
    if listing.is_whole and not walk.state.position.window:
        if doubt := doubt_about_end(walk, listing):
            return end_list(walk, page, (), (doubt,))
        walk.compared = Compared.WHOLE
    elif listing.is_whole and listing.beyond != walk.state.here and (doubt := doubt_about_end(walk, listing)):
        walk.note(doubt)
        walk.doubt()
    if listing.is_whole or (listing.has_ended and walk.state.position.window):
        walk.state = walk.state.noted(is_doubted=walk.state.evidence.is_doubted or not listing.is_whole)
        return complete_part(walk, page)
    walk.note(str(listing.trouble))
    return _leave_window(walk, listing.trouble, page)


def _count_gone(walk: Walk, listing: IdentifierList) -> int:
    """Return how many records came that are deleted or changed by now: not named, and asked for by GetRecord.

    Return 0 where they are too many to be asked for, or where one of them is there unchanged.
    """
    came = walk.options.arrived(walk.cursor, walk.state.position.began) if walk.options.arrived else ()
    unnamed = list(
        islice(dict.fromkeys(identifier for identifier in came if not listing.names(identifier)), MOST_GONE + 1)
    )
    if len(unnamed) > MOST_GONE:
        return 0
    for identifier in unnamed:
        try:
            page, slices, _ = get_record(walk.server, walk.state, Missing(identifier, False))
        except PASSING:
            return 0
        if not is_denied(page) and not any(record.is_deleted or _is_new(listing, record) for record in slices):
            return 0
    walk.note(f"Records that came and are gone or changed by now: {len(unnamed)}.")
    return len(unnamed)


def _is_new(listing: IdentifierList, record: Slice) -> bool:
    dated = moment_of(record.datestamp)
    return dated is not None and dated > listing.parts.last


def _leave_window(walk: Walk, error: GatewayError, page: RawPage) -> Step:
    """Leave a window that cannot be harvested in any way, and remember it."""
    walk.fail()
    state = walk.state
    if not (state.evidence.received or state.position.window):
        walk.safe = restart(walk.safe)
        if walk.singly_tries == 1 and not isinstance(error, NoContent):
            walk.singly_tries += 1  # even the names of all may be too much for one answer
            return take_fallback(walk, error, page)
    if not state.evidence.received or (state.position.window and walk.failures > MOST_FAILURES):
        return walk.give_up(error, page)
    if not state.position.window:
        return end_list(walk, page, (), (str(error),))
    walk.state = state.moved(left=text_of_windows(*windows_of(state.position.left), state.here)).noted(has_gaps=True)
    return end_part(walk, page)


def _end_check(walk: Walk, listing: IdentifierList, page: RawPage) -> Step:
    """End a list as its identifiers decide; where they are not whole themselves, walk it in windows first."""
    state = walk.state
    disputed, dispute = len(walk.disputed), dispute_in(state)
    if dispute and not 0 < disputed <= MOST_GONE:
        doubt = f"Records came as living and as deleted with one date, and {disputed} of them are too many to ask for."
        return end_list(walk, page, (), (doubt,))
    if dispute == state.here != walk.whole:
        walk.note(f"GetRecord decided which of them are living: {disputed}.")
        return end_list(walk, page, (), ())
    if listing.is_whole and state.here == walk.whole:
        walk.compared = Compared.WHOLE
        shows = listing.keeps_its_number or listing.is_end_shown or listing.is_in_parts
        walk.is_end_shown = shows or walk.is_end_shown
    tolerance = walk.options.announced_tolerance
    is_kept = listing.keeps_its_number or listing.has_entries(state.evidence.promised)
    is_overruled = not state.evidence.is_short(tolerance) or is_kept or _keep_their_numbers(state)
    if listing.is_whole and is_overruled:
        doubt = doubt_about_end(walk, listing)
        walk.compared = Compared.PART if doubt else walk.compared
        return end_list(walk, page, (), (doubt,) if doubt else ())
    trouble = str(listing.trouble) if not listing.is_whole else _uncounted(listing)
    parts = walk.halves(listing.trouble) if state.evidence.is_short(tolerance) else None
    if parts and not (state.position.is_sliced or state.evidence.in_windows or state.profile.ignores_dates):
        walk.note(f"{trouble} The list is asked for in windows.")
        walk.begin_part(enter_window(state.moved(is_sliced=True), *parts))
        return walk.step(page)
    return end_list(walk, page, (), (misfit_in_words(state), trouble))


def _keep_their_numbers(state: ListState) -> bool:
    """Return whether the list came in windows, each of which brought exactly what it announced."""
    is_in_windows = state.position.is_sliced and not state.profile.ignores_dates
    return is_in_windows and state.evidence.distinct > 0 and not (state.evidence.unsized or state.evidence.has_gaps)


def _uncounted(listing: IdentifierList) -> str:
    """Return a sentence about identifiers that are as many as came, and too few."""
    return f"ListIdentifiers names {listing.count} as well, but does not announce that number itself."
