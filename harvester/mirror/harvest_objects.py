"""A run of a mirror: it harvests records, fetches their files, and writes the next version of each object.

    page -> objects -> files, from several hosts at once -> a version of each object -> the cursor after the page

After a kill, the next run requests the last page again (OAI-PMH 2.0 §3.5). It does not fetch complete files again.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.messages import Fetch
from harvester.http.urls import host_of
from harvester.mirror.caches import Answers, RecheckSchedule
from harvester.mirror.fetch_file import Limits, collect
from harvester.mirror.file_plan import PlannedFile
from harvester.mirror.folder import MirrorFolder
from harvester.mirror.judge_again import JudgingRun
from harvester.mirror.judge_file import Collected
from harvester.mirror.object_state import Holding
from harvester.mirror.object_versions import PendingVersion
from harvester.mirror.provider_guard import Guard
from harvester.mirror.receipt import Change
from harvester.mirror.run import received_from
from harvester.mirror.verify import Fate
from harvester.runtime.worker_pool import Job, WorkerPool
from harvester.sources import NothingHeld, Options, SourceKind, Step
from harvester.sources.oai_pmh.list_state import state_of

Result: TypeAlias = tuple[PendingVersion, Collected]
_WRITERS = 8  # versions that are written at once
_BATCH = 100  # objects that are tried again together


@dataclass(slots=True)
class MirrorRun(JudgingRun):
    """A run that requests records and files from the provider."""

    kind: SourceKind
    options: Options
    fetch: Fetch
    pool: WorkerPool[Fetch, Result]
    limits: Limits
    guard: Guard
    rechecks: RecheckSchedule  # they remember the last answers of the servers
    sizes: dict[str, int] = field(default_factory=dict, init=False)  # records in each complete list, by set
    is_short: bool = field(default=False, init=False)  # the lists name far fewer records than the mirror holds

    def whole(self, *, is_full: bool = False) -> None:
        """Harvest the changes since the last run, or everything, and fetch the files.

        The receipt records what is missing. Raise a GatewayError when the provider cannot be harvested at all.
        """
        with self.recorded():
            prefix, states = self.place.order.metadata_prefix, self.place.states.items()
            known = self.kind.learned(Cursor("", prefix, set_spec, state) for set_spec, state in states)
            description = self.kind.describe(replace(self.options, known=known, asks_anew=is_full), self.fetch)
            self.receipt.doubts.extend(self.guard.identified(description.identity))
            options = self.options.after(description)
            if is_full:
                self._begin_anew()
            if self.guard.is_confirmed:
                self._let_pass()
            for set_spec in self.place.order.sets or ("",):
                if not self.stop.is_asked:
                    self._list(options, set_spec)
            self._try_again(suspect for suspect in self.place.doubtful.due(self.now()) if suspect not in self.tried)
            self.withdraw()
            self.place.save()

    def _note_size(self, set_spec: str, size: int) -> None:
        """Note the number of records of a complete list. After the last list, report if the lists are far too short."""
        self.sizes[set_spec] = size
        if len(self.sizes) < len(self.place.order.sets or ("",)):
            return
        sentence = self.guard.listed(sum(self.sizes.values()))
        self.is_short = bool(sentence)
        self.receipt.doubts.extend(sentence)
        if sentence:
            self.place.states.clear()
            self.place.save()

    def _let_pass(self) -> None:
        """Carry out the deletions that waited for a confirmation."""
        waiting = self.place.waiting
        for received in waiting:
            pending = self.sound(received.identifier, partial(self.object, received))
            if pending is not None and not self.is_settled(pending):
                self.commit(pending)
            waiting.discard(received.identifier)

    def _begin_anew(self) -> None:
        """Forget the cursors of the lists, and their unreadable records. A full harvest receives them again."""
        self.place.states.clear()
        self.place.save()
        self.place.failed.forget_all_unread()

    def retried(self) -> None:
        """Fetch missing files again, without a request for records. Raise the errors of `recorded`."""
        with self.recorded():
            self.receipt.doubts.extend(self._unlisted())
            self._try_again(self.place.failed.marked())
            self.withdraw()

    def _try_again(self, identifiers: Iterable[str]) -> None:
        failed = list(identifiers)
        for start in range(0, len(failed), _BATCH):
            if not self.stop.is_asked:
                batch = failed[start : start + _BATCH]
                again = (self.sound(suspect, partial(self.held_again, suspect)) for suspect in batch)
                self._collect([pending for pending in again if pending is not None])

    def _unlisted(self) -> Iterator[str]:
        """Return a sentence for each list that was never harvested to its end: its other records are unknown."""
        for set_spec in self.place.order.sets or ("",):
            state, _ = state_of(self.place.states.get(set_spec, ""))
            if not state.position.complete:
                name = f"The list of {set_spec}" if set_spec else "The list"
                yield f"{name} has not come to its end yet; `harvester mirror` without --retry-failed goes on with it."

    def _list(self, options: Options, set_spec: str) -> None:
        cursor = Cursor("", self.place.order.metadata_prefix, set_spec, self.place.states.get(set_spec, ""))
        is_whole = not state_of(cursor.state)[0].position.complete
        for number, step in enumerate(self.kind.changes(options, cursor, self.fetch)):
            if number == 0:
                self.receipt.asked.append(step.page.url)
                self.guard.check_first(self.kind, options, cursor, step.slices, self.fetch)
            self._collect(self._objects(step))
            self.rechecks.commit()
            if self.stop.is_asked:
                return
            self.receipt.doubts.extend(step.doubts)
            if is_whole and step.is_last:
                self._note_size(set_spec, step.received)
            if not self.has_damage and not self.is_short:
                self.place.states[set_spec] = step.cursor.state
                self.place.save()
            self.progress.show(set_spec or self.place.order.metadata_prefix, step.received, step.announced[1])
            if step.is_last:
                return

    # -- objects --

    def _objects(self, step: Step) -> list[PendingVersion]:
        """Return the objects of a page that need a new version; count the others.

        When a page has two records of an object, the newest record counts.
        """
        in_order = sorted(step.slices, key=attrgetter("datestamp"))
        slices = {slice_.identifier: slice_ for slice_ in in_order if not slice_.problem}
        for slice_ in in_order:
            if slice_.problem:
                self.unusable(slice_)
        objects = (self.sound(record.identifier, partial(self._cut, step.page, record)) for record in slices.values())
        return [
            object_
            for object_ in objects
            if object_ is not None and self.guard.allows(object_) and not self.is_settled(object_)
        ]

    def _cut(self, page: RawPage, slice_: Slice) -> PendingVersion:
        return self.object(received_from(page, slice_))

    # -- files --

    def _collect(self, objects: Iterable[PendingVersion]) -> None:
        """Fetch the files of objects. Write the version of an object as soon as all of its files were tried.

        Several threads write versions, because a version waits for the disk about twelve times.
        """
        jobs: list[Job[Fetch, Result]] = []
        with ThreadPoolExecutor(_WRITERS, thread_name_prefix="writer") as writers, ExitStack() as counting:
            answers = counting.enter_context(Answers(self.place.doubtful.folder))
            written: list[Future[tuple[Change, Holding]]] = []
            counting.callback(self._count, written)
            for pending in objects:
                to_fetch = pending.to_fetch(self.now())
                checks = self.rechecks.of(pending.now.identifier, to_fetch)
                known = {path: check.sent for path, check in checks.items()}
                jobs.extend(
                    self._job(pending, planned._replace(sent=known.get(planned.path, ()))) for planned in to_fetch
                )
                if not to_fetch:
                    written.append(writers.submit(self.made, pending))
            for job in jobs:
                self.pool.add(job)
            for _, (pending, collected) in self.pool.results():
                pending.note(self.compared(pending, collected, answers))
                self._learn(pending, collected)
                if pending.is_settled:
                    written.append(writers.submit(self.made, pending))

    def _learn(self, pending: PendingVersion, collected: Collected) -> None:
        """Remember an answer that contradicts the document, so that it is not fetched again."""
        if any(answer.fate is not Fate.KEPT for answer in collected.sent):
            identifier, file = pending.now.identifier, collected.file
            self.rechecks.learn(identifier, collected.planned, self.now(), file.sha512, collected.sent)

    def _count(self, written: Iterable[Future[tuple[Change, Holding]]]) -> None:
        for future in written:
            self.counted(*future.result())

    def _job(self, pending: PendingVersion, planned: PlannedFile) -> Job[Fetch, Result]:
        aside = pending.aside(planned)
        url = next(iter(planned.component.addresses), "")
        return Job(planned.path, host_of(url), lambda fetch: (pending, collect(planned, aside, fetch, self.limits)))


# --- The identifiers in a mirror, for a harvest of a list that continues an earlier run ------------------------------


class HeldInMirror(NothingHeld):
    """The identifiers of stored objects, and of records that cannot be read."""

    def __init__(self, place: MirrorFolder) -> None:
        self._place = place

    def names(self, identifiers: Sequence[str], _metadata_prefix: str) -> frozenset[str]:
        """Return which of these identifiers were received already."""
        unread = {identifier for identifier, _ in self._place.failed.unread()}
        return frozenset(
            identifier
            for identifier in identifiers
            if identifier in unread or self._place.root.place(identifier).exists()
        )
