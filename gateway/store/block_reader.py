"""Blocks on SQLite: their rows and bodies, read for lists and records. `blocks` and its neighbours are pure."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.model import Key, Selection
from gateway.core.pieces import Piece, text_of
from gateway.store.block_rows import Bits, BlockRow, PagePlan, Portion, every, from_bytes, plan, positions_of
from gateway.store.blocks import Block, Kind, Opened, headers_in, opened, records_in, unpack
from gateway.store.connector import Session
from gateway.store.queries import load
from gateway.store.rows import EVERYTHING

SQL = load("store")

_AT_ONCE: Final = 8  # rows; a page of 500 records has six or seven
_EVER: Final = 2**62
_HEADER: Final = b"<header>"
_DELETED: Final = b'<header status="deleted">'


class Listed(NamedTuple):
    """A block of a list, with its records that are in the set, and those that left it."""

    row: BlockRow
    members: Bits
    departed: Bits


def row_from(columns: Sequence[Any]) -> BlockRow:
    """Return the row of a block, from its columns in the order of the queries."""
    datestamp, number, last_datestamp, last_number, count, is_small, holes, runs, body = columns
    first, last = Key(datestamp, number), Key(last_datestamp, last_number)
    return BlockRow(first, last, count, from_bytes(holes or b""), runs or b"", body, bool(is_small))


def listed_from(columns: Sequence[Any]) -> Listed:
    """Return a block of a list, from the columns of its row, and those of its set."""
    row = row_from(columns[:9])
    bits, departed = columns[9:]
    return Listed(row, every(row.size) if bits is None else from_bytes(bits), from_bytes(departed or b""))


class Blocks:
    """The blocks of a store, in one snapshot or transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._opened: tuple[int, Opened] | None = None  # the last block of which a record was read

    def from_key(self, collection: int, prefix: int, start: Key, until: int = _EVER) -> Iterator[Listed]:
        """Yield the blocks of a list in order, from the one that may have a key."""
        of_all = (SQL["block_at"], SQL["blocks_after"])
        of_set = (SQL["block_of_set_at"], SQL["blocks_of_set_after"])
        at, after = of_all if collection == EVERYTHING else of_set
        place = {"collection": collection, "prefix": prefix, "until": until, "limit": _AT_ONCE}
        where = {"datestamp": start.datestamp, "number": start.number}
        rows = self._session.execute(at, {**place, **where}).fetchall()
        while True:
            yield from map(listed_from, rows)
            if rows:
                where = {"datestamp": rows[-1][0], "number": rows[-1][1]}
            rows = self._session.execute(after, {**place, **where}).fetchall()
            if not rows:
                return

    def page(
        self,
        place: tuple[int, int],
        selection: Selection,
        after: Key | None,
        limit: int,
        *,
        shows_departed: bool,
        is_exact: bool = True,
    ) -> tuple[PagePlan, dict[int, Bits]]:
        """Return the plan of a page, and the departed records of each body in it."""
        start = max(after or Key(0, 0), Key(selection.from_ or 0, 0))
        until = _EVER if selection.until is None else selection.until
        departed: dict[int, Bits] = {}

        def rows() -> Iterator[tuple[BlockRow, Bits]]:
            for row, members, gone in self.from_key(*place, start, until):
                if shows_departed and gone:
                    departed[row.body] = gone
                    yield row, members | gone
                else:
                    yield row, members

        return plan(rows(), start, until, limit, is_exact=is_exact), departed

    def shortened(self, page: PagePlan, kind: Kind) -> PagePlan:
        """Return a page, or the beginning of one that would be very long."""
        if not page.may_be_long:
            return page
        query = SQL["body_lengths" if kind is Kind.RECORDS else "body_header_lengths"]
        bodies = json.dumps([portion.row.body for portion in page.portions])
        return page.shortened(dict(self._session.execute(query, (bodies,)).fetchall()))

    def pieces(self, bodies: Sequence[int], kind: Kind) -> dict[int, Piece]:
        """Return the records of blocks, or their headers, as they lie. Raise StoreDamaged."""
        query = SQL["body_records"] if kind is Kind.RECORDS else SQL["body_headers"]
        rows = self._session.execute(query, (json.dumps(bodies),)).fetchall()
        pieces = {body: Piece(*columns) for body, *columns in rows}
        for body in bodies:
            if body not in pieces:
                raise _no_body(body)
        return pieces

    def texts(self, portion: Portion, kind: Kind, departed: Bits) -> list[bytes]:
        """Return the records of a portion, or their headers. Raise StoreDamaged."""
        texts = self._texts(portion.row, kind)
        shown = [(texts[position], departed >> position & 1) for position in positions_of(portion.bits)]
        departing = as_departed if kind is Kind.RECORDS else _as_deleted
        return [departing(text) if is_departed else text for text, is_departed in shown]

    def record(self, prefix: int, key: Key) -> bytes:
        """Return the record with a key. Raise StoreDamaged if there is none.

        A block is inflated once for its records that are read one after another.
        """
        row = self._at(prefix, key)
        position = None if row is None else row.position(key)
        if row is None or position is None:
            raise _missing(prefix, key)
        try:
            if self._opened is None or self._opened[0] != row.body:
                *piece, lengths = self._one(SQL["body_texts"], row.body)
                self._opened = row.body, opened(Piece(*piece), lengths)
            return self._opened[1].record(position)
        except ValueError as error:
            raise _damaged(row.body, error) from error

    def records(self, prefix: int, keys: Iterable[Key]) -> Iterator[bytes]:
        """Yield the records with these keys, which are sorted; each block is inflated once.

        Raise StoreDamaged if one is missing.
        """
        row, texts = None, list[bytes]()
        for key in keys:
            if row is None or key > row.last:
                row, texts = self._at(prefix, key), []
            position = None if row is None else row.position(key)
            if row is None or position is None:
                raise _missing(prefix, key)
            texts = texts or self._texts(row, Kind.RECORDS)
            yield texts[position]

    def _at(self, prefix: int, key: Key) -> BlockRow | None:
        where = {"prefix": prefix, "datestamp": key.datestamp, "number": key.number}
        columns = self._session.one(SQL["block_at"], where)
        return None if columns is None else row_from(columns[:9])

    def items(self, row: BlockRow) -> list[int]:
        """Return the numbers of the items of a block, of superseded records too. Raise StoreDamaged."""
        (packed,) = self._one(SQL["body_items"], row.body)
        try:
            return unpack(packed)
        except ValueError as error:
            raise _damaged(row.body, error) from error

    def body(self, number: int) -> Block:
        """Return a block. Raise StoreDamaged."""
        columns = self._one(SQL["body"], number)
        return Block(Piece(*columns[:4]), Piece(*columns[4:8]), columns[8], columns[9])

    def _texts(self, row: BlockRow, kind: Kind) -> list[bytes]:
        try:
            if kind is Kind.HEADERS:
                texts = headers_in(text_of(self.pieces([row.body], kind)[row.body]))
            else:
                *piece, lengths = self._one(SQL["body_texts"], row.body)
                texts = records_in(text_of(Piece(*piece)), lengths)
        except ValueError as error:
            raise _damaged(row.body, error) from error
        if len(texts) != row.size:
            raise StoreDamaged(f"The block {row.body} has not the {row.size} records that it should have.")
        return texts

    def _one(self, query: str, body: int) -> tuple[Any, ...]:
        columns = self._session.one(query, (body,))
        if columns is None:
            raise _no_body(body)
        return columns


def as_departed(content: bytes) -> bytes:
    """Return the tombstone of a record that left a set: its header, and nothing else (OAI-PMH 2.0 §2.5.1)."""
    head, end, _ = content.partition(b"</header>")
    return _as_deleted(head) + end + b"</record>"


def _as_deleted(text: bytes) -> bytes:
    return text if _DELETED in text else text.replace(_HEADER, _DELETED, 1)


def _missing(prefix: int, key: Key) -> StoreDamaged:
    return StoreDamaged(f"No block has the record {key.datestamp}/{key.number} of the format {prefix}.")


def _no_body(body: int) -> StoreDamaged:
    return StoreDamaged(f"The block {body} is missing.")


def _damaged(body: int, error: ValueError) -> StoreDamaged:
    return StoreDamaged(f"The block {body} is damaged: {error}")
