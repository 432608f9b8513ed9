"""Shows offers to sources: as data, as a line, and as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gateway.core.model import Offer, OfferOutcome, OfferWay
from harvester.commands.output import moment
from harvester.offer.files import notification_id


def facts_of_offer(one: Offer) -> dict[str, object]:
    """Return an offer as data."""
    return {
        **one._asdict(),
        "at": moment(one.at or None),
        "next_at": moment(one.next_at or None),
        "status": one.status or None,
        "notification": notification_id(one.identifier, one.sha256) if one.way is OfferWay.INBOX else "",
    }


def words_of_offer(one: Offer) -> str:
    """Return an offer as a line for people."""
    to = f"{one.place}" if one.place else "the source"
    facts = [
        f"offered to {to}: {one.outcome}",
        f"HTTP status {one.status}" if one.status else "",
        one.location,
        one.problem,
        f"next try at {moment(one.next_at)}" if one.next_at else "",
    ]
    return f"  {moment(one.at)} {one.sha256[:12]} {', '.join(filter(None, facts))}"


def counted(offers: Iterable[Offer]) -> dict[str, int]:
    """Return how many offers there are of each outcome."""
    counts = Counter(one.outcome for one in offers)
    return {outcome.value: counts[outcome] for outcome in OfferOutcome if counts[outcome]}
