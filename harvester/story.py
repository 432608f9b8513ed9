"""The story of a run: its events, counts and reasons, kept in the inbox and told to whoever watches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from time import time

from gateway.model import Event, Run, RunOutcome
from gateway.secret_arguments import without_secrets
from gateway.store.base import Inbox
from harvester.progress import Progress

# More of one kind would bury the rest of the story; the counts tell how many there were.
REASONS_SHOWN = 20

# How often a run tells how far it has come: each time is a transaction.
TELL_SECONDS = 2.0
LEFT = "left"  # among the counts of a run that lasts: how many records its list still has

Clock = Callable[[], float]


class Story:
    """One run, being told. What is an error or a warning is also a reason why the run did not simply succeed."""

    def __init__(
        self, inbox: Inbox, source: str, progress: Progress, clock: Clock = time, stage: str = "harvest"
    ) -> None:
        """Begin a run of a stage of `source`; `clock` tells seconds since 1970."""
        self._inbox = inbox
        self._progress = progress
        self._clock = clock
        self.source = source
        self.started_at = int(clock())
        self.stage = stage
        self.number = inbox.start_run(source, self.started_at, stage)
        self._told_at = 0.0
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
        for text in map(without_secrets, texts):
            if text not in self._reasons:
                self._reasons[text] = None
                self._keep("warning", text)

    def fail(self, text: str) -> None:
        """Keep the reason that ended the run, or one of its lists."""
        text = without_secrets(text)
        self._reasons[text] = None
        self._keep("error", text)

    def tell(self, left: int | None) -> None:
        """Let others see how far it has come, once in a while; None: nobody knows how many records are left."""
        now = self._clock()
        if now - self._told_at >= TELL_SECONDS:
            self._told_at = now
            self._inbox.tell_run(self.number, dict(self.counts) | ({} if left is None else {LEFT: left}))

    def end(self, outcome: RunOutcome, is_complete: bool) -> Run:
        """End the run."""
        ended_at = int(self._clock())
        self._inbox.end_run(self.number, ended_at, outcome, is_complete, dict(self.counts), self.reasons)
        told = (outcome, is_complete, dict(self.counts), self.reasons, self.stage)
        return Run(self.number, self.source, self.started_at, ended_at, *told)

    def _keep(self, level: str, text: str, *, aloud: bool = True) -> None:
        text = without_secrets(text)
        self._inbox.add_event(Event(self.number, int(self._clock()), level, text))
        if aloud:
            tell = self._progress.fail if level == "error" else self._progress.say
            tell(f"{self.source}: {text}")


def bury(inbox: Inbox, source: str, clock: Clock = time) -> None:
    """End the runs of processes that died. Only who holds the lock of `source` may do so: nobody else runs then."""
    for run in inbox.runs(source, REASONS_SHOWN):
        if run.outcome is RunOutcome.RUNNING:
            reason = "Its process died; what it had committed is kept, and the next run went on from there."
            counts = {name: count for name, count in run.counts.items() if name != LEFT}
            inbox.end_run(run.number, int(clock()), RunOutcome.FAILED, False, counts, (reason,))
