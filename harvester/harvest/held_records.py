"""The stored records of a source, from store and inbox, for kinds of source that compare a list with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from gateway.core.errors import PageLost
from gateway.core.model import ItemState, Payload
from gateway.publish.publish import given_of
from gateway.store.base import Inbox, Store
from harvester.sources import Held

_ITEMS_AT_ONCE = 1000
_PAGES_KEPT = 8  # records received together are on one page


class StoredHoldings:
    """The holdings of a source; see `Holdings` in harvester/sources/__init__.py for each method."""

    def __init__(self, store: Store, inbox: Inbox, source: str) -> None:
        self._store, self._source = store, source
        self._page = lru_cache(maxsize=_PAGES_KEPT)(inbox.page)

    def item(self, identifier: str, metadata_prefix: str) -> Held | None:
        """Return one item in one format."""
        state = self._store.states(self._source, (identifier,)).get(identifier)
        return None if state is None else self._held(state, metadata_prefix)

    def items(self, metadata_prefix: str) -> Iterator[Held]:
        """Return all items that are stored in a format."""
        after = 0
        while rows := self._store.items(self._source, after, _ITEMS_AT_ONCE):
            records = (self._held(state, metadata_prefix) for _, state in rows)
            yield from (record for record in records if record is not None)
            after = rows[-1][1].number

    def names(self, identifiers: Sequence[str], metadata_prefix: str) -> frozenset[str]:
        """Return which of these are stored in a format."""
        states = self._store.states(self._source, identifiers)
        return frozenset(
            name
            for name, state in states.items()
            if any(payload.metadata_prefix == metadata_prefix for payload in state.payloads)
        )

    def _held(self, state: ItemState, metadata_prefix: str) -> Held | None:
        payload = next((payload for payload in state.payloads if payload.metadata_prefix == metadata_prefix), None)
        return None if payload is None else self._read(state.upstream, payload)

    def _read(self, upstream: str, payload: Payload) -> Held:
        try:
            page = self._page(payload.page)
        except PageLost:
            return _unread(upstream, payload)
        if payload.slice >= len(page.slices):  # the page that stands for those that are lost
            return _unread(upstream, payload)
        given = given_of(page.page, page.slices[payload.slice], "")
        is_as_received = not page.page.repaired
        stated = given.datestamp, given.content, given.abouts
        return Held(upstream, payload.is_deleted, *stated, is_as_received, page.page.url)


def _unread(upstream: str, payload: Payload) -> Held:
    """Return an item whose content was lost with the inbox: it differs from any list."""
    return Held(upstream, payload.is_deleted, "", b"", (), is_as_received=False, page_url="")
