"""The fallback steps: the requests when a list cannot be walked any further. `take_fallback` takes the next one.

* the token -> the token again -> written otherwise -> with the metadataPrefix beside it (`resend_token`)
* the rest from the last certain date on -> half of the window -> ... -> one day or one second (`next_fallback`)
* record by record, as ListIdentifiers names them -> left for later, or in quarantine
"""

from collections.abc import Callable
from urllib.parse import quote

from gateway.core.errors import AnswerError, GatewayError, NoContent, NotOaiPmh
from gateway.core.model import RawPage, Slice
from gateway.core.xmltext import utc_datetime
from harvester.http.dates import SECONDS, moment_of, written
from harvester.sources import Step
from harvester.sources.oai_pmh.date_ranges import Window, halves, text_of_windows, windows_of
from harvester.sources.oai_pmh.list_state import ListState
from harvester.sources.oai_pmh.transitions import ask_singly, enter_window, restart
from harvester.sources.oai_pmh.walk import MOST_FAILURES, Walk, span

# The changes when a token is refused, in this order. At first it is sent again unchanged.
_WAYS = ("", "is_verbatim", "wants_prefix")
_RESTARTS = 2  # of a list whose source ignores dates
MOST_SHORT = 4  # windows around short pages that are asked for
_LEVELS = 31  # of windows, from fifty years to one second
# Smaller windows do not help after an answer without content, and rarely after one that is no OAI-PMH. Any other error
# may be that of one record, which is found in a window of one second.
_MOST_IN_VAIN: tuple[tuple[type[GatewayError], int], ...] = ((NoContent, 1), (AnswerError, 3))
_MOST_IDLE = 300  # answers in a row without a record; about seventy lead to one record in fifty years


def resend_token(state: ListState, codes: frozenset[str]) -> tuple[ListState, str]:
    """Return the list with a refused token to be sent once more, and a note that says how; no note when all was tried.

    A change that did not help is undone.
    """
    if state.position.refused:
        state = _turned(state, _WAYS[state.position.refused - 1])
    for number in range(state.position.refused, len(_WAYS)):
        way = _WAYS[number]
        if way == "is_verbatim" and quote(state.position.token, safe="") == state.position.token:
            continue
        if way == "wants_prefix" and not codes - {"badResumptionToken"}:
            continue
        turned = _turned(state, way).moved(refused=number + 1)
        return turned, f"The token was refused; it was sent again{_in_words(way, turned)}."
    return state.moved(refused=0), ""


def _turned(state: ListState, way: str) -> ListState:
    if way == "is_verbatim":
        return state.learning(is_verbatim=not state.profile.is_verbatim)
    return state.learning(wants_prefix=not state.profile.wants_prefix) if way else state


def _in_words(way: str, state: ListState) -> str:
    if way == "is_verbatim":
        return " as the source had written it" if state.profile.is_verbatim else " percent-encoded"
    if way == "wants_prefix":
        return f" with{'' if state.profile.wants_prefix else 'out'} the metadataPrefix beside it"
    return ""


def next_fallback(state: ListState, granularity: str, earliest: int, latest: int) -> tuple[ListState, str]:
    """Return the list at its next fallback step, and a note about it.

    If the records came in the order of their dates, all up to the last date are certain. The list is requested again
    from that date on. The whole window of any other list is requested again.
    """
    here = state.here
    if state.profile.ignores_dates:
        if state.evidence.part and state.position.restarts < _RESTARTS:
            return restart(state.moved(restarts=state.position.restarts + 1)), "The list begins anew."
    elif state.position.last > here.from_:
        rest = Window(state.position.last, here.until)
        # The number that was announced for the window is not known for the rest of it.
        broken = state.moved(certain=rest.from_).noted(unsized=state.evidence.unsized + 1)
        return enter_window(broken, rest), f"It goes on with what is dated {rest.from_} or later."
    else:
        parts = halves(here, granularity, earliest, latest)
        if parts:
            sentence = f"It is asked for in two parts: {parts[0].in_words}, and {parts[1].in_words}."
            return enter_window(state.moved(is_sliced=True), *parts), sentence
    sentence = f"Its records {here.in_words} are requested one by one."
    return ask_singly(state.moved(token="")), sentence


def next_window(state: ListState) -> ListState | None:
    """Return the list at the beginning of its next window, None after the last."""
    waiting = windows_of(state.position.windows)
    if not waiting:
        return None
    return enter_window(state.moved(windows=text_of_windows(*waiting[1:])), waiting[0])


def note_order(state: ListState, datestamps: list[str]) -> ListState:
    """Return the list after a page with these datestamps; it notes the last one while they come in order."""
    evidence, position = state.evidence, state.position
    if not datestamps or (evidence.is_unordered and evidence.is_unfalling):
        return state
    is_uniform = len(set(map(len, datestamps))) == 1
    first, last = _written(datestamps[0]), _written(datestamps[-1])
    is_known, in_order = is_uniform and bool(first and last), sorted(datestamps)
    rises = is_known and not evidence.is_unordered and datestamps == in_order and first >= position.last
    falls = is_known and not evidence.is_unfalling and datestamps == in_order[::-1]
    falls = falls and (not position.least or first <= position.least)
    return state.noted(is_unordered=not rises, is_unfalling=not falls).moved(
        last=last if rises else "", least=last if falls else ""
    )


def note_short(state: ListState, datestamps: list[str], chance: Callable[[], float]) -> ListState:
    """Return the list after a further page with these datestamps, with the dates around a short page before it.

    A page in the middle of a list is short if it has fewer records than another one. Of many, some are remembered,
    until they are settled.
    """
    evidence, count = state.evidence, len(datestamps)
    if evidence.is_settled:
        return state
    edge_after = (_written(datestamps[-1]) if datestamps else "") or evidence.edge_after
    uneven, windows = evidence.uneven, list(windows_of(evidence.short))
    if evidence.previous is not None and evidence.previous < max(evidence.most, count):
        uneven += 1
        around = _around(state, "" if count > evidence.most else evidence.edge, edge_after)
        if len(windows) < MOST_SHORT:
            windows.append(around)
        elif chance() < MOST_SHORT / uneven:
            windows[int(chance() * MOST_SHORT)] = around
    return state.noted(
        uneven=uneven,
        short=text_of_windows(*windows),
        most=max(evidence.most, count),
        previous=count,
        edge=evidence.edge_after,
        edge_after=edge_after,
    )


def _around(state: ListState, before: str, after: str) -> Window:
    """Return the window between two datestamps of a list; it begins where the list does for an empty one."""
    if state.position.least and not state.position.last:
        return Window(after, before or state.here.until)
    return Window(*sorted((before or state.here.from_, after)))


def _written(datestamp: str) -> str:
    moment = moment_of(datestamp)
    return "" if moment is None else utc_datetime(moment)


def contradicts(state: ListState, size: int | None = None) -> bool:
    """Return whether the numbers announced of the windows, and `size`, add up to more than that of the list."""
    return state.evidence.announced is not None and state.evidence.tally + (size or 0) > state.evidence.announced


def window_to_check(state: ListState) -> Window | None:
    """Return the dates for which a list that has ended must be checked by ListIdentifiers; None: no check is needed.

    A list in which a window was left is not whole, and its numbers say nothing.
    """
    position, evidence = state.position, state.evidence
    is_odd = evidence.is_doubted or evidence.repeated or evidence.has_less or evidence.has_moved
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


def take_fallback(walk: Walk, error: GatewayError, page: RawPage | None = None, slices: tuple[Slice, ...] = ()) -> Step:
    """Ask in another way. Raise the error when the source does not even answer Identify.

    The step carries the answer that made it necessary, or the one that shows that the source is available.
    """
    walk.fail(error)
    proof, identity = walk.identified(error, is_fresh=page is None)
    if walk.failures > MOST_FAILURES:
        return walk.give_up(error, page or proof)
    if walk.idle > _MOST_IDLE:
        return _all_record_by_record(walk, error, page or proof, slices)
    if not walk.received.recall():
        walk.received.forget()
        walk.state = walk.state.at_rest().moved(from_=walk.state.position.from_, until=walk.state.position.until)
        walk.note(f"{error} The list begins anew: what came before is not known here.")
        return walk.step(page or proof)
    if not walk.state.evidence.has_pages and not walk.singly_tries and walk.in_vain >= _most_in_vain(error):
        walk.singly_tries += 1
        # ListIdentifiers is asked after Identify. So the next list, from this time on, has what this list misses.
        first = walk.state.position.first or min(span(proof, identity)[1], proof.received_at)
        walk.state = ask_singly(restart(walk.state).moved(first=first))
        walk.note(f"{error} ListRecords has brought nothing; all records are requested one by one.")
        return walk.step(page or proof, slices)
    granularity = walk.granularity()
    state, sentence = next_fallback(walk.state, granularity, *span(proof, identity))
    walk.begin_part(state)
    walk.note(f"{error} {sentence}")
    return walk.step(page or proof, slices)


def _most_in_vain(error: GatewayError) -> int:
    """Return after how many failures ListRecords is given up, where it has brought no record yet."""
    return next((most for kind, most in _MOST_IN_VAIN if isinstance(error, kind)), _LEVELS)


def leave_loop(walk: Walk, page: RawPage, slices: tuple[Slice, ...], what: str) -> Step:
    """Leave a list that loops. Raise NotOaiPmh when the source does not even answer Identify."""
    error = NotOaiPmh(f"The source sent {what}: the list would never end.")
    walk.trouble = error
    if walk.failures < MOST_FAILURES:
        return take_fallback(walk, error, page, slices)
    return _all_record_by_record(walk, error, page, slices)


def _all_record_by_record(walk: Walk, error: GatewayError, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    walk.note(f"{error} Asking by date does not help.")
    walk.idle = 0
    walk.received.recall()
    walk.state = ask_singly(restart(walk.state)).learning(ignores_dates=True)
    return walk.step(page, slices)
