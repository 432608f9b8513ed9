"""The sets of resources of one source, walked from where its cursor stands: read the lists, fetch, delete, go on.

find the lists -> everything, or what has changed -> a plan -> fetch in the order of addresses, a page for a few
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gateway.errors import AnswerError, NotResourceSync
from gateway.model import Cursor, RawPage
from harvester.resourcesync.bringing import REFUSALS, FromWeb
from harvester.resourcesync.carrying import Carrier, Walk
from harvester.resourcesync.dumps import Dumps
from harvester.resourcesync.enduring import FAILURES
from harvester.resourcesync.finding import NO_BEGINNING, Found, ResourceSet, find
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
    walk.doubts += found.doubts
    sets = [each for each in found.sets if cursor.set_spec in ("", each.url)]
    if not sets:
        raise NotResourceSync(f"{options.url} has no set of resources {cursor.set_spec!r}.")
    begun = [each for each in sets if each.has_beginning or states.get(each.url, SetState()).position]
    walk.doubts += (NO_BEGINNING.format(each.url) for each in sets if each not in begun)
    if not begun:
        raise NotResourceSync(walk.doubts[-1])
    failures = 0
    for each in begun:
        others = frozenset(other.url for other in found.sets if other.url != each.url)
        try:
            yield from _walked(Carrier(walk, each.url), each, others)
        except (AnswerError, *REFUSALS, *FAILURES) as error:  # says nothing of the other sets
            failures += 1
            if failures == len(begun):
                raise
            walk.doubts.append(f"{each.url}: {error}")
    yield walk.step(_closing(walk, found), ListEnd.PROPER)


def _walked(carrier: Carrier, resources: ResourceSet, others: frozenset[str]) -> Iterator[Step]:
    """Walk one set: its dumps, and its lists where the dumps are not enough."""
    dumps = Dumps(carrier, resources)
    yield from dumps.steps()
    if not dumps.is_enough:
        yield from _SetWalk(carrier, resources, others).steps()
    if failed := len(carrier.state.failed):
        carrier.walk.doubts.append(f"Resources that could not be used are asked for again: {failed}.")


def _closing(walk: Walk, found: Found) -> RawPage:
    """Return the page of the last step: the document that names the lists, else nothing but the address."""
    options, cursor = walk.options, walk.cursor
    bare = RawPage(options.source, "ResourceSync", options.url, found.received_at, 200, (), b"")
    page = found.pages[-1] if found.pages else bare
    return replace(page, metadata_prefix=cursor.metadata_prefix, set_spec=cursor.set_spec)


MOST_UNNAMED = 200  # items that are remembered by name

_UNNAMED = "The lists do not name {} of the items held; `harvester source sweep {}` deletes them."
_GAP = "What changed before {} may be missing: the Change Lists begin there, and no Resource List is of then or later."


class _SetWalk:
    """One set of resources, by its lists; `others` are the addresses of the further sets of the source."""

    def __init__(self, carrier: Carrier, resources: ResourceSet, others: frozenset[str]) -> None:
        self.carrier, self.resources, self.others = carrier, resources, others
        self.walk = carrier.walk

    def steps(self) -> Iterator[Step]:
        with Plan() as plan:
            lists = Lists(self.walk.options, self.walk.cursor, self.walk.fetch, plan, self.carrier.endurance)
            for page in self._read(lists):
                yield self.walk.step(page)
            self.carrier.received_at = lists.received_at
            self.walk.notes += lists.notes
            memory = Memory(self.walk.options.holdings, self.walk.cursor.metadata_prefix, plan, self.others)
            if not self._is_known(lists):
                yield from self._walked(lists, plan, memory)
            self._tell_unnamed(memory)

    def _walked(self, lists: Lists, plan: Plan, memory: Memory) -> Iterator[Step]:
        state = self._begin(lists)
        is_all = state.is_whole and not lists.doubts
        if not state.is_whole:
            memory.touch_items_of_strangers()
        elif is_all:
            self.carrier.put(replace(state, unnamed=memory.unnamed(MOST_UNNAMED + 1)))
        bringer = FromWeb(self.walk.options, self.walk.fetch, self.carrier.endurance)
        yield from self.carrier.carry_out(plan, memory, bringer, is_all=is_all)
        state = self.carrier.state
        # A Resource List that does not say of when it is may stay as it is while resources change.
        has_changes = "changelist" in self.resources.lists
        known = lists.validators if lists.has_snapshot or lists.is_unchanged or has_changes else ()
        self.carrier.rest(state.next, state.next_seen, doubts=lists.doubts, validators=known)

    def _tell_unnamed(self, memory: Memory) -> None:
        """Say how many items are held that the lists did not name when all was compared, as long as they are held."""
        unnamed = tuple(filter(memory.is_unnamed, self.carrier.state.unnamed))
        self.carrier.put(replace(self.carrier.state, unnamed=unnamed))
        if unnamed:
            count = f"more than {MOST_UNNAMED}" if len(unnamed) > MOST_UNNAMED else str(len(unnamed))
            self.walk.doubts.append(_UNNAMED.format(count, self.walk.options.source))

    def _read(self, lists: Lists) -> Iterator[RawPage]:
        """Read the lists: all there is when nothing is held, or it is not told what has changed since."""
        state, has = self.carrier.before, self.resources.lists
        is_whole = state.is_whole or not state.position or "changelist" not in has or self._fills_gap(lists, state)
        if not is_whole:
            known, archive = () if state.next else state.validators, has.get("changelist-archive", "")
            yield from lists.changes(has["changelist"], state.position, state.seen, archive, known)
            is_newer = lists.is_outdated and self._is_of(lists, state.position, is_later=True)
            if not is_newer:
                self.carrier.put(replace(state, gap=self._told(lists.begins if lists.is_outdated else state.gap)))
                return
            self.walk.notes.append(f"What changed since {state.position} is not told any more; all is compared.")
        if "resourcelist" not in has:
            raise NotResourceSync(f"{self.resources.url} names no Resource List to begin with.")
        is_at_rest = not (state.is_whole or state.next or "changelist" in has)
        yield from lists.baseline(has["resourcelist"], state.validators if is_at_rest else ())
        if lists.is_unchanged:
            lists.position = state.position
            return
        if "changelist" in has:
            yield from lists.changes(has["changelist"], lists.position, (), has.get("changelist-archive", ""))
        gap = self._told(lists.begins if lists.is_outdated else "")
        # A list that does not say of when it is will never tell whether it is of then.
        self.carrier.put(replace(state, is_whole=True, gap=gap if lists.has_snapshot else ""))

    def _is_of(self, lists: Lists, moment: str, *, is_later: bool = False) -> bool:
        """Tell whether there is a Resource List of a moment or later."""
        url = self.resources.lists.get("resourcelist", "")
        return bool(url) and lists.is_of(url, moment, is_later=is_later)

    def _fills_gap(self, lists: Lists, state: SetState) -> bool:
        """Tell whether a Resource List tells by now what the Change Lists had left out."""
        return bool(state.gap) and not state.next and self._is_of(lists, state.gap)

    def _told(self, gap: str) -> str:
        """Return where the Change Lists began, having said that what was before may be missing; empty: all is told."""
        self.walk.doubts += [_GAP.format(gap)] if gap else []
        return gap

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
