"""Pieces of an answer: each is compressed once, and compressed answers are made of pieces as they lie.

A piece is raw DEFLATE (RFC 1951) that ends at a byte boundary and refers to nothing before it. So pieces in a row are
one stream, to which gzip (RFC 1952) and zlib (RFC 1950) add a checksum of the whole text. The checksums of the pieces
are combined, and nobody reads the text again.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final, NamedTuple, Protocol, TypeAlias

import zstandard
from isal import isal_zlib

LEVEL: Final = 2  # of isal; 2.4 us a record. Its level 1 is no faster, and level 3 needs twice the time for 1 %.
_RAW: Final = -15  # wbits of raw DEFLATE
_END: Final = b"\x03\x00"  # an empty final block
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # no name, no time, an unknown system
_ZLIB_HEAD: Final = b"\x78\x01"
_SHORT: Final = 2_000  # bytes of a text that costs more time to compress than it saves
_ZSTD_LEVEL: Final = 1
_ADLER: Final = 65_521  # the modulus of Adler-32 (RFC 1950 §8.2)


class Piece(NamedTuple):
    """A text that is compressed: `length` (in bytes), `crc` (CRC-32) and `adler` (Adler-32) are those of the text."""

    deflated: bytes
    length: int
    crc: int
    adler: int


Part: TypeAlias = bytes | Piece  # of an answer: a short text as it is, or a piece


class Compressor(Protocol):
    """What makes DEFLATE: that of isal_zlib, or of another library with the interface of zlib."""

    def compress(self, data: bytes, /) -> bytes:
        """Return the next compressed bytes."""

    def flush(self, mode: int, /) -> bytes:
        """Return the rest."""


def fast() -> Compressor:
    """Return the compressor for what is written or cut now."""
    made: Compressor = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, _RAW)
    return made


def compressed(text: bytes, compressor: Callable[[], Compressor] = fast) -> Piece:
    """Return a text as a piece."""
    writer = compressor()
    deflated = writer.compress(text) + writer.flush(isal_zlib.Z_FULL_FLUSH)
    return Piece(deflated, len(text), *checksums(text))


def checksums(text: bytes) -> tuple[int, int]:
    """Return the CRC-32 and the Adler-32 of a text."""
    return isal_zlib.crc32(text), isal_zlib.adler32(text)


def inflated(piece: Piece) -> bytes:
    """Return what is compressed in a piece, whatever its checksums are. Raise ValueError if its length is wrong."""
    try:
        text: bytes = isal_zlib.decompressobj(_RAW).decompress(piece.deflated, piece.length + 1)
    except isal_zlib.IsalError as error:  # type: ignore[misc]  # its stub calls it an instance
        raise ValueError(f"A piece cannot be inflated: {error}.") from error
    if len(text) != piece.length:
        raise ValueError(f"A piece has not the {piece.length} bytes that it should have.")
    return text


def text_of(piece: Piece) -> bytes:
    """Return the text of a piece. Raise ValueError if the piece is damaged.

    Two of three flipped bits leave the length as it was. The checksum takes a seventieth of the time of inflating.
    """
    text = inflated(piece)
    if isal_zlib.crc32(text) != piece.crc:
        raise ValueError("A piece has not the text that it had.")
    return text


def identity(parts: Iterable[Part]) -> bytes:
    """Return an answer without a content coding. Raise ValueError if a piece is damaged."""
    # Piece by piece: one buffer of a whole answer costs the allocator a third of the time.
    return b"".join(text_of(part) if isinstance(part, Piece) else part for part in parts)


def gzip(parts: Iterable[Part]) -> bytes:
    """Return an answer in the coding `gzip`."""
    written, crc, length = [_GZIP_HEAD], 0, 0
    for piece in _pieces(parts):
        written.append(piece.deflated)
        crc = isal_zlib.crc32_combine(crc, piece.crc, piece.length)
        length += piece.length
    return b"".join([*written, _END, struct.pack("<II", crc, length & 0xFFFFFFFF)])


def deflate(parts: Iterable[Part]) -> bytes:
    """Return an answer in the coding `deflate`, which is the zlib format (RFC 9110 §8.4.1.2)."""
    written, adler = [_ZLIB_HEAD], 1
    for piece in _pieces(parts):
        written.append(piece.deflated)
        adler = _combined(adler, piece.adler, piece.length)
    return b"".join([*written, _END, struct.pack(">I", adler)])


def zstd(parts: Iterable[Part]) -> bytes:
    """Return an answer in the coding `zstd` (RFC 8878), compressed anew. Raise ValueError if a piece is damaged."""
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(identity(parts))


def _pieces(parts: Iterable[Part]) -> Iterator[Piece]:
    """Yield parts as pieces. Texts in a row become one piece; if they are short, it is not compressed."""
    for is_piece, several in groupby(parts, key=lambda part: isinstance(part, Piece)):
        if is_piece:
            yield from several  # type: ignore[misc]
        else:
            text = b"".join(several)  # type: ignore[arg-type]
            yield _stored(text) if len(text) <= _SHORT else compressed(text)


def _stored(text: bytes) -> Piece:
    """Return a short text as a piece that is not compressed (RFC 1951 §3.2.4)."""
    head = struct.pack("<BHH", 0, len(text), len(text) ^ 0xFFFF)
    return Piece(head + text, len(text), *checksums(text))


def _combined(before: int, after: int, length: int) -> int:
    """Return the Adler-32 of two texts, from that of each, and the length of the second."""
    low = (before & 0xFFFF) + (after & 0xFFFF) - 1
    high = (before >> 16) + (after >> 16) + length % _ADLER * ((before & 0xFFFF) - 1)
    return high % _ADLER << 16 | low % _ADLER
