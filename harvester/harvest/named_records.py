"""The records of a source that a list is compared with: those that a sweep lists, and the stored ones.

The listed ones are in an anonymous database file, because there may be many. The file is on the disk of the instance,
and is removed at the end of the sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection
from tempfile import NamedTemporaryFile
from typing import NamedTuple, Self

from gateway.core.errors import PageLost
from gateway.core.model import ItemState, Payload
from gateway.core.working_file import load_file, made_with, transaction, translated
from gateway.publish.publish import given_of
from gateway.store.base import Inbox, Store
from harvester.sources import Held

_BATCH = 500
_SQL = load_file(Path(__file__).with_name("named_records.sql"))
_SCHEMA = Path(__file__).with_name("named_records_schema.sql").read_text("utf-8")


class RecordState(IntEnum):
    """The state of a listed record: a closed list."""

    NOTHING = 0
    HELD = 1  # also as deleted
    UNUSABLE = 2  # in quarantine
    UNFETCHED = 3  # it could not be fetched
    TAKEN_DOWN = 4
    ASKED = 5  # requested by this sweep


class Heading(NamedTuple):
    """The header of a listed record. `is_wanted`: it is in the set and the dates of the entry."""

    identifier: str
    is_deleted: bool
    is_wanted: bool = True


class ListedRecords:
    """The identifiers of one list, and notes about some. Use it in a `with` block, whose end removes the file.

    Every method may raise StoreError.
    """

    def __init__(self, folder: Path) -> None:
        with NamedTemporaryFile(dir=folder, prefix="sweep-", suffix=".sqlite") as file:
            self._path = Path(file.name)
            self._connection = made_with(_SCHEMA, self._path)
        # The file has no name now; it is removed when the connection closes or the process dies.

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, headings: Iterable[Heading], place: int = 0) -> int:
        """Add what the list of a set names; `place` is that of the set among those of the source.

        Return how many are new. A record that is listed as living anywhere counts as living. A record that is wanted
        from any list is wanted.
        """
        headings = [heading for heading in headings if heading.identifier]
        rows = [
            (_bytes(heading.identifier), heading.is_deleted, place if heading.is_wanted else None)
            for heading in headings
        ]
        with self._writing() as connection:
            before = connection.total_changes
            connection.executemany(_SQL["add"], rows)
            new = connection.total_changes - before
            if new < len(rows):
                living = [(identifier,) for identifier, is_deleted, _ in rows if not is_deleted]
                connection.executemany(_SQL["living_put"], living)
                wanted = [(at, identifier) for identifier, _, at in rows if at is not None]
                connection.executemany(_SQL["wanted_put"], wanted)
        return new

    def _writing(self) -> AbstractContextManager[Connection]:
        return transaction(self._connection, self._path)

    def know(self, known: RecordState, identifiers: Iterable[str]) -> None:
        """Set the state of listed records that have none yet."""
        rows = [(known.value, _bytes(identifier)) for identifier in identifiers]
        with self._writing() as connection:
            connection.executemany(_SQL["known_put"], rows)

    def living(self, known: RecordState | None = None) -> int:
        """Return the number of listed records that are wanted and not deleted, optionally only those of a state."""
        with translated(self._path):
            ((count,),) = self._connection.execute(_SQL["living_count"], (known,)).fetchall()
        return int(count)

    def known(self, known: RecordState) -> Iterator[tuple[str, int]]:
        """Return the listed records of a state that are wanted and not deleted, with the number of their set."""
        after = b""
        while True:
            with translated(self._path):
                rows = self._connection.execute(_SQL["known"], (known.value, after, _BATCH)).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            yield from ((_text(identifier), place) for identifier, place in rows)

    def is_living(self, identifier: str) -> bool:
        """Return whether a record is listed and not deleted."""
        with translated(self._path):
            return bool(self._connection.execute(_SQL["is_living"], (_bytes(identifier),)).fetchall())

    def is_known(self, known: RecordState, identifier: str) -> bool:
        """Return whether a listed record has a state."""
        with translated(self._path):
            return bool(self._connection.execute(_SQL["is_known"], (_bytes(identifier), known.value)).fetchall())

    def note(self, kind: str, identifiers: Iterable[str]) -> None:
        """Store identifiers with a kind of note, in order."""
        rows = [(kind, _bytes(identifier)) for identifier in identifiers]
        with self._writing() as connection:
            connection.executemany(_SQL["note"], rows)

    def count(self, kind: str) -> int:
        """Return the number of identifiers with a kind of note."""
        with translated(self._path):
            ((count,),) = self._connection.execute(_SQL["noted_count"], (kind,)).fetchall()
        return int(count)

    def noted(self, kind: str) -> Iterator[tuple[str, ...]]:
        """Return the identifiers with a kind of note, in batches."""
        after = 0
        while True:
            with translated(self._path):
                rows = self._connection.execute(_SQL["noted"], (kind, after, _BATCH)).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            yield tuple(_text(identifier) for _, identifier in rows)


def _bytes(identifier: str) -> bytes:
    return identifier.encode("utf-8", "surrogatepass")


def _text(identifier: bytes) -> str:
    return identifier.decode("utf-8", "surrogatepass")


# --- The stored records of a source, for kinds of source that compare a list with them --------------------------------

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
