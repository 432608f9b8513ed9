"""What is done with one source, in a thread of its own where `crew` does several at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import time
from traceback import format_exception
from typing import NamedTuple

from gateway.errors import GatewayError
from gateway.model import Run
from gateway.obeying import pending
from harvester import pipeline
from harvester.instance import Instance
from harvester.kinds import fetcher, kind_of
from harvester.locks import lock
from harvester.notifying.notifying import notify_of_source
from harvester.outcomes import Status, status_of_error
from harvester.pipeline import Wishes, told
from harvester.progress import Progress
from harvester.publishing.publication import Publication
from harvester.rehearsing import rehearse
from harvester.retrying import retry
from harvester.sources_file import SourceEntry
from harvester.stopping import Stop, TimeIsOver
from harvester.sweeping import Confirm, sweep
from harvester.tending.subscribing import subscribe
from harvester.waiting import waiting_in_words
from harvester.web import Pace


class Done(NamedTuple):
    """How the work on one source ended: the status it gives to the shell, and the run or the counts it made."""

    status: Status
    run: Run | None = None
    counts: Counter[str] | None = None


@dataclass(frozen=True, slots=True)
class Working:
    """What the work on every source of one command shares. Its methods run in threads, one source in each."""

    instance: Instance
    telling: Progress
    stop: Stop
    pace: Pace
    wishes: Wishes = field(default_factory=Wishes)

    def in_time(self, work: Callable[[SourceEntry], Done], entry: SourceEntry) -> Done:
        """Work on one source unless the time that was given is over."""
        try:
            if not self.stop.is_time_over:
                return work(entry)
        except TimeIsOver:  # a rehearsal has nothing to write down
            pass
        self.telling.say(f"{entry.name}: the time is over.")
        return Done(Status.SUCCEEDED)

    def harvested(self, entry: SourceEntry) -> Done:
        """Run one source."""
        another = partial(fetcher, self.instance.settings, entry, self.stop, self.pace)
        with another() as fetch:
            kind = kind_of(entry.kind)
            ran = pipeline.run(self.instance, entry, kind, self.wishes, fetch, self.telling, self.stop, another)
        return Done(ran.status, run=ran.run)

    def retried(self, entry: SourceEntry) -> Done:
        """Try again what earlier runs of one source could not fetch."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            kind = kind_of(entry.kind)
            ran = retry(self.instance, entry, kind, self.wishes, fetch, self.telling, self.stop)
        return Done(ran.status, run=ran.run)

    def rehearsed(self, entry: SourceEntry) -> Done:
        """Rehearse the run of one source."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            kind = kind_of(entry.kind)
            counts = rehearse(self.instance, entry, kind, self.wishes, fetch, self.telling, self.stop)
        self.telling.say(f"{entry.name}: {told(counts)}; nothing was kept.")
        if reason := waiting_in_words(self.instance, entry.name):
            self.telling.say(f"{entry.name}: {reason}")
        if counts["held_back"]:
            self.telling.say(f"{entry.name}: deletions that would wait for --yes: {counts['held_back']}.")
        is_odd = counts["doubts"] or counts["unusable"] or counts["held_back"]
        status = Status.WITH_ERRORS if is_odd else Status.SUCCEEDED
        return Done(Status.STOPPED if self.stop.is_asked else status, counts=counts)

    def published(self, entry: SourceEntry) -> Done:
        """Publish what is harvested of one source and not published yet."""
        with (
            lock(self.instance.folder, entry.name),
            Publication(self.instance, entry, self.telling, self.stop) as publication,
        ):
            publication.finish()
        counts = publication.counts
        self.telling.say(f"{entry.name}: {told(counts) if counts else 'everything is published already'}.")
        return Done(Status.STOPPED if self.stop.is_asked else Status.SUCCEEDED, counts=counts)

    def published_whole(self, entry: SourceEntry) -> Done:
        """Publish what is harvested of one source and what is decided of its files, and not published yet."""
        done = self.published(entry)
        counts = Counter(done.counts)
        if not self.stop.is_asked and self.instance.has_searched:
            counts += self.released(entry).counts or Counter()
            if counts["stamped"]:
                self.telling.say(f"{entry.name}: {counts['stamped']} records were stamped for their files.")
        return Done(done.status, counts=counts)

    def swept(self, entry: SourceEntry, confirm: Confirm = lambda _vanished, _held: False) -> Done:
        """Sweep one source."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            kind = kind_of(entry.kind)
            ran = sweep(self.instance, entry, kind, fetch, self.telling, self.stop, confirm)
        return Done(ran.status, run=ran.run)

    def subscribed(self, entry: SourceEntry) -> Done:
        """Ask the hubs of one source to tell of its changes."""
        with fetcher(self.instance.settings, entry, self.stop, self.pace) as fetch:
            asked = subscribe(self.instance, entry, kind_of(entry.kind), fetch, int(time()))
        self.telling.say(f"{entry.name}: {', '.join(dict.fromkeys(each.hub for each in asked))} was asked to tell.")
        return Done(Status.SUCCEEDED)

    def discovered(self, entry: SourceEntry) -> Done:
        """Search for the full text of some items of one source."""
        from harvester.search import turns  # noqa: PLC0415 - half a second that most commands need not spend

        ran = turns.discover(self.instance, entry, self.telling, self.stop)
        return Done(ran.status, run=ran.run)

    def released(self, entry: SourceEntry) -> Done:
        """Publish what is decided of the files of one source and not published yet."""
        from harvester.search import turns  # noqa: PLC0415 - as above

        return Done(Status.SUCCEEDED, counts=Counter(stamped=turns.release(self.instance, entry)))

    def obeyed(self) -> None:
        """Do what the list of takedowns means and an earlier command has not done. Raise StoreError."""
        if not any(pending(self.instance.store)) and self.instance.store.takedowns().is_empty:
            return
        from harvester.takedowns.finishing import finish  # noqa: PLC0415 - as above

        finished = finish(self.instance)
        if any(finished.obeyed) or finished.copies:
            self.telling.say(
                f"Takedowns were completed: {finished.obeyed.deleted} items deleted, {finished.obeyed.returned} "
                f"returned, {finished.copies} copies of files deleted."
            )

    def notified(self, name: str) -> None:
        """Tell who looks after a source when it needs a person, or does not any more."""
        notify_of_source(self.instance, name)

    def failed(self, name: str, error: BaseException) -> Done:
        """Tell what ended the work on one source; the others go on."""
        if isinstance(error, KeyboardInterrupt):
            return Done(Status.STOPPED)
        if isinstance(error, GatewayError):
            self.telling.fail(f"{name}: {error}")
            return Done(status_of_error(error))
        self.telling.fail(f"{name}: a fault of this program.\n{''.join(format_exception(error)).rstrip()}")
        return Done(Status.FAILED)
