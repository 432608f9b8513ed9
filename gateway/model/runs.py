"""What a run did: its outcome, and the events on its way."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class RunOutcome(StrEnum):
    """How a run ended: a closed list. `RUNNING` in the past means that its process died."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SUCCEEDED_WITH_ERRORS = "succeeded_with_errors"
    STOPPED = "stopped"  # by a limit, or by Ctrl-C after the page was committed
    TRY_LATER = "try_later"
    REFUSED = "refused"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"  # nothing can be done before somebody corrects it


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one source.

    `is_complete` is True only when it was shown that every record of its lists has arrived, usable or not, and none is
    missing of those lists that an earlier run could not fetch.

    `stage` is what it did: `harvest`, or another stage that a source goes through.
    """

    number: int
    source: str
    started_at: int
    ended_at: int | None = None
    outcome: RunOutcome = RunOutcome.RUNNING
    is_complete: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    stage: str = "harvest"


@dataclass(frozen=True, slots=True)
class RunTotal:
    """How many runs of one stage of one source ended in one way; `last_at` is when the last of them ended or began."""

    source: str
    stage: str
    outcome: RunOutcome
    count: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a run: `level` is info, warning or error; `text` a sentence."""

    run: int
    at: int
    level: str
    text: str
