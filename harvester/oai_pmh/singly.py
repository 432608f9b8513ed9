"""Record by record: what ListIdentifiers names and has not come, and what that says of the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gateway.errors import GatewayError, NoContent
from gateway.model import RawPage
from harvester.oai_pmh.descent import one_rung_down
from harvester.oai_pmh.ending import ended, part_had, part_over
from harvester.oai_pmh.ladder import begun_again, entered, is_short, misfit
from harvester.oai_pmh.probing import more_than_named
from harvester.oai_pmh.requests import single_url
from harvester.oai_pmh.roll import Missing, Roll, single, unfetched
from harvester.oai_pmh.walk import MOST_FAILURES, Walk
from harvester.sources import Compared, Step
from harvester.sources._asking import PASSING
from harvester.wire.list_state import ListState, Rung
from harvester.wire.windows import text_of_windows, windows_of


def singly(walk: Walk) -> Iterator[Step]:
    """Fetch what ListIdentifiers names and has not come, record by record, and yield what that says of the list."""
    with Roll(walk.options, walk.cursor, walk.fetch, walk.state) as roll:
        roll.call(walk.arrivals.all)
        in_vain = 0
        for named in roll.missing():
            step = _single(walk, named)
            yield step
            in_vain = in_vain + 1 if any(each.problem for each in step.slices) else 0
            if in_vain == MOST_FAILURES:
                roll.break_off(f"GetRecord failed for {in_vain} records in a row, the last of them {named.identifier}.")
                break
        yield _after_roll(walk, roll)


def _single(walk: Walk, named: Missing) -> Step:
    """Return one record, or, when it cannot be had, what tells an administrator so."""
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
        walk.fetch.gained()
    walk.arrivals.all.add(identifier)
    walk.state = replace(walk.state, received=walk.state.received + len(slices))
    return walk.step(page, slices)


def _after_roll(walk: Walk, roll: Roll) -> Step:
    """Return the step behind a roll, which decides whether its window is whole."""
    page = roll.page or walk.identified(roll.trouble, is_fresh=True)[0]
    walk.notes.append(
        f"ListIdentifiers names {roll.count} records {walk.state.here.in_words}; {roll.missing_count} of them had "
        "not come and were asked for one by one."
    )
    if walk.state.rung == Rung.CHECK:
        return _checked(walk, roll, page)
    if roll.lies_beside:
        walk.notes.append("The source does not keep to from and until; what it names is all there is.")
        walk.state = replace(walk.state, window="", windows="", ignores_dates=True)
    if roll.is_whole and not walk.state.window:
        if told := more_than_named(walk, roll):
            return ended(walk, page, (), (told,))
        walk.compared = Compared.WHOLE
    if roll.is_whole or (roll.has_ended and walk.state.window):
        walk.state = replace(walk.state, is_doubted=walk.state.is_doubted or not roll.is_whole)
        return part_had(walk, page)
    walk.notes.append(str(roll.trouble))
    return _left(walk, roll.trouble, page)


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
    if parts and not state.is_sliced and not state.ignores_dates:
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
