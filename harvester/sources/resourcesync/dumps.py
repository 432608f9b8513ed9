"""Dumps: many resources in packages (Z39.99 §11, §13). Resources missing in a package come from the lists and the web.

A Resource Dump is a baseline: each package that was read is stored until all are read. A Change Dump is read package by
package; each moves the position to its end. An unusable package of either is noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Self

from gateway.core.errors import AnswerError, NotResourceSync
from harvester.http.messages import Fetch, Fetched, Request
from harvester.runtime.durable_files import AnonymousFile
from harvester.sources import Step
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.find_lists import ResourceSet
from harvester.sources.resourcesync.fixity import Fixity
from harvester.sources.resourcesync.lists import Lists
from harvester.sources.resourcesync.package import Package
from harvester.sources.resourcesync.plan import Memory, Plan
from harvester.sources.resourcesync.plan_execution import PlanExecution, SetState
from harvester.sources.resourcesync.request import FAILURES, REFUSALS, FromPackage, FromWeb, refuse_status


def _mark(package: Entry, at: str = "") -> str:
    """Return a text that distinguishes packages of one name in different dumps; `at` is the time of the dump."""
    identity = repr((package.lastmod, package.length, package.digests) if package.length or package.digests else at)
    return f"{package.loc} {blake2b(identity.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


class Dumps:
    """The dumps of one set. `is_enough`: no other list of the set need be read in this run."""

    def __init__(self, execution: PlanExecution, resources: ResourceSet) -> None:
        self._execution, self._walk, self._has = execution, execution.walk, resources.lists
        self._web = FromWeb(self._walk.options, self._walk.fetch, execution.endurance)
        self.is_enough = False

    def steps(self) -> Iterator[Step]:
        """Yield steps from the Resource Dump before the first harvest, and from the Change Dump after it."""
        before = self._execution.before
        is_begun = bool(before.package or before.packages)
        if "resourcedump" in self._has and not before.position and (is_begun or not before.next):
            yield from self._snapshot()
        before = self._execution.before
        if "changedump" in self._has and before.position and (not before.next or before.package):
            yield from self._changes()

    # -- a baseline --

    def _snapshot(self) -> Iterator[Step]:
        with Plan() as unused:
            lists = self._lists(unused)
            packages = list(lists.packages(self._has["resourcedump"]))
        doubts = lists.doubts
        state = self._execution.state
        self._execution.put(replace(state, is_whole=True, next=state.next or lists.position))
        for package in packages:
            if (mark := _mark(package, lists.position)) not in self._execution.state.packages:
                try:
                    yield from self._of_snapshot(package, mark)
                except (AnswerError, *REFUSALS) as error:
                    doubts.append(f"{package.loc}: {error}")
        self._end_snapshot(doubts)

    def _of_snapshot(self, package: Entry, mark: str) -> Iterator[Step]:
        with Plan() as plan, Parcel(package, self._walk.options.source) as parcel:
            content = self._content(parcel)
            for entry in content.manifest(package.loc):
                plan.add(entry)
            state = self._execution.state
            if state.package != mark:
                self._execution.begin_again(replace(state, package=mark, after=""))
            yield from self._carried_out(plan, content)
        state = self._execution.state
        self._execution.put(replace(state, package="", after="", packages=(*state.packages, mark)))

    def _end_snapshot(self, doubts: list[str]) -> None:
        tells_changes = "changelist" in self._has or "changedump" in self._has
        if not doubts:
            self._execution.rest(self._execution.state.next)
            self.is_enough = not tells_changes
        elif "resourcelist" in self._has:
            self._walk.notes += [f"The Resource List is read instead of the dump. {doubt}" for doubt in doubts]
            self._execution.begin_again(SetState(failed=self._execution.state.failed))
        else:
            self._walk.doubts += doubts
            self.is_enough = True

    # -- changes --

    def _changes(self) -> Iterator[Step]:
        position = self._execution.before.position
        with Plan() as unused:
            lists = self._lists(unused)
            packages = list(lists.packages(self._has["changedump"], position, self._has.get("changedump-archive", "")))
        doubts = lists.doubts
        if lists.is_outdated:
            doubts.append(f"The Change Dump does not reach back to {position}.")
        for package in () if doubts else packages:
            try:
                yield from self._of_changes(package)
            except (AnswerError, *REFUSALS) as error:
                doubts.append(f"{package.loc}: {error}")
                break  # with a later package, the position would pass the missing one
        self._end_changes(doubts, is_behind=not lists.covers)

    def _of_changes(self, package: Entry) -> Iterator[Step]:
        before = self._execution.before
        with Plan() as plan, Parcel(package, self._walk.options.source) as parcel:
            content, lists = self._content(parcel), self._lists(plan)
            lists.take(content.manifest(package.loc), package.loc, before.position, before.seen)
            if before.package != (mark := _mark(package)):
                begun = replace(before, package=mark, after="", next=lists.position, next_seen=lists.seen)
                self._execution.begin_again(begun)
            yield from self._carried_out(plan, content)
        state = self._execution.state
        self._execution.rest(state.next, state.next_seen, doubts=lists.doubts)

    def _end_changes(self, doubts: list[str], *, is_behind: bool) -> None:
        """Decide what else is read. `is_behind`: the Change Dump does not cover the time until now."""
        if "changelist" in self._has:
            self._walk.notes += doubts
        elif doubts and "resourcelist" in self._has:
            self._walk.notes += [f"All resources are compared with the Resource List. {doubt}" for doubt in doubts]
        elif is_behind and "resourcelist" in self._has and self._is_newer(self._has["resourcelist"]):
            self._walk.notes.append("The Change Dump ends before the Resource List. All resources are compared.")
        else:
            self._walk.doubts += doubts
            self.is_enough = True

    def _is_newer(self, resource_list: str) -> bool:
        with Plan() as unused:
            return self._lists(unused).is_of(resource_list, self._execution.before.position, is_later=True)

    # -- packages --

    def _lists(self, plan: Plan) -> Lists:
        return Lists(self._walk.options, self._walk.cursor, self._walk.fetch, plan, self._execution.endurance)

    def _content(self, parcel: Parcel) -> Package:
        """Return a verified package. Raise NotResourceSync when it cannot be used, or the error of a failing source."""
        endurance = self._execution.endurance
        try:
            content = parcel.fetched(lambda request: self._walk.fetch(endurance.patient(request)))
        except FAILURES as error:
            endurance.failed(error)
            raise NotResourceSync(f"The package could not be fetched. {error}") from error
        endurance.succeeded()
        self._execution.received_at = parcel.received_at
        return content

    def _carried_out(self, plan: Plan, content: Package) -> Iterator[Step]:
        memory = Memory(self._walk.options.holdings, self._walk.cursor.metadata_prefix, plan)
        if not self._execution.state.is_whole:
            memory.touch_items_of_unattached_resources()
        yield from self._execution.execute(plan, memory, FromPackage(content, self._execution.received_at, self._web))


# --- The download of a package into a temporary file without a name, so that its length takes no memory --------------

MOST_BYTES = 20_000_000_000


class Parcel:
    """The package of an entry of a dump, as a `Sink`. Its file is removed after the `with` block."""

    def __init__(self, entry: Entry, source: str, most_bytes: int = MOST_BYTES) -> None:
        self._entry, self._source, self._most = entry, source, most_bytes
        self.received_at = 0

    def __enter__(self) -> Self:
        self._file = AnonymousFile(self._entry.loc, self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def fetched(self, fetch: Fetch) -> Package:
        """Return the fetched and verified package. Raise NotResourceSync, and the errors of `fetch`."""
        answer = fetch(Request(self._entry.loc, self._source, sink=self))
        refuse_status(answer)
        if answer.body:  # a `fetch` without sinks
            self.write(answer.body)
        self.received_at = answer.received_at
        if fault := self._fixity.fault():
            raise NotResourceSync(f"The package is not what the source states. {fault}")
        return Package(self._file.file)

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return no headers: the whole package is requested."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Return True for a whole package (200), and start again from an empty file; else False."""
        self._begin_anew()
        return answer.status == 200  # noqa: PLR2004 - OK

    def write(self, part: bytes) -> None:
        """Write the next bytes. Raise AnswerTooLarge when there are too many, StoreUnwritable when the disk is full."""
        self._file.put(part)
        self._fixity.feed(part)

    def _begin_anew(self) -> None:
        self._file.clear()
        self._fixity = Fixity(self._entry.length, self._entry.digests)
