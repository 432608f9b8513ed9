"""What the bytes of a file tell about themselves: what kind of file they are, and whether all of it is there.

Each kind of file that has an end, or that counts itself, has a function here. It returns where the file ends, or raises
`Broken`. What stands behind that end is no part of the file.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from io import BufferedReader, RawIOBase
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeAlias
from xml.parsers import expat

MOST = 64 << 20  # bytes of a file that are read whole; of a larger one only the beginning and the end
_PART = 1 << 20
MOST_PARTS = 100_000  # chunks, segments or boxes that are looked at

Content: TypeAlias = bytes | mmap


class Broken(Exception):
    """Bytes that are no whole file of their kind; the message says what is wrong."""


CUT = "It ends in the middle: {}."


def whole(data: Content, end: int, what: str, slack: int = 0) -> int:
    """Return where a file ends that says so. Raise Broken when that is behind its last byte.

    What stands behind is left alone unless it is markup: writers leave much there.
    """
    if end > len(data) + slack:
        raise Broken(CUT.format(what))
    return end if _MARKUP.match(data[end : end + _NEAR]) else len(data)


# --- what kind ------------------------------------------------------------------------------------------------------

_SHORTEST = 4  # bytes of a signature; shorter ones are found in texts
# Where the library knows a type under another name than documents use, or under none.
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
    """Return signatures that stand at the beginning of files, and their MIME types.

    The library is loaded when the first file without a digest comes; most commands never need it.
    """
    import puremagic  # noqa: PLC0415 - see above

    known = ((each.byte_match, each.mime_type) for each in puremagic.magic_header_array if not each.offset)
    named = (each for each in known if "/" in each[1] and len(each[0]) >= _SHORTEST and not each[0].startswith(_OTHERS))
    return (*named, *_ALSO)


_JPEG_2000 = b"\x00\x00\x00\x0cjP"  # the library takes it for a JPEG
_OTHERS = (b"<!--", b"<?xml", b"%!PS", b"From", _JPEG_2000)  # texts, and what the library does not tell apart


def signatures(first: bytes) -> frozenset[str]:
    """Return the MIME types whose signature stands at the beginning of a file."""
    return frozenset(mime_type for beginning, mime_type in _table() if first.startswith(beginning))


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_ROW_OF_ZEROS = bytes(8)  # UTF-32 has three in a row, or six around a character that is none
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # the byte order marks of UTF-16 and UTF-32


def is_text(part: bytes) -> bool:
    """Tell whether bytes are text, in whatever encoding; UTF-16 and UTF-32 have zeros in them."""
    if part[:2] in _WIDE:
        return True
    plain = part.replace(b"\x00", b"")
    is_wide = len(part) * 0.4 < len(part) - len(plain) < len(part) * 0.8 and _ROW_OF_ZEROS not in part
    return _CONTROLS.search(plain if is_wide else part) is None


# --- whether it is whole --------------------------------------------------------------------------------------------

_NEAR = 1024  # a reader of PDFs looks for the last marks within so many bytes from the end
_OFF = 16  # bytes by which a real offset may be wrong
_XREF = re.compile(rb"xref|\d{1,10}\s+\d{1,5}\s+obj")
_STARTXREF = re.compile(rb"startxref\s{1,4}(\d{1,15})\s")
_BINARY_SHARE = 0.05
HIGH = bytes(range(0x80, 0x100))
_PAGE = 4096
_ZEROS = re.compile(rb"\x00{4096,}+")
_CHANCE = 8  # zeros before a hole that belong to the file; other rows of zeros begin anywhere, as those of an image
_TRANSFER = re.compile(rb"(?i)content-(?:type|length|disposition):|HTTP/\d|\A[0-9a-f]{1,8}\r\n")


def pdf(data: Content) -> int:
    """PDF 32000-1 §7.5.5: a file ends in `startxref`, the offset of its cross-references, and `%%EOF`."""
    start, end = data.find(b"%PDF-"), data.rfind(b"%%EOF")
    marks = data.rfind(b"startxref")
    is_binary = _is_binary(data)
    if end < 0 or (is_binary and not 0 <= marks < end):
        raise Broken("It has no end: startxref and %%EOF are not there.")
    match = _STARTXREF.match(data[marks : marks + 40])
    offset = int(match[1]) if match else -1
    if start in range(1, 4) and data[:start].strip(b"\r\n\t ") == b"\xef\xbb\xbf":
        raise Broken("A byte order mark stands before its beginning.")
    if b"<" in data[: max(0, start)] or _TRANSFER.search(data[: max(0, start)]):
        raise Broken("Something else stands before its beginning.")
    if is_binary and not any(_has_xref(data, at) for at in (offset, offset + start)):
        raise Broken("Its table of cross-references is not where it should be: bytes were lost, added or changed.")
    _no_hole(data)
    _check_streams(data)
    return end + len(b"%%EOF")


_STREAM = re.compile(rb"/Filter\s{0,4}(?:\[\s{0,4})?/FlateDecode\b[^\x00<>]{0,200}>>\s{0,4}stream\r?\n")
_MOST_STREAM = 4 << 20
_WRONG_SUM = "incorrect data check"


def _check_streams(data: Content) -> None:
    """Raise Broken where a compressed stream of a PDF cannot be read; those of an encrypted one cannot anyway."""
    if len(data) > MOST or data.find(b"/Encrypt") >= 0:
        return
    for match in _STREAM.finditer(data):
        end = data.find(b"endstream", match.end())
        try:
            zlib.decompressobj().decompress(data[match.end() : end if end > 0 else len(data)], _MOST_STREAM)
        except zlib.error as error:
            if _WRONG_SUM in str(error):
                continue  # readers take no notice of it, and real files have it
            raise Broken(f"A stream of it cannot be read: {error}.") from error


def _has_xref(data: Content, offset: int) -> bool:
    return 0 <= offset < len(data) and _XREF.search(data[max(0, offset - _OFF) : offset + _OFF]) is not None


def _is_binary(data: Content) -> bool:
    sample = data[:65536]
    return len(sample) - len(sample.translate(None, HIGH)) > len(sample) * _BINARY_SHARE


def _no_hole(data: Content) -> None:
    """Raise Broken where a page of zeros is: a block that never came to the disk of the server."""
    if len(data) <= MOST:
        for match in _ZEROS.finditer(data):
            if -match.start() % _PAGE <= _CHANCE and match.end() // _PAGE > (match.start() + _CHANCE) // _PAGE:
                raise Broken("It has a hole: a whole block is zeros.")


def png(data: Content) -> int:
    """PNG §5: chunks with a length and a CRC each, the last of them IEND."""
    at = 8
    for _ in range(MOST_PARTS):
        head = data[at : at + 8]
        if len(head) < 8:  # noqa: PLR2004 - a length and a name
            raise Broken("It ends in the middle: no IEND.")
        length, name = int.from_bytes(head[:4]), head[4:]
        body, check = data[at + 4 : at + 8 + length], data[at + 8 + length : at + 12 + length]
        if check != struct.pack(">I", zlib.crc32(body)):
            raise Broken("A chunk of it is not whole, or not what was written: its CRC is another.")
        at += 12 + length
        if name == b"IEND":
            return at
    return len(data)


_LONE = frozenset((0x01, 0xFF, *range(0xD0, 0xD8)))  # markers of JPEG without a length
_SOS = 0xDA


def jpeg(data: Content) -> int:
    """ITU T.81 §B.1: segments, the last of which is a scan, and EOI behind it."""
    at = 2
    for _ in range(MOST_PARTS):
        head = data[at : at + 4]
        if head[:1] != b"\xff" or len(head) < 4:  # noqa: PLR2004
            break
        if head[1] in _LONE:
            at += 1 if head[1] == 0xFF else 2  # noqa: PLR2004
            continue
        at += 2 + int.from_bytes(head[2:4])
        if head[1] == _SOS:
            end = data.rfind(b"\xff\xd9")
            if end < at:
                break
            _no_hole(data)
            return end + 2
    raise Broken("It ends in the middle: no scan with an end behind it.")


def gif(data: Content) -> int:
    """GIF89a §27: the last byte is 3B; zeros may stand behind it."""
    end = len(data)
    while end and not (part := data[max(0, end - _PART) : end].rstrip(b"\x00")):
        end = max(0, end - _PART)
    end = max(0, end - _PART) + len(part)
    if data[end - 1 : end] == b";":
        return end
    trailer = data.rfind(b"\x00;")
    if trailer < 0 or not _MARKUP.match(data[trailer + 2 : trailer + _NEAR]):
        raise Broken("It ends in the middle: no trailer.")
    return trailer + 2


_TYPES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}  # TIFF 6.0 §2, in bytes
_STRIPS = {273: 279, 324: 325}  # offsets of strips and of tiles, and how long those are
_MOST_IMAGES = 100


def tiff(data: Content) -> int:
    """TIFF 6.0 §2: every directory, and every strip that one names, lies within the file."""
    order = "<" if data[:2] == b"II" else ">"
    if data[2:4] not in (b"*\x00", b"\x00*"):
        return len(data)  # BigTIFF
    try:
        (at,) = struct.unpack_from(f"{order}I", data, 4)
        for _ in range(_MOST_IMAGES):
            if not at:
                break
            at = _directory(data, order, at)
    except struct.error as error:
        raise Broken("It ends in the middle: a directory of it is not there.") from error
    return len(data)


def _directory(data: Content, order: str, at: int) -> int:
    (count,) = struct.unpack_from(f"{order}H", data, at)
    values: dict[int, tuple[int, ...]] = {}
    for number in range(count):
        tag, kind, length, where = struct.unpack_from(f"{order}HHII", data, at + 2 + 12 * number)
        size = _TYPES.get(kind, 1) * length
        where = where if size > 4 else at + 10 + 12 * number  # noqa: PLR2004 - a value that fits stands in its place
        if where + size > len(data):
            raise Broken("It ends in the middle: a value of it is not there.")
        if tag in (*_STRIPS, *_STRIPS.values()) and kind in (3, 4):
            values[tag] = struct.unpack_from(f"{order}{length}{'H' if kind == 3 else 'I'}", data, where)  # noqa: PLR2004
    for offsets, lengths in _STRIPS.items():
        ends = (sum(each) for each in zip(values.get(offsets, ()), values.get(lengths, ()), strict=False))
        if max(ends, default=0) > len(data):
            raise Broken("It ends in the middle: a strip of it is not there.")
    (after,) = struct.unpack_from(f"{order}I", data, at + 2 + 12 * count)
    return int(after)


class _Reading(RawIOBase):
    """The first bytes of a file, read as a stream."""

    def __init__(self, data: Content, end: int) -> None:
        self._data, self._end, self._at = data, end, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, (0, self._at, self._end)[whence] + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, into: Any) -> int:  # noqa: ANN401 - any buffer
        view = memoryview(into)
        part = self._data[self._at : min(self._end, self._at + len(view))]
        view[: len(part)] = part
        self._at += len(part)
        return len(part)


_END_OF_ZIP = b"PK\x05\x06"
_ENCRYPTED = 1


_LIST = re.compile(r"(?i)(?:\A|/)manifest[\w.-]{0,30}\.(?:txt|json|csv|tsv|xml)\Z")


def zip_(data: Content) -> int:
    """APPNOTE §4.3: a central directory at the end names every member, each with its CRC."""
    end = data.rfind(_END_OF_ZIP)
    if end < 0 or len(data) < end + 22:
        raise Broken("It has no end: the central directory is not there.")
    whole = end + 22 + int.from_bytes(data[end + 20 : end + 22], "little")
    try:
        with zipfile.ZipFile(BufferedReader(_Reading(data, whole))) as archive:
            if not archive.infolist():
                raise Broken("Nothing is in it.")
            if all(_LIST.search(each.filename) for each in archive.infolist()):
                raise Broken("Only a list of files is in it, and none of them.")
            members = [each for each in archive.infolist() if not each.flag_bits & _ENCRYPTED]
            if len(data) <= MOST and sum(each.file_size for each in members) <= MOST:
                for each in members:
                    with archive.open(each) as member:
                        while member.read(_PART):
                            pass
    except NotImplementedError:
        pass  # another compression: what can be told was told
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error) as error:
        raise Broken(f"It is a ZIP file that cannot be read: {error}.") from error
    return whole


def gzip(data: Content) -> int:
    """RFC 1952: members, each with the CRC of what is in it."""
    at, written, is_zero = 0, 0, True
    while data[at : at + 2] == b"\x1f\x8b":
        reader = zlib.decompressobj(wbits=31)
        try:
            first = reader.decompress(data[at : at + _PART], _PART)
            if not at and first.startswith(b"\x1f\x8b\x08"):
                raise Broken("It was compressed twice.")
            is_zero = is_zero and not first.strip(b"\x00")
            left, at = reader.unconsumed_tail, at + _PART
            while not reader.eof:
                left = left or data[at : at + _PART]
                if not left:
                    raise Broken("It ends in the middle: the end of its stream is not there.")
                at += _PART if not reader.unconsumed_tail else 0
                part = reader.decompress(left, _PART)
                is_zero = is_zero and not part.strip(b"\x00")
                written += len(part)
                left = reader.unconsumed_tail
                if written > 4 * MOST:
                    return len(data)
            at = min(at, len(data)) - len(reader.unused_data)
        except zlib.error as error:
            raise Broken(f"Its stream is broken: {error}.") from error
    if is_zero:
        raise Broken("Nothing is in it.")
    return at


def mp4(data: Content) -> int:
    """ISO/IEC 14496-12 §4.2: boxes, each with its length, one of which is `moov`."""
    at, names = 0, set[bytes]()
    for _ in range(MOST_PARTS):
        head = data[at : at + 16]
        if len(head) < 8 or not head[4:8].isascii() or not head[4:8].strip(b"\x00"):  # noqa: PLR2004
            break
        length = int.from_bytes(head[:4])
        length = int.from_bytes(head[8:16]) if length == 1 else length or len(data) - at
        if length < 8 or at + length > len(data):  # noqa: PLR2004
            raise Broken("It ends in the middle of a box.")
        names.add(head[4:8])
        at += length
    if not names & {b"moov", b"moof", b"meta"}:
        raise Broken("It has no moov box, without which nothing can be played.")
    return at


_NO_SECTOR = 0xFFFFFFFA


def ole(data: Content) -> int:
    """[MS-CFB] §2.2: the header names the sectors that hold the table of all sectors."""
    if len(data) < 512:  # noqa: PLR2004
        raise Broken("It ends in its header.")
    size = 1 << int.from_bytes(data[30:32], "little") % 16
    count, first = struct.unpack_from("<I", data, 44)[0], struct.unpack_from("<I", data, 48)[0]
    sectors = (*struct.unpack_from(f"<{min(count, 109)}I", data, 76), first)
    if any((sector + 1) * size >= len(data) for sector in sectors if sector < _NO_SECTOR):
        raise Broken("It ends in the middle: its table of sectors is not there.")
    used = 0
    for place, sector in enumerate(sectors[: min(count, 109)]):
        table = data[(sector + 1) * size : (sector + 2) * size] if sector < _NO_SECTOR else b""
        kept = table[: len(table) // 4 * 4].rstrip(b"\xff")
        used = max(used, place * size // 4 + (len(kept) + 3) // 4 if kept else 0)
    if used * size >= len(data):
        raise Broken("It ends in the middle: sectors of it are not there.")
    return len(data)


# What a document may have in the wild, and has had when it was written.
_FORGIVEN = frozenset(
    expat.errors.codes[each]
    for each in (
        expat.errors.XML_ERROR_UNKNOWN_ENCODING,
        expat.errors.XML_ERROR_INCORRECT_ENCODING,
        expat.errors.XML_ERROR_UNDEFINED_ENTITY,
        expat.errors.XML_ERROR_INVALID_TOKEN,
        expat.errors.XML_ERROR_MISPLACED_XML_PI,
        expat.errors.XML_ERROR_AMPLIFICATION_LIMIT_BREACH,
    )
)


def xml(data: Content) -> int:
    """XML 1.0 §2.1: one element with everything in it, and closed. Encodings and entities may be unknown to us."""
    if b">" not in data[max(0, len(data) - _NEAR) :].rstrip(b" \t\r\n\x00")[-2:]:  # two bytes in UTF-16
        raise Broken("It ends in the middle: its last element is not closed.")
    reader = expat.ParserCreate()
    try:
        for at in range(0, len(data), _PART):
            reader.Parse(data[at : at + _PART], at + _PART >= len(data))
    except expat.ExpatError as error:
        if error.code not in _FORGIVEN:
            raise Broken(f"It is no well-formed XML: {error}.") from error
    except ValueError:  # an encoding of several bytes
        pass
    return len(data)


_MOST_JSON = 16 << 20


def json_(data: Content) -> int:
    """RFC 8259; a value a line is taken too."""
    if len(data) > _MOST_JSON:
        return len(data)
    text = data[:].decode("utf-16" if data[:2] in _WIDE else "utf-8-sig", "replace")
    try:
        json.loads(text)
    except RecursionError:
        pass
    except json.JSONDecodeError as error:
        lines = [each for each in text.splitlines() if each.strip()]
        # Commas and comments that JSON has not are found in the wild.
        is_closed = text.rstrip()[-1:] in ("}", "]") and error.pos < len(text.rstrip())
        if not is_closed and not all(_is_json(each) for each in lines):
            raise Broken(f"It is no JSON: {error}.") from error
    return len(data)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


_MOST_HTML = 4 << 20


def html(data: Content) -> int:
    """HTML: no file ends within a tag or a script, nor in a body that it has opened; end tags may be left out."""
    last = data[-4096:]
    if last.rfind(b"<") > last.rfind(b">") and _CUT.search(last):
        raise Broken("It ends within a tag.")
    if len(data) <= _MOST_HTML:
        lowered = data[:].lower()
        for name in (b"script", b"style"):
            if lowered.rfind(b"<" + name) > lowered.rfind(b"</" + name):
                raise Broken(f"It ends within a {name.decode()}.")
        is_open = b"<body" in lowered and b"</body" not in lowered and b"</html" not in lowered
        if is_open and not last.endswith((b">", b"\n")):
            raise Broken("It ends within its body.")
    return len(data)


_CUT = re.compile(rb"<[/!a-zA-Z][^<>]*\Z")
_MARKUP = re.compile(rb"\s*<[!?/a-zA-Z]")

# By what a file is, by its first bytes: what tells whether it is whole.
BINARY: tuple[tuple[re.Pattern[bytes], Callable[[Content], int]], ...] = (
    (re.compile(rb"(?s).{0,1019}%PDF-"), pdf),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), png),
    (re.compile(rb"\xff\xd8\xff"), jpeg),
    (re.compile(rb"GIF8[79]a"), gif),
    (re.compile(rb"II[*+]\x00|MM\x00[*+]"), tiff),
    (re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)"), zip_),
    (re.compile(rb"\x1f\x8b"), gzip),
    (re.compile(rb"(?s).{4}ftyp"), mp4),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), ole),
)


@contextmanager
def content(file: Path) -> Iterator[Content]:
    """Map the bytes of a file into memory for as long as the context lasts."""
    with file.open("rb") as stream:
        if not file.stat().st_size:
            yield b""
            return
        with mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
            yield data
