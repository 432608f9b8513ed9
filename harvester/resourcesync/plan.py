"""What a walk is to do: the entries of all its lists, the last of each resource, in the order of their addresses.

Lists may have millions of entries, name a resource several times, and name what belongs together far apart; so they are
read into a private database first, which goes to disk when it grows, and is walked by key, never by number.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from enum import IntEnum
from mimetypes import guess_type
from types import TracebackType
from typing import NamedTuple, Self

from gateway.errors import StoreUnwritable
from harvester.wire.entries import Entry, entry_of, entry_text
from harvester.wire.urls import split

_AT_ONCE = 1000


class Role(IntEnum):
    """What a resource is for us."""

    METADATA = 0  # an item
    CONTENT = 1  # what metadata describes
    DELETED = 2


class Item(NamedTuple):
    """One item of the walk: its own entry, None when only its content is listed, and the entries of its content."""

    uri: str
    role: Role
    entry: Entry | None
    content: tuple[Entry, ...] = ()


_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -16000; -- kibibytes
CREATE TABLE entry (uri TEXT PRIMARY KEY, role INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE described ( -- teller: the role of the resource whose entry says so; 2: what is held does
    metadata TEXT NOT NULL, content TEXT NOT NULL, teller INTEGER NOT NULL, PRIMARY KEY (metadata, content, teller)
) WITHOUT ROWID;
CREATE TABLE touched (uri TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE walk (uri TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE ticked (uri TEXT PRIMARY KEY) WITHOUT ROWID;
BEGIN;
"""
# What is fetched or deleted: resources that are no content, and metadata that content in the lists refers to.
_WALK = """
INSERT OR IGNORE INTO walk
SELECT uri FROM entry WHERE role <> 1
UNION ALL SELECT metadata FROM described WHERE content IN (SELECT uri FROM entry WHERE role = 1)
UNION ALL SELECT uri FROM touched
"""
_IS_ITEM = """
SELECT 1 WHERE EXISTS (SELECT 1 FROM entry WHERE uri = :uri AND role = 0) OR (
    EXISTS (SELECT 1 FROM described JOIN entry ON uri = content WHERE metadata = :uri AND role = 1)
    AND NOT EXISTS (SELECT 1 FROM entry WHERE uri = :uri AND role = 2)
)
"""
_CONTENT = """
SELECT text FROM entry WHERE role = 1 AND uri IN (SELECT content FROM described WHERE metadata = ?) ORDER BY uri
"""


class Plan:
    """Use it in a `with` block: what it holds is gone behind that. All is added before anything is walked."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._database = sqlite3.connect("", isolation_level=None)  # a private file, removed by SQLite itself
        self._database.executescript(_SCHEMA)
        self._is_laid_out = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
        if isinstance(error, sqlite3.Error):
            raise StoreUnwritable(f"The lists of a source need more room for temporary files: {error}.") from error

    def add(self, entry: Entry) -> None:
        """Take an entry; it replaces what was said of the resource before, and which others belong to it."""
        if (before := self.entry(entry.loc)) is not None:
            query = "DELETE FROM described WHERE metadata = ? AND content = ? AND teller = ?"
            self._database.executemany(query, _described_by(before, role_of(before)))
        role = role_of(entry)
        self._database.execute("REPLACE INTO entry VALUES (?, ?, ?)", (entry.loc, role, entry_text(entry)))
        self._database.executemany("INSERT OR IGNORE INTO described VALUES (?, ?, ?)", _described_by(entry, role))

    def touch(self, metadata: str, content: str) -> None:
        """Let an item be looked at though no list names it: something of its content has changed."""
        self._database.execute("INSERT OR IGNORE INTO touched VALUES (?)", (metadata,))
        self._database.execute("INSERT OR IGNORE INTO described VALUES (?, ?, ?)", (metadata, content, Role.DELETED))

    def has_item(self, uri: str) -> bool:
        """Tell whether a resource is an item of the walk that is not deleted."""
        return self._database.execute(_IS_ITEM, {"uri": uri}).fetchone() is not None

    def item(self, uri: str) -> Item | None:
        """Return an item of the walk; None when the lists do not name it, or say that it is deleted."""
        return self._item(uri) if self.has_item(uri) else None

    def deletes(self, uri: str) -> bool:
        """Tell whether the lists say that a resource is deleted."""
        return self._one("SELECT 1 FROM entry WHERE uri = ? AND role = 2", uri) is not None

    def entry(self, uri: str) -> Entry | None:
        """Return the entry of a resource; None when the lists do not name it."""
        row = self._one("SELECT text FROM entry WHERE uri = ?", uri)
        return None if row is None else entry_of(str(row[0]))

    def tick(self, uri: str) -> None:
        """Note that a resource has been looked at."""
        self._database.execute("INSERT OR IGNORE INTO ticked VALUES (?)", (uri,))

    def unticked(self) -> Iterator[str]:
        """Return the items that are not deleted and were not looked at."""
        self._lay_out()
        query = "SELECT uri FROM walk EXCEPT SELECT uri FROM ticked EXCEPT SELECT uri FROM entry WHERE role = 2"
        return (uri for (uri,) in self._database.execute(query))

    def strangers(self) -> Iterator[str]:
        """Return the resources that are deleted, or are content of which the lists do not say what describes it."""
        query = "SELECT uri FROM entry WHERE role = 2 OR (role = 1 AND uri NOT IN (SELECT content FROM described))"
        return (uri for (uri,) in self._database.execute(query))

    def size(self, after: str = "") -> int:
        """Return how many items there are to walk behind an address."""
        self._lay_out()
        ((count,),) = self._database.execute("SELECT count(*) FROM walk WHERE uri > ?", (after,)).fetchall()
        return int(count)

    def undescribed(self) -> int:
        """Return how many resources are content that nothing describes."""
        query = "SELECT count(*) FROM entry WHERE role = 1 AND uri NOT IN (SELECT content FROM described)"
        ((count,),) = self._database.execute(query).fetchall()
        return int(count)

    def items(self, after: str = "") -> Iterator[Item]:
        """Return the items behind an address, in order."""
        self._lay_out()
        query = "SELECT uri FROM walk WHERE uri > ? ORDER BY uri LIMIT ?"
        while rows := self._database.execute(query, (after, _AT_ONCE)).fetchall():
            yield from (self._item(uri) for (uri,) in rows)
            after = rows[-1][0]

    def _lay_out(self) -> None:
        """Put down once what is to be walked; looking for it with every step would take for ever."""
        if not self._is_laid_out:
            self._database.execute(_WALK)
            self._is_laid_out = True

    def _item(self, uri: str) -> Item:
        row = self._one("SELECT role, text FROM entry WHERE uri = ?", uri)
        entry = None if row is None else entry_of(str(row[1]))
        role = Role.METADATA if row is None else Role(int(str(row[0])))
        if role is not Role.METADATA:
            return Item(uri, role, entry)
        content = self._database.execute(_CONTENT, (uri,))
        return Item(uri, role, entry, tuple(entry_of(text) for (text,) in content))

    def _one(self, query: str, *parameters: str) -> tuple[object, ...] | None:
        row: tuple[object, ...] | None = self._database.execute(query, parameters).fetchone()
        return row


def _described_by(entry: Entry, role: Role) -> list[tuple[str, str, Role]]:
    """Return (metadata, content, who says so) of what an entry says of which content metadata describes."""
    if role is Role.METADATA:
        return [(entry.loc, each.href, role) for each in entry.leading]
    return [(each.href, entry.loc, role) for each in entry.related("describedby")] if role is Role.CONTENT else []


def role_of(entry: Entry) -> Role:
    """Return what a resource is, as far as its entry tells; what nothing is said of is looked at."""
    if entry.change == "deleted":
        return Role.DELETED
    if entry.related("describes"):
        return Role.METADATA
    if entry.related("describedby"):
        return Role.CONTENT
    stated = entry.type or guess_type(split(entry.loc).path)[0] or "text/xml"
    return Role.METADATA if is_xml(stated) else Role.CONTENT


def is_xml(media_type: str) -> bool:
    """Tell whether a media type is one of XML; that of web pages is not meant."""
    name = media_type.partition(";")[0].strip().lower()
    return name in ("text/xml", "application/xml") or (name.endswith("+xml") and name != "application/xhtml+xml")
