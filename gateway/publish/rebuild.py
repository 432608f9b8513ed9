"""Rebuild: makes all records again after a change of a mapping, and tombstones of all records of a removed source.

It walks over the items of the store in batches. If another process publishes meanwhile, the position of the source has
moved, and the batch is read again. So an old record never replaces a new one.

Child processes make the records of a part of the items at a time. A line on the standard input of a child names a part:
the number of the item before it, and its last one. A line on standard output has the result, or the error that ended
the child. All are JSON. The child (`upkeep.rebuild_parts`) exits after its present part when its input ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from select import select
from typing import Final, NamedTuple, TypeAlias

from gateway.core.children import Child, program
from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.model import ItemState, Lack, Publication
from gateway.core.takedowns import Takedowns
from gateway.formats import written
from gateway.publish.batch import Payloads
from gateway.publish.items import TRIES, Change, write
from gateway.publish.mapping import Prepared, most_specific, prepare, tombstone
from gateway.publish.source_facts import (
    WITHDRAWN,
    add_format,
    facts_held,
    introduce_formats,
    keep_note,
    made,
    mapping_fact,
)
from gateway.store.base import Inbox, Store

BATCH = 500  # items of one transaction
LOCK: Final = "rebuild"  # in `locks/`: one process at a time writes, while others map
_ENDED: Final = "A process that makes records again has ended before its work. Repeat the command; it continues."
_MOST: Final = 4  # processes: one at a time writes, so more do not help

Part: TypeAlias = tuple[int, int]  # the number of the item before it, and its last number


def outdated(store: Store) -> tuple[str, ...]:
    """Return the prefixes of our formats whose mapping is newer than their published records, or that are leaving."""
    facts = ((prefix, format_.version, store.fact(mapping_fact(prefix))) for prefix, format_ in written().items())
    return tuple(prefix for prefix, version, fact in facts if fact not in ("", str(version), WITHDRAWN))


def rebuild(
    store: Store,
    inbox: Inbox,
    metadata_prefix: str | None = None,
    progress: Callable[[int], None] = lambda _: None,
    parts: Iterable[Rebuilt] | None = None,
) -> int:
    """Map every item again from the inbox; return how many records changed and got a new datestamp.

    Records that the store can no longer read count as changed, also tombstones. `metadata_prefix` restricts it to one
    format. `progress` is called with the number of items so far. `parts` are the results of all items if other
    processes make them. Raise StoreError.
    """
    introduce_formats(store)
    store.give_up_damaged()
    stamped = seen = 0
    for part in Remaker(store, inbox, metadata_prefix).parts() if parts is None else parts:
        stamped, seen = stamped + part.stamped, seen + part.items
        progress(seen)
    present = made(store)
    for prefix in (*present.prefixes, *present.withdrawn):
        is_made = prefix in present.prefixes
        if metadata_prefix in (None, prefix):
            if is_made:
                add_format(store, written()[prefix])
            store.remember(mapping_fact(prefix), str(written()[prefix].version) if is_made else WITHDRAWN)
    return stamped


class Remaker:
    """Maps items again from the inbox, in one of our formats or in all.

    `turn` returns what is held while records are written: others map meanwhile.
    """

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        metadata_prefix: str | None,
        turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._store, self._inbox, self._wanted, self._turn = store, inbox, metadata_prefix, turn
        self._payloads: dict[str, Payloads | None] = {}

    def parts(self, after: int = 0, until: int | None = None) -> Iterator[Rebuilt]:
        """Make the records of the items after a number again, up to another one; yield the result of each batch.

        Raise StoreError.
        """
        while rows := self._store.items(None, after, BATCH):
            after = rows[-1][1].number
            rows = tuple(row for row in rows if until is None or row[1].number <= until)
            if not rows:
                return
            batches = _by_source(rows).items()
            yield Rebuilt(len(rows), sum(self._rebuild(source, states) for source, states in batches))

    def _rebuild(self, source: str, upstreams: Sequence[str]) -> int:
        store = self._store
        for _ in range(TRIES):
            # Before the states: a later publication, or change of files, moves these values.
            position, edition, takedowns = store.position(source), store.edition(source), store.takedowns()
            states = store.states(source, upstreams).values()
            payloads = self._payloads_of(source)
            remade = (_remade(store, payloads, state, self._wanted, takedowns) for state in states)
            changes = [change for change in remade if change]
            if not changes:
                return 0
            try:
                moves = (position, position)
                publication = Publication(source, position=moves, edition=edition, takedowns=takedowns.revision)
                with self._turn():
                    return write(store, publication, changes)
            except (IntentExpired, PositionMoved, FilesChanged):
                continue
        raise StoreError(
            f"The items of {source} were not made again: other processes were faster {TRIES} times. Repeat the command."
        )

    def _payloads_of(self, source: str) -> Payloads | None:
        if source not in self._payloads:
            facts = facts_held(self._store, source)
            self._payloads[source] = Payloads(self._store, self._inbox, facts) if facts else None
        return self._payloads[source]


def _by_source(rows: Iterable[tuple[str, ItemState]]) -> dict[str, list[str]]:
    """Return the upstream identifiers of the items that are not deleted, or whose tombstones are lost, by source."""
    specs: dict[str, list[str]] = {}
    for source, state in rows:
        if _lost(state) if state.is_deleted else state.payloads:
            specs.setdefault(source, []).append(state.upstream)
    return specs


def _lost(state: ItemState) -> tuple[str, ...]:
    """Return the formats of the records that the store can no longer read."""
    return tuple(prefix for prefix, digest, _ in state.records if not digest)


def _remade(
    store: Store, payloads: Payloads | None, state: ItemState, wanted: str | None, takedowns: Takedowns
) -> Change | None:
    """Return the change of an item; None if there is none, or if its payloads can no longer be read."""
    if state.is_deleted:
        return _buried_again(store, state, wanted)
    if payloads is None or any(map(payloads.is_lost, state.payloads)):
        return None
    prepared = prepare(payloads.task(state.upstream, {}, state, takedowns))
    if prepared.problems:
        return _no_work(store, state, prepared)
    change = Change(prepared, (), state)
    if not change.differs():
        return None
    if wanted is None or most_specific(set(store.item_sets(state.number))) != prepared.sets:
        return change  # the sets are in every header, so all formats change
    fragments = tuple(fragment for fragment in prepared.fragments if fragment.metadata_prefix == wanted)
    change = Change(prepared._replace(fragments=fragments), (), state)
    return change if change.differs() else None


def _no_work(store: Store, state: ItemState, prepared: Prepared) -> Change | None:
    """Return the change that notes that a published item describes no work; its records stay as they are."""
    if prepared.lacking is None or prepared.lacking == state.lacking:
        return None
    sets = most_specific(set(store.item_sets(state.number)))
    known = Prepared(state.upstream, state.identifier, False, sets, (), (), state.is_withheld, lacking=prepared.lacking)
    return Change(known, (), state)


def withdraw_non_works(store: Store) -> int:
    """Make tombstones of the items of which `rebuild` found that they describe no work; return how many.

    Raise StoreError.
    """
    with store.view() as view:
        names = [source.name for source in view.sources()]
    withdrawn = 0
    for name in names:
        while upstreams := store.items_lacking(name, Lack.WORK, BATCH):
            withdrawn += _bury(store, name, upstreams)
    return withdrawn


def _buried_again(store: Store, state: ItemState, wanted: str | None) -> Change | None:
    """Return the change that makes the lost tombstones of a deleted item again; None if there are none."""
    prefixes = [prefix for prefix in _lost(state) if wanted in (None, prefix)]
    if not prefixes:
        return None
    sets = most_specific(set(store.item_sets(state.number)))
    fragments = tuple(tombstone(prefix, sets) for prefix in prefixes)
    prepared = Prepared(state.upstream, state.identifier, True, sets, fragments, is_withheld=state.is_withheld)
    return Change(prepared, (), state)


# --- removal of a source ------------------------------------------------------------------------------------------


def remove_source(
    store: Store, inbox: Inbox, name: str, at: int, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Make tombstones of all records of a source, and mark it as removed; return how many items were deleted.

    The removal is written to the inbox first (`at` is its second). So a store that is made again from the inbox has the
    same tombstones. `progress` is called with the number of deleted items so far. It can be interrupted and repeated;
    the next command that publishes finishes it. Unpublished pages are never published. If the source is not in the
    store, nothing happens. Raise StoreError.
    """
    with store.view() as view:
        known = view.source(name)
    if known is None:
        return 0
    before = store.position(name)
    begun = inbox.removal(name, before)
    number = inbox.remove_source(name, before, at) if begun is None else begun.number
    removed = bury_all(store, name, progress)
    store.advance(name, before, number)
    store.add_source(replace(known, is_removed=True))
    keep_note(store, inbox, name)
    return removed


def bury_all(store: Store, name: str, progress: Callable[[int], None] = lambda _: None) -> int:
    """Make tombstones of all records of a source; return how many items were deleted. Raise StoreError."""
    removed = after = 0
    while rows := store.items(name, after, BATCH):
        removed += _bury(store, name, [state.upstream for _, state in rows])
        after = rows[-1][1].number
        progress(removed)
    store.remember(f"unused {name}", "")
    return removed


def _bury(store: Store, name: str, upstreams: Sequence[str]) -> int:
    for _ in range(TRIES):
        position = store.position(name)
        states = [state for state in store.states(name, upstreams).values() if not state.is_deleted or state.is_hidden]
        changes = [buried(store, state) for state in states]
        try:
            settled = tuple((payload.metadata_prefix, state.upstream) for state in states for payload in state.payloads)
            write(store, Publication(name, position=(position, position), settled=settled), changes)
        except (IntentExpired, PositionMoved):
            continue
        return sum(not state.is_deleted for state in states)
    raise StoreError(
        f"The items of {name} were not deleted: other processes were faster {TRIES} times. Repeat the command."
    )


def buried(store: Store, state: ItemState) -> Change:
    """Return the deletion of an item; its payloads are marked as deleted, so one that arrives again counts as new."""
    sets = most_specific(set(store.item_sets(state.number)))
    fragments = tuple(tombstone(prefix, sets) for prefix, _, _ in state.records)
    payloads = tuple(payload._replace(digest=b"", is_deleted=True) for payload in state.payloads)
    prepared = Prepared(state.upstream, state.identifier, True, sets, fragments, is_withheld=state.is_withheld)
    return Change(prepared, payloads, state)


class Rebuilt(NamedTuple):
    """The result for a part: how many items it has, and how many records got a new datestamp."""

    items: int = 0
    stamped: int = 0


def processors() -> int:
    """Return how many child processes are worth while here; 1: none, since the parent can do it."""
    return min(len(os.sched_getaffinity(0)), _MOST)


class RebuildProcesses:
    """Running child processes, as their parent sees them."""

    def __init__(self, folder: Path, number: int, prefix: str | None) -> None:
        """Start so many child processes for an instance folder and a format, or all of ours.

        Raise StoreError if one cannot be started.
        """
        self._running: list[Child] = []
        command = program("gateway.ops.upkeep", "rebuild_parts", str(folder), *filter(None, [prefix]))
        try:
            self._running += (Child(command) for _ in range(number))
        except OSError as error:
            self.close()
            raise StoreError(f"A process that makes records again cannot be started: {error.strerror}.") from error

    def run(self, parts: Iterable[Part]) -> Iterator[Rebuilt]:
        """Let the child processes make these parts again; yield the results as they come.

        Raise StoreError if a child process has ended.
        """
        waiting = iter(parts)
        busy = {process for process in self._running if _order(process, waiting)}
        while busy:
            for process in select(busy, [], [])[0]:
                lines = process.hear(0.0)
                if lines is None:
                    raise StoreError(_ENDED)
                for line in lines:  # one, or none if it is not whole
                    result = json.loads(line)
                    if "error" in result:
                        raise StoreError(result["error"])
                    yield Rebuilt(**result)
                    if not _order(process, waiting):
                        busy.remove(process)

    def close(self) -> None:
        """Let the child processes exit after what they are writing."""
        for process in self._running:
            process.dismiss()
        for process in self._running:
            process.wait()


def _order(process: Child, waiting: Iterator[Part]) -> bool:
    """Give the next part to a child process; return whether there was one."""
    part = next(waiting, None)
    if part is not None:
        process.order(b"%s\n" % json.dumps(part).encode())  # if it has died, its output says so
    return part is not None
