"""The plan of a walk: the entries of all lists, the last one of each resource, in the order of URLs.

Lists may have millions of entries, name a resource several times, and name related resources far apart. So they are
read into a private database first. It is written to disk when it grows, and it is walked by key, never by offset.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import islice
from mimetypes import guess_type
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from gateway.core.errors import AnswerError, StoreUnwritable
from gateway.core.working_file import load_file
from harvester.http.urls import split
from harvester.sources import Held, Holdings
from harvester.sources.resourcesync.documents import read
from harvester.sources.resourcesync.entries import LEADING, Entry, Link, entry_of, entry_text, entry_xml

_AT_ONCE = 1000


class Role(IntEnum):
    """The role of a resource."""

    METADATA = 0  # an item
    CONTENT = 1  # described by metadata
    DELETED = 2


class Item(NamedTuple):
    """One item: its own entry (None when only its content is listed), and the entries of its content."""

    uri: str
    role: Role
    entry: Entry | None
    content: tuple[Entry, ...] = ()


_SQL = load_file(Path(__file__).with_name("plan.sql"))
_SCHEMA = Path(__file__).with_name("plan_schema.sql").read_text("utf-8")


class Plan:
    """The entries of a walk. The database is removed after the `with` block. Add all entries before walking.

    The block raises StoreUnwritable when the disk is full.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)  # a private file that SQLite removes
        self._database.executescript(_SCHEMA)
        self._is_laid_out = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
        if isinstance(error, sqlite3.Error):
            raise StoreUnwritable(f"The lists of a source need more space for temporary files: {error}.") from error

    def add(self, entry: Entry) -> None:
        """Add an entry; it replaces an earlier one of the resource, but for links that a change does not withdraw."""
        if (before := self.entry(entry.loc)) is not None:
            entry = entry.with_links_of(before)
            self._database.executemany(_SQL["described_remove"], _described_by(before, role_of(before)))
        role = role_of(entry)
        self._database.execute(_SQL["entry_put"], (entry.loc, role, entry_text(entry)))
        self._database.executemany(_SQL["described_add"], _described_by(entry, role))

    def touch(self, metadata: str, content: str) -> None:
        """Add an item that no list names, because its content has changed."""
        self._database.execute(_SQL["touched_add"], (metadata,))
        self._database.execute(_SQL["described_add"], (metadata, content, Role.DELETED))

    def has_item(self, uri: str) -> bool:
        """Return whether a resource is an item of the walk and not deleted."""
        return self._database.execute(_SQL["is_item"], {"uri": uri}).fetchone() is not None

    def item(self, uri: str) -> Item | None:
        """Return an item of the walk; None when it is not listed, or listed as deleted."""
        return self._item(uri) if self.has_item(uri) else None

    def deletes(self, uri: str) -> bool:
        """Return whether a resource is listed as deleted."""
        return self._one(_SQL["is_deleted"], uri) is not None

    def entry(self, uri: str) -> Entry | None:
        """Return the entry of a resource; None when it is not listed."""
        row = self._one(_SQL["entry"], uri)
        return None if row is None else entry_of(str(row[0]))

    def tick(self, uri: str) -> None:
        """Mark a resource as done."""
        self._database.execute(_SQL["ticked_add"], (uri,))

    def unticked(self) -> Iterator[str]:
        """Return the items that are not deleted and not marked."""
        self._lay_out()
        return (uri for (uri,) in self._database.execute(_SQL["unticked"]))

    def unattached(self) -> Iterator[str]:
        """Return resources that are deleted, or are content without listed metadata."""
        return (uri for (uri,) in self._database.execute(_SQL["unattached"]))

    def size(self, after: str = "") -> int:
        """Return the number of items after a URL."""
        self._lay_out()
        ((count,),) = self._database.execute(_SQL["walk_count"], (after,)).fetchall()
        return int(count)

    def undescribed(self) -> int:
        """Return the number of resources that are content without metadata."""
        ((count,),) = self._database.execute(_SQL["undescribed_count"]).fetchall()
        return int(count)

    def items(self, after: str = "") -> Iterator[Item]:
        """Return the items after a URL, in the order of URLs."""
        self._lay_out()
        while rows := self._database.execute(_SQL["walk_page"], (after, _AT_ONCE)).fetchall():
            yield from (self._item(uri) for (uri,) in rows)
            after = rows[-1][0]

    def _lay_out(self) -> None:
        """Write the list of items once; a search at every step would take too long."""
        if not self._is_laid_out:
            self._database.execute(_SQL["walk_lay_out"])
            self._is_laid_out = True

    def _item(self, uri: str) -> Item:
        row = self._one(_SQL["resource"], uri)
        entry = None if row is None else entry_of(str(row[1]))
        role = Role.METADATA if row is None else Role(int(str(row[0])))
        if role is not Role.METADATA:
            return Item(uri, role, entry)
        content = self._database.execute(_SQL["content"], (uri,))
        return Item(uri, role, entry, tuple(entry_of(text) for (text,) in content))

    def _one(self, query: str, *parameters: str) -> tuple[object, ...] | None:
        row: tuple[object, ...] | None = self._database.execute(query, parameters).fetchone()
        return row


def _described_by(entry: Entry, role: Role) -> list[tuple[str, str, Role]]:
    """Return triples (metadata, content, role of the entry) for the links between metadata and content in an entry."""
    if role is Role.METADATA:
        return [(entry.loc, link.href, role) for link in entry.leading]
    return [(link.href, entry.loc, role) for link in _describing(entry)] if role is Role.CONTENT else []


def _describing(entry: Entry) -> tuple[Link, ...]:
    """Return the links to the metadata of content; of the page of a work, with its files, the preferred readable one.

    XML is preferred, then JSON, then BibTeX.
    """
    links = entry.related("describedby")
    if not entry.related("item"):
        return links
    typed = [(link, link.type or guess_type(split(link.href).path)[0] or "text/xml") for link in links]
    return tuple(link for is_read in (is_xml, _is_json, _is_bibtex) for link, kind in typed if is_read(kind))[:1]


def role_of(entry: Entry) -> Role:
    """Return the role of a resource by its entry; METADATA or CONTENT by its media type where no link decides."""
    if entry.change == "deleted":
        return Role.DELETED
    if entry.related("describes"):
        return Role.METADATA
    if entry.related("describedby"):
        return Role.CONTENT
    stated = entry.type or guess_type(split(entry.loc).path)[0] or "text/xml"
    return Role.METADATA if is_xml(stated) else Role.CONTENT


def is_xml(media_type: str) -> bool:
    """Return whether a media type is XML (RFC 7303), except XHTML."""
    name = media_type.partition(";")[0].strip().lower()
    return name in ("text/xml", "application/xml") or (name.endswith("+xml") and name != "application/xhtml+xml")


def _is_json(media_type: str) -> bool:
    name = media_type.partition(";")[0].strip().lower()
    return name == "application/json" or name.endswith("+json")


def _is_bibtex(media_type: str) -> bool:
    return media_type.partition(";")[0].strip().lower() in ("application/x-bibtex", "text/x-bibtex")


# --- the stored items of a list, compared with a plan: lists of changes do not name unchanged resources -----------


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
