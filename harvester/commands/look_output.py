"""The looks at published files, as `harvester explain`, `status` and `recheck` write them."""

from __future__ import annotations

from gateway.model import FileLook
from gateway.model.looks import NEVER_DUE
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
        "missing_since": moment(look.failing_since or None),
        "due": moment(look.due) if look.due < NEVER_DUE else None,
    }


def words_of_look(look: FileLook) -> str:
    """Return the last look at a file, and when the next one is, as a sentence."""
    past = f"looked at {moment(look.looked_at)}: {look.outcome}" if look.looked_at else "not looked at again yet"
    missing = f", not there since {moment(look.failing_since)}" if look.failing_since else ""
    due = f"; the next look is at {moment(look.due)}" if 0 < look.due < NEVER_DUE else ""
    return f"  {look.url}: {past}{missing}{due}."


def counts_of_looks(instance: Instance, source: str, at: int) -> dict[str, object]:
    """Return how many published files of a source are looked at again, are due and are not there; and the next look."""
    if not instance.has_searched:
        return {}
    counts = instance.desk().looks.counts(source, at)
    if not counts.files:
        return {}
    next_at = counts.next_at if counts.next_at is not None and counts.next_at < NEVER_DUE else None
    facts: dict[str, object] = {"known": counts.files, "due": counts.due, "missing": counts.failing}
    return facts if next_at is None else {**facts, "next": _ASKED if next_at <= at else moment(next_at)}
