"""The type of a file by its first bytes, and shared parts of the functions that find the end of a file.

Each type with an end mark or a length has a function in one of the modules that `file_facts.py` lists. It returns the
offset of the end in bytes, or raises `Broken`. Bytes after the end are not part of the file.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TypeAlias

MOST = 64 << 20  # bytes of a file that is read as a whole; of a larger one only both ends are read
PART = 1 << 20  # bytes that are read at once
MOST_PARTS = 100_000  # chunks, segments or boxes that are read
NEAR = 1024  # bytes from the end that are searched for an end mark, as PDF readers do
HIGH = bytes(range(0x80, 0x100))  # what is not ASCII
MARKUP = re.compile(rb"\s*<[!?/a-zA-Z]")
Content: TypeAlias = bytes | mmap


class Broken(Exception):
    """An incomplete or damaged file; the message is the reason."""


CUT = "It ends in the middle: {}."


def whole(data: Content, end: int, what: str, slack: int = 0) -> int:
    """Return the stated end of a file. Raise Broken when it is after the last byte.

    Bytes after the end are allowed unless they are markup: many programs write some.
    """
    if end > len(data) + slack:
        raise Broken(CUT.format(what))
    return end if MARKUP.match(data[end : end + NEAR]) else len(data)


_PAGE = 4096
_ZEROS = re.compile(rb"\x00{4096,}+")
_CHANCE = 8  # zeros before a hole that belong to the file; other rows of zeros begin anywhere, as those of an image


def no_hole(data: Content) -> None:
    """Raise Broken for a block of zeros, which was never written to the disk of the server."""
    if len(data) <= MOST:
        for match in _ZEROS.finditer(data):
            if -match.start() % _PAGE <= _CHANCE and match.end() // _PAGE > (match.start() + _CHANCE) // _PAGE:
                raise Broken("It has a hole: a whole block is zeros.")


@contextmanager
def content(file: Path) -> Iterator[Content]:
    """Map the bytes of a file into memory until the context ends. Raise OSError."""
    with file.open("rb") as stream:
        if not file.stat().st_size:
            yield b""
            return
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
            yield data


# --- which type -----------------------------------------------------------------------------------------------------

_SHORTEST = 4  # bytes of a signature; shorter ones are found in texts
# Types that the library knows under another name than documents use, or under none.
_ALSO = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x1f\x8b", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"\xd0\xcf\x11\xe0", "application/x-ole-storage"),
    (b"{\\rtf", "application/rtf"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
)


@cache
def _table() -> tuple[tuple[bytes, str], ...]:
    """Return signatures of files at offset 0, and their MIME types.

    The library is imported with the first file without a digest, because most commands never need it.
    """
    import puremagic  # noqa: PLC0415 - see above

    known = ((magic.byte_match, magic.mime_type) for magic in puremagic.magic_header_array if not magic.offset)
    named = (pair for pair in known if "/" in pair[1] and len(pair[0]) >= _SHORTEST and not pair[0].startswith(_OTHERS))
    return (*named, *_ALSO)


_JPEG_2000 = b"\x00\x00\x00\x0cjP"  # the library takes it for a JPEG
_OTHERS = (b"<!--", b"<?xml", b"%!PS", b"From", _JPEG_2000)  # texts, and types that the library does not distinguish


def signatures(first: bytes) -> frozenset[str]:
    """Return the MIME types whose signature a file begins with."""
    return frozenset(mime_type for beginning, mime_type in _table() if first.startswith(beginning))


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ROW_OF_ZEROS = bytes(8)  # UTF-32 has three in a row, or six around a character that is none
WIDE = (b"\xff\xfe", b"\xfe\xff")  # the byte order marks of UTF-16 and UTF-32


def is_text(part: bytes) -> bool:
    """Return whether bytes are text in any encoding; UTF-16 and UTF-32 contain zeros."""
    if part[:2] in WIDE:
        return True
    plain = part.replace(b"\x00", b"")
    is_wide = len(part) * 0.4 < len(part) - len(plain) < len(part) * 0.8 and _ROW_OF_ZEROS not in part
    return _CONTROLS.search(plain if is_wide else part) is None
