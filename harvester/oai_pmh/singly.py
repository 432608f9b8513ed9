"""Record by record: what ListIdentifiers names and has not come, and what that says of the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from gateway.errors import GatewayError, NoContent
from gateway.model import RawPage, Slice
from gateway.xmltext import utc_datetime
from harvester.oai_pmh.descent import one_rung_down
from harvester.oai_pmh.ending import ended, part_had, part_over
from harvester.oai_pmh.ladder import begun_again, entered, is_short, misfit
from harvester.oai_pmh.probing import more_than_named
from harvester.oai_pmh.requests import single_url
from harvester.oai_pmh.roll import Missing, Roll, is_denied, single, unfetched
from harvester.oai_pmh.walk import MOST_FAILURES, Walk
from harvester.sources import Compared, Step
from harvester.sources._asking import PASSING
from harvester.wire.dates import moment_of
from harvester.wire.list_state import ListState, Rung
from harvester.wire.windows import Window, text_of_windows, windows_of

MOST_GONE = 50  # records that came and are not named any more, each of which is asked for


def singly(walk: Walk) -> Iterator[Step]:
    """Fetch what ListIdentifiers names and has not come, record by record, and yield what that says of the list."""
    with Roll(walk.options, walk.cursor, walk.fetch, walk.state) as roll:
        roll.call(walk.arrivals.all)
        in_vain = 0
        for named in roll.missing():
            step = _single(walk, roll, named)
            yield step
            in_vain = in_vain + 1 if any(each.problem for each in step.slices) else 0
            if in_vain == MOST_FAILURES:
                roll.break_off(f"GetRecord failed for {in_vain} records in a row, the last of them {named.identifier}.")
                break
        yield _after_roll(walk, roll)


def _single(walk: Walk, roll: Roll, named: Missing) -> Step:
    """Return one record, or, when it cannot be had, what tells an administrator so.

    One that is not named any more, in a part of a list that keeps to its dates, has gone in the meantime.
    """
    walk.check_budget()
    identifier = named.identifier
    try:
        page, slices, walk.losses = single(walk.options, walk.cursor, walk.state, walk.fetch, named)
    except PASSING as error:
        walk.trouble = error
        proof, _ = walk.identified(error, is_fresh=True)
        page, slices = unfetched(
            proof, single_url(walk.options, walk.cursor, walk.state, identifier), identifier, error
        )
    if any(not each.problem for each in slices):
        walk.note_records(slices, 1, 1)
    elif slices and is_denied(page) and _is_named_no_more(roll, named):
        walk.notes.append(f"{identifier} was named, and is gone by now: it is not named any more, and not known.")
        slices = ()
    walk.arrivals.all.add(identifier)
    walk.state = replace(walk.state, received=walk.state.received + len(slices))
    return walk.step(page, slices)


def _is_named_no_more(roll: Roll, named: Missing) -> bool:
    """Tell whether a record that is not known is not named at its date any more, either."""
    if named.dated is None or not roll.is_in_parts:
        return False
    dated = utc_datetime(named.dated)
    try:
        return not roll.parts.names(Window(dated, dated), named.identifier)
    except PASSING:
        return False


def _after_roll(walk: Walk, roll: Roll) -> Step:
    """Return the step behind a roll, which decides whether its window is whole."""
    page = roll.page or walk.identified(roll.trouble, is_fresh=True)[0]
    walk.notes.append(
        f"ListIdentifiers names {roll.count} records {walk.state.here.in_words}; {roll.missing_count} of them had "
        "not come and were asked for one by one."
    )
    if roll.is_in_parts:
        walk.notes.append(
            f"Records changed in the meantime, so ListIdentifiers was read once more in {roll.parts.number} parts, "
            "each of which stood still."
        )
        if roll.lacks:
            roll.forgive(_gone(walk, roll))
    if walk.state.rung == Rung.CHECK:
        return _checked(walk, roll, page)
    if roll.lies_beside:
        walk.notes.append("The source does not keep to from and until; what it names is all there is.")
        walk.state = replace(walk.state, window="", windows="", ignores_dates=True)
    if roll.is_whole and not walk.state.window:
        if told := more_than_named(walk, roll):
            return ended(walk, page, (), (told,))
        walk.compared = Compared.WHOLE
    elif roll.is_whole and roll.beyond != walk.state.here and (told := more_than_named(walk, roll)):
        walk.notes.append(told)
        walk.doubt()
    if roll.is_whole or (roll.has_ended and walk.state.window):
        walk.state = replace(walk.state, is_doubted=walk.state.is_doubted or not roll.is_whole)
        return part_had(walk, page)
    walk.notes.append(str(roll.trouble))
    return _left(walk, roll.trouble, page)


def _gone(walk: Walk, roll: Roll) -> int:
    """Return how many records came and are gone by now: not named, and not known or changed, each asked for.

    None of them, where there are too many to be asked for, or one is there as it was.
    """
    came = walk.options.arrived(walk.cursor, walk.state.began) if walk.options.arrived else ()
    unnamed = list(islice(dict.fromkeys(each for each in came if not roll.names(each)), MOST_GONE + 1))
    if len(unnamed) > MOST_GONE:
        return 0
    for identifier in unnamed:
        try:
            page, slices, _ = single(walk.options, walk.cursor, walk.state, walk.fetch, Missing(identifier, False))
        except PASSING:
            return 0
        if not is_denied(page) and not any(each.is_deleted or _is_new(roll, each) for each in slices):
            return 0
    walk.notes.append(f"Records that came and are gone or changed by now: {len(unnamed)}.")
    return len(unnamed)


def _is_new(roll: Roll, record: Slice) -> bool:
    dated = moment_of(record.datestamp)
    return dated is not None and dated > roll.parts.last


def _left(walk: Walk, error: GatewayError, page: RawPage) -> Step:
    """Leave a window that cannot be had in any way, and remember it."""
    walk.failures += 1
    state = walk.state
    if not (state.received or state.window):
        walk.safe = begun_again(walk.safe)
        if walk.singly_tries == 1 and not isinstance(error, NoContent):
            walk.singly_tries += 1  # even the names of all may be too much for one answer
            return one_rung_down(walk, error, page)
    if not state.received or (state.window and walk.failures > MOST_FAILURES):
        return walk.given_up(error, page)
    if not state.window:
        return ended(walk, page, (), (str(error),))
    walk.state = replace(state, left=text_of_windows(*windows_of(state.left), state.here), has_gaps=True)
    return part_over(walk, page)


def _checked(walk: Walk, roll: Roll, page: RawPage) -> Step:
    """End a list as the roll decides; where that cannot be believed, walk it in windows first."""
    state = walk.state
    if roll.is_whole and state.here == walk.whole:
        walk.compared = Compared.WHOLE
    tolerance = walk.options.announced_tolerance
    is_overruled = not is_short(state, tolerance) or roll.keeps_its_number or _keep_their_numbers(state)
    if roll.is_whole and is_overruled:
        told = more_than_named(walk, roll)
        walk.compared = Compared.PART if told else walk.compared
        return ended(walk, page, (), (told,) if told else ())
    trouble = str(roll.trouble) if not roll.is_whole else _uncounted(roll)
    parts = walk.halves(roll.trouble) if is_short(state, tolerance) else None
    if parts and not (state.is_sliced or state.in_windows or state.ignores_dates):
        walk.notes.append(f"{trouble} The list is asked for in windows.")
        walk.state = entered(replace(state, is_sliced=True), *parts)
        walk.arrivals.begin_part()
        return walk.step(page)
    return ended(walk, page, (), (misfit(state), trouble))


def _keep_their_numbers(state: ListState) -> bool:
    """Tell whether the list came in windows, each of which brought exactly what it announced."""
    is_in_windows = state.is_sliced and not state.ignores_dates
    return is_in_windows and state.distinct > 0 and not (state.unsized or state.has_gaps)


def _uncounted(roll: Roll) -> str:
    """Return the sentence for names that are as many as came, and too few."""
    return f"ListIdentifiers names {roll.count} as well, but does not announce that number itself."
