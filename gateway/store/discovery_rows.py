"""The rows of the search for full text, from values and back."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import zstandard

from gateway.core.errors import StoreDamaged
from gateway.core.model import Alarm, CopyOrder, Decision, FoundCopy, ListedCopy, Offer, OfferOutcome, OfferWay
from gateway.store.connector import Connector

LEVEL = 3  # of the compression of searches and answers
_UNREAD = -1.0  # the score of a copy that was not read
_FACTS = len(FoundCopy._fields)

T = TypeVar("T")
# A function that takes all decisions on the copies of an item so far and returns those to add.
Decide: TypeAlias = Callable[[Sequence[Decision]], Sequence[Decision]]


class Findings(NamedTuple):
    """What a recheck or a new judge changes: new decisions, the renewed story as JSON, renewed rows of the copies."""

    decisions: tuple[Decision, ...]
    search_json: str
    copies: tuple[FoundCopy, ...] = ()
    outcome: str = ""  # of the search, if it is another one now


# A function that takes all decisions on the copies of an item so far and its story as JSON, and returns what to write.
Conclude: TypeAlias = Callable[[Sequence[Decision], str], Findings]


def unpacked(file: Connector, packed: bytes, what: str, read: Callable[[bytes], T]) -> T:
    """Return what is compressed. Raise StoreDamaged, whose message names `what`, if it cannot be read."""
    try:
        return read(zstandard.decompress(packed))
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise StoreDamaged(f"{file.name}: {what} cannot be read: {error}.") from error


def decision_row(decision: Decision) -> tuple[object, ...]:
    """Return a decision as a row without its number."""
    return decision[:-1]


def decision_of(row: Sequence[Any]) -> Decision:
    """Return the decision in a row."""
    decision = Decision._make(row)
    return decision._replace(is_undoing=bool(decision.is_undoing))


def is_on_other_bytes(decision: Decision, last: Decision | None, digest: str) -> bool:
    """Return whether a decision is on other bytes than a copy has now, or on a copy that nobody knows.

    `last` is the last decision on the copy, and `digest` the SHA-256 of the last search; empty if it got none. A copy
    whose new bytes nobody could read may still be rejected.
    """
    if last is None and decision.number:
        return True
    known = {digest} if digest else set()
    if last is not None and (not digest or decision.verdict != "accept"):
        known.add(last.sha256)
    return bool(known) and decision.sha256 not in known


def copy_rows(copies: Iterable[FoundCopy]) -> list[FoundCopy]:
    """Return copies as rows; of several with the same item and address, the last one."""
    rows = (copy._replace(score=_UNREAD) if copy.score is None else copy for copy in copies)
    return list({(row.identifier, row.url): row for row in rows}.values())


def listed_copy_of(row: Sequence[Any]) -> ListedCopy:
    """Return the copy and the decision in a row of both."""
    copy = found_copy_of(row[:_FACTS])
    if row[_FACTS] is None:
        return ListedCopy(copy, Decision(copy.identifier, copy.url, copy.sha256, "", "", "", 0))
    return ListedCopy(copy, decision_of(row[_FACTS:]))


def found_copy_of(row: Sequence[Any]) -> FoundCopy:
    """Return the copy in a row."""
    copy = FoundCopy._make(row)
    return copy._replace(score=None) if copy.score == _UNREAD else copy


def place_of(order: CopyOrder) -> Callable[[ListedCopy], tuple[Any, str, str]]:
    """Return the function that returns the place of a copy in an order: by its value, its item and its address."""
    value_of = _VALUES[order]
    return lambda listed: (value_of(listed), listed.copy.identifier, listed.copy.url)


_VALUES: Mapping[CopyOrder, Callable[[ListedCopy], float | str]] = {
    CopyOrder.IDENTIFIER: lambda listed: listed.copy.identifier,
    CopyOrder.SCORE: lambda listed: _UNREAD if listed.copy.score is None else listed.copy.score,
    CopyOrder.TITLE: lambda listed: listed.copy.title,
    CopyOrder.DECIDED_AT: lambda listed: listed.decision.at,
}


def spaced(sources: Collection[str]) -> str:
    """Return the names of sources as one text with a space around each; empty for all of them."""
    return f" {' '.join(sources)} " if sources else ""


def alarm_of(row: Sequence[Any]) -> Alarm:
    """Return the alarm in a row."""
    before, after, examples = map(json.loads, row[6:9])
    return Alarm._make((*row[:6], before, after, tuple(examples), *row[9:]))


def offer_of(row: Sequence[Any]) -> Offer:
    """Return the offer in a row."""
    offer = Offer._make(row)
    return offer._replace(way=OfferWay(offer.way), outcome=OfferOutcome(offer.outcome))
