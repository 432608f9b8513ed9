"""The sets of resources of one source, walked from where its cursor stands: read the lists, fetch, delete, go on.

find the lists -> everything, or what has changed -> a plan -> fetch in the order of addresses, a page for a few
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from itertools import chain

from gateway.errors import ConnectionFailed, GatewayError, NotResourceSync
from gateway.model import Cursor, RawPage
from harvester.resourcesync.asking import told
from harvester.resourcesync.bundle import Bundle
from harvester.resourcesync.finding import Found, ResourceSet, find
from harvester.resourcesync.lists import Lists
from harvester.resourcesync.memory import Memory
from harvester.resourcesync.plan import Item, Plan, Role
from harvester.resourcesync.state import SetState, states_of, text_of
from harvester.sources import ListEnd, Options, Step
from harvester.wire.entries import Entry, entry_of, entry_text
from harvester.wire.fixity import fault_of
from harvester.wire.http import Fetch, Fetched, Request

_MOST_FAILURES = 10  # resources in a row that an ill server does not bring
_MOST_FAILED = 200  # resources that are remembered to be asked for again; of more than that, the position waits


def changes(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Step]:
    """Walk the sets of a source, or the one that the cursor's set names, from where its state says.

    Raise NotResourceSync, what `fetch` raises, and ConnectionFailed when the server is ill.
    """
    yield from _Walk(options, cursor, fetch).steps()


class _Walk:
    """All sets, one after the other."""

    def __init__(self, options: Options, cursor: Cursor, fetch: Fetch) -> None:
        self.options, self.cursor, self.fetch = options, cursor, fetch
        self.states, note = states_of(cursor.state)
        self.notes = [note] if note else []
        self.received = sum(each.received for each in self.states.values())
        self.announced = self.received
        self.doubts: list[str] = []

    def steps(self) -> Iterator[Step]:
        """Yield what arrives, and at the end a step without a record."""
        found = find(self.options, self.fetch)
        self.notes += found.notes
        sets = [each for each in found.sets if self.cursor.set_spec in ("", each.url)]
        if not sets:
            raise NotResourceSync(f"{self.options.url} has no set of resources {self.cursor.set_spec!r}.")
        for each in sets:
            yield from _SetWalk(self, each).steps()
        yield self.step(self._closing(found), ListEnd.PROPER)

    def _closing(self, found: Found) -> RawPage:
        """Return the page of the last step: the document that names the lists, else nothing but the address."""
        bare = RawPage(self.options.source, "ResourceSync", self.options.url, found.received_at, 200, (), b"")
        page = found.pages[-1] if found.pages else bare
        return replace(page, metadata_prefix=self.cursor.metadata_prefix, set_spec=self.cursor.set_spec)

    def step(self, page: RawPage, end: ListEnd = ListEnd.MORE, bundle: Bundle | None = None) -> Step:
        """Return a step with the state of all sets."""
        slices = bundle.slices if bundle else ()
        notes, self.notes = tuple(dict.fromkeys(self.notes)), []
        doubts = tuple(self.doubts) if end is not ListEnd.MORE else ()
        cursor = replace(self.cursor, state=text_of(self.states))
        return Step(page, slices, cursor, self.received, (self.announced, self.announced), end, doubts, notes)


class _SetWalk:
    """One set of resources."""

    def __init__(self, walk: _Walk, resources: ResourceSet) -> None:
        self.walk, self.resources = walk, resources
        self.before = walk.states.get(resources.url, SetState())
        self.failures = self.skipped = self.received_at = 0
        self.after = self.before.after
        self.failed: list[str] = []

    def steps(self) -> Iterator[Step]:
        with Plan() as plan:
            lists = Lists(self.walk.options, self.walk.cursor, self.walk.fetch, plan)
            for page in self._read(lists):
                yield self.walk.step(page)
            self.received_at = lists.received_at
            self.walk.notes += lists.notes
            if self._is_known(lists):
                return
            self._begin(lists)
            state = self._state()
            memory = Memory(self.walk.options.holdings, self.walk.cursor.metadata_prefix, plan)
            if not state.is_whole:
                memory.touch_items_of_strangers()
            elif lists.doubts == []:
                self.walk.doubts += memory.vanished(self.walk.options.source)
            self.walk.announced += plan.size(state.after)
            yield from self._fetch_all(plan, memory)
            self._note_left_out(plan)
            self._end(lists)

    # -- lists --

    def _read(self, lists: Lists) -> Iterator[RawPage]:
        """Read the lists: all there is when nothing is held, or it is not told what has changed since."""
        state, has = self.before, self.resources.lists
        is_whole = state.is_whole or not state.position or "changelist" not in has
        if not is_whole:
            yield from lists.changes(has["changelist"], state.position, state.seen)
            if not lists.is_outdated:
                return
            self.walk.notes.append(f"What changed since {state.position} is not told any more; all is compared.")
        if "resourcelist" not in has:
            raise NotResourceSync(f"{self.resources.url} names no Resource List to begin with.")
        yield from lists.baseline(has["resourcelist"])
        if "changelist" in has:
            yield from lists.changes(has["changelist"], lists.position, ())
        self._set(replace(state, is_whole=True))

    def _is_known(self, lists: Lists) -> bool:
        """Tell whether the only list is of a snapshot that has been walked already."""
        is_rest = bool(self.before.position) and not self.before.next and not self.before.failed
        has_changes = "changelist" in self.resources.lists
        return is_rest and not has_changes and lists.has_snapshot and lists.position == self.before.position

    # -- state --

    def _state(self) -> SetState:
        return self.walk.states[self.resources.url]

    def _set(self, state: SetState) -> None:
        self.walk.states[self.resources.url] = state

    def _begin(self, lists: Lists) -> None:
        """Go on with the walk that was interrupted, or begin one; where it leads is decided at its beginning."""
        state = self.walk.states.get(self.resources.url, self.before)
        if not state.next:
            state = replace(state, next=lists.position, next_seen=lists.seen, after="")
        self._set(state)

    def _end(self, lists: Lists) -> None:
        """Advance the position, unless something is missing: then the next run reads the same lists again."""
        state = self._state()
        doubts = list(lists.doubts)
        if len(self.failed) > _MOST_FAILED:
            doubts.append(f"Resources that could not be used: {len(self.failed)}; all are asked for again.")
        elif self.failed:
            self.walk.doubts.append(f"Resources that could not be used are asked for again: {len(self.failed)}.")
        self.walk.doubts += doubts
        before, failed = self.before, tuple(self.failed)
        if doubts:
            self._set(SetState(before.position, before.seen, failed=before.failed))
        else:
            self._set(SetState(state.next, state.next_seen, failed=failed))

    # -- resources --

    def _fetch_all(self, plan: Plan, memory: Memory) -> Iterator[Step]:
        bundle = self._bundle()
        for planned in chain(self._again(plan), plan.items(self.after)):
            item = memory.completed(planned, is_whole=self._state().is_whole)
            try:
                self._bring(item, bundle, memory)
            except GatewayError:
                if bundle.slices:
                    yield self._commit(bundle)  # what is here is not asked for again
                raise
            self.after = max(self.after, item.uri)
            if bundle.is_full:
                yield self._commit(bundle)
                bundle = self._bundle()
        if bundle.slices:
            yield self._commit(bundle)

    def _again(self, plan: Plan) -> Iterator[Item]:
        """Return what could not be used before, unless the plan has it."""
        for text in self.before.failed:
            try:
                entry = entry_of(text)
            except (ValueError, TypeError):  # somebody has edited the state
                continue
            if entry.loc <= self.before.after or plan.entry(entry.loc) is None:
                self.walk.announced += 1
                yield Item(entry.loc, Role.METADATA, entry)

    def _bundle(self) -> Bundle:
        return Bundle(self.walk.options, self.walk.cursor, self.resources.url, self.received_at)

    def _commit(self, bundle: Bundle) -> Step:
        self.walk.received += len(bundle.slices)
        state = self._state()
        failed = tuple(dict.fromkeys((*self.before.failed, *self.failed)))[: _MOST_FAILED + 1]
        self._set(replace(state, after=self.after, received=state.received + len(bundle.slices), failed=failed))
        return self.walk.step(bundle.page(), bundle=bundle)

    def _bring(self, item: Item, bundle: Bundle, memory: Memory) -> None:
        if item.role is Role.DELETED and item.entry is not None:
            bundle.delete(item.entry)
            return
        own = item.entry or _entry_of(item)
        if self.before.position and self._state().is_whole and memory.is_unchanged(own, item):
            self.walk.announced -= 1
            return
        fetched, problem = self._fetched(own)
        if problem:
            self.failed.append(entry_text(own))
            bundle.refuse(item, problem)
        elif own.type or _looks_like_metadata(fetched.body):
            bundle.take(item, own, fetched)
        else:
            self.skipped += 1
            self.walk.announced -= 1

    def _fetched(self, own: Entry) -> tuple[Fetched, str]:
        """Fetch a resource, or one of its duplicates; with the reason when none can be used."""
        problems = []
        duplicates = (each.href for each in own.related("duplicate") if each.href.lower().startswith("http"))
        for url in (own.loc, *duplicates):
            fetched = self.walk.fetch(Request(url, self.walk.options.source))
            problem = self._problem(own, fetched)
            if not problem:
                return fetched, ""
            problems.append(problem)
        return fetched, problems[0]

    def _problem(self, own: Entry, fetched: Fetched) -> str:
        if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.failures += 1
            if self.failures == _MOST_FAILURES:
                raise ConnectionFailed(f"{told(fetched)}, as those before it did; the server is ill.")
        else:
            self.failures = 0
        if fetched.status != HTTPStatus.OK:
            return f"{told(fetched)}."
        is_encoded = bool(own.encoding or fetched.header("Content-Encoding"))
        return fault_of(fetched.body, None if is_encoded else own.length, own.digests)

    def _note_left_out(self, plan: Plan) -> None:
        count = self.skipped + plan.undescribed()
        if count:
            self.walk.notes.append(f"Resources that are no metadata, and that none describes, were left out: {count}.")


def _entry_of(item: Item) -> Entry:
    """Return what is known of metadata that only its content names."""
    links = (each for entry in item.content for each in entry.related("describedby"))
    link = next((each for each in links if each.href == item.uri), None)
    if link is None:
        return Entry(item.uri)
    return Entry(item.uri, link.modified, type=link.type, length=link.length, digests=link.digests)


def _looks_like_metadata(body: bytes) -> bool:
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:20].lower()
    return start.startswith((b"<", b"\xff\xfe", b"\xfe\xff")) and not start.startswith((b"<!doctype html", b"<html"))
