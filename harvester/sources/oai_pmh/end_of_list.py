"""Decide what to do after the last page of a part: walk the next part, check the whole list, or end."""

from gateway.core.errors import NotOaiPmh
from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.dates import moment_of
from harvester.sources import ListEnd, Step
from harvester.sources.oai_pmh.completeness import compare, count_all, settle_short_pages
from harvester.sources.oai_pmh.date_ranges import Window, text_of_windows, windows_of
from harvester.sources.oai_pmh.fallback_rules import (
    contradicts,
    dispute_in,
    misfit_in_words,
    next_window,
    window_to_check,
)
from harvester.sources.oai_pmh.list_state import Dates, Phase, state_of
from harvester.sources.oai_pmh.transitions import begin_check, enter_window
from harvester.sources.oai_pmh.walk import Walk


def complete_part(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part that ended as it should."""
    walk.failures = 0
    walk.fetch.spare()
    return end_part(walk, page, slices)


def end_part(walk: Walk, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part: with the next one, with the check, or with the end.

    Raise NotOaiPmh when the source does not even answer Identify, and as `compare` does.
    """
    if walk.state.position.window and walk.may_ask_no_more:
        walk.note(f"The list is not asked for in smaller windows any more. {walk.fetch.sentence}")
        walk.state = walk.state.moved(windows="").noted(is_doubted=True)
    elif walk.state.position.window:
        if _halve(walk):
            return walk.step(page, slices)
        size = walk.size()
        is_kept = (size or 0) == walk.state.evidence.part
        walk.state = walk.state.noted(
            tally=walk.state.evidence.tally + (walk.state.evidence.part if size is None else size),
            unsized=walk.state.evidence.unsized + (not is_kept),
        )
        following = next_window(walk.state)
        if following is not None:
            walk.begin_part(following)
            return walk.step(page, slices)
    if not walk.state.evidence.has_gaps:
        if window_to_check(walk.state) is None and not (walk.compared or walk.options.is_part):
            compare(walk)
        if windows := settle_short_pages(walk):
            walk.begin_part(enter_window(walk.state, *windows))
            return walk.step(page, slices)
    window = window_to_check(walk.state) or dispute_in(walk.state)
    return end_list(walk, page, slices, ()) if window is None else _begin_check(walk, page, slices, window)


def _halve(walk: Walk) -> bool:
    """Halve a window that brought less than it announced, or as many as a list that hides records; else check it."""
    state, size = walk.state, walk.size()
    is_cut = 0 < state.evidence.mixed <= state.evidence.part
    if not (is_cut or walk.is_short()) or state.position.phase is not Phase.WINDOW or contradicts(state, size):
        return False
    came = f"sent {state.evidence.part} records {state.here.in_words}"
    doubt = f"The source {came}, as many as of all dates." if is_cut else f"The source {came}, and announced {size}."
    walk.note(doubt)
    state = state.noted(unsized=state.evidence.unsized + 1)
    if state.evidence.announced is None:  # the whole list has at least as many
        state = state.noted(announced_first=size, announced=size)
    parts = walk.halves(NotOaiPmh(doubt))
    if parts is None:
        walk.state = state.noted(is_doubted=True)
        return False
    walk.begin_part(enter_window(state, *parts).moved(is_sliced=True))
    return True


def _begin_check(walk: Walk, page: RawPage, slices: tuple[Slice, ...], window: Window) -> Step:
    """Begin the check by ListIdentifiers, if it is known which records have come."""
    count_all(walk)
    state = walk.state
    if not walk.received.recall() or not walk.recall_all():
        return end_list(walk, page, slices, (f"{misfit_in_words(state)} What came before is not known here.",))
    if window == state.position.whole:
        window = walk.whole
    walk.note(f"{misfit_in_words(state)} ListIdentifiers is to decide.")
    walk.state = begin_check(state, window)
    return walk.step(page, slices)


def end_list(walk: Walk, page: RawPage, slices: tuple[Slice, ...], doubts: tuple[str, ...]) -> Step:
    """Return the last step. A window that failed is a doubt, but the next list does not begin before it."""
    state = walk.state
    if not doubts and state.evidence.announced is not None and state.evidence.distinct != state.evidence.announced:
        walk.note(state.evidence.in_words)
    left = dict.fromkeys(windows_of(state.position.left))
    if not doubts and not state.evidence.has_gaps:
        left = dict.fromkeys(window for window in left if not state.position.whole.covers(window))
    is_shown = not doubts and not state.position.is_window and state.position.first
    # The list shows nothing about dates after its `until`; a later entry may ask for them.
    complete = (
        min(state.position.first, moment_of(state.position.until) or state.position.first)
        if is_shown
        else state.position.complete
    )
    # If no record came in any way, it is not known whether the server needs dates.
    dates = (
        state.profile.dates if state.evidence.received or state.profile.dates != Dates.NEEDED else Dates.UNKNOWN.value
    )
    rest = state.at_rest().moved(complete=complete, left=text_of_windows(*left)).learning(dates=dates)
    walk.state = state_of(state.position.paused)[0].moved(left=rest.position.left) if state.position.paused else rest
    losses = tuple(f"The records dated {window.in_words} could not be harvested." for window in left)
    end = ListEnd.GAPS if doubts or losses else ListEnd.PROPER
    return walk.step(page, slices, end, (*doubts, *losses), of=state)


def left(cursor: Cursor) -> tuple[Window, ...]:
    """Return the windows of a list that could not be harvested in any way."""
    return tuple(dict.fromkeys(windows_of(state_of(cursor.state)[0].position.left)))
