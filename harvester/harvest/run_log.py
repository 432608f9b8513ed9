"""The log of a run: its events, counts and reasons. It is stored in the inbox and reported as progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from time import time

from gateway.core.model import Event, Run, RunOutcome
from gateway.core.secret_arguments import without_secrets
from gateway.store.base import Inbox
from harvester.runtime.progress import Progress

# The most reasons that a run shows; the log has all.
REASONS_SHOWN = 20

# The interval between two updates of the counts: each is a transaction.
PROGRESS_SECONDS = 2.0
LEFT = "left"  # among the counts of a run in progress: records that its list still has

Clock = Callable[[], float]


class RunLog:
    """The log of one run in progress. Each error and each warning is also a reason why the run did not succeed."""

    def __init__(
        self, inbox: Inbox, source: str, progress: Progress, clock: Clock = time, stage: str = "harvest"
    ) -> None:
        """Begin a run of a stage of `source`; `clock` returns seconds since 1970."""
        self._inbox = inbox
        self._progress = progress
        self._clock = clock
        self.source = source
        self.started_at = int(clock())
        self.stage = stage
        self.number = inbox.start_run(source, self.started_at, stage)
        self._shown_at = 0.0
        self.counts: Counter[str] = Counter()
        self._reasons: dict[str, None] = {}  # in order, each once

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why the run did not succeed."""
        reasons = tuple(self._reasons)
        left = len(reasons) - REASONS_SHOWN
        return reasons if left <= 0 else (*reasons[:REASONS_SHOWN], f"and {left} more; the log has them.")

    def note(self, text: str, *, aloud: bool = True) -> None:
        """Store an event that is no problem; with `aloud`, it is also reported as progress."""
        self._keep("info", text, aloud=aloud)

    def add_warnings(self, texts: Iterable[str]) -> None:
        """Store warnings; each is a reason why the run did not succeed."""
        for text in map(without_secrets, texts):
            if text not in self._reasons:
                self._reasons[text] = None
                self._keep("warning", text)

    def fail(self, text: str) -> None:
        """Store the error that ended the run, or one of its lists."""
        text = without_secrets(text)
        self._reasons[text] = None
        self._keep("error", text)

    def record_progress(self, left: int | None) -> None:
        """Store the counts at most every two seconds; `left`: the records that are left, None: unknown."""
        now = self._clock()
        if now - self._shown_at >= PROGRESS_SECONDS:
            self._shown_at = now
            self._inbox.store_progress(self.number, dict(self.counts) | ({} if left is None else {LEFT: left}))

    def end(self, outcome: RunOutcome, is_complete: bool) -> Run:
        """Store the end of the run, and return the run."""
        ended_at = int(self._clock())
        self._inbox.end_run(self.number, ended_at, outcome, is_complete, dict(self.counts), self.reasons)
        ending = (outcome, is_complete, dict(self.counts), self.reasons, self.stage)
        return Run(self.number, self.source, self.started_at, ended_at, *ending)

    def _keep(self, level: str, text: str, *, aloud: bool = True) -> None:
        text = without_secrets(text)
        self._inbox.add_event(Event(self.number, int(self._clock()), level, text))
        if aloud:
            show = self._progress.fail if level == "error" else self._progress.say
            show(f"{self.source}: {text}")


def close_dead_runs(inbox: Inbox, source: str, clock: Clock = time) -> None:
    """End the runs of dead processes. The caller must hold the lock of `source`, so that no run is in progress."""
    for run in inbox.runs(source, REASONS_SHOWN):
        if run.outcome is RunOutcome.RUNNING:
            reason = "Its process died. Its committed pages are stored, and the next run continued from there."
            counts = {name: count for name, count in run.counts.items() if name != LEFT}
            inbox.end_run(run.number, int(clock()), RunOutcome.FAILED, False, counts, (reason,))


def summary(counts: Mapping[str, int]) -> str:
    """Return the counts that are not zero as words for a person."""
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number) or "nothing"
