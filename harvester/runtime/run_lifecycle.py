"""The life of every run: harvest, retry, sweep, search, mirror, recheck, import.

    lock -> close runs of dead processes -> begin the record -> the run works
        -> its error, stop or limit becomes an outcome -> the worst outcome is recorded -> exit status

The caller holds the lock and begins the record: the run log of a source, or the receipt of a mirror. A search by
`harvester discover` has neither; its docstring says why.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gateway.core.model import RunOutcome
from harvester.runtime.exit_status import Status, recording_errors, status_of_parts, worst_outcome
from harvester.runtime.interrupts import Stop


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
