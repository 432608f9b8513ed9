"""The works that lack full text, read back from what is published of them: our own DIDL says all that we know."""

from __future__ import annotations

from collections.abc import Iterator

from gateway import xmlio
from gateway.formats import reader_of, written
from gateway.model import ItemState, Work
from gateway.names import FULLTEXT
from gateway.store.base import Store

_BATCH = 500
_PREFIX = "oai_didl"


def lacking(store: Store, source: str, after: int) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """Return, batch by batch, the number of the last item looked at and those (identifier, upstream) without a file."""
    while batch := store.items(source, after, _BATCH):
        states = [state for _, state in batch]
        after = states[-1].number
        yield after, tuple((state.identifier, state.upstream) for state in states if _lacks(store, state))


def _lacks(store: Store, state: ItemState) -> bool:
    return not state.is_deleted and FULLTEXT not in store.item_sets(state.number)


def work_of(store: Store, identifier: str, upstream: str) -> Work | None:
    """Return the work of an item, or None when it is deleted or gone."""
    with store.view() as view:
        record = view.record(identifier, _PREFIX)
    if record is None or record.is_deleted:
        return None
    metadata = xmlio.parse(record.content).find("metadata")
    if metadata is None or not len(metadata):
        return None
    namespace = written()[_PREFIX].namespace
    work = reader_of(namespace).read(metadata[0], record.content)
    return None if work is None else work._replace(upstream=upstream)
