"""The looks at published files, as `harvester explain`, `status` and `recheck` write them."""

from __future__ import annotations

from gateway.core.model import FileLook
from gateway.core.model.looks import NEVER_DUE
from harvester.commands.output import moment
from harvester.harvest.instance import Instance

_ASKED = "now"


def facts_of_look(look: FileLook) -> dict[str, object]:
    """Return the last look at a file as data."""
    return {
        "url": look.url,
        "sha256": look.sha256,
        "is_named": look.is_named,
        "outcome": look.outcome,
        "looked_at": moment(look.looked_at or None),
        "rounds": look.rounds,
        "missing_since": moment(look.failing_since) if look.failures else None,
        "unseen_since": moment(look.failing_since or None) if not look.failures else None,
        "due": moment(look.due) if look.due < NEVER_DUE else None,
    }


def words_of_look(look: FileLook) -> str:
    """Return the last look at a file, and when the next one is, as a sentence."""
    past = f"looked at {moment(look.looked_at)}: {look.outcome}" if look.looked_at else "not looked at again yet"
    state = "not there" if look.failures else "no look was possible"
    missing = f", {state} since {moment(look.failing_since)}" if look.failing_since else ""
    due = f"; the next look is at {moment(look.due)}" if 0 < look.due < NEVER_DUE else ""
    return f"  {look.url}: {past}{missing}{due}."


def counts_of_looks(instance: Instance, source: str, at: int) -> dict[str, object]:
    """Return how many published files of a source are known, due, not there and unseen; and when the next look is."""
    if not instance.has_searched:
        return {}
    counts = instance.desk().looks.counts(source, at)
    if not counts.files:
        return {}
    next_at = counts.next_at if counts.next_at is not None and counts.next_at < NEVER_DUE else None
    facts: dict[str, object] = {"known": counts.files, "due": counts.due, "missing": counts.failing}
    facts |= {"unseen": counts.unseen} if counts.unseen else {}
    return facts if next_at is None else {**facts, "next": _ASKED if next_at <= at else moment(next_at)}


def unseen_in_words(instance: Instance, source: str, at: int) -> str:
    """Return a sentence if published files of a source could not be looked at for longer than the grace; else ""."""
    longest = instance.desk().looks.longest_unseen(source) if instance.has_searched else None
    if longest is None or at - longest.failing_since <= instance.settings.number("recheck_grace_seconds"):
        return ""
    count = instance.desk().looks.counts(source, at).unseen
    return (
        f"{source}: published files that we could not look at: {count}. Nobody knows whether they are still there. "
        f"The first is {longest.url}, since {moment(longest.failing_since)} ({longest.outcome}); "
        f"see `harvester explain {longest.identifier}`."
    )
