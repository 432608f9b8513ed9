"""The end of every run (harvest, retry, sweep, search, mirror, recheck, import): its outcome and its exit status.

    lock -> close runs of dead processes -> begin the record -> the run works
        -> its error, stop or limit becomes an outcome -> the worst outcome is recorded -> exit status

The caller holds the lock and begins the record: the run log of a source, or the receipt of a mirror. A search by
`harvester discover` has neither; its docstring says why. Three tables lead from errors to outcomes of a run and from
outcomes to exit statuses, and order the statuses. `gateway.core.statuses` has the exit statuses of both programs.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from gateway.core import statuses as exit_statuses
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
from harvester.runtime.interrupts import Stop, StopAsked, TimeIsOver

Status: TypeAlias = exit_statuses.Status


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

    def severity(status: Status) -> tuple[bool, int]:
        return not exit_statuses.MEANINGS[status].is_harmless, SEVERITY.index(status)

    return max(statuses, key=severity, default=Status.SUCCEEDED)


@dataclass(slots=True)
class RunLifecycle:
    """One run in progress: the outcomes of its parts, until they are recorded."""

    stop: Stop = field(kw_only=True)
    outcomes: list[RunOutcome] = field(default_factory=lambda: [RunOutcome.SUCCEEDED], kw_only=True)
    is_at_limit: bool = field(default=False, kw_only=True)  # it ends at a requested limit

    @property
    def outcome(self) -> RunOutcome:
        """The worst outcome of the parts of the run so far."""
        return worst_outcome(self.outcomes)

    @property
    def status(self) -> Status:
        """The exit status of the outcomes so far. An end at a requested limit is no error."""
        return status_of_parts(self.outcomes, at_limit=self.is_at_limit and not self.stop.is_asked)

    def fail(self, outcome: RunOutcome, reason: str) -> None:
        """Note that the run, or a part of it, ended with this outcome."""
        self.outcomes.append(outcome)
        self.note_failure(reason)

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Run the block, and record the run, also when the block raises.

        A GatewayError becomes an outcome; any other exception is recorded and raised again.
        """
        try:
            with recording_errors(self.fail):
                yield
        finally:
            is_asked = self.stop.is_asked
            if (is_asked or self.is_at_limit) and RunOutcome.STOPPED not in self.outcomes:
                self.outcomes.append(RunOutcome.STOPPED)
                self.note_stop("It was asked to stop." if is_asked else "It reached its limit.")
            self.end()

    @abstractmethod
    def note_failure(self, reason: str) -> None:
        """Record why the run, or a part of it, failed."""

    def note_stop(self, reason: str) -> None:
        """Record why the run ends early. The default records nothing."""

    @abstractmethod
    def end(self) -> None:
        """Record the end of the run. It may add last reasons and outcomes."""
