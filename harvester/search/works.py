"""The works to be searched for, read back from what is published of them: our own DIDL says all that we know.

Of files that were found its own word does not count: they are looked for again as if nobody had found them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gateway import xmlio
from gateway.formats import reader_of, written
from gateway.model import FileOrigin, ItemState, Work
from gateway.names import FULLTEXT, upstream_identifier
from gateway.store.base import Store
from gateway.xmlio import Element

_BATCH = 500
PREFIX = "oai_didl"


def listed(
    store: Store, source: str, after: int, *, with_files: bool
) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """Return, batch by batch, the number of the last item looked at and those (identifier, upstream) to search for.

    These are the items without a file, or those `with_files`.
    """
    while batch := store.items(source, after, _BATCH):
        states = [state for _, state in batch]
        after = states[-1].number
        live = (state for state in states if not state.is_deleted)
        yield after, tuple((each.identifier, each.upstream) for each in live if _has_files(store, each) is with_files)


def _has_files(store: Store, state: ItemState) -> bool:
    return FULLTEXT in store.item_sets(state.number)


def found_of(store: Store, source: str, upstream: str) -> frozenset[str]:
    """Return the addresses under which files of an item are published that its record does not name."""
    return _found_in(store.states(source, (upstream,)).get(upstream))


def _found_in(state: ItemState | None) -> frozenset[str]:
    files = state.files if state else ()
    found = (url for each in files if each.origin is FileOrigin.DISCOVERED for url in (each.url, each.copy_url))
    return frozenset(filter(None, found))


def work_of(store: Store, identifier: str, upstream: str, found: Collection[str] = ()) -> Work | None:
    """Return the work of an item without what was `found` for it, or None when it is deleted or gone."""
    with store.view() as view:
        record = view.record(identifier, PREFIX)
    if record is None or record.is_deleted:
        return None
    return _read(xmlio.parse(record.content), record.content, upstream, found)


def works_of(store: Store, source: str, records: Collection[bytes]) -> tuple[tuple[str, Work], ...]:
    """Return the works of some records of a source with their identifiers, without what was found for them."""
    read = [(xmlio.parse(each), each) for each in records]
    names = [root.findtext("header/identifier") or "" for root, _ in read]
    states = store.states(source, [upstream_identifier(each) for each in names])
    works = (
        (name, _read(root, content, upstream, _found_in(states.get(upstream))))
        for name, upstream, (root, content) in zip(names, map(upstream_identifier, names), read, strict=True)
    )
    return tuple((name, work) for name, work in works if work is not None)


def _read(root: Element, content: bytes, upstream: str, found: Collection[str]) -> Work | None:
    metadata = root.find("metadata")
    if metadata is None or not len(metadata):
        return None
    work = reader_of(written()[PREFIX].namespace).read(metadata[0], content)
    return None if work is None else _without(work, found)._replace(upstream=upstream)


def _without(work: Work, found: Collection[str]) -> Work:
    return work._replace(
        files=tuple(each for each in work.files if each.url not in found),
        statements=tuple(each for each in work.statements if each.text not in found),
    )
