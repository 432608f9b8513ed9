"""The type of a file by its first bytes, and shared parts of the functions that find the end of a file.

`file_types.toml` has the types. Bytes after the end are not part of the file.
"""

import binascii
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from gateway.core.words import table

MOST = 64 << 20  # bytes of a file that is read as a whole; of a larger one only both ends are read
PART = 1 << 20  # bytes that are read at once
MOST_PARTS = 100_000  # chunks, segments or boxes that are read
NEAR = 1024  # bytes from the end that are searched for an end mark, as PDF readers do
HIGH = bytes(range(0x80, 0x100))  # what is not ASCII
OPENING = rb"(?i)(?:\xef\xbb\xbf)?\s*+(?>(?:<\?xml[^>]*+>\s*+|<!--(?>(?:[^-]|-(?!->))*)-->\s*+)*)<"
PAGE = re.compile(OPENING + rb"(?:!doctype\s++html|(?:html|head|body)\b)")
MARKUP = re.compile(rb"\s*<[!?/a-zA-Z]")
Content: TypeAlias = bytes | mmap


class Broken(Exception):
    """An incomplete or damaged file; the message is the reason."""

    def __init__(self, reason: str = "It ends in the middle.") -> None:
        super().__init__(reason)


def whole(data: Content, end: int, slack: int = 0) -> int:
    """Return the stated end of a file. Raise Broken when it is after the last byte.

    Bytes after the end are allowed unless they are markup: many programs write some.
    """
    if end > len(data) + slack:
        raise Broken
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


class _Mapped(mmap):
    """A mapped file that `zipfile` can read."""

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: Any = 0) -> int:  # type: ignore[override]  # noqa: ANN401 - newer ones return it
        try:
            super().seek(offset, whence)
        except ValueError as error:
            raise OSError(str(error)) from error
        return self.tell()


@contextmanager
def content(file: Path) -> Iterator[Content]:
    """Map the bytes of a file into memory until the context ends. Raise OSError."""
    with file.open("rb") as stream:
        if not file.stat().st_size:
            yield b""
            return
        with _Mapped(stream.fileno(), 0, access=ACCESS_READ) as data:
            yield data


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


# --- which type -----------------------------------------------------------------------------------------------------


class FileType(NamedTuple):
    """A row of `file_types.toml`."""

    types: re.Pattern[str] | None = None
    kin: re.Pattern[str] | None = None
    begins: re.Pattern[bytes] | None = None
    signature: re.Pattern[bytes] | None = None
    text: re.Pattern[str] | None = None
    end: str = ""
    length: tuple[str, int, int] | None = None
    slack: int = 0
    mark: str = ""
    within: int = NEAR
    where: str = ""


def _file_type(row: Mapping[str, Any]) -> FileType:
    row = {"begins": row.get("signature"), **row}
    patterns: dict[str, Any] = {name: re.compile(row[name]) for name in ("types", "kin", "text") if name in row}
    for name in ("begins", "signature"):
        if row.get(name):
            patterns[name] = re.compile(row[name].encode("latin-1"), re.DOTALL)
    return FileType(**{**row, **patterns})


TYPES = {name: _file_type(row) for name, row in table(__file__, "file_types").items()}
_OFFICE = ("application/vnd.ms-excel", "application/msword", "application/vnd.ms-word", "application/vnd.ms-powerpoint")


def is_of_office(mime_type: str, first: bytes) -> bool:
    """Return whether a file is the markup of Microsoft Office documents."""
    return mime_type in _OFFICE and b"urn:schemas-microsoft-com:office" in first


def begins_rightly(mime_type: str, first: bytes) -> bool | None:
    """Return whether bytes begin like files of a type; None when files of the type have no fixed beginning."""
    beginnings = [row.begins for row in TYPES.values() if row.begins and row.types and row.types.fullmatch(mime_type)]
    return any(beginning.match(first) for beginning in beginnings) if beginnings else None


def known_by(first: bytes) -> list[str]:
    """Return the names of the types that the first bytes of a file are those of."""
    return [name for name, row in TYPES.items() if row.signature and row.signature.match(first)]


def family(mime_type: str) -> str:
    """Return the family of a MIME type; an empty string when it has none."""
    rows = ((name, (row.types, row.kin)) for name, row in TYPES.items() if row.kin)
    fitting = (name for name, both in rows if any(one and one.fullmatch(mime_type) for one in both))
    return next(fitting, "") if mime_type else ""


# --- what belongs to a transfer ---------------------------------------------------------------------------------------

_HEADERS = (
    rb"content-(?:type|length|disposition|encoding|transfer-encoding|description)|set-cookie|cache-control|pragma|"
    rb"status|expires|last-modified|etag|server|x-powered-by|x-[a-z-]{1,40}|date|accept-ranges|connection|vary|location"
)
_OF_HTTP = re.compile(rb"HTTP/[123](?:\.\d)? \d{3}\b[^\r\n]*\r?\n[\w-]+:")
_OF_CGI = re.compile(rb"(?i)(?>(?:(?:" + _HEADERS + rb"):[^\r\n]{0,400}\r?\n){1,30})\r?\n")
_SURELY = re.compile(rb"(?i)content-(?:type|length|disposition):|set-cookie:")
_OF_A_FORM = re.compile(rb"(?i)--[^\r\n]{1,80}\r?\ncontent-disposition: ?form-data")
_CHUNK = re.compile(rb"([0-9a-fA-F]{1,8})(?:;[^\r\n]{0,200})?\r\n")
_LEAST_CHUNK = 64  # bytes; lists of numbers look like shorter ones


def has_transfer(first: bytes, data_at: bytes) -> bool:
    """Return whether a file begins with headers, with the boundary of a form, or with the length of a chunk.

    `data_at` are the bytes that are searched for the end of the first chunk.
    """
    if _OF_HTTP.match(first) or _OF_A_FORM.match(first) or _is_chunked(data_at):
        return True
    match = _OF_CGI.match(first)
    return match is not None and _SURELY.search(match[0]) is not None


def _is_chunked(data: bytes) -> bool:
    match = _CHUNK.match(data)
    if match is None or int(match[1], 16) < _LEAST_CHUNK:
        return False
    end = match.end() + int(match[1], 16)
    return data[end : end + 2] == b"\r\n" and _CHUNK.match(data[end + 2 : end + 300]) is not None


# Pointers that programs write in place of files that are stored elsewhere.
_POINTERS = re.compile(
    rb"version https://git-lfs\.github\.com/spec/|(?>(?:\.\./){0,9})(?:\.git)?/annex/objects/|(?:\xef\xbb\xbf)?\[InternetShortcut\]|"
    rb"outs:\r?\n *- +(?:md5|hash|etag):|\x00\x05\x16[\x00\x07]\x00|"
    rb"L\x00\x00\x00\x01\x14\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46"
)
_SUM = re.compile(
    rb"(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|[0-9a-fA-F]{128})(?: [ *][^\r\n]{1,300})?\r?\n?"
)
_LEAST_LETTERS = 200
_LETTERS = re.compile(rb"[A-Za-z0-9+/\r\n]+={0,2}\s{0,4}")


def is_pointer(short: bytes) -> bool:
    """Return whether a short file contains only the address or the digest of another."""
    return _POINTERS.match(short) is not None or _SUM.fullmatch(short) is not None


def is_base64(text: bytes) -> bool:
    """Return whether a text is only base64, of at least 200 characters."""
    if len(text) < _LEAST_LETTERS or _LETTERS.fullmatch(text) is None:
        return False
    lines = text.split()
    has_lines = len({len(line) for line in lines[:-1]}) <= 1 and len(lines[-1]) <= len(lines[0])
    letters = b"".join(lines)
    is_varied = bool(set(letters) & set(b"0123456789+/")) and letters.lower() != letters
    if not has_lines or not is_varied:
        return False
    try:
        binascii.a2b_base64(letters, strict_mode=True)
    except ValueError:
        return False
    return True
