"""How things end: one table from errors to outcomes of a run, and one from outcomes to exit statuses.

The statuses themselves are those of both programs: `gateway.statuses`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gateway.errors import (
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
from gateway.model import RunOutcome
from gateway.statuses import Status
from harvester.stopping import StopAsked, TimeIsOver

__all__ = [
    "AnotherRepository",
    "SourceLocked",
    "Status",
    "gravest",
    "noting",
    "outcome_of",
    "status_of",
    "status_of_error",
    "worst",
]


class SourceLocked(GatewayError):
    """Another process is harvesting or publishing this source."""


class AnotherRepository(GatewayError):
    """A source is not the repository any more whose records are held; a person must say that this is right."""


# How a run that ended so is told to the shell.
_STATUS_BY_OUTCOME: dict[RunOutcome, Status] = {
    RunOutcome.SUCCEEDED: Status.SUCCEEDED,
    RunOutcome.SUCCEEDED_WITH_ERRORS: Status.WITH_ERRORS,
    RunOutcome.STOPPED: Status.STOPPED,
    RunOutcome.TRY_LATER: Status.TRY_LATER,
    RunOutcome.REFUSED: Status.REFUSED,
    RunOutcome.FAILED: Status.FAILED,
    RunOutcome.MISCONFIGURED: Status.USAGE,
    RunOutcome.RUNNING: Status.FAILED,
}

# The first row that fits decides. A timeout or a broken connection outlived all its repetitions: the remote is ill.
_OUTCOME_BY_ERROR: tuple[tuple[type[GatewayError], RunOutcome], ...] = (
    (TlsFailed, RunOutcome.REFUSED),  # no repetition helps: somebody must correct the address or the certificate
    (TryLater, RunOutcome.TRY_LATER),
    (ConnectionFailed, RunOutcome.TRY_LATER),
    (AnswerTooSlow, RunOutcome.TRY_LATER),
    (StoreBusy, RunOutcome.TRY_LATER),
    (RemoteRefuses, RunOutcome.REFUSED),
    (AnotherRepository, RunOutcome.REFUSED),  # nothing of it was taken, and no repetition helps
    (AddressRefused, RunOutcome.REFUSED),
    (ConfigurationError, RunOutcome.MISCONFIGURED),
    (StopAsked, RunOutcome.STOPPED),
    (TimeIsOver, RunOutcome.STOPPED),
    (GatewayError, RunOutcome.FAILED),
)

# What may be wrong with one list, window or record while the source as such is well.
OF_ONE_QUESTION = (AnswerError, AnswerTooLarge, AnswerTooSlow, ConnectionFailed, RemoteRefuses, AddressRefused)

# What several outcomes within one run come to: the gravest, by this order.
_OUTCOME_GRAVITY: tuple[RunOutcome, ...] = (
    RunOutcome.SUCCEEDED,
    RunOutcome.SUCCEEDED_WITH_ERRORS,
    RunOutcome.STOPPED,
    RunOutcome.TRY_LATER,
    RunOutcome.REFUSED,
    RunOutcome.FAILED,
    RunOutcome.MISCONFIGURED,
)

# Which of several statuses is told when one command did several things: the worst, by this order.
_GRAVITY: tuple[Status, ...] = (
    Status.SUCCEEDED,
    Status.WITH_ERRORS,
    Status.TRY_LATER,
    Status.LOCKED,
    Status.REFUSED,
    Status.FAILED,
    Status.USAGE,
    Status.STOPPED,
)


def outcome_of(error: GatewayError) -> RunOutcome:
    """Return the outcome of a run that this error ended."""
    return next(outcome for kind, outcome in _OUTCOME_BY_ERROR if isinstance(error, kind))


def status_of(outcome: RunOutcome) -> Status:
    """Return the exit status of an outcome."""
    return _STATUS_BY_OUTCOME[outcome]


def status_of_parts(outcomes: Sequence[RunOutcome], *, at_limit: bool = False) -> Status:
    """Return the exit status of a run by the outcomes of its parts.

    `at_limit`: it stopped because a limit that was asked for was reached; that is no error, and hides none.
    """
    counted = [each for each in outcomes if not (at_limit and each is RunOutcome.STOPPED)]
    return status_of(gravest(counted or [RunOutcome.SUCCEEDED]))


def status_of_error(error: GatewayError) -> Status:
    """Return the exit status of a command that this error ended."""
    if isinstance(error, SourceLocked):
        return Status.LOCKED
    return status_of(outcome_of(error))


@contextmanager
def noting(ended: Callable[[RunOutcome, str], None]) -> Iterator[None]:
    """Tell `ended` what ends the block before its time: errors of ours end with it, everything else comes through."""
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


def gravest(outcomes: Sequence[RunOutcome]) -> RunOutcome:
    """Return what the outcomes of the parts make of the whole."""
    return max(outcomes, key=_OUTCOME_GRAVITY.index)


def worst(statuses: list[Status]) -> Status:
    """Return the gravest status; succeeded when there is none."""
    return max(statuses, key=_GRAVITY.index, default=Status.SUCCEEDED)
