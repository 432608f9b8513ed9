"""The work on one source: run, retry, dry run, publish, sweep, subscribe, search. Threads of a pool call it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import time
from traceback import format_exception
from typing import NamedTuple

from gateway.core.errors import GatewayError
from gateway.core.model import Run
from gateway.takedowns.apply import pending
from harvester.harvest import run as pipeline
from harvester.harvest.access import fetcher, kind_of
from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import waiting_in_words
from harvester.harvest.publishing.publication import Publication
from harvester.harvest.retry_failed import retry
from harvester.harvest.run import rehearse
from harvester.harvest.run_lifecycle import RunOptions, summary
from harvester.harvest.session import SourceSession
from harvester.harvest.sources_toml import SourceEntry
from harvester.harvest.sweep import Confirm, sweep
from harvester.http.retrying import Pace
from harvester.runtime.exit_status import Status, status_of_end, status_of_error
from harvester.runtime.interrupts import Stop, TimeIsOver
from harvester.runtime.progress import Progress
from harvester.schedule.notifications.notify import notify_of_source
from harvester.schedule.subscriptions import subscribe


class WorkResult(NamedTuple):
    """The result of the work on one source: its exit status, and its run or its counts."""

    status: Status
    run: Run | None = None
    counts: Counter[str] | None = None


@dataclass(frozen=True, slots=True)
class SourceWork:
    """The work on the sources of one command. Its methods run in threads, one source in each.

    Each method raises SourceLocked when another process works on the source, and another GatewayError when the work
    cannot go on.
    """

    instance: Instance
    progress: Progress
    stop: Stop
    pace: Pace
    run_options: RunOptions = field(default_factory=RunOptions)
    clock: Callable[[], float] = time  # for the search; returns seconds since 1970

    def in_time(self, work: Callable[[SourceEntry], WorkResult], entry: SourceEntry) -> WorkResult:
        """Call `work` for a source, unless the time limit is reached."""
        try:
            if not self.stop.is_time_over:
                return work(entry)
        except TimeIsOver:  # a dry run has no record
            pass
        self.progress.say(f"{entry.name}: the time is over.")
        return WorkResult(Status.SUCCEEDED)

    @contextmanager
    def _session(self, entry: SourceEntry) -> Iterator[SourceSession]:
        another = partial(fetcher, self.instance.settings, entry, self.stop, self.pace)
        with another() as fetch:
            kind, end = kind_of(entry.kind), (self.progress, self.stop, self.clock, another)
            yield SourceSession(self.instance, entry, kind, fetch, self.run_options, *end)

    def harvested(self, entry: SourceEntry) -> WorkResult:
        """Harvest one source, and publish its records."""
        with self._session(entry) as session:
            ran = pipeline.run(session)
        return WorkResult(ran.status, run=ran.run)

    def retried(self, entry: SourceEntry) -> WorkResult:
        """Request again what earlier runs of one source could not fetch."""
        with self._session(entry) as session:
            ran = retry(session)
        return WorkResult(ran.status, run=ran.run)

    def rehearsed(self, entry: SourceEntry) -> WorkResult:
        """Run one source without storing anything (dry run)."""
        with self._session(entry) as session:
            counts = rehearse(session)
        self.progress.say(f"{entry.name}: {summary(counts)}; nothing was stored.")
        if reason := waiting_in_words(self.instance, entry.name):
            self.progress.say(f"{entry.name}: {reason}")
        if counts["held_back"]:
            self.progress.say(f"{entry.name}: deletions that would wait for --yes: {counts['held_back']}.")
        is_odd = bool(counts["doubts"] or counts["unusable"] or counts["held_back"])
        return WorkResult(status_of_end(has_findings=is_odd, is_stopped=self.stop.is_asked), counts=counts)

    def published(self, entry: SourceEntry) -> WorkResult:
        """Publish the harvested records of one source that are not published yet."""
        with (
            self.instance.lock(entry.name),
            Publication(self.instance, entry, self.progress, self.stop) as publication,
        ):
            publication.finish()
        counts = publication.counts
        self.progress.say(f"{entry.name}: {summary(counts) if counts else 'everything is published already'}.")
        return WorkResult(status_of_end(is_stopped=self.stop.is_asked), counts=counts)

    def published_whole(self, entry: SourceEntry) -> WorkResult:
        """Publish the harvested records of one source, and the decided files, that are not published yet."""
        done = self.published(entry)
        counts = Counter(done.counts)
        if not self.stop.is_asked and self.instance.has_searched:
            counts += self.released(entry).counts or Counter()
            if counts["stamped"]:
                self.progress.say(f"{entry.name}: {counts['stamped']} records were stamped for their files.")
        return WorkResult(done.status, counts=counts)

    def swept(self, entry: SourceEntry, confirm: Confirm = lambda _vanished, _held: False) -> WorkResult:
        """Sweep one source."""
        with self._session(entry) as session:
            ran = sweep(session, confirm)
        return WorkResult(ran.status, run=ran.run)

    def subscribed(self, entry: SourceEntry) -> WorkResult:
        """Subscribe to the changes of one source at its hubs (WebSub)."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            asked = subscribe(self.instance, entry, kind_of(entry.kind), fetch, int(time()))
        self.progress.say(
            f"{entry.name}: asked for notifications: {', '.join(dict.fromkeys(known.hub for known in asked))}."
        )
        return WorkResult(Status.SUCCEEDED)

    def discovered(self, entry: SourceEntry) -> WorkResult:
        """Search for the full text of some items of one source."""
        from harvester.schedule import full_text_stage as turns  # noqa: PLC0415 - half a second that most commands need not spend

        ran = turns.discover(self.instance, entry, self.progress, self.stop, self.clock)
        return WorkResult(ran.status, run=ran.run)

    def rechecked(self, entry: SourceEntry) -> WorkResult:
        """Recheck the due published files of one source."""
        from harvester.schedule import full_text_stage as turns  # noqa: PLC0415 - as above

        ran = turns.recheck(self.instance, entry, self.progress, self.stop, self.clock)
        return WorkResult(ran.status, run=ran.run)

    def released(self, entry: SourceEntry) -> WorkResult:
        """Publish the decided files of one source that are not published yet."""
        from harvester.schedule import full_text_stage as turns  # noqa: PLC0415 - as above

        return WorkResult(Status.SUCCEEDED, counts=Counter(stamped=turns.release(self.instance, entry)))

    def offered(self, entry: SourceEntry) -> WorkResult:
        """Announce some discovered files of one source to its inbox."""
        from harvester.offer import run as offers  # noqa: PLC0415 - as above

        order = offers.OfferOrder(limit=offers.MOST_OF_A_STAGE)
        ran = offers.announce_files(
            self.instance, entry, self.progress, self.stop, order, pace=self.pace, clock=self.clock
        )
        return WorkResult(ran.status, run=ran.run)

    def has_pending_takedowns(self) -> bool:
        """Return whether the list of takedowns was changed and not carried out yet. Raise StoreError."""
        return any(pending(self.instance.store))

    def complete_takedowns(self) -> None:
        """Carry out takedowns that an earlier command has not completed. Raise StoreError."""
        store = self.instance.store
        if not self.has_pending_takedowns() and store.takedowns().is_empty and not store.has_open_erasure():
            return
        from harvester.harvest.takedowns import finish  # noqa: PLC0415 - as above

        finished = finish(self.instance)
        if any(finished.changes) or finished.copies:
            self.progress.say(
                f"Takedowns were completed: {finished.changes.deleted} items deleted, {finished.changes.returned} "
                f"returned, {finished.copies} copies of files deleted."
            )

    def notified(self, name: str) -> None:
        """Send a notice when a source needs a person, or does not any more."""
        notify_of_source(self.instance, name)

    def left_to_another(self) -> WorkResult:
        """Return the result of work that another process does."""
        return WorkResult(Status.LOCKED)

    def failed(self, name: str, error: BaseException) -> WorkResult:
        """Report the error that ended the work on one source, and return its result."""
        if isinstance(error, KeyboardInterrupt):
            return WorkResult(Status.STOPPED)
        if isinstance(error, GatewayError):
            self.progress.fail(f"{name}: {error}")
            return WorkResult(status_of_error(error))
        self.progress.fail(f"{name}: a fault of this program.\n{''.join(format_exception(error)).rstrip()}")
        return WorkResult(Status.FAILED)
