"""What follows a part of a list: after a failure another way to ask, after its end the next part, the check or the end.

* the token -> the token again -> written otherwise -> with the metadataPrefix beside it (`resend_token`)
* the rest from the last certain date on -> half of the window -> ... -> one day or one second (`_next_fallback`)
* record by record, as ListIdentifiers names them -> left for later, or in quarantine
"""

from collections.abc import Mapping
from urllib.parse import quote

from gateway.core.errors import AnswerError, GatewayError, NoContent, NotOaiPmh
from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.dates import SECONDS, moment_of, written
from harvester.sources import ListEnd, Step
from harvester.sources.oai_pmh.completeness import compare, count_all, settle_short_pages
from harvester.sources.oai_pmh.date_ranges import Window, halves, text_of_windows, windows_of
from harvester.sources.oai_pmh.list_run import MOST_FAILURES, ListRun, span
from harvester.sources.oai_pmh.list_state import Dates, ListState, Phase, state_of

# The changes when a token is refused, in this order, and in words. At first it is sent again unchanged.
_WAYS: Mapping[str, Mapping[bool, str]] = {
    "": {},
    "is_verbatim": {True: " as the source had written it", False: " percent-encoded"},
    "wants_prefix": {True: " with the metadataPrefix beside it", False: " without the metadataPrefix beside it"},
}
_RESTARTS = 2  # of a list whose source ignores dates
_LEVELS = 31  # of windows, from fifty years to one second
# Smaller windows do not help after an answer without content, and rarely after one that is no OAI-PMH. Any other error
# may be that of one record, which is found in a window of one second.
_MOST_IN_VAIN: tuple[tuple[type[GatewayError], int], ...] = ((NoContent, 1), (AnswerError, 3))
_MOST_IDLE = 300  # answers in a row without a record; about seventy lead to one record in fifty years


def resend_token(run: ListRun, codes: frozenset[str]) -> str:
    """Prepare to send a refused token again, in the next possible way; return how, or an empty text for no other way.

    A change that did not help is undone.
    """
    token, refused, ways = run.position.token, run.position.refused, tuple(_WAYS)
    state = _turned(run.state, ways[refused - 1]) if refused else run.state
    impossible = {"is_verbatim": quote(token, safe="") == token, "wants_prefix": codes == {"badResumptionToken"}}
    number = next((place for place in range(refused, len(ways)) if not impossible.get(ways[place])), -1)
    way = ways[number]
    run.state = state.moved(refused=0) if number < 0 else _turned(state, way).moved(refused=number + 1)
    how = _WAYS[way][getattr(run.profile, way)] if way else ""
    return "" if number < 0 else f"The token was refused; it was sent again{how}."


def _turned(state: ListState, way: str) -> ListState:
    return state.learning(**{way: not getattr(state.profile, way)}) if way else state


def _next_fallback(run: ListRun, earliest: int, latest: int) -> tuple[ListState, str]:
    """Return the list at its next fallback step, and a note about it.

    If the records came in the order of their dates, all up to the last date are certain. The list is requested again
    from that date on. The whole window of any other list is requested again.
    """
    state, here, position = run.state, run.state.here, run.position
    if run.profile.ignores_dates:
        if run.part.count and position.restarts < _RESTARTS:
            return state.moved(restarts=position.restarts + 1).restarted(), "The list begins anew."
    elif position.last > here.from_:
        rest = Window(position.last, here.until)
        # The number that was announced for the window is not known for the rest of it.
        broken = state.moved(certain=rest.from_).noted(unsized=run.evidence.unsized + 1)
        return broken.in_window(rest), f"It goes on with what is dated {rest.from_} or later."
    elif parts := halves(here, run.granularity, earliest, latest):
        sentence = f"It is asked for in two parts: {parts[0].in_words}, and {parts[1].in_words}."
        return state.moved(is_sliced=True).in_window(*parts), sentence
    return state.moved(token="").singly(), f"Its records {here.in_words} are requested one by one."


def _window_to_check(state: ListState) -> Window | None:
    """Return the dates for which a list that has ended must be checked by ListIdentifiers; None: no check is needed.

    A list in which a window was left is not whole, and its numbers say nothing.
    """
    position, evidence = state.position, state.evidence
    is_odd = evidence.is_doubted or evidence.repeated or evidence.has_less or state.has_moved
    if is_odd and not evidence.has_gaps:
        return position.whole
    if not position.certain or (evidence.is_as_announced and not evidence.has_gaps):
        return None
    if not evidence.has_gaps:
        return position.whole
    return Window(position.whole.from_, written((moment_of(position.certain) or 0) - 1, SECONDS))


def dispute_in(state: ListState) -> Window | None:
    """Return the dates of records that came as living and as deleted; None where there are none to be asked for."""
    windows = windows_of(state.evidence.disputed)
    return windows[0] if windows and not state.evidence.has_gaps else None


def misfit_in_words(state: ListState) -> str:
    """Return a sentence about what does not fit in a list that has ended."""
    evidence = state.evidence
    if evidence.announced is not None and evidence.promised != evidence.distinct:
        return evidence.in_words
    if evidence.repeated:
        return f"Records came again in one list: {evidence.repeated}; its pages may have shifted."
    if evidence.late and not evidence.is_doubted:
        return f"Records were added or changed while the list was walked: {evidence.late}; its pages may have shifted."
    if evidence.disputed and not evidence.is_doubted:
        return "Records came as living and as deleted with one date."
    if state.position.certain or state.position.is_sliced:
        return "The list could not be walked in one piece."
    return "The list may not have been whole."


def take_fallback(
    run: ListRun, error: GatewayError, page: RawPage | None = None, slices: tuple[Slice, ...] = ()
) -> Step:
    """Ask in another way. Raise the error when the source does not even answer Identify.

    The step carries the answer that made it necessary, or the one that shows that the source is available.
    """
    run.failures.add(error)
    proof, identity = run.identified(error, is_fresh=page is None)
    if run.failures.in_a_row > MOST_FAILURES:
        return run.give_up(error, page or proof)
    if run.failures.idle > _MOST_IDLE:
        return _all_record_by_record(run, error, page or proof, slices)
    if not run.received.recall():
        run.received.forget()
        run.state = run.state.at_rest().moved(from_=run.position.from_, until=run.position.until)
        run.note(f"{error} The list begins anew: what came before is not known here.")
        return run.step(page or proof)
    most_in_vain = next((most for kind, most in _MOST_IN_VAIN if isinstance(error, kind)), _LEVELS)
    if not run.evidence.has_pages and not run.failures.singly_tries and run.failures.in_vain >= most_in_vain:
        run.failures.singly_tries += 1
        # ListIdentifiers is asked after Identify. So the next list, from this time on, has what this list misses.
        first = run.position.first or min(span(proof, identity)[1], proof.received_at)
        run.state = run.state.restarted().moved(first=first).singly()
        run.note(f"{error} ListRecords has brought nothing; all records are requested one by one.")
        return run.step(page or proof, slices)
    state, sentence = _next_fallback(run, *span(proof, identity))
    run.begin_part(state)
    run.note(f"{error} {sentence}")
    return run.step(page or proof, slices)


def leave_loop(run: ListRun, page: RawPage, slices: tuple[Slice, ...], what: str) -> Step:
    """Leave a list that loops. Raise NotOaiPmh when the source does not even answer Identify."""
    error = NotOaiPmh(f"The source sent {what}: the list would never end.")
    run.failures.trouble = error
    if run.failures.in_a_row < MOST_FAILURES:
        return take_fallback(run, error, page, slices)
    return _all_record_by_record(run, error, page, slices)


def _all_record_by_record(run: ListRun, error: GatewayError, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    run.note(f"{error} Asking by date does not help.")
    run.failures.idle = 0
    run.received.recall()
    run.state = run.state.restarted().singly().learning(ignores_dates=True)
    return run.step(page, slices)


def complete_part(run: ListRun, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part that ended as it should."""
    run.failures.in_a_row = 0
    run.fetch.spare()
    return end_part(run, page, slices)


def end_part(run: ListRun, page: RawPage, slices: tuple[Slice, ...] = ()) -> Step:
    """Continue after a part: with the next one, with the check, or with the end.

    Raise NotOaiPmh when the source does not even answer Identify, and as `compare` does.
    """
    if run.position.window and run.may_ask_no_more:
        run.note(f"The list is not asked for in smaller windows any more. {run.fetch.sentence}")
        run.state = run.state.moved(windows="").noted(is_doubted=True)
    elif run.position.window:
        if _halve(run):
            return run.step(page, slices)
        size = run.state.size
        is_kept = (size or 0) == run.part.count
        run.state = run.state.noted(
            tally=run.evidence.tally + (run.part.count if size is None else size),
            unsized=run.evidence.unsized + (not is_kept),
        )
        following = run.state.in_next_window()
        if following is not None:
            run.begin_part(following)
            return run.step(page, slices)
    if not run.evidence.has_gaps:
        if _window_to_check(run.state) is None and not (run.comparison.compared or run.options.is_part):
            compare(run)
        if windows := settle_short_pages(run):
            run.begin_part(run.state.in_window(*windows))
            return run.step(page, slices)
    window = _window_to_check(run.state) or dispute_in(run.state)
    return end_list(run, page, slices, ()) if window is None else _begin_check(run, page, slices, window)


def _halve(run: ListRun) -> bool:
    """Halve a window that brought less than it announced, or as many as a list that hides records; else check it."""
    state, size = run.state, run.state.size
    is_cut = 0 < state.evidence.mixed <= state.part.count
    # The numbers announced of the windows may add up to more than that of the list.
    is_wrong = state.evidence.announced is not None and state.evidence.tally + (size or 0) > state.evidence.announced
    if not (is_cut or state.is_short) or state.position.phase is not Phase.WINDOW or is_wrong:
        return False
    came = f"sent {state.part.count} records {state.here.in_words}"
    doubt = f"The source {came}, as many as of all dates." if is_cut else f"The source {came}, and announced {size}."
    run.note(doubt)
    state = state.noted(unsized=state.evidence.unsized + 1)
    if state.evidence.announced is None:  # the whole list has at least as many
        state = state.noted(announced_first=size, announced=size)
    parts = run.halves(NotOaiPmh(doubt))
    if parts is None:
        run.state = state.noted(is_doubted=True)
        return False
    run.begin_part(state.in_window(*parts).moved(is_sliced=True))
    return True


def _begin_check(run: ListRun, page: RawPage, slices: tuple[Slice, ...], window: Window) -> Step:
    """Begin the check by ListIdentifiers, if it is known which records have come."""
    count_all(run)
    state = run.state
    if not run.received.recall() or not run.recall_all():
        return end_list(run, page, slices, (f"{misfit_in_words(state)} What came before is not known here.",))
    if window == state.position.whole:
        window = run.whole
    run.note(f"{misfit_in_words(state)} ListIdentifiers is to decide.")
    run.state = state.checked(window)
    return run.step(page, slices)


def end_list(run: ListRun, page: RawPage, slices: tuple[Slice, ...], doubts: tuple[str, ...]) -> Step:
    """Return the last step. A window that failed is a doubt, but the next list does not begin before it."""
    state = run.state
    if not doubts and state.evidence.announced is not None and state.evidence.distinct != state.evidence.announced:
        run.note(state.evidence.in_words)
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
    run.state = state_of(state.position.paused)[0].moved(left=rest.position.left) if state.position.paused else rest
    losses = tuple(f"The records dated {window.in_words} could not be harvested." for window in left)
    end = ListEnd.GAPS if doubts or losses else ListEnd.PROPER
    return run.step(page, slices, end, (*doubts, *losses), of=state)


def left(cursor: Cursor) -> tuple[Window, ...]:
    """Return the windows of a list that could not be harvested in any way."""
    return tuple(dict.fromkeys(windows_of(state_of(cursor.state)[0].position.left)))
