"""A run of a mirror: records are harvested, their files collected, and every object brought to its next version.

    page -> objects -> files, from several hosts at once -> a version of each object -> the cursor behind the page

Killed anywhere, the page in flight is asked for again, and what had arrived of it is not fetched again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import TypeAlias

from gateway.model import Cursor, RawPage, Slice
from harvester.mirror.answers import Answers
from harvester.mirror.collected import Collected
from harvester.mirror.collecting import Limits, collect
from harvester.mirror.guarding import Guard
from harvester.mirror.holding import Holding
from harvester.mirror.keeping import Keeping
from harvester.mirror.lanes import Job, Lanes
from harvester.mirror.planning import Want
from harvester.mirror.receipt import Change
from harvester.mirror.rechecks import Rechecks
from harvester.mirror.reconsidering import Reconsidering
from harvester.mirror.running import received_from
from harvester.mirror.verifying import Fate
from harvester.sources import Options, SourceKind, Step
from harvester.wire.http import Fetch
from harvester.wire.list_state import state_of
from harvester.wire.urls import host_of

Result: TypeAlias = tuple[Keeping, Collected]
_WRITERS = 8  # versions that are written at once
_BATCH = 100  # objects that are tried again together


@dataclass(slots=True)
class Mirroring(Reconsidering):
    """A run that asks the provider."""

    kind: SourceKind
    options: Options
    fetch: Fetch
    lanes: Lanes[Result]
    limits: Limits
    guard: Guard
    rechecks: Rechecks  # for what the servers sent last
    sizes: dict[str, int] = field(default_factory=dict, init=False)  # of the lists that were asked for whole, by set
    is_short: bool = field(default=False, init=False)  # together they name much less than is held

    def whole(self, *, is_full: bool = False) -> None:
        """Harvest what has changed since the last run, or everything, and collect its files."""
        with self.noted():
            prefix, states = self.place.order.metadata_prefix, self.place.states.items()
            known = self.kind.learned(Cursor("", prefix, set_spec, state) for set_spec, state in states)
            description = self.kind.describe(replace(self.options, known=known, asks_anew=is_full), self.fetch)
            self.receipt.doubts.extend(self.guard.identified(description.identity))
            options = self.options.after(description)
            if is_full:
                self._begin_anew()
            if self.guard.has_word:
                self._let_pass()
            for set_spec in self.place.order.sets or ("",):
                if not self.stop.is_asked:
                    self._list(options, set_spec)
            self._try_again(each for each in self.place.doubtful.due(self.now()) if each not in self.tried)
            self.withdraw()
            self.place.save()

    def _note_size(self, set_spec: str, size: int) -> None:
        """Note how many records a whole list has; with the last of them, tell when that is much less than is held."""
        self.sizes[set_spec] = size
        if len(self.sizes) < len(self.place.order.sets or ("",)):
            return
        told = self.guard.listed(sum(self.sizes.values()))
        self.is_short = bool(told)
        self.receipt.doubts.extend(told)
        if told:
            self.place.states.clear()
            self.place.save()

    def _let_pass(self) -> None:
        """Delete what waited for a person."""
        waiting = self.place.waiting
        for received in waiting:
            keeping = self.sound(received.identifier, partial(self.object, received))
            if keeping is not None and not self.is_settled(keeping):
                self.commit(keeping)
            waiting.discard(received.identifier)

    def _begin_anew(self) -> None:
        """Forget how far the lists have come, and what could not be read of them: it comes again, or is gone."""
        self.place.states.clear()
        self.place.save()
        for identifier, _ in self.place.unread():
            self.place.forget_unread(identifier)

    def retried(self) -> None:
        """Try again what is missing, without asking the provider for records."""
        with self.noted():
            self.receipt.doubts.extend(self._unlisted())
            self._try_again(self.place.failed())
            self.withdraw()

    def _try_again(self, identifiers: Iterable[str]) -> None:
        failed = list(identifiers)
        for start in range(0, len(failed), _BATCH):
            if not self.stop.is_asked:
                batch = failed[start : start + _BATCH]
                again = (self.sound(each, partial(self.held_again, each)) for each in batch)
                self._collect([each for each in again if each is not None])

    def _unlisted(self) -> Iterator[str]:
        """Tell of the lists that were never shown to be whole: what they name beyond that is not even missing yet."""
        for set_spec in self.place.order.sets or ("",):
            state, _ = state_of(self.place.states.get(set_spec, ""))
            if not state.complete:
                name = f"The list of {set_spec}" if set_spec else "The list"
                yield f"{name} has not come to its end yet; `harvester mirror` without --retry-failed goes on with it."

    def _list(self, options: Options, set_spec: str) -> None:
        cursor = Cursor("", self.place.order.metadata_prefix, set_spec, self.place.states.get(set_spec, ""))
        is_whole = not state_of(cursor.state)[0].complete
        for number, step in enumerate(self.kind.changes(options, cursor, self.fetch)):
            if number == 0:
                self.receipt.asked.append(step.page.url)
                self.guard.look(self.kind, options, cursor, step.slices, self.fetch)
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

    def _objects(self, step: Step) -> list[Keeping]:
        """Return the objects of a page that are not yet what their records say; count those that are.

        Of an object that a page has twice, the newest record counts.
        """
        in_order = sorted(step.slices, key=attrgetter("datestamp"))
        slices = {each.identifier: each for each in in_order if not each.problem}
        for each in in_order:
            if each.problem:
                self.unusable(each)
        objects = (self.sound(each.identifier, partial(self._cut, step.page, each)) for each in slices.values())
        return [each for each in objects if each is not None and self.guard.lets(each) and not self.is_settled(each)]

    def _cut(self, page: RawPage, found: Slice) -> Keeping:
        return self.object(received_from(page, found))

    # -- files --

    def _collect(self, objects: Iterable[Keeping]) -> None:
        """Collect the files of objects, and give each its version as soon as all of its files were tried.

        Versions are written by several threads: each waits for the disk a dozen times.
        """
        jobs: list[Job[Result]] = []
        with ThreadPoolExecutor(_WRITERS, thread_name_prefix="writer") as writers, ExitStack() as counting:
            answers = counting.enter_context(Answers(self.place.doubtful.folder))
            written: list[Future[tuple[Change, Holding]]] = []
            counting.callback(self._count, written)
            for keeping in objects:
                pending = keeping.pending(self.now())
                checks = self.rechecks.of(keeping.now.identifier, pending)
                known = {path: check.sent for path, check in checks.items()}
                jobs.extend(self._job(keeping, want._replace(sent=known.get(want.path, ()))) for want in pending)
                if not pending:
                    written.append(writers.submit(self.made, keeping))
            for keeping, collected in self.lanes.results(jobs):
                keeping.note(self.compared(keeping, collected, answers))
                self._learn(keeping, collected)
                if keeping.is_settled:
                    written.append(writers.submit(self.made, keeping))

    def _learn(self, keeping: Keeping, collected: Collected) -> None:
        """Remember what contradicts the document, so that it is not sent once more."""
        if any(each.fate is not Fate.KEPT for each in collected.sent):
            identifier, file = keeping.now.identifier, collected.file
            self.rechecks.learn(identifier, collected.want, self.now(), file.sha512, collected.sent)

    def _count(self, written: Iterable[Future[tuple[Change, Holding]]]) -> None:
        for each in written:
            self.counted(*each.result())

    def _job(self, keeping: Keeping, want: Want) -> Job[Result]:
        aside = keeping.aside(want)
        url = next(iter(want.component.addresses), "")
        return Job(host_of(url), lambda fetch: (keeping, collect(want, aside, fetch, self.limits)))
