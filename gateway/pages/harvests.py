"""How harvests ended, in words that people understand, with the shape of the chip beside them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.model import Run, RunOutcome

_TONES = {
    RunOutcome.RUNNING: "neutral",
    RunOutcome.SUCCEEDED: "good",
    RunOutcome.SUCCEEDED_WITH_ERRORS: "caution",
    RunOutcome.STOPPED: "neutral",
    RunOutcome.TRY_LATER: "caution",
    RunOutcome.REFUSED: "bad",
    RunOutcome.FAILED: "bad",
    RunOutcome.MISCONFIGURED: "bad",
}


class Harvest(NamedTuple):
    """One harvest of a source. `state` is the key of its words: the outcome, or `complete`; `tone` is its shape."""

    source: str
    started_at: int
    ended_at: int | None
    state: str
    tone: str
    received: int
    changed: int
    deleted: int
    refused: int


def harvest_of(run: Run) -> Harvest:
    """Return a run as people read it. A harvest is complete only if it was shown that everything has arrived."""
    is_whole = run.outcome is RunOutcome.SUCCEEDED and run.is_complete
    counts = run.counts
    return Harvest(
        source=run.source,
        started_at=run.started_at,
        ended_at=run.ended_at,
        state="complete" if is_whole else run.outcome.value,
        tone="caution" if run.outcome is RunOutcome.SUCCEEDED and not is_whole else _TONES[run.outcome],
        received=counts.get("received", 0),
        changed=counts.get("published", 0),
        deleted=counts.get("deleted", 0),
        refused=counts.get("quarantined", 0),
    )


def trend(values: Iterable[int]) -> str:
    """Return the key of the words for a row of numbers: rising, falling, even, or none."""
    row = list(values)
    if len(row) < 2 or not any(row):  # noqa: PLR2004 - one value has no trend
        return "none"
    half = len(row) // 2
    before, after = sum(row[:half]) / half, sum(row[-half:]) / half
    if after > before * 1.2:
        return "rising"
    return "falling" if after < before * 0.8 else "even"
