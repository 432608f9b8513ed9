"""Behind the last page of a part: the next part, the check of the whole list, or its end."""

from __future__ import annotations

from dataclasses import replace

from gateway.errors import NotOaiPmh
from gateway.model import Cursor, RawPage, Slice
from harvester.oai_pmh.ladder import announced, contradicts, entered, misfit, next_window, to_check
from harvester.oai_pmh.probing import compare, count_all
from harvester.oai_pmh.walk import Walk
from harvester.sources import ListEnd, Step
from harvester.wire.dates import moment_of
from harvester.wire.list_state import Dates, Rung, state_of
from harvester.wire.windows import Window, text_of_windows, windows_of


def part_had(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Go on behind a part that has come to its end as it should."""
    walk.failures = 0
    walk.fetch.spare()
    return part_over(walk, page, slices)


def part_over(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Go on behind a part that has ended: to the next, to the check, or to the end."""
    if walk.state.window and walk.may_ask_no_more:
        walk.notes.append(f"The list is not asked for in smaller windows any more. {walk.fetch.sentence}")
        walk.state = replace(walk.state, windows="", is_doubted=True)
    elif walk.state.window:
        if _halved(walk):
            walk.arrivals.begin_part()
            return walk.step(page, slices)
        size = walk.size()
        is_kept = (size or 0) == walk.state.part
        walk.state = replace(
            walk.state,
            tally=walk.state.tally + (walk.state.part if size is None else size),
            unsized=walk.state.unsized + (not is_kept),
        )
        following = next_window(walk.state)
        if following is not None:
            walk.state = following
            walk.arrivals.begin_part()
            return walk.step(page, slices)
    if to_check(walk.state) is None and not (walk.compared or walk.state.has_gaps or walk.options.is_part):
        compare(walk)
    window = to_check(walk.state)
    return ended(walk, page, slices, ()) if window is None else _check_begun(walk, page, slices, window)


def _halved(walk: Walk) -> bool:
    """Halve a window that brought less than it announced; where that cannot be done, the check is to find it."""
    state, size = walk.state, walk.size()
    if not walk.is_short() or state.rung != Rung.PAGES or contradicts(state, size):
        return False
    told = f"The source announced {size} records {state.here.in_words} and sent {state.part}."
    walk.notes.append(told)
    state = replace(state, unsized=state.unsized + 1)
    if state.announced is None:  # the whole list has at least as many
        state = replace(state, announced_first=size, announced=size)
    parts = walk.halves(NotOaiPmh(told))
    walk.state = replace(entered(state, *parts), is_sliced=True) if parts else replace(state, is_doubted=True)
    return parts is not None


def _check_begun(walk: Walk, page: RawPage, slices: tuple[Slice, ...], window: Window) -> Step:
    """Let ListIdentifiers decide, where it can be known what has come."""
    count_all(walk)
    state = walk.state
    if not walk.arrivals.recall() or not walk.recall_all():
        return ended(walk, page, slices, (f"{misfit(state)} What came before is not known here.",))
    if window == state.whole:
        window = walk.whole
    walk.notes.append(f"{misfit(state)} ListIdentifiers is to decide.")
    walk.state = replace(state, token="", window=str(window), rung=Rung.CHECK.value)
    return walk.step(page, slices)


def ended(walk: Walk, page: RawPage, slices: tuple[Slice, ...], doubts: tuple[str, ...]) -> Step:
    """Return the last step. What was left in windows is a doubt, but the next list need not begin before it."""
    state = walk.state
    if not doubts and state.announced is not None and state.distinct != state.announced:
        walk.notes.append(announced(state))
    left = dict.fromkeys(windows_of(state.left))
    if not doubts and not state.has_gaps:
        left = dict.fromkeys(each for each in left if not state.whole.covers(each))
    is_shown = not doubts and not state.is_window and state.first
    # Behind the last date that was asked for nothing is shown, should the administrator want more one day.
    complete = min(state.first, moment_of(state.until) or state.first) if is_shown else state.complete
    # Of a server from which nothing came in any way it is not known that it must be given dates.
    dates = state.dates if state.received or state.dates != Dates.NEEDED else Dates.UNKNOWN.value
    rest = replace(state.at_rest(), complete=complete, left=text_of_windows(*left), dates=dates)
    walk.state = replace(state_of(state.paused)[0], left=rest.left) if state.paused else rest
    told = tuple(f"What is dated {each.in_words} could not be had." for each in left)
    end = ListEnd.GAPS if doubts or told else ListEnd.PROPER
    return walk.step(page, slices, end, (*doubts, *told), of=state)


def left(cursor: Cursor) -> tuple[Window, ...]:
    """Return the windows of a list that could not be had in any way."""
    return tuple(dict.fromkeys(windows_of(state_of(cursor.state)[0].left)))
