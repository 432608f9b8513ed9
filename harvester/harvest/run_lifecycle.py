"""A run of any stage of a source: its options and lists, its lock and its run log, around the lifecycle of all runs.

The stage works inside `with run_lifecycle(...) as run:`. The run is recorded in any case: after an error, on a full
disk, or when a signal stops the process. No run stays `running` when its process continues without it. The log has
events, counts and reasons; it is stored in the inbox and reported as progress.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import time
from typing import NamedTuple

from gateway.core.model import Cursor, Event, Run, RunOutcome
from gateway.core.secret_arguments import without_secrets
from gateway.core.settings import Settings
from gateway.core.states import PROCESS_ENDED, of_run
from gateway.store.base import Inbox
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry
from harvester.runtime.exit_status import RunLifecycle, Status
from harvester.runtime.interrupts import Stop, TimeIsOver
from harvester.runtime.progress import Progress
from harvester.sources import Options, SourceKind
from harvester.sources.budget import Budget


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one run. Empty: as in the entry of the source.

    `from_` and `until` make a separate window, which leaves the cursor of the incremental harvest unchanged.
    `is_sure`: a person confirmed all deletions.
    """

    is_full: bool = False
    from_: str = ""
    until: str = ""
    formats: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    max_records: int | None = None
    slice: str | None = None
    is_sure: bool = False

    @property
    def stage(self) -> str:
        """The stage in the log: a harvest, or a part, which does not change when the next harvest is due."""
        return "part" if self.has_window or self.formats or self.sets else "harvest"

    @property
    def has_window(self) -> bool:
        """Return whether it harvests a separate window."""
        return bool(self.from_ or self.until)


def source_options(entry: SourceEntry, settings: Settings, overlap_seconds: int, run_options: RunOptions) -> Options:
    """Return the options for the source: from its entry, the settings, and the options of this run."""
    return Options(
        source=entry.name,
        url=entry.url,
        overlap_seconds=overlap_seconds if entry.overlap_seconds is None else int(entry.overlap_seconds),
        from_=entry.from_,
        until=entry.until,
        window=(run_options.from_, run_options.until) if run_options.from_ or run_options.until else None,
        own=entry.own,
        most_bytes=settings.number("fetch_document_max_bytes"),
        announced_tolerance=settings.share("announced_tolerance"),
        asks_anew=run_options.is_full,
        budget=Budget(settings.number("fallback_most_requests"), settings.seconds("fallback_most_seconds")),
    )


def learned_of(instance: Instance, kind: SourceKind, source: str) -> str:
    """Return the facts that the lists of a source have learned, for lists that have not begun."""
    return kind.learned((*instance.inbox.cursors(source), *instance.inbox.windows(source)))


def received_identifiers(inbox: Inbox, cursor: Cursor, since: int) -> Iterator[str]:
    """Return the identifiers received in one list since a second; it reads all pages of the source."""
    wanted = (cursor.metadata_prefix, cursor.set_spec)
    for stored in inbox.pages(cursor.source, 0):
        if (stored.page.metadata_prefix, stored.page.set_spec) == wanted and stored.page.received_at >= since:
            yield from (record.identifier for record in stored.slices if record.identifier)


def lists_of(entry: SourceEntry, run_options: RunOptions) -> Iterator[tuple[str, str]]:
    """Return the lists to harvest, as (metadataPrefix, setSpec): each set in each format."""
    for metadata_prefix in dict.fromkeys(run_options.formats or entry.formats):
        for set_spec in dict.fromkeys(run_options.sets or entry.sets or ("",)):
            yield metadata_prefix, set_spec


def start_cursor(
    instance: Instance, source: str, metadata_prefix: str, set_spec: str, run_options: RunOptions
) -> Cursor:
    """Return the cursor of a list: where it stopped, or at its beginning for a full harvest.

    A separate window is always complete, and does not use the cursor of the incremental harvest.
    """
    if run_options.is_full and not (run_options.from_ or run_options.until):
        return Cursor(source, metadata_prefix, set_spec)
    return instance.inbox.cursor(source, metadata_prefix, set_spec)


# --- The lifecycle ----------------------------------------------------------------------------------------------------

# The most reasons that a run shows; the log has all.
REASONS_SHOWN = 20

# The interval between two updates of the counts: each is a transaction.
PROGRESS_SECONDS = 2.0
ANNOUNCED = "announced"  # among the counts of a run
LEFT = "left"  # among the counts of a run in progress: records that its list still has

Clock = Callable[[], float]
# Of stages; every other stage is a run.
_NAMES = {
    "retry": "retry",
    "sweep": "sweep",
    "discovery": "search",
    "recheck": "recheck",
    "offer": "round of offers",
    "packages": "packing",
}


class RunLog:
    """The log of one run in progress. Each error and each warning is also a reason why the run did not succeed."""

    def __init__(
        self, inbox: Inbox, source: str, progress: Progress, clock: Clock = time, stage: str = "harvest"
    ) -> None:
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

    def end(self, outcome: RunOutcome, is_complete: bool, remark: str = "") -> Run:
        """Store the end of the run with its last event, and return the run."""
        ending = (int(self._clock()), outcome, is_complete, dict(self.counts), self.reasons)
        run = Run(self.number, self.source, self.started_at, *ending, self.stage)
        words = f"The {_NAMES.get(self.stage, 'run')} ended: {of_run(run).headline} ({summary(self.counts)})."
        self.note(f"{words} {remark}".rstrip())
        self._inbox.end_run(self.number, *ending)
        return run

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
            counts = {name: count for name, count in run.counts.items() if name != LEFT}
            inbox.end_run(run.number, int(clock()), RunOutcome.FAILED, False, counts, (PROCESS_ENDED,))


def summary(counts: Mapping[str, int]) -> str:
    """Return the counts that are not zero as words for a person."""
    return ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if number) or "nothing"


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
        self.ran = RunResult(self.log.end(self.outcome, end.is_complete, end.remark), self.status)


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
    with instance.lock(source):
        instance.check_clock()
        close_dead_runs(instance.inbox, source)
        run = SourceRun(RunLog(instance.inbox, source, progress, clock, stage), max_records, stop=stop)
        with run.recorded():
            yield run
