"""What is held of a source, read from store and inbox: for kinds of source that compare a list with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from gateway.errors import PageLost
from gateway.model import ItemState, Payload
from gateway.publish import given_of
from gateway.store.base import Inbox, Store
from harvester.sources import Held

_ITEMS_AT_ONCE = 1000
_PAGES_KEPT = 8  # what arrived together lies on one page


class StoredHoldings:
    """See `Holdings` in harvester/sources/__init__.py for what each method promises."""

    def __init__(self, store: Store, inbox: Inbox, source: str) -> None:
        """Take where it is held, and of which source."""
        self._store, self._source = store, source
        self._page = lru_cache(maxsize=_PAGES_KEPT)(inbox.page)

    def item(self, identifier: str, metadata_prefix: str) -> Held | None:
        """Return one item in one format."""
        state = self._store.states(self._source, (identifier,)).get(identifier)
        return None if state is None else self._held(state, metadata_prefix)

    def items(self, metadata_prefix: str) -> Iterator[Held]:
        """Return every item that is held in a format."""
        after = 0
        while rows := self._store.items(self._source, after, _ITEMS_AT_ONCE):
            found = (self._held(state, metadata_prefix) for _, state in rows)
            yield from (each for each in found if each is not None)
            after = rows[-1][1].number

    def names(self, identifiers: Sequence[str], metadata_prefix: str) -> frozenset[str]:
        """Return which of these are held in a format."""
        states = self._store.states(self._source, identifiers)
        return frozenset(
            name
            for name, state in states.items()
            if any(each.metadata_prefix == metadata_prefix for each in state.payloads)
        )

    def _held(self, state: ItemState, metadata_prefix: str) -> Held | None:
        payload = next((each for each in state.payloads if each.metadata_prefix == metadata_prefix), None)
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
        said = given.datestamp, given.content, given.abouts
        return Held(upstream, payload.is_deleted, *said, is_as_received, page.page.url)


def _unread(upstream: str, payload: Payload) -> Held:
    """Return an item of whose content nothing is left, because the inbox was lost: it differs from any list."""
    return Held(upstream, payload.is_deleted, "", b"", (), is_as_received=False, page_url="")
