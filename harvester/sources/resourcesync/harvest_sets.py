"""The walk of the sets of resources of one source from its cursor on: read the lists, fetch, delete.

find the lists -> everything, or what has changed -> a plan -> fetch in the order of addresses, a page for a few
"""

from collections.abc import Iterator
from dataclasses import replace

from gateway.core.errors import AnswerError, NotResourceSync
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch
from harvester.sources import ListEnd, Options, Step
from harvester.sources.resourcesync.dumps import Dumps
from harvester.sources.resourcesync.find_lists import NO_BEGINNING, LinkedSets, ResourceSet, find
from harvester.sources.resourcesync.lists import Lists
from harvester.sources.resourcesync.plan import Memory, Plan
from harvester.sources.resourcesync.plan_execution import PlanExecution, SetState, Walk, states_of
from harvester.sources.resourcesync.request import FAILURES, REFUSALS, FromWeb


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Yield steps of all sets of a source, or of the cursor's set, from the cursor's state on.

    Raise NotResourceSync, ConfigurationError, ConnectionFailed when the server is failing, and the errors of `fetch`.
    """
    states, note = states_of(cursor.state)
    walk = Walk(options, cursor, fetch, states)
    walk.received = walk.announced = sum(state.received for state in states.values())
    lists = find(options, fetch)
    walk.notes += [*([note] if note else []), *lists.notes]
    walk.doubts += lists.doubts
    sets = [resource_set for resource_set in lists.sets if cursor.set_spec in ("", resource_set.url)]
    if not sets:
        raise NotResourceSync(f"{options.url} has no set of resources {cursor.set_spec!r}.")
    begun = [
        resource_set
        for resource_set in sets
        if resource_set.has_beginning or states.get(resource_set.url, SetState()).position
    ]
    walk.doubts += (NO_BEGINNING.format(resource_set.url) for resource_set in sets if resource_set not in begun)
    if not begun:
        raise NotResourceSync(walk.doubts[-1])
    failures = 0
    for begun_set in begun:
        others = frozenset(other.url for other in lists.sets if other.url != begun_set.url)
        try:
            yield from _walked(PlanExecution(walk, begun_set.url), begun_set, others)
        except (AnswerError, *REFUSALS, *FAILURES) as error:  # other sets may be readable
            failures += 1
            if failures == len(begun):
                raise
            walk.doubts.append(f"{begun_set.url}: {error}")
    yield walk.step(_closing(walk, lists), ListEnd.PROPER)


def _walked(execution: PlanExecution, resources: ResourceSet, others: frozenset[str]) -> Iterator[Step]:
    """Yield steps of one set: from its dumps, and from its lists where the dumps are not enough."""
    dumps = Dumps(execution, resources)
    yield from dumps.steps()
    if not dumps.is_enough:
        yield from _SetWalk(execution, resources, others).steps()
    if failed := len(execution.state.failed):
        execution.walk.doubts.append(f"Resources that could not be used are requested again: {failed}.")


def _closing(walk: Walk, lists: LinkedSets) -> RawPage:
    """Return the page of the last step: the document that names the lists, else an empty one with the URL."""
    options, cursor = walk.options, walk.cursor
    bare = RawPage(options.source, "ResourceSync", options.url, lists.received_at, 200, (), b"")
    page = lists.pages[-1] if lists.pages else bare
    return replace(page, metadata_prefix=cursor.metadata_prefix, set_spec=cursor.set_spec)


MOST_UNNAMED = 200  # items that are stored by name

_UNNAMED = "The lists do not name {} of the stored items. To delete them, run `harvester source sweep {}`."
_GAP = "Changes before {} may be missing: the Change Lists begin there, and no Resource List is as new."


class _SetWalk:
    """One set of resources, by its lists; `others` are the URLs of the other sets of the source."""

    def __init__(self, execution: PlanExecution, resources: ResourceSet, others: frozenset[str]) -> None:
        self.execution, self.resources, self.others = execution, resources, others
        self.walk = execution.walk

    def steps(self) -> Iterator[Step]:
        with Plan() as plan:
            lists = Lists(self.walk.options, self.walk.cursor, self.walk.fetch, plan, self.execution.endurance)
            for page in self._read(lists):
                yield self.walk.step(page)
            self.execution.received_at = lists.received_at
            self.walk.notes += lists.notes
            memory = Memory(self.walk.options.holdings, self.walk.cursor.metadata_prefix, plan, self.others)
            if not self._is_known(lists):
                yield from self._walked(lists, plan, memory)
            self._tell_unnamed(memory)

    def _walked(self, lists: Lists, plan: Plan, memory: Memory) -> Iterator[Step]:
        state = self._begin(lists)
        is_all = state.is_whole and not lists.doubts
        if not state.is_whole:
            memory.touch_items_of_unattached_resources()
        elif is_all:
            self.execution.put(replace(state, unnamed=memory.unnamed(MOST_UNNAMED + 1)))
        supplier = FromWeb(self.walk.options, self.walk.fetch, self.execution.endurance)
        yield from self.execution.execute(plan, memory, supplier, is_all=is_all)
        state = self.execution.state
        # A Resource List without a date may stay the same while resources change.
        has_changes = "changelist" in self.resources.lists
        known = lists.validators if lists.has_snapshot or lists.is_unchanged or has_changes else ()
        self.execution.rest(
            state.next, state.next_seen, doubts=lists.doubts, validators=known, is_open=has_changes and lists.covers
        )

    def _tell_unnamed(self, memory: Memory) -> None:
        """Note how many stored items the lists did not name in the last full comparison."""
        unnamed = tuple(filter(memory.is_unnamed, self.execution.state.unnamed))
        self.execution.put(replace(self.execution.state, unnamed=unnamed))
        if unnamed:
            count = f"more than {MOST_UNNAMED}" if len(unnamed) > MOST_UNNAMED else str(len(unnamed))
            self.walk.doubts.append(_UNNAMED.format(count, self.walk.options.source))

    def _read(self, lists: Lists) -> Iterator[RawPage]:
        """Yield the pages of the lists: of all resources before the first harvest or where changes are missing."""
        state, has = self.execution.before, self.resources.lists
        is_whole = state.is_whole or not state.position or "changelist" not in has or self._fills_gap(lists, state)
        if not is_whole:
            known = state.validators if state.is_open and not state.next else ()
            archive = has.get("changelist-archive", "")
            yield from lists.changes(has["changelist"], state.position, state.seen, archive, known)
            if lists.covers or not self._is_newer(lists, state):
                self.execution.put(replace(state, gap=self._doubted(lists.begins if lists.is_outdated else state.gap)))
                return
            self.walk.notes.append(f"Changes since {state.position} are not listed; all resources are compared.")
            state = replace(state, next="", next_seen=(), after="")
            self.execution.begin_again(state)
        if "resourcelist" not in has:
            raise NotResourceSync(f"{self.resources.url} names no Resource List, so a first harvest is impossible.")
        is_at_rest = not (state.is_whole or state.next or "changelist" in has)
        yield from lists.baseline(has["resourcelist"], state.validators if is_at_rest else ())
        if lists.is_unchanged:
            lists.position = state.position
            return
        if "changelist" in has:
            yield from lists.changes(has["changelist"], lists.position, (), has.get("changelist-archive", ""))
        gap = self._doubted(lists.begins if lists.is_outdated else "")
        # A list without a date cannot show that it is new enough.
        self.execution.put(replace(state, is_whole=True, gap=gap if lists.has_snapshot else ""))

    def _is_newer(self, lists: Lists, state: SetState) -> bool:
        """Return whether a Resource List may name changes that the Change Lists leave out.

        One that cannot be read is a doubt. Raise its error when no Change List could be read either.
        """
        covered = lists.position if lists.reaches_back and not lists.is_outdated else state.position
        try:
            return self._is_of(lists, covered, is_later=True)
        except (AnswerError, *REFUSALS, *FAILURES) as error:
            if lists.doubts:
                raise
            lists.note_missing(self.resources.lists["resourcelist"], error)
            return False

    def _is_of(self, lists: Lists, moment: str, *, is_later: bool = False) -> bool:
        """Return whether there is a Resource List of this time or later."""
        url = self.resources.lists.get("resourcelist", "")
        return bool(url) and lists.is_of(url, moment, is_later=is_later)

    def _fills_gap(self, lists: Lists, state: SetState) -> bool:
        """Return whether a Resource List now covers the gap of the Change Lists."""
        return bool(state.gap) and not state.next and self._is_of(lists, state.gap)

    def _doubted(self, gap: str) -> str:
        """Return the start of the Change Lists, and add a doubt about earlier changes; empty: no gap."""
        self.walk.doubts += [_GAP.format(gap)] if gap else []
        return gap

    def _is_known(self, lists: Lists) -> bool:
        """Return whether the only list is a snapshot that was already walked."""
        before = self.execution.before
        is_rest = bool(before.position) and not before.next and not before.failed
        has_changes = "changelist" in self.resources.lists
        return is_rest and not has_changes and lists.has_snapshot and lists.position == before.position

    def _begin(self, lists: Lists) -> SetState:
        """Return the state of the interrupted walk, or of a new one; its end is fixed at its start."""
        state = self.execution.state
        if not state.next:
            state = replace(state, next=lists.position, next_seen=lists.seen, after="")
        self.execution.put(state)
        return state
