"""Down the ladder: from what a source does not give to another way of asking for it."""

from __future__ import annotations

from dataclasses import replace

from gateway.errors import AnswerError, GatewayError, NoContent, NotOaiPmh
from gateway.model import RawPage, Slice
from harvester.oai_pmh.ladder import begun_again, below
from harvester.oai_pmh.walk import MOST_FAILURES, Walk, span
from harvester.sources import Step
from harvester.wire.list_state import Rung

_LEVELS = 31  # of windows, from fifty years to one second
# An answer without content says the same of smaller windows, one that is no OAI-PMH mostly does. Any other error may
# be that of one record, which shows at one second.
_MOST_IN_VAIN: tuple[tuple[type[GatewayError], int], ...] = ((NoContent, 1), (AnswerError, 3))
_MOST_IDLE = 300  # answers without a record in a row; to find one among fifty years' seconds takes some seventy


def one_rung_down(walk: Walk, error: GatewayError, page: RawPage | None = None, slices: tuple[Slice, ...] = ()) -> Step:
    """Go on in another way. Raise the error when the source as a whole does not answer, or nothing helps any more.

    The step carries the answer that made it necessary, or the one which shows that the source is well.
    """
    walk.failures += 1
    walk.in_vain += 1
    walk.trouble = error
    proof, identity = walk.identified(error, is_fresh=page is None)
    if walk.failures > MOST_FAILURES:
        return walk.given_up(error, page or proof)
    if walk.idle > _MOST_IDLE:
        return _all_singly(walk, error, page or proof, slices)
    if not walk.arrivals.recall():
        walk.arrivals.forget()
        walk.state = replace(walk.state.at_rest(), from_=walk.state.from_, until=walk.state.until)
        walk.notes.append(f"{error} The list begins anew: what came before is not known here.")
        return walk.step(page or proof)
    if not walk.state.has_pages and not walk.singly_tries and walk.in_vain >= _most_in_vain(error):
        walk.singly_tries += 1
        # ListIdentifiers is asked after Identify was, so from that time on the next list has what this one has not.
        first = walk.state.first or min(span(proof, identity)[1], proof.received_at)
        walk.state = replace(begun_again(walk.state), first=first, rung=Rung.SINGLY.value)
        walk.notes.append(f"{error} ListRecords has brought nothing; all is asked for record by record.")
        return walk.step(page or proof, slices)
    granularity = walk.granularity()
    walk.state, told = below(walk.state, granularity, *span(proof, identity))
    walk.arrivals.begin_part()
    walk.notes.append(f"{error} {told}")
    return walk.step(page or proof, slices)


def _most_in_vain(error: GatewayError) -> int:
    """Return how many failures tell that ListRecords does not work at all, where it has brought nothing yet."""
    return next((most for kind, most in _MOST_IN_VAIN if isinstance(error, kind)), _LEVELS)


def ring(walk: Walk, page: RawPage, slices: tuple[Slice, ...], what: str) -> Step:
    """Leave a list that would never end."""
    error = NotOaiPmh(f"The source sent {what}: the list would never end.")
    walk.trouble = error
    if walk.failures < MOST_FAILURES:
        return one_rung_down(walk, error, page, slices)
    return _all_singly(walk, error, page, slices)


def _all_singly(walk: Walk, error: GatewayError, page: RawPage, slices: tuple[Slice, ...]) -> Step:
    walk.notes.append(f"{error} Asking by date does not help.")
    walk.idle = 0
    walk.arrivals.recall()
    walk.state = replace(begun_again(walk.state), rung=Rung.SINGLY.value, ignores_dates=True)
    return walk.step(page, slices)
