"""Compare the list of a source in one format with the stored records."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.model import ItemState
from gateway.store.base import Store
from harvester.harvest.accounting import unfetched
from harvester.harvest.instance import Instance
from harvester.harvest.named_records import ListedRecords, RecordState
from harvester.harvest.never_held import NeverHeld, batches

# The notes about identifiers in `ListedRecords`.
VANISHED = "vanished"  # stored, and not listed any more
RETURNED = "returned"  # stored as deleted, and listed
NOT_NAMED = "not named"  # missing, and not listed any more

_ITEMS_AT_ONCE = 1000


def compare(
    instance: Instance,
    source: str,
    metadata_prefix: str,
    named: ListedRecords,
    never_held: NeverHeld,
    *,
    is_listed: bool,
) -> dict[str, int]:
    """Note in `named` how the listed records differ from the stored ones; return the counts of the comparison.

    `is_listed`: the list is complete, so that a record that is not in it has vanished. Raise StoreError.
    """
    held, takedowns = 0, instance.store.takedowns()
    for states in _items(instance.store, source):
        withdrawn = {
            state.upstream for state in states if takedowns.names_item(state.identifier, source, state.upstream)
        }
        ours = [
            (state.upstream, payload.is_deleted)
            for state in states
            for payload in state.payloads
            if payload.metadata_prefix == metadata_prefix
        ]
        held += sum(not is_deleted for _, is_deleted in ours)
        never_held.hold(states)
        living = {upstream: named.is_living(upstream) for upstream, _ in ours}
        if is_listed:
            named.note(VANISHED, (name for name, is_deleted in ours if not is_deleted and not living[name]))
        returned = (name for name, is_deleted in ours if is_deleted and living[name])
        named.note(RETURNED, (name for name in returned if name not in withdrawn))  # purged, not deleted
    never_held.sort_out()
    if is_listed:
        _note_not_named(instance, source, metadata_prefix, named)
    return {
        "named": named.living(),
        "held": held,
        "vanished": named.count(VANISHED),
        "returned": named.count(RETURNED),
        "never_held": never_held.total,
        "unusable": named.living(RecordState.UNUSABLE),
    }


def _note_not_named(instance: Instance, source: str, metadata_prefix: str, named: ListedRecords) -> None:
    """Note missing records that are not in the list; if they are stored, they have vanished, too."""
    missing = (name for cursor, name in unfetched(instance, source) if cursor.metadata_prefix == metadata_prefix)
    for batch in batches(name for name in missing if not named.is_living(name)):
        named.note(NOT_NAMED, batch)


def _items(store: Store, source: str) -> Iterator[list[ItemState]]:
    after = 0
    while rows := store.items(source, after, _ITEMS_AT_ONCE):
        yield [state for _, state in rows]
        after = rows[-1][1].number
