"""The next fallback step: another way to ask for what a source does not give."""

from __future__ import annotations

from gateway.core.errors import AnswerError, GatewayError, NoContent, NotOaiPmh
from gateway.core.model import RawPage, Slice
from harvester.sources import Step
from harvester.sources.oai_pmh.fallback_rules import next_fallback
from harvester.sources.oai_pmh.transitions import ask_singly, restart
from harvester.sources.oai_pmh.walk import MOST_FAILURES, Walk, span

_LEVELS = 31  # of windows, from fifty years to one second
# Smaller windows do not help after an answer without content, and rarely after one that is no OAI-PMH. Any other error
# may be that of one record, which is found in a window of one second.
_MOST_IN_VAIN: tuple[tuple[type[GatewayError], int], ...] = ((NoContent, 1), (AnswerError, 3))
_MOST_IDLE = 300  # answers in a row without a record; about seventy lead to one record in fifty years


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
    if not walk.recall_earlier():
        walk.forget_list()
        walk.note(f"{error} The list begins anew: what came before is not known here.")
        return walk.step(page or proof)
    if not walk.state.evidence.has_pages and not walk.singly_tries and walk.in_vain >= _most_in_vain(error):
        walk.count_singly()
        # ListIdentifiers is asked after Identify. So the next list, from this time on, has what this list misses.
        first = walk.state.position.first or min(span(proof, identity)[1], proof.received_at)
        walk.change(ask_singly(restart(walk.state).moved(first=first)))
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
    walk.note_trouble(error)
    if walk.failures < MOST_FAILURES:
        return take_fallback(walk, error, page, slices)
    return _all_record_by_record(walk, error, page, slices)


def _all_record_by_record(walk: Walk, error: GatewayError, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    walk.note(f"{error} Asking by date does not help.")
    walk.forget_idle()
    walk.recall_earlier()
    walk.change(ask_singly(restart(walk.state)).learning(ignores_dates=True))
    return walk.step(page, slices)
