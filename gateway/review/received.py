"""The records of an item as they were received from its source: text for people, bounded, and never parsed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from gateway.core.errors import PageLost
from gateway.core.model import ItemState, Payload
from gateway.core.takedowns import Takedowns
from gateway.store.base import Inbox

MOST_BYTES: Final = 50_000  # that are shown of one record


class Text(NamedTuple):
    """A text that may be long: its beginning, its size in bytes, and whether it is cut."""

    text: str
    size: int

    @property
    def is_cut(self) -> bool:
        """Return whether it is cut."""
        return self.size > MOST_BYTES


class Received(NamedTuple):
    """A record in one format as it was received.

    `received_at` is the second of its answer, `datestamp` that of the source. `text` is None if the record was a
    deletion, if its page is lost, or if it names something that is taken down (`is_withheld`).
    """

    metadata_prefix: str
    datestamp: str = ""
    received_at: int = 0
    is_deleted: bool = False
    text: Text | None = None
    repairs: tuple[str, ...] = ()
    is_withheld: bool = False


def received_of(inbox: Inbox | None, state: ItemState, takedowns: Takedowns) -> Iterator[Received]:
    """Yield the last received record of an item in each format. Raise StoreError."""
    for payload in state.payloads:
        yield _received(inbox, payload, takedowns)


def beginning_of(content: bytes) -> Text:
    """Return the beginning of a text in UTF-8."""
    return Text(content[:MOST_BYTES].decode("utf-8", "replace"), len(content))


def _received(inbox: Inbox | None, payload: Payload, takedowns: Takedowns) -> Received:
    prefix = payload.metadata_prefix
    try:
        stored = inbox.page(payload.page) if inbox is not None else None
    except PageLost:
        stored = None
    if stored is None or payload.slice >= len(stored.slices):
        return Received(prefix, is_deleted=payload.is_deleted)
    page, cut = stored.page, stored.slices[payload.slice]
    content = (page.repaired or page.body)[cut.start : cut.stop]
    is_withheld = not takedowns.is_empty and takedowns.may_concern(content)
    text = beginning_of(content) if content and not is_withheld else None
    is_deleted = payload.is_deleted or cut.is_deleted
    return Received(prefix, cut.datestamp, page.received_at, is_deleted, text, page.repairs, is_withheld)
