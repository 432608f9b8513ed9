"""The log of runs: their outcomes, counts and events."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class RunOutcome(StrEnum):
    """The outcome of a run. `RUNNING` in an old run means that its process was killed."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    SUCCEEDED_WITH_ERRORS = "succeeded_with_errors"
    STOPPED = "stopped"  # by a limit, or by Ctrl-C after the page was committed
    TRY_LATER = "try_later"
    REFUSED = "refused"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"  # a person must correct the configuration first


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one source.

    `is_complete` is True only if it was shown that every record of its lists has arrived, usable or not. No list of an
    earlier run may be missing either. `stage` is `harvest`, or another stage, such as that of a search.
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
    """The number of runs of one source and stage with one outcome; `last_at` is when the last one ended, or began."""

    source: str
    stage: str
    outcome: RunOutcome
    count: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run: `level` is info, warning or error; `text` is a sentence; `at` is the second."""

    run: int
    at: int
    level: str
    text: str
