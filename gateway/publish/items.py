"""Writes the records of items that changed, with the datestamp of their publication."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from gateway.core.errors import StoreBusy, StoreError
from gateway.core.model import ItemChange, ItemState, Payload, Publication, Record
from gateway.publish.mapping import Fragment, Prepared, record
from gateway.store.base import Store

_DIDL = "oai_didl"
TRIES = 5  # an intent expires only if this machine was blocked for a minute; five times in a row is another problem


class Change(NamedTuple):
    """One item to write: its new records and payloads, and its state in the store (None: it is new)."""

    prepared: Prepared
    payloads: tuple[Payload, ...]
    state: ItemState | None

    def differs(self) -> bool:
        """Return whether a record, `is_withheld` or `lacking` differs from the state in the store."""
        state, prepared = self.state, self.prepared
        if state is not None and (state.is_withheld, state.lacking) != (prepared.is_withheld, prepared.lacking):
            return True
        return bool(self.news())

    def news(self) -> tuple[Fragment, ...]:
        """Return the records that differ from the state in the store."""
        held = records_of(self.state)
        return tuple(
            fragment
            for fragment in self.prepared.fragments
            if held.get(fragment.metadata_prefix) != (fragment.digest, fragment.is_deleted)
        )


def records_of(state: ItemState | None) -> dict[str, tuple[bytes, bool]]:
    """Return (digest, is_deleted) of the stored records of an item, by prefix."""
    return {} if state is None else {prefix: (digest, is_deleted) for prefix, digest, is_deleted in state.records}


def write(
    store: Store, publication: Publication, changes: Sequence[Change], ready: Callable[[], None] = lambda: None
) -> int:
    """Write a publication, and return how many records got its datestamp. Without changes, only the position moves.

    `ready` is called before anything is written. Raise the errors of `Store.advance`, `Store.intend`,
    `Store.publish` and `ready`.
    """
    noted = publication.quarantined or publication.released or publication.deletions or publication.settled
    if not (changes or noted or publication.files):
        ready()
        if publication.position and publication.position[0] != publication.position[1]:
            store.advance(publication.source, *publication.position)
        return 0
    intent = store.intend()
    try:
        items = tuple([_item_change(change, intent.datestamp) for change in changes])
        return store.publish(intent, replace(publication, changes=items), ready)
    except StoreBusy:
        raise  # another process had the lock for so long that the intent has expired
    except (Exception, KeyboardInterrupt):
        with suppress(StoreError):  # then the intent expires
            store.abandon(intent)
        raise


def _item_change(change: Change, datestamp: int) -> ItemChange:
    prepared, payloads, _ = change
    identifier, sets = prepared.identifier, prepared.sets
    news = change.news()
    has_didl = any(fragment.metadata_prefix == _DIDL for fragment in news)
    records = [
        Record(
            fragment.metadata_prefix,
            fragment.digest,
            fragment.is_deleted,
            record(identifier, datestamp, sets, fragment),
            fragment.length,
            fragment.sha256,
        )
        for fragment in news
    ]
    return ItemChange(
        prepared.upstream,
        identifier,
        prepared.is_deleted,
        sets,
        payloads,
        tuple(records),
        prepared.is_withheld,
        prepared.contents if has_didl else None,
        prepared.cite_as,
        prepared.lacking,
    )
