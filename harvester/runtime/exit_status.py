"""Three tables: from errors to outcomes of a run, from outcomes to exit statuses, and the order of the statuses.

`gateway.core.statuses` has the exit statuses of both programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from gateway.core.errors import (
    AddressRefused,
    AnswerError,
    AnswerTooLarge,
    AnswerTooSlow,
    ConfigurationError,
    ConnectionFailed,
    GatewayError,
    RemoteRefuses,
    StoreBusy,
    TlsFailed,
    TryLater,
)
from gateway.core.model import RunOutcome
from gateway.core.statuses import MEANINGS, Status
from harvester.runtime.interrupts import StopAsked, TimeIsOver

__all__ = [
    "AnotherRepository",
    "SourceLocked",
    "Status",
    "outcome_of",
    "recording_errors",
    "status_of",
    "status_of_end",
    "status_of_error",
    "status_of_parts",
    "worst",
    "worst_outcome",
]


class SourceLocked(GatewayError):
    """Another process is harvesting or publishing this source."""


class AnotherRepository(GatewayError):
    """A source is another repository than the one whose records are held. A person must confirm that."""


# The exit status of each outcome.
STATUS_BY_OUTCOME: dict[RunOutcome, Status] = {
    RunOutcome.SUCCEEDED: Status.SUCCEEDED,
    RunOutcome.SUCCEEDED_WITH_ERRORS: Status.WITH_ERRORS,
    RunOutcome.STOPPED: Status.STOPPED,
    RunOutcome.TRY_LATER: Status.TRY_LATER,
    RunOutcome.REFUSED: Status.REFUSED,
    RunOutcome.FAILED: Status.FAILED,
    RunOutcome.MISCONFIGURED: Status.USAGE,
    RunOutcome.RUNNING: Status.FAILED,
}

# The first row that fits decides. A timeout or a broken connection is raised after all repetitions failed.
_OUTCOME_BY_ERROR: tuple[tuple[type[GatewayError], RunOutcome], ...] = (
    (TlsFailed, RunOutcome.REFUSED),  # no repetition helps: somebody must correct the address or the certificate
    (TryLater, RunOutcome.TRY_LATER),
    (ConnectionFailed, RunOutcome.TRY_LATER),
    (AnswerTooSlow, RunOutcome.TRY_LATER),
    (StoreBusy, RunOutcome.TRY_LATER),
    (RemoteRefuses, RunOutcome.REFUSED),
    (AnotherRepository, RunOutcome.REFUSED),  # nothing was harvested, and no repetition helps
    (AddressRefused, RunOutcome.REFUSED),
    (ConfigurationError, RunOutcome.MISCONFIGURED),
    (StopAsked, RunOutcome.STOPPED),
    (TimeIsOver, RunOutcome.STOPPED),
    (GatewayError, RunOutcome.FAILED),
)

# The first row that fits decides. An error before the run begins has a status, and no outcome.
_STATUS_BY_ERROR: tuple[tuple[type[GatewayError], Status], ...] = (
    (SourceLocked, Status.LOCKED),
    *((kind, STATUS_BY_OUTCOME[outcome]) for kind, outcome in _OUTCOME_BY_ERROR),
)

# Errors of one list, window or record, while the source itself is available.
ERRORS_OF_ONE_REQUEST = (AnswerError, AnswerTooLarge, AnswerTooSlow, ConnectionFailed, RemoteRefuses, AddressRefused)

# Of several parts of one run the worst counts: the one whose status is the last of these.
SEVERITY: tuple[Status, ...] = (
    Status.SUCCEEDED,
    Status.WITH_ERRORS,  # before STOPPED: a run that was stopped is not done, and the next one reports its errors again
    Status.STOPPED,
    Status.READER_GONE,
    Status.TRY_LATER,
    Status.LOCKED,
    Status.REFUSED,
    Status.FAILED,
    Status.USAGE,
)


def outcome_of(error: GatewayError) -> RunOutcome:
    """Return the outcome of a run that this error ended."""
    return next(outcome for kind, outcome in _OUTCOME_BY_ERROR if isinstance(error, kind))


def status_of(outcome: RunOutcome) -> Status:
    """Return the exit status of an outcome."""
    return STATUS_BY_OUTCOME[outcome]


def status_of_parts(outcomes: Sequence[RunOutcome], *, at_limit: bool = False) -> Status:
    """Return the exit status of a run by the outcomes of its parts.

    `at_limit`: it stopped at a requested limit. That is no error, and hides no other error.
    """
    counted = [outcome for outcome in outcomes if not (at_limit and outcome is RunOutcome.STOPPED)]
    return status_of(worst_outcome(counted or [RunOutcome.SUCCEEDED]))


def status_of_end(*, has_findings: bool = False, is_stopped: bool = False) -> Status:
    """Return the exit status of a command that keeps no run, by whether it found something and was asked to stop."""
    findings, stop = [RunOutcome.SUCCEEDED_WITH_ERRORS] * has_findings, [RunOutcome.STOPPED] * is_stopped
    return status_of_parts([*findings, *stop])


def status_of_error(error: GatewayError) -> Status:
    """Return the exit status of a command that this error ended."""
    return next(status for kind, status in _STATUS_BY_ERROR if isinstance(error, kind))


@contextmanager
def recording_errors(ended: Callable[[RunOutcome, str], None]) -> Iterator[None]:
    """Call `ended` with the outcome and the reason when an exception ends the block.

    A GatewayError ends with the block; any other exception is raised again.
    """
    try:
        yield
    except KeyboardInterrupt:
        ended(RunOutcome.STOPPED, "It was stopped at once.")
        raise
    except GatewayError as error:
        ended(outcome_of(error), str(error))
    except BaseException as error:
        ended(RunOutcome.FAILED, f"A fault of this program: {error!r}.")
        raise


def worst_outcome(outcomes: Sequence[RunOutcome]) -> RunOutcome:
    """Return the worst outcome of the parts of one run, by the order of their statuses."""
    return max(outcomes, key=lambda outcome: SEVERITY.index(status_of(outcome)))


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst status of several runs; succeeded when there is none.

    A status that a unit may call a success, such as that of a stop, never hides one that it may not.
    """
    return max(statuses, key=_severity_among_runs, default=Status.SUCCEEDED)


def _severity_among_runs(status: Status) -> tuple[bool, int]:
    return not MEANINGS[status].is_harmless, SEVERITY.index(status)
