"""A run of any stage of a source: its lock and its run log, around the lifecycle of all runs.

The stage works inside `with run_lifecycle(...) as run:`. The run is recorded in any case: after an error, on a full
disk, or when a signal stops the process. No run stays `running` when its process continues without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import time
from typing import NamedTuple

from gateway.core.model import Run, RunOutcome
from harvester.harvest.instance import Instance
from harvester.harvest.run_log import Clock, RunLog, close_dead_runs, summary
from harvester.runtime.exit_status import Status
from harvester.runtime.interrupts import Stop, TimeIsOver
from harvester.runtime.locks import lock
from harvester.runtime.progress import Progress
from harvester.runtime.run_lifecycle import RunLifecycle

# Of stages; every other stage is a run.
_NAMES = {
    "retry": "retry",
    "sweep": "sweep",
    "discovery": "search",
    "recheck": "recheck",
    "offer": "round of offers",
    "packages": "packing",
}


class RunResult(NamedTuple):
    """A run that ended, and its exit status."""

    run: Run
    status: Status


class Conclusion(NamedTuple):
    """The conclusion of a stage: whether it is complete, and the last remark in the log."""

    is_complete: bool
    remark: str = ""


@dataclass(slots=True)
class SourceRun(RunLifecycle):
    """One run of a stage of a source in progress.

    `conclude` is called once, after the stage: it adds the last reasons and counts, and may read `outcome`. A stage
    that sets none is complete when it succeeded.
    """

    log: RunLog
    max_records: int | None = None
    conclude: Callable[[], Conclusion] | None = None
    ran: RunResult = field(init=False)  # set when the run is recorded

    @property
    def must_end(self) -> bool:
        """Return whether the run must end now, because of a request to stop or a limit."""
        if self.stop.is_asked:
            return True
        is_full = self.max_records is not None and self.log.counts["received"] >= self.max_records
        self.is_at_limit = self.is_at_limit or is_full or self.stop.is_time_over
        return self.is_at_limit

    @contextmanager
    def limited(self) -> Iterator[None]:
        """End only the block, not the run, at the time limit."""
        try:
            yield
        except TimeIsOver as error:
            self.is_at_limit = True
            self.log.note(str(error))

    def note_failure(self, reason: str) -> None:
        """Record a reason in the log."""
        self.log.fail(reason)

    def note_stop(self, reason: str) -> None:
        """Record in the log why the run ends early."""
        self.log.note(reason)

    def end(self) -> None:
        """Record the outcome in the log, and set `ran`."""
        end = self.conclude() if self.conclude else Conclusion(self.outcome is RunOutcome.SUCCEEDED)
        name, outcome = _NAMES.get(self.log.stage, "run"), self.outcome
        words = f"The {name} ended: {outcome.value.replace('_', ' ')} ({summary(self.log.counts)})."
        self.log.note(f"{words} {end.remark}".rstrip())
        self.ran = RunResult(self.log.end(outcome, end.is_complete), self.status)


@contextmanager
def run_lifecycle(
    instance: Instance,
    source: str,
    stage: str,
    progress: Progress,
    stop: Stop,
    *,
    clock: Clock = time,
    max_records: int | None = None,
) -> Iterator[SourceRun]:
    """Run a stage of a source inside the block; afterwards `ran` of the result is set.

    Raise SourceLocked when another process works on the source, and ClockAhead when the clock is wrong: then there is
    no run. A GatewayError of the block becomes its outcome; any other exception is recorded and raised again.
    """
    with lock(instance.folder, source):
        instance.check_clock()
        close_dead_runs(instance.inbox, source)
        run = SourceRun(RunLog(instance.inbox, source, progress, clock, stage), max_records, stop=stop)
        with run.recorded():
            yield run
