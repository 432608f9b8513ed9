"""Shows offers and rechecks of published files as `explain`, `status`, `offer` and `recheck` write them."""

from collections import Counter
from collections.abc import Iterable

from gateway.core.model import FileRecheck, Offer, OfferOutcome, OfferWay
from gateway.core.model.published import NEVER_DUE
from harvester.commands.output import moment
from harvester.harvest.instance import Instance
from harvester.offer.files import notification_id

_ASKED = "now"


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


def facts_of_recheck(recheck: FileRecheck) -> dict[str, object]:
    """Return the last recheck of a file as data."""
    return {
        "url": recheck.url,
        "sha256": recheck.sha256,
        "is_named": recheck.is_named,
        "outcome": recheck.outcome,
        "looked_at": moment(recheck.looked_at or None),
        "rounds": recheck.rounds,
        "missing_since": moment(recheck.failing_since) if recheck.failures else None,
        "unseen_since": moment(recheck.failing_since or None) if not recheck.failures else None,
        "due": moment(recheck.due) if recheck.due < NEVER_DUE else None,
    }


def words_of_recheck(recheck: FileRecheck) -> str:
    """Return the last recheck of a file, and when the next one is, as a sentence."""
    past = f"checked {moment(recheck.looked_at)}: {recheck.outcome}" if recheck.looked_at else "not checked again yet"
    state = "not there" if recheck.failures else "no recheck was possible"
    missing = f", {state} since {moment(recheck.failing_since)}" if recheck.failing_since else ""
    due = f"; the next recheck is at {moment(recheck.due)}" if 0 < recheck.due < NEVER_DUE else ""
    return f"  {recheck.url}: {past}{missing}{due}."


def counts_of_rechecks(instance: Instance, source: str, at: int) -> dict[str, object]:
    """Return how many published files of a source are known, due, missing and unseen, and when the next recheck is."""
    if not instance.has_searched:
        return {}
    counts = instance.discovery().rechecks.counts(source, at)
    if not counts.files:
        return {}
    next_at = counts.next_at if counts.next_at is not None and counts.next_at < NEVER_DUE else None
    facts: dict[str, object] = {"known": counts.files, "due": counts.due, "missing": counts.failing}
    facts |= {"unseen": counts.unseen} if counts.unseen else {}
    return facts if next_at is None else {**facts, "next": _ASKED if next_at <= at else moment(next_at)}


def unseen_in_words(instance: Instance, source: str, at: int) -> str:
    """Return a sentence if published files of a source could not be looked at for longer than the grace; else ""."""
    longest = instance.discovery().rechecks.longest_unseen(source) if instance.has_searched else None
    if longest is None or at - longest.failing_since <= instance.settings.number("recheck_grace_seconds"):
        return ""
    count = instance.discovery().rechecks.counts(source, at).unseen
    return (
        f"{source}: published files that could not be rechecked: {count}. Nobody knows whether they are still there. "
        f"The first is {longest.url}, since {moment(longest.failing_since)} ({longest.outcome}); "
        f"see `harvester explain {longest.identifier}`."
    )
