"""Carrying out a plan: resource by resource into bundles, each committed with the state that is true behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from gateway.errors import GatewayError
from gateway.model import Cursor, RawPage
from harvester.resourcesync.bringing import Brought
from harvester.resourcesync.bundle import Bundle
from harvester.resourcesync.enduring import Endurance
from harvester.resourcesync.memory import Memory
from harvester.resourcesync.plan import Item, Plan, Role
from harvester.resourcesync.state import SetState, text_of
from harvester.sources import ListEnd, Options, Step
from harvester.wire.entries import Entry, entry_of, entry_text
from harvester.wire.http import Fetch
from harvester.wire.patches import RELATIONS as PATCHES

MOST_FAILED = 200  # resources that are remembered to be asked for again; of more than that, the position waits


class Bringer(Protocol):
    """Where resources come from; `most_at_once` of them make a bundle."""

    most_at_once: int

    def bring(self, own: Entry, held: bytes = b"") -> Brought:
        """Return what arrived, and the reason when it cannot be used."""
        ...


@dataclass(slots=True)
class Walk:
    """The walk of one cursor: what it was given, what it came to, and what is to be told with the next step."""

    options: Options
    cursor: Cursor
    fetch: Fetch
    states: dict[str, SetState]
    received: int = 0
    announced: int = 0
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    left_out: int = 0  # resources since the last step

    def step(self, page: RawPage, end: ListEnd = ListEnd.MORE, bundle: Bundle | None = None) -> Step:
        """Return a step with the states of all sets."""
        slices = bundle.slices if bundle else ()
        notes, self.notes = tuple(dict.fromkeys(self.notes)), []
        doubts = tuple(self.doubts) if end is not ListEnd.MORE else ()
        cursor = replace(self.cursor, state=text_of(self.states))
        left_out, self.left_out = self.left_out, 0
        announced = self.announced, self.announced
        return Step(page, slices, cursor, self.received, announced, end, doubts, notes, left_out=left_out)


class Carrier:
    """Carries out the plans of one set of resources. `before` is its state when the walk in progress began."""

    def __init__(self, walk: Walk, url: str) -> None:
        """Take the walk, and the address of the set."""
        self.walk, self.url = walk, url
        self.before = self.state
        self.received_at = 0
        self.endurance = Endurance(walk.options, walk.fetch, url)
        self._skipped = 0
        self._after = self.before.after
        self._failed: list[str] = []
        self._pending: dict[str, str] = {}  # what had failed before the walk and is still to be brought, by address
        self._tried: set[str] = set()  # of them, those that were asked for in this run

    # -- state --

    @property
    def state(self) -> SetState:
        """The state of the set as it will be committed with the next step."""
        return self.walk.states.get(self.url, SetState())

    def put(self, state: SetState) -> None:
        """Change the state of the set."""
        self.walk.states[self.url] = state

    def rest(
        self,
        position: str,
        seen: tuple[str, ...] = (),
        *,
        doubts: list[str] | None = None,
        validators: tuple[str, ...] = (),
    ) -> None:
        """End a walk: go on from this position next time, unless there are doubts; then from where it was."""
        doubts, before = list(doubts or ()), self.before
        if len(self._failed) > MOST_FAILED:
            doubts.append(f"Resources that could not be used: {len(self._failed)}; all are asked for again.")
        self.walk.doubts += doubts
        failed = before.failed if doubts else tuple(self._failed)
        # What is held already need not be fetched again for that: a walk of everything compares.
        unfinished = SetState(before.position, before.seen, is_whole=not before.position, gap=before.gap)
        begin = unfinished if doubts else SetState(position, seen, validators=validators, gap=self.state.gap)
        self.begin_again(replace(begin, failed=failed, unnamed=self.state.unnamed))

    def begin_again(self, state: SetState) -> None:
        """Let the next plan begin from this state."""
        self.put(state)
        self.before, self._after, self._failed = state, state.after, []

    # -- resources --

    def carry_out(self, plan: Plan, memory: Memory, bringer: Bringer, *, is_all: bool = False) -> Iterator[Step]:
        """Bring what is planned behind the address at which the state stands, and what could not be used before.

        `is_all`: the plan is of everything there is, so what it does not name is there no more.
        """
        self.walk.announced += plan.size(self._after)
        before = {entries[0].loc: (entries, text) for entries, text in self._before()}
        self._pending = {uri: text for uri, (_, text) in before.items()}
        bundle = self._bundle(bringer)
        # What failed before comes last: a part of the source that is always ill must not end runs before the rest came.
        again = ((each, "") for each in self._again(plan, memory, is_all=is_all))
        for planned, after in chain(((each, each.uri) for each in plan.items(self._after)), again):
            known, _ = before.get(planned.uri, ((), ""))
            item = memory.completed(planned, known, is_whole=self.state.is_whole)
            try:
                self._bring(item, bundle, memory, bringer)
            except GatewayError:
                if bundle.slices:
                    yield self._commit(bundle)  # what is here is not asked for again
                raise
            self._after = max(self._after, after)
            self._pending.pop(item.uri, None)
            if bundle.is_full:
                yield self._commit(bundle)
                bundle = self._bundle(bringer)
        if bundle.slices:
            yield self._commit(bundle)
        self._note_left_out(plan)

    def _again(self, plan: Plan, memory: Memory, *, is_all: bool) -> Iterator[Item]:
        """Return what could not be used before, unless the plan has it; as deleted what is not there any more."""
        for (entry, *content), text in self._before():
            if text in self._tried:
                self._failed.append(text)
                continue
            is_gone = is_all and not plan.has_item(entry.loc)
            # Deletions are the plan's, and perhaps done; of an earlier version that is held, a sweep decides.
            if plan.deletes(entry.loc) or (is_gone and memory.holds(entry.loc)):
                continue
            planned = plan.item(entry.loc)
            if is_gone or entry.loc <= self.before.after or (planned is None and plan.entry(entry.loc) is None):
                self.walk.announced += 1
                role = Role.DELETED if is_gone else Role.METADATA
                yield planned or Item(entry.loc, role, entry, tuple(content))

    def _before(self) -> Iterator[tuple[tuple[Entry, ...], str]]:
        """Return what could not be used before, own entry and those of its content, and as what it is remembered."""
        for text in self.before.failed:
            with suppress(ValueError, TypeError):  # somebody has edited the state
                yield tuple(map(entry_of, text.split("\n"))), text

    def _bundle(self, bringer: Bringer) -> Bundle:
        return Bundle(self.walk.options, self.walk.cursor, self.url, self.received_at, bringer.most_at_once)

    def _commit(self, bundle: Bundle) -> Step:
        self.walk.received += len(bundle.slices)
        state = self.state
        failed = tuple(dict.fromkeys((*self._pending.values(), *self._failed)))[: MOST_FAILED + 1]
        self.put(replace(state, after=self._after, received=state.received + len(bundle.slices), failed=failed))
        return self.walk.step(bundle.page(), bundle=bundle)

    def _bring(self, item: Item, bundle: Bundle, memory: Memory, bringer: Bringer) -> None:
        if item.role is Role.DELETED and item.entry is not None:
            bundle.delete(item.entry)
            return
        own = item.entry or _entry_of(item)
        is_compared = bool(self.before.position) or self.before.is_whole
        if is_compared and self.state.is_whole and memory.is_unchanged(own, item):
            self.walk.announced -= 1
            return
        has_patch = any(each.rel in PATCHES for each in own.links)
        fetched, problem = bringer.bring(own, memory.bytes_of(item.uri) if has_patch else b"")
        if fetched is None or problem:
            self._failed.append("\n".join(map(entry_text, (own, *item.content))))
            self._tried.add(self._failed[-1])
            bundle.refuse(item, problem)
        elif own.type or _looks_like_metadata(fetched.body):
            bundle.take(item, own, fetched)
        else:
            self._skipped += 1
            self.walk.announced -= 1

    def _note_left_out(self, plan: Plan) -> None:
        count, self._skipped = self._skipped + plan.undescribed(), 0
        if count:
            self.walk.left_out += count
            self.walk.notes.append(f"Resources that are no metadata, and that none describes, were left out: {count}.")


def _entry_of(item: Item) -> Entry:
    """Return what is known of metadata that only its content names."""
    links = (each for entry in item.content for each in entry.related("describedby"))
    link = next((each for each in links if each.href == item.uri), None)
    if link is None:
        return Entry(item.uri)
    return Entry(item.uri, link.modified, type=link.type, length=link.length, digests=link.digests, path=link.path)


def _looks_like_metadata(body: bytes) -> bool:
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    return start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")) and not start.startswith((b"<!doctype html", b"<html"))
