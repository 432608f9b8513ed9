"""Execution of a plan: resources are fetched into bundles, each committed with the state after it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from typing import Any

from gateway.core.errors import GatewayError
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch
from harvester.sources import ListEnd, Options, Step
from harvester.sources.resourcesync.bundle import Bundle
from harvester.sources.resourcesync.entries import Entry, entry_of, entry_text
from harvester.sources.resourcesync.plan import Item, Memory, Plan, Role
from harvester.sources.resourcesync.request import Endurance, ResourceSupplier

MOST_FAILED = 200  # resources to request again that are stored; with more, the position does not move
_VERSION = 1  # of the text of a cursor, which may be old or edited; unreadable means from the start


@dataclass(frozen=True, slots=True)
class SetState:
    """The state of one set of resources. Times are as its documents wrote them.

    All changes before `position` are stored; of those at that exact time, the ones in `seen` (digests of entries).
    During a walk, `next` and `next_seen` are their values at its end. All resources up to the URL `after`, in the order
    of URLs, have been fetched. `is_whole`: the walk has all resources of the source. `failed` are the entries of
    unusable resources to request again, as texts: a line for the resource, and one for each of its content.
    `validators` are URL, ETag and Last-Modified of the list that was read last. `is_open`: it is a Change List that
    covers the time until now, so it still does if it is unchanged. `unnamed` are stored items that no list
    named in the last full comparison. `gap` is the start of Change Lists that left out earlier changes; a Resource List
    of that time covers them. `package` is the package of a dump that contains `after`, `packages` those of a baseline
    that were read. Their marks distinguish them from later packages of the same name.
    """

    position: str = ""
    seen: tuple[str, ...] = ()
    next: str = ""
    next_seen: tuple[str, ...] = ()
    after: str = ""
    is_whole: bool = False
    received: int = 0
    failed: tuple[str, ...] = ()
    package: str = ""
    packages: tuple[str, ...] = ()
    validators: tuple[str, ...] = ()
    is_open: bool = False
    gap: str = ""
    unnamed: tuple[str, ...] = ()


def states_of(text: str) -> tuple[dict[str, SetState], str]:
    """Return the states of the sets by URL, and a sentence when the text was unreadable; then there are none."""
    if not text:
        return {}, ""
    try:
        values = json.loads(text)
    except ValueError:
        return {}, "The state of this list could not be read, so it starts again."
    if not isinstance(values, dict) or values.get("version") != _VERSION or not _fits(values.get("sets")):
        return {}, "The state of this list has another form, so it starts again."
    return {url: _state(state) for url, state in values["sets"].items()}, ""


def _state(values: dict[str, Any]) -> SetState:
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return SetState(**plain)


def _fits(sets: object) -> bool:
    kinds = {field_.name: type(field_.default) for field_ in fields(SetState)}
    return isinstance(sets, dict) and all(
        isinstance(state, dict) and all(name in kinds and _is_a(value, kinds[name]) for name, value in state.items())
        for state in sets.values()
    )


def _is_a(value: object, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return type(value) is kind


def text_of(states: Mapping[str, SetState]) -> str:
    """Return states as the text of a cursor."""
    plain = asdict(SetState())
    sets = {
        url: {name: value for name, value in asdict(state).items() if value != plain[name]}
        for url, state in states.items()
    }
    return json.dumps({"version": _VERSION, "sets": sets}, ensure_ascii=False, sort_keys=True)


# --- the walk -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Walk:
    """The walk of one cursor: its input, its state, and the notes for the next step."""

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


class PlanExecution:
    """Executes the plans of one set of resources. `before` is its state at the start of the current walk."""

    def __init__(self, walk: Walk, url: str) -> None:
        self.walk, self.url = walk, url
        self.before = self.state
        self.received_at = 0
        self.endurance = Endurance(walk.options, walk.fetch, url)
        self._skipped = 0
        self._after = self.before.after
        self._failed: list[str] = []
        self._pending: dict[str, str] = {}  # resources that failed before the walk and are still missing, by URL
        self._tried: set[str] = set()  # those of them that were requested in this run

    # -- state --

    @property
    def state(self) -> SetState:
        """The state of the set for the commit of the next step."""
        return self.walk.states.get(self.url, SetState())

    def put(self, state: SetState) -> None:
        """Set the state of the set."""
        self.walk.states[self.url] = state

    def rest(
        self,
        position: str,
        seen: tuple[str, ...] = (),
        *,
        doubts: list[str] | None = None,
        validators: tuple[str, ...] = (),
        is_open: bool = False,
    ) -> None:
        """End a walk: the next one begins at this position, or with doubts at the old one."""
        doubts, before = list(doubts or ()), self.before
        if len(self._failed) > MOST_FAILED:
            doubts.append(f"Resources that could not be used: {len(self._failed)}. All resources are requested again.")
        self.walk.doubts += doubts
        failed = before.failed if doubts else tuple(self._failed)
        # Stored resources are not fetched again for that: a walk of all resources compares.
        unfinished = SetState(before.position, before.seen, is_whole=not before.position, gap=before.gap)
        finished = SetState(position, seen, validators=validators, is_open=is_open, gap=self.state.gap)
        begin = unfinished if doubts else finished
        self.begin_again(replace(begin, failed=failed, unnamed=self.state.unnamed))

    def begin_again(self, state: SetState) -> None:
        """Start the next plan from this state."""
        self.put(state)
        self.before, self._after, self._failed = state, state.after, []

    # -- resources --

    def execute(
        self, plan: Plan, memory: Memory, supplier: ResourceSupplier, *, is_all: bool = False
    ) -> Iterator[Step]:
        """Yield steps with the planned resources after the URL in the state, then those that failed before.

        `is_all`: the plan has all resources of the source, so others no longer exist. Raise the errors of `fetch` when
        the server as a whole is failing.
        """
        self.walk.announced += plan.size(self._after)
        before = {entries[0].loc: (entries, text) for entries, text in self._before()}
        self._pending = {uri: text for uri, (_, text) in before.items()}
        bundle = self._bundle(supplier)
        # Resources that failed before come last: a part that always fails must not end runs before the rest is fetched.
        again = ((item, "") for item in self._again(plan, memory, is_all=is_all))
        for planned, after in chain(((item, item.uri) for item in plan.items(self._after)), again):
            known, _ = before.get(planned.uri, ((), ""))
            item = memory.completed(planned, known, is_whole=self.state.is_whole)
            try:
                self._fetch_into(item, bundle, memory, supplier)
            except GatewayError:
                if bundle.slices:
                    yield self._commit(bundle)  # received resources are not requested again
                raise
            self._after = max(self._after, after)
            self._pending.pop(item.uri, None)
            if bundle.is_full:
                yield self._commit(bundle)
                bundle = self._bundle(supplier)
        if bundle.slices:
            yield self._commit(bundle)
        self._note_left_out(plan)

    def _again(self, plan: Plan, memory: Memory, *, is_all: bool) -> Iterator[Item]:
        """Yield resources that failed before and are not in the plan; vanished ones as deleted."""
        for (entry, *content), text in self._before():
            if text in self._tried:
                self._failed.append(text)
                continue
            is_gone = is_all and not plan.has_item(entry.loc)
            # The plan has its own deletions. A sweep decides on an earlier stored version.
            if plan.deletes(entry.loc) or (is_gone and memory.holds(entry.loc)):
                continue
            planned = plan.item(entry.loc)
            if is_gone or entry.loc <= self.before.after or (planned is None and plan.entry(entry.loc) is None):
                self.walk.announced += 1
                role = Role.DELETED if is_gone else Role.METADATA
                yield planned or Item(entry.loc, role, entry, tuple(content))

    def _before(self) -> Iterator[tuple[tuple[Entry, ...], str]]:
        """Yield the entries of resources that failed before, and the text under which they are stored."""
        for text in self.before.failed:
            with suppress(ValueError, TypeError):  # the state was edited by hand
                yield tuple(map(entry_of, text.split("\n"))), text

    def _bundle(self, supplier: ResourceSupplier) -> Bundle:
        return Bundle(self.walk.options, self.walk.cursor, self.url, self.received_at, supplier.most_at_once)

    def _commit(self, bundle: Bundle) -> Step:
        self.walk.received += len(bundle.slices)
        state = self.state
        failed = tuple(dict.fromkeys((*self._pending.values(), *self._failed)))[: MOST_FAILED + 1]
        self.put(replace(state, after=self._after, received=state.received + len(bundle.slices), failed=failed))
        return self.walk.step(bundle.page(), bundle=bundle)

    def _fetch_into(self, item: Item, bundle: Bundle, memory: Memory, supplier: ResourceSupplier) -> None:
        if item.role is Role.DELETED and item.entry is not None:
            bundle.delete(item.entry)
            return
        own = item.entry or _entry_of(item)
        is_compared = bool(self.before.position) or self.before.is_whole
        if is_compared and self.state.is_whole and memory.is_unchanged(own, item):
            self.walk.announced -= 1
            return
        fetched, problem = supplier.supply(own)
        if fetched is None or problem:
            self._failed.append("\n".join(map(entry_text, (own, *item.content))))
            self._tried.add(self._failed[-1])
            bundle.refuse(item, problem)
        elif own.type or _is_metadata(fetched.body):
            bundle.take(item, own, fetched)
        else:
            self._skipped += 1
            self.walk.announced -= 1

    def _note_left_out(self, plan: Plan) -> None:
        count, self._skipped = self._skipped + plan.undescribed(), 0
        if count:
            self.walk.left_out += count
            self.walk.notes.append(
                f"Resources that are neither metadata that can be read nor described by any were left out: {count}."
            )


def _entry_of(item: Item) -> Entry:
    """Return the entry of metadata that only its content names."""
    links = (link for entry in item.content for link in entry.related("describedby"))
    link = next((link for link in links if link.href == item.uri), None)
    if link is None:
        return Entry(item.uri)
    return Entry(item.uri, link.modified, type=link.type, length=link.length, digests=link.digests, path=link.path)


def _is_metadata(body: bytes) -> bool:
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    return start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")) and not start.startswith((b"<!doctype html", b"<html"))
