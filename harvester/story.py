"""The story of a run: its events, counts and reasons, kept in the inbox and told to whoever watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from time import time

from gateway.model import Event, Run, RunOutcome
from gateway.store.base import Inbox
from harvester.progress import Progress

# More of one kind would bury the rest of the story; the counts tell how many there were.
REASONS_SHOWN = 20

Clock = Callable[[], float]


class Story:
    """One run, being told. What is an error or a warning is also a reason why the run did not simply succeed."""

    def __init__(self, inbox: Inbox, source: str, progress: Progress, clock: Clock = time) -> None:
        """Begin a run of `source`; `clock` tells seconds since 1970."""
        self._inbox = inbox
        self._progress = progress
        self._clock = clock
        self.source = source
        self.started_at = int(clock())
        self.number = inbox.start_run(source, self.started_at)
        self.counts: Counter[str] = Counter()
        self._reasons: dict[str, None] = {}  # in order, each once

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the run did not simply succeed."""
        reasons = tuple(self._reasons)
        left = len(reasons) - REASONS_SHOWN
        return reasons if left <= 0 else (*reasons[:REASONS_SHOWN], f"and {left} more; the log has them.")

    def note(self, text: str, *, aloud: bool = True) -> None:
        """Keep an event that is worth knowing and speaks against nothing; `aloud`: tell who watches, too."""
        self._keep("info", text, aloud=aloud)

    def warn(self, texts: Iterable[str]) -> None:
        """Keep reasons why something is not as it should be."""
        for text in texts:
            if text not in self._reasons:
                self._reasons[text] = None
                self._keep("warning", text)

    def fail(self, text: str) -> None:
        """Keep the reason that ended the run, or one of its lists."""
        self._reasons[text] = None
        self._keep("error", text)

    def end(self, outcome: RunOutcome, is_complete: bool) -> Run:
        """End the run."""
        ended_at = int(self._clock())
        self._inbox.end_run(self.number, ended_at, outcome, is_complete, dict(self.counts), self.reasons)
        return Run(
            self.number, self.source, self.started_at, ended_at, outcome, is_complete, dict(self.counts), self.reasons
        )

    def _keep(self, level: str, text: str, *, aloud: bool = True) -> None:
        self._inbox.add_event(Event(self.number, int(self._clock()), level, text))
        if aloud:
            self._progress.say(f"{self.source}: {text}")


def bury(inbox: Inbox, source: str, clock: Clock = time) -> None:
    """End the runs of processes that died. Only who holds the lock of `source` may do so: nobody else runs then."""
    for run in inbox.runs(source, REASONS_SHOWN):
        if run.outcome is RunOutcome.RUNNING:
            reason = "Its process died; what it had committed is kept, and the next run went on from there."
            inbox.end_run(run.number, int(clock()), RunOutcome.FAILED, False, run.counts, (reason,))
