"""What is held of a source, held against a plan: lists of changes leave out what has not changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from gateway.errors import AnswerError
from harvester.resourcesync.plan import Item, Plan, Role
from harvester.sources import Held, Holdings
from harvester.wire.entries import LEADING, Entry, entry_xml
from harvester.wire.resourcesync import read


class Memory:
    """The holdings of one list, read where a plan needs them."""

    def __init__(
        self, holdings: Holdings, metadata_prefix: str, plan: Plan, others: frozenset[str] = frozenset()
    ) -> None:
        """Take what is held, the plan of what is to be done, and the addresses of the sets that are not its own."""
        self._holdings, self._prefix, self._plan, self._others = holdings, metadata_prefix, plan, others

    def touch_items_of_strangers(self) -> None:
        """Let items be looked at whose content the plan deletes or changes without a word of them."""
        strangers = {uri for uri in self._plan.strangers() if self._holdings.item(uri, self._prefix) is None}
        if not strangers:
            return
        for held in self._holdings.items(self._prefix):
            for uri in () if held.is_deleted else strangers.intersection(_content_of(held)):
                self._plan.touch(held.identifier, uri)

    def unnamed(self, most: int) -> tuple[str, ...]:
        """Return so many at most of the items held that the plan, which is of everything, does not name."""
        held = (each for each in self._holdings.items(self._prefix) if not each.is_deleted)
        return tuple(islice((each.identifier for each in held if self._is_left_out(each)), most))

    def is_unnamed(self, uri: str) -> bool:
        """Tell whether an item is held that the plan does not name."""
        held = self._holdings.item(uri, self._prefix)
        return held is not None and not held.is_deleted and self._is_left_out(held)

    def _is_left_out(self, held: Held) -> bool:
        """Tell whether the plan should name an item and does not; those of other sets are named by their lists."""
        return held.page_url not in self._others and not self._plan.has_item(held.identifier)

    def holds(self, uri: str) -> bool:
        """Tell whether an item is held."""
        held = self._holdings.item(uri, self._prefix)
        return held is not None and not held.is_deleted

    def completed(self, item: Item, known: Sequence[Entry] = (), *, is_whole: bool) -> Item:
        """Return an item of a list of changes with what is held of its entry and of its content.

        `known` are the entries of a later version that could not be used.
        """
        if is_whole or item.role is not Role.METADATA:
            return item
        held = self._holdings.item(item.uri, self._prefix)
        entries = list(known) or ([] if held is None else entries_of(held))
        if not entries:
            return item
        entry = item.entry or entries[0]
        described = {each.href for each in entry.leading}
        content = {each.loc: each for each in entries[1:] if each.loc in described or not item.entry or not described}
        gone = [uri for uri in content if self._plan.deletes(uri)]
        new = {uri: found for uri in content if (found := self._plan.entry(uri)) is not None and uri not in gone}
        content |= new | {each.loc: each for each in item.content}
        links = tuple(each for each in entry.links if each.rel not in LEADING or not self._plan.deletes(each.href))
        kept = (content[uri] for uri in sorted(content) if uri not in gone)
        return Item(item.uri, item.role, entry._replace(links=links), tuple(kept))

    def bytes_of(self, uri: str) -> bytes:
        """Return an item as it arrived; nothing when it is not held so."""
        held = self._holdings.item(uri, self._prefix)
        return held.content if held is not None and held.is_as_received and not held.is_deleted else b""

    def is_unchanged(self, own: Entry, item: Item) -> bool:
        """Tell whether an item is held just as the lists describe it, and they say enough to tell."""
        if not own.lastmod and not own.digests:
            return False
        held = self._holdings.item(item.uri, self._prefix)
        if held is None or held.is_deleted:
            return False
        return held.abouts == tuple(entry_xml(each._replace(path="")) for each in (own, *item.content))


def _content_of(held: Held) -> Iterator[str]:
    """Return the addresses of an item's content."""
    for number, entry in enumerate(entries_of(held)):
        if number:
            yield entry.loc
        yield from (each.href for each in entry.leading)


def entries_of(held: Held) -> list[Entry]:
    """Return what the lists said of an item when it was fetched: its own entry first, then those of its content."""
    try:
        return list(read(b"".join((b"<urlset>", *held.abouts, b"</urlset>"))))
    except AnswerError:  # abouts of another kind of source, which had this name before
        return []
