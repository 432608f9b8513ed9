"""A run of a mirror: records are harvested, their files collected, and every object brought to its next version.

    page -> objects -> files, from several hosts at once -> a version of each object -> the cursor behind the page

Killed anywhere, the page in flight is asked for again, and what had arrived of it is not fetched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from gateway.model import Cursor, RawPage, RunOutcome, Slice
from gateway.xmltext import utc_datetime
from harvester.dump import fragment
from harvester.mirror.collecting import Collected, Limits, collect
from harvester.mirror.holding import DOCUMENT, Holding
from harvester.mirror.inventory import Inventory
from harvester.mirror.keeping import Keeping, Received, begun, is_done
from harvester.mirror.lanes import Job, Lanes
from harvester.mirror.place import Place
from harvester.mirror.planning import Want
from harvester.mirror.receipt import Change, Receipt
from harvester.mirror.verifying import Fate
from harvester.outcomes import noting
from harvester.progress import Progress
from harvester.sources import Options, SourceKind, Step
from harvester.stopping import Stop
from harvester.wire.http import Fetch

Result: TypeAlias = tuple[Keeping, Collected]
_BATCH = 100  # objects that are tried again together


@dataclass(slots=True)
class Mirroring:
    """One run. `receipt` tells what it did; it is kept in the folder however the run ends."""

    place: Place
    kind: SourceKind
    options: Options
    fetch: Fetch
    lanes: Lanes[Result]
    limits: Limits
    receipt: Receipt
    progress: Progress
    stop: Stop
    clock: Callable[[], float]

    def whole(self, *, is_full: bool = False) -> None:
        """Harvest what has changed since the last run, or everything, and collect its files."""
        with self._noted():
            description = self.kind.describe(self.options, self.fetch)
            options = replace(self.options, granularity=description.granularity)
            if is_full:
                self.place.states.clear()
            for set_spec in self.place.order.sets or ("",):
                if not self.stop.is_asked:
                    self._list(options, set_spec)

    def retried(self) -> None:
        """Try again what is missing, without asking the provider for records."""
        with self._noted():
            failed = list(self.place.failed())
            for start in range(0, len(failed), _BATCH):
                if not self.stop.is_asked:
                    self._collect([self._held_again(each) for each in failed[start : start + _BATCH]])

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Let whatever ends the block stand in the receipt, and keep it."""
        try:
            with noting(self._ended):
                yield
            if self.receipt.outcome is RunOutcome.RUNNING:
                good = RunOutcome.SUCCEEDED if self.receipt.is_whole else RunOutcome.SUCCEEDED_WITH_ERRORS
                self.receipt.outcome = RunOutcome.STOPPED if self.stop.is_asked else good
            if self.receipt.outcome is RunOutcome.SUCCEEDED:
                self.place.root.clear()
        finally:
            self.receipt.ended_at = utc_datetime(self._now())
            self.place.keep(self.receipt)

    def _ended(self, outcome: RunOutcome, reason: str) -> None:
        self.receipt.outcome = outcome
        self.receipt.doubts.append(reason)

    def _list(self, options: Options, set_spec: str) -> None:
        cursor = Cursor("", self.place.order.metadata_prefix, set_spec, self.place.states.get(set_spec, ""))
        for step in self.kind.changes(options, cursor, self.fetch):
            self._collect(self._objects(step))
            if self.stop.is_asked:
                return
            self.receipt.doubts.extend(step.doubts)
            self.place.states[set_spec] = step.cursor.state
            self.place.save()
            self.progress.show(set_spec or self.place.order.metadata_prefix, step.received, step.announced[1])
            if step.is_last:
                return

    # -- objects --

    def _objects(self, step: Step) -> list[Keeping]:
        """Return the objects of a page that are not yet what their records say; count those that are."""
        slices = {each.identifier: each for each in step.slices if not each.problem}
        for each in step.slices:
            if each.problem:
                self.receipt.count(Change.UNUSABLE)
                self.receipt.miss(each.identifier, Fate.UNREADABLE, each.problem)
        objects = [self._object(_received(step.page, each)) for each in slices.values()]
        return [each for each in objects if not self._is_settled(each)]

    def _object(self, received: Received) -> Keeping:
        root, order = self.place.root, self.place.order
        inventory = root.inventory(received.identifier)
        now = Holding(received.identifier, order.base_url, order.metadata_prefix, received.datestamp, received.sets)
        return begun(root, inventory, self.place.holding(inventory), now, received)

    def _is_settled(self, keeping: Keeping) -> bool:
        if keeping.before is None and keeping.now.is_deleted:
            self.receipt.count(Change.NEVER_HELD)
            return True
        if is_done(keeping):
            self.receipt.count(Change.UNCHANGED)
            return True
        return False

    def _held_again(self, identifier: str) -> Keeping:
        """Return an object as if its record had come once more."""
        root = self.place.root
        inventory = root.inventory(identifier)
        before = self.place.holding(inventory)
        assert before is not None
        contents = {name: _content(root.place(identifier), inventory, name) for name in inventory.state}
        abouts = tuple(contents[name]() for name in sorted(contents) if name.startswith("about-"))
        received = Received(identifier, before.datestamp, before.sets, document=contents[DOCUMENT](), abouts=abouts)
        return begun(root, inventory, before, replace(before, files=(), problem=""), received)

    # -- files --

    def _collect(self, objects: Iterable[Keeping]) -> None:
        """Collect the files of objects, and give each its version as soon as all of its files were tried."""
        jobs: list[Job[Result]] = []
        for keeping in objects:
            pending = keeping.pending(self._now())
            jobs.extend(self._job(keeping, want) for want in pending)
            if not pending:
                self._commit(keeping)
        for keeping, collected in self.lanes.results(jobs):
            keeping.note(collected)
            if keeping.is_settled:
                self._commit(keeping)

    def _job(self, keeping: Keeping, want: Want) -> Job[Result]:
        aside = keeping.aside(want)
        url = next(iter(want.component.addresses), "")
        return Job(urlsplit(url).hostname or "", lambda fetch: (keeping, collect(want, aside, fetch, self.limits)))

    def _commit(self, keeping: Keeping) -> None:
        if _is_no_better(keeping):
            self.receipt.count(Change.UNCHANGED, keeping.holding)
            return
        change, holding = keeping.commit(self._now(), f"harvester {self.receipt.command} of {self.receipt.base_url}")
        self.place.mark(holding.identifier, is_whole=holding.is_whole)
        self.receipt.count(change, holding)

    def _now(self) -> int:
        return int(self.clock())


def _is_no_better(keeping: Keeping) -> bool:
    """Tell whether trying again brought nothing: the same record, and the same files missing."""
    before, now = keeping.before, keeping.now
    if before is None or now.is_deleted or before.is_deleted:
        return False
    if (before.datestamp, before.document_sha256) != (now.datestamp, now.document_sha256):
        return False
    had = {(each.path, each.sha512) for each in before.files if each.is_good}
    return had == {(each.path, each.sha512) for each in keeping.holding.files if each.is_good}


def _content(folder: Path, inventory: Inventory, name: str) -> Callable[[], bytes]:
    return (folder / inventory.place(name)).read_bytes


def _received(page: RawPage, found: Slice) -> Received:
    text = page.repaired or page.body
    abouts = tuple(fragment(text[start:stop], found.declarations) for start, stop in found.abouts)
    document = fragment(text[found.start : found.stop], found.declarations)
    return Received(found.identifier, found.datestamp, found.sets, found.is_deleted, document, abouts)
