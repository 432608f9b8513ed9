"""How harvests ended, in words that people understand, with the shape of the chip beside them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gateway.core.model import Run
from gateway.core.states import of_run

# A path of this machine, which only its administrators see.
_PATH = re.compile(r"(?<![\w:/.])/[\w.-]+/")


class Harvest(NamedTuple):
    """One harvest of a source. `state`, `tone`, `headline` and `sentence` are those of its State, for the public."""

    source: str
    started_at: int
    ended_at: int | None
    state: str
    tone: str
    headline: str
    sentence: str
    received: int
    changed: int
    deleted: int
    refused: int


def harvest_of(run: Run) -> Harvest:
    """Return a run as people read it. A sentence with a path of this machine is not shown to the public."""
    state, counts = of_run(run), run.counts
    return Harvest(
        source=run.source,
        started_at=run.started_at,
        ended_at=run.ended_at,
        state=state.name,
        tone=state.shape,
        headline=state.headline,
        sentence="" if _PATH.search(state.sentence) else state.sentence,
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
