"""Reads the store for an export, batch by batch: each in a snapshot of its own, so that nothing waits for an export.

Items and files that are taken down are left out.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gateway.core.addresses import address
from gateway.core.errors import GatewayError
from gateway.core.model import Content, FileLink, Resource, Selection, Work
from gateway.core.names import source_of, upstream_identifier
from gateway.core.takedowns import Takedowns
from gateway.fulltext.decisions import words
from gateway.fulltext.stored_search import parsed_search
from gateway.search.indexing import describe_all
from gateway.store.base import Discovery, Store, View
from harvester.graph.facts import Item

_BATCH = 500
_FORMAT = Selection("oai_dc")


class Batch(NamedTuple):
    """Some items, and the number of the last one of the batch."""

    last: int
    items: tuple[Item, ...]


class Reader:
    """The items of a store, with what the searches know of them; `discovery` is None if there were no searches."""

    def __init__(self, store: Store, discovery: Discovery | None) -> None:
        self._store, self._discovery = store, discovery

    def batches(self, until: int) -> Iterator[Batch]:
        """Yield all living items up to the number `until`, in the order of their numbers. Raise StoreError."""
        after = 0
        while after < until:
            with self._store.view() as view:
                resources = view.resources(_FORMAT, after, until, _BATCH)
                last = resources[-1].item if len(resources) == _BATCH else until
                yield Batch(last, tuple(self._items(view, resources, after, last)))
            after = last

    def _items(self, view: View, resources: tuple[Resource, ...], after: int, until: int) -> Iterator[Item]:
        contents: defaultdict[int, list[Content]] = defaultdict(list)
        for number, content in view.contents(after, until):
            contents[number].append(content)
        takedowns = self._store.takedowns()
        for resource in resources:
            record = view.record(resource.identifier, _FORMAT.metadata_prefix)
            if record is None or record.is_deleted:
                continue
            item = self._item(resource, _work(record.content), contents.get(resource.item, []))
            if takedowns.is_empty or not _is_down(item, takedowns):
                yield item if takedowns.is_empty else _without(item, takedowns)

    def _item(self, resource: Resource, work: Work, contents: list[Content]) -> Item:
        identifier = resource.identifier
        state = self._discovery.search(identifier) if self._discovery else None
        item = Item(identifier, resource.datestamp, work, state, contents=contents)
        if state is not None and self._discovery is not None:
            search = parsed_search(state)
            verdicts = words(self._discovery.decisions(identifier)) if search.get("candidates") else {}
            item = item._replace(
                search=search, verdicts={address(url): decision.verdict for url, decision in verdicts.items()}
            )
        checked = {address(candidate["url"]) for candidate in item.search.get("candidates", ())}
        is_unchecked = any(content.url not in checked for content in contents)
        return item._replace(held=self._held(identifier)) if is_unchecked else item

    def _held(self, identifier: str) -> tuple[FileLink, ...]:
        upstream = upstream_identifier(identifier)
        state = self._store.states(source_of(identifier), (upstream,)).get(upstream)
        return state.files if state else ()


def _work(record: bytes) -> Work:
    """Return the work of a record; one without statements if it cannot be read, as of one that is too large."""
    try:
        return describe_all(record)
    except GatewayError:
        return Work()


def _is_down(item: Item, takedowns: Takedowns) -> bool:
    upstream = upstream_identifier(item.identifier)
    return takedowns.names_item(item.identifier, source_of(item.identifier), upstream) or takedowns.names_work(
        upstream, item.work
    )


def _addresses(candidate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the addresses of a stored candidate; an earlier release did not store all of them."""
    return (candidate["url"], candidate.get("final_url", ""), *candidate.get("hops", ()))


def _without(item: Item, takedowns: Takedowns) -> Item:
    """Return an item without the files that are taken down."""
    candidates = [
        candidate
        for candidate in item.search.get("candidates", ())
        if not takedowns.names_digest(candidate.get("sha256", ""))
        and not any(map(takedowns.names_address, _addresses(candidate)))
    ]
    contents = [
        content
        for content in item.contents
        if not takedowns.names_digest(content.sha256) and not takedowns.names_address(content.url)
    ]
    return item._replace(search={**item.search, "candidates": candidates}, contents=contents)
