"""The sets of resources of one source, walked from where its cursor stands: read the lists, fetch, delete, go on.

find the lists -> everything, or what has changed -> a plan -> fetch in the order of addresses, a page for a few
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gateway.errors import NotResourceSync
from gateway.model import Cursor, RawPage
from harvester.resourcesync.bringing import FromWeb
from harvester.resourcesync.carrying import Carrier, Walk
from harvester.resourcesync.dumps import Dumps
from harvester.resourcesync.finding import Found, ResourceSet, find
from harvester.resourcesync.lists import Lists
from harvester.resourcesync.memory import Memory
from harvester.resourcesync.plan import Plan
from harvester.resourcesync.state import SetState, states_of
from harvester.sources import ListEnd, Options, Step
from harvester.wire.http import Fetch


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk the sets of a source, or the one that the cursor's set names, from where its state says.

    Raise NotResourceSync, what `fetch` raises, and ConnectionFailed when the server is ill.
    """
    states, note = states_of(cursor.state)
    walk = Walk(options, cursor, fetch, states)
    walk.received = walk.announced = sum(each.received for each in states.values())
    found = find(options, fetch)
    walk.notes += [*([note] if note else []), *found.notes]
    sets = [each for each in found.sets if cursor.set_spec in ("", each.url)]
    if not sets:
        raise NotResourceSync(f"{options.url} has no set of resources {cursor.set_spec!r}.")
    for each in sets:
        carrier = Carrier(walk, each.url)
        dumps = Dumps(carrier, each)
        yield from dumps.steps()
        if not dumps.is_enough:
            yield from _SetWalk(carrier, each).steps()
        if failed := len(carrier.state.failed):
            walk.doubts.append(f"Resources that could not be used are asked for again: {failed}.")
    yield walk.step(_closing(walk, found), ListEnd.PROPER)


def _closing(walk: Walk, found: Found) -> RawPage:
    """Return the page of the last step: the document that names the lists, else nothing but the address."""
    options, cursor = walk.options, walk.cursor
    bare = RawPage(options.source, "ResourceSync", options.url, found.received_at, 200, (), b"")
    page = found.pages[-1] if found.pages else bare
    return replace(page, metadata_prefix=cursor.metadata_prefix, set_spec=cursor.set_spec)


class _SetWalk:
    """One set of resources, by its lists."""

    def __init__(self, carrier: Carrier, resources: ResourceSet) -> None:
        self.carrier, self.resources = carrier, resources
        self.walk = carrier.walk

    def steps(self) -> Iterator[Step]:
        with Plan() as plan:
            lists = Lists(self.walk.options, self.walk.cursor, self.walk.fetch, plan)
            for page in self._read(lists):
                yield self.walk.step(page)
            self.carrier.received_at = lists.received_at
            self.walk.notes += lists.notes
            if self._is_known(lists):
                return
            state = self._begin(lists)
            memory = Memory(self.walk.options.holdings, self.walk.cursor.metadata_prefix, plan)
            if not state.is_whole:
                memory.touch_items_of_strangers()
            elif not lists.doubts:
                self.walk.doubts += memory.vanished(self.walk.options.source)
            yield from self.carrier.carry_out(plan, memory, FromWeb(self.walk.options, self.walk.fetch))
            state = self.carrier.state
            self.carrier.rest(state.next, state.next_seen, doubts=lists.doubts)

    def _read(self, lists: Lists) -> Iterator[RawPage]:
        """Read the lists: all there is when nothing is held, or it is not told what has changed since."""
        state, has = self.carrier.before, self.resources.lists
        is_whole = state.is_whole or not state.position or "changelist" not in has
        if not is_whole:
            yield from lists.changes(has["changelist"], state.position, state.seen, has.get("changelist-archive", ""))
            if not lists.is_outdated:
                return
            self.walk.notes.append(f"What changed since {state.position} is not told any more; all is compared.")
        if "resourcelist" not in has:
            raise NotResourceSync(f"{self.resources.url} names no Resource List to begin with.")
        yield from lists.baseline(has["resourcelist"])
        if "changelist" in has:
            at = lists.position
            yield from lists.changes(has["changelist"], at, (), has.get("changelist-archive", ""))
            if lists.is_outdated:
                self.walk.doubts.append(f"The Change Lists begin behind {at}: what changed until then is told nowhere.")
        self.carrier.put(replace(state, is_whole=True))

    def _is_known(self, lists: Lists) -> bool:
        """Tell whether the only list is of a snapshot that has been walked already."""
        before = self.carrier.before
        is_rest = bool(before.position) and not before.next and not before.failed
        has_changes = "changelist" in self.resources.lists
        return is_rest and not has_changes and lists.has_snapshot and lists.position == before.position

    def _begin(self, lists: Lists) -> SetState:
        """Go on with the walk that was interrupted, or begin one; where it leads is decided at its beginning."""
        state = self.carrier.state
        if not state.next:
            state = replace(state, next=lists.position, next_seen=lists.seen, after="")
        self.carrier.put(state)
        return state
