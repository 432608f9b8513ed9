"""The type of a file by its first bytes, and shared parts of the functions that find the end of a file.

Each type with an end mark or a length has a function in one of the modules that `file_facts.py` lists. It returns the
offset of the end in bytes, or raises `Broken`. Bytes after the end are not part of the file.
"""

import binascii
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


# --- how files of a type begin --------------------------------------------------------------------------------------

_HDF = rb"(?:.{512}|.{1024}|.{2048})?\x89HDF\r\n\x1a\n"
_ZIPPED = rb"PK(?:\x03\x04|\x05\x06|\x07\x08|00PK)"
_LOCKED = rb"\xd0\xcf\x11\xe0"  # office files under a password
_TAGGED = rb"(?:\s{0,64}|\xef\xbb\xbf)\{\\rtf"

# Types with a fixed beginning; files of other types may begin with anything.
_BEGINNINGS: tuple[tuple[re.Pattern[str], re.Pattern[bytes]], ...] = tuple(
    (re.compile(mime_type), re.compile(beginning, re.DOTALL))
    for mime_type, beginning in (
        (r"application/(?:x-)?pdf", rb".{0,1019}%PDF-"),  # PDF 1.7 implementation note 13: within the first 1024
        (r"image/png", rb"\x89PNG\r\n"),
        (r"image/(?:jpe?g|pjpeg)", rb"\xff\xd8\xff"),
        (r"image/gif", rb"GIF8[79]a"),
        (r"image/(?:x-)?tiff?(?:-fx)?", rb"II[*+]\x00|MM\x00[*+]"),
        (r"image/webp", rb"RIFF.{4}WEBP"),
        (r"image/(?:jp2|jpx|jpm|jph)", rb"\x00\x00\x00\x0cjP|\xff\x4f\xff\x51"),
        (r"image/(?:x-ms-)?bmp", rb"BM"),
        (r"image/(?:vnd\.djvu|x[.-]djvu|x-djvu)(?:\+multipage)?", rb"AT&TFORM|FORM"),
        (r"audio/(?:x-|vnd\.)?wave?", rb"(?:RIFF|RIFX|RF64|BW64).{4}WAVE|FORM"),
        (r"audio/(?:mpeg|mp3)", rb"\x00{0,4000}+(?:ID3|\xff[\xe2-\xff]|TAG)|RIFF"),
        (r"audio/(?:x-)?flac", rb"fLaC|ID3|OggS"),
        (r"(?:audio|video|application)/ogg", rb"OggS"),
        (r"(?:video|audio)/(?:mp4|quicktime)", rb".{4}(?:ftyp|moov|mdat|free|skip|wide|pnot|uuid|styp)"),
        (r"(?:video|audio)/(?:webm|x-matroska)", rb"\x1a\x45\xdf\xa3"),
        (r"application/(?:x-)?zip(?:-compressed)?", rb"MZ|#!|\x7fELF|" + _ZIPPED + rb"|" + _LOCKED),
        (r"application/epub\+zip|application/java-archive", _ZIPPED),
        (r"application/vnd\.openxmlformats-officedocument\..*", _ZIPPED + rb"|" + _LOCKED),
        (r"application/vnd\.oasis\.opendocument\..*", _ZIPPED + rb"|(?:\xef\xbb\xbf)?<\?xml|" + _LOCKED),
        (r"application/(?:x-)?(?:gzip|tgz|gtar)", rb"\x1f[\x8b\x9d]|.{257}ustar"),
        (r"application/x-7z-compressed", rb"7z\xbc\xaf\x27\x1c|MZ"),
        (r"application/(?:vnd\.rar|x-rar(?:-compressed)?)", rb"Rar!\x1a\x07|RE~\^|MZ|" + _ZIPPED),
        (r"application/x-bzip2?", rb"BZh"),
        (r"application/x-xz", rb"\xfd7zXZ\x00"),
        (r"application/(?:x-)?netcdf4?", rb"CDF[\x01\x02\x05]|" + _HDF),
        (r"application/(?:x-)?hdf5?", _HDF + rb"|\x0e\x03\x13\x01"),
        (r"application/(?:fits|x-fits)|image/(?:x-)?fits", rb"SIMPLE  =|XTENSION"),
        (r"application/(?:x-)?spss-sav", rb"\$FL[23]|\xc5\xd7\xe2\xe2|SR\x00[\x04\x06]"),
        (r"application/x-stata-dta", rb"<stata_dta>|[\x66-\x73][\x01\x02]"),
        (r"application/(?:vnd\.sqlite3|x-sqlite3)", rb"SQLite format 3\x00"),
        (r"application/vnd\.apache\.parquet", rb"PAR[1E]"),
        (r"(?:application|text)/(?:x-)?rtf", _TAGGED),
        (
            r"application/(?:postscript|eps|x-eps)|image/x-eps",
            rb"(?>(?:[\x04\s]|\xef\xbb\xbf){0,9})%!|\x1b%-12345X|\xc5\xd0\xd3\xc6",
        ),
    )
)


_OFFICE = ("application/vnd.ms-excel", "application/msword", "application/vnd.ms-word", "application/vnd.ms-powerpoint")


def is_of_office(mime_type: str, first: bytes) -> bool:
    """Return whether a file is the markup of Microsoft Office documents."""
    return mime_type in _OFFICE and b"urn:schemas-microsoft-com:office" in first


def begins_rightly(mime_type: str, first: bytes) -> bool | None:
    """Return whether bytes begin like files of a type; None when files of the type have no fixed beginning."""
    beginnings = [beginning for pattern, beginning in _BEGINNINGS if pattern.fullmatch(mime_type)]
    return any(beginning.match(first) for beginning in beginnings) if beginnings else None


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
