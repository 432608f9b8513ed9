"""Blocks: about a hundred records of one list, compressed once, and served as they lie. Pure: bytes in, bytes out.

A block is never changed. It has the records in the order of their keys, and their headers once more, for
ListIdentifiers. It also has the length of each record, and the number of its item. Every text ends with a newline, so
blocks in a row are lines.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import accumulate, pairwise
from sys import byteorder
from typing import Final, NamedTuple

from isal import isal_zlib

from gateway.core.pieces import Compressor, Piece, compressed, fast, text_of

RECORDS: Final = 100  # of a block; 250 save 5 % of disk, but pages are coarser, and 50 cost 3 %
MOST_BYTES: Final = 1_048_576  # of a block, unless it has one record: to read a record, its block is inflated
_HEADER_END: Final = b"</header>"
_LINE_END: Final = b"\n"
_LONGEST_NUMBERS: Final = 8 * 1_048_576  # bytes; no block has as many numbers


class Kind(IntEnum):
    """What a list shows of its records: all (ListRecords), or their headers (ListIdentifiers)."""

    RECORDS = 0
    HEADERS = 1


class Block(NamedTuple):
    """The records of a block. `lengths` are those of the records with their newlines, in bytes, as packed numbers."""

    records: Piece
    headers: Piece
    lengths: bytes
    items: bytes

    @property
    def is_small(self) -> bool:
        """Whether the block has few records, and few bytes."""
        return len(unpack(self.lengths)) < RECORDS // 2 and self.records.length < MOST_BYTES // 2

    def piece(self, kind: Kind) -> Piece:
        """Return all records, or all headers, as they lie."""
        return self.records if kind is Kind.RECORDS else self.headers


def block_of(records: Sequence[bytes], items: Iterable[int], compressor: Callable[[], Compressor] = fast) -> Block:
    """Return a block of `<record>` elements, and of the numbers of their items."""
    return Block(
        compressed(_lines(records), compressor),
        compressed(_lines(map(header_of, records)), compressor),
        pack(len(record) + len(_LINE_END) for record in records),
        pack(items),
    )


def header_of(record: bytes) -> bytes:
    """Return the `<header>` of a record."""
    return record[record.index(b"<header") : record.index(_HEADER_END) + len(_HEADER_END)]


def texts_of(block: Block, kind: Kind) -> list[bytes]:
    """Return the records of a block, or their headers. Raise ValueError if the block is damaged."""
    text = text_of(block.piece(kind))
    return records_in(text, block.lengths) if kind is Kind.RECORDS else headers_in(text)


def records_in(text: bytes, lengths: bytes) -> list[bytes]:
    """Return the records in the text of a block, from their packed lengths. Raise ValueError if these are damaged."""
    ends = list(accumulate(unpack(lengths), initial=0))
    if ends[-1] != len(text):
        raise ValueError("The lengths of its records are not that of their text.")
    return [text[start : end - len(_LINE_END)] for start, end in pairwise(ends)]


class Opened(NamedTuple):
    """The text of a block, and where its records end: its first one begins at `ends[0]`, which is 0."""

    text: bytes
    ends: list[int]

    def record(self, position: int) -> bytes:
        """Return one record. Raise ValueError if there is none, or it does not end a line."""
        if not 0 <= position < len(self.ends) - 1:
            raise ValueError(f"It has no record {position}.")
        start, end = self.ends[position : position + 2]
        if not self.text.endswith(_LINE_END, start, end):
            raise ValueError("It has not the records that it had.")
        return self.text[start : end - len(_LINE_END)]


def opened(piece: Piece, lengths: bytes) -> Opened:
    """Return a block from which single records are read. Raise ValueError if it is damaged."""
    ends = list(accumulate(unpack(lengths), initial=0))
    if ends[-1] != piece.length:
        raise ValueError("The lengths of its records are not that of their text.")
    return Opened(text_of(piece), ends)


def headers_in(text: bytes) -> list[bytes]:
    """Return the headers in the text of a block: no header has the end of another one inside."""
    return [line + _HEADER_END for line in text.split(_HEADER_END + _LINE_END)[:-1]]


def _lines(texts: Iterable[bytes]) -> bytes:
    return b"".join([text + _LINE_END for text in texts])


def pack(numbers: Iterable[int]) -> bytes:
    """Return whole numbers (at most 8 bytes each) as few bytes: their differences, compressed."""
    differences = array("q", (after - before for before, after in pairwise((0, *numbers))))
    if byteorder == "big":
        differences.byteswap()
    packed: bytes = isal_zlib.compress(differences.tobytes(), level=1, wbits=-15)
    return packed


def unpack(packed: bytes) -> list[int]:
    """Return packed numbers. Raise ValueError if they are damaged."""
    differences = array("q")
    try:
        differences.frombytes(isal_zlib.decompressobj(-15).decompress(packed, _LONGEST_NUMBERS))
    except isal_zlib.IsalError as error:  # type: ignore[misc]  # its stub calls it an instance
        raise ValueError(f"Numbers cannot be inflated: {error}.") from error
    if byteorder == "big":
        differences.byteswap()
    return list(accumulate(differences))
