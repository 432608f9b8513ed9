"""Stored items of a source, compared with a plan: lists of changes do not name unchanged resources."""

from collections.abc import Iterator, Sequence
from itertools import islice

from gateway.core.errors import AnswerError
from harvester.sources import Held, Holdings
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import LEADING, Entry, entry_xml
from harvester.sources.resourcesync.plan import Item, Plan, Role


class Memory:
    """The stored items of one list, read when a plan needs them."""

    def __init__(
        self, holdings: Holdings, metadata_prefix: str, plan: Plan, others: frozenset[str] = frozenset()
    ) -> None:
        self._holdings, self._prefix, self._plan, self._others = holdings, metadata_prefix, plan, others

    def touch_items_of_unattached_resources(self) -> None:
        """Add items to the plan whose content it deletes or changes without naming the items."""
        unattached = {uri for uri in self._plan.unattached() if self._holdings.item(uri, self._prefix) is None}
        if not unattached:
            return
        for held in self._holdings.items(self._prefix):
            for uri in () if held.is_deleted else unattached.intersection(_content_of(held)):
                self._plan.touch(held.identifier, uri)

    def unnamed(self, most: int) -> tuple[str, ...]:
        """Return at most `most` stored items that a plan of all resources does not name."""
        held = (held_item for held_item in self._holdings.items(self._prefix) if not held_item.is_deleted)
        return tuple(islice((item.identifier for item in held if self._is_left_out(item)), most))

    def is_unnamed(self, uri: str) -> bool:
        """Return whether a stored item is not in the plan."""
        held = self._holdings.item(uri, self._prefix)
        return held is not None and not held.is_deleted and self._is_left_out(held)

    def _is_left_out(self, held: Held) -> bool:
        """Return whether an item is missing in the plan; items of other sets are in their own lists."""
        return held.page_url not in self._others and not self._plan.has_item(held.identifier)

    def holds(self, uri: str) -> bool:
        """Return whether an item is stored and not deleted."""
        held = self._holdings.item(uri, self._prefix)
        return held is not None and not held.is_deleted

    def completed(self, item: Item, known: Sequence[Entry] = (), *, is_whole: bool) -> Item:
        """Return an item of a list of changes, completed with the stored entries of it and of its content.

        `known` are the entries of a later version that could not be used.
        """
        if is_whole or item.role is not Role.METADATA:
            return item
        held = self._holdings.item(item.uri, self._prefix)
        entries = list(known) or ([] if held is None else entries_of(held))
        if not entries:
            return item
        entry = item.entry.with_links_of(entries[0]) if item.entry else entries[0]
        described = {link.href for link in entry.leading}
        content = {
            listed.loc: listed
            for listed in entries[1:]
            if listed.loc in described or not entry.states_all_links or listed.related("describedby")
        }
        gone = [uri for uri in content if self._plan.deletes(uri)]
        new = {uri: planned for uri in content if (planned := self._plan.entry(uri)) is not None and uri not in gone}
        new |= {listed.loc: listed for listed in item.content}
        content |= {uri: listed.with_links_of(content.get(uri, listed)) for uri, listed in new.items()}
        kept = (self._without_deleted(content[uri]) for uri in sorted(content) if uri not in gone)
        return Item(item.uri, item.role, self._without_deleted(entry), tuple(kept))

    def _without_deleted(self, entry: Entry) -> Entry:
        """Return an entry without links to content that the plan deletes."""
        kept = (link for link in entry.links if link.rel not in LEADING or not self._plan.deletes(link.href))
        return entry._replace(links=tuple(kept))

    def is_unchanged(self, own: Entry, item: Item) -> bool:
        """Return whether the stored item is the same as in the lists, and these state enough to decide."""
        if not own.lastmod and not own.digests:
            return False
        held = self._holdings.item(item.uri, self._prefix)
        if held is None or held.is_deleted:
            return False
        return held.abouts == tuple(entry_xml(entry._replace(path="")) for entry in (own, *item.content))


def _content_of(held: Held) -> Iterator[str]:
    """Return the URLs of an item's content."""
    for number, entry in enumerate(entries_of(held)):
        if number:
            yield entry.loc
        yield from (link.href for link in entry.leading)


def entries_of(held: Held) -> list[Entry]:
    """Return the stored entries of an item: its own first, then those of its content."""
    try:
        return list(read(b"".join((b"<urlset>", *held.abouts, b"</urlset>"))))
    except AnswerError:  # abouts of another kind of source that had this name
        return []
