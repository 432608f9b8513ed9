"""Find the end of images, audio and video. Functions return its offset, or raise `Broken`; see `file_facts.py`."""

import re
import struct
import zlib

from harvester.mirror.file_types import CUT, MARKUP, MOST_PARTS, NEAR, PART, Broken, Content, no_hole, whole


def png(data: Content) -> int:
    """Return the end of a PNG image: chunks with a length and a CRC each, the last of them IEND (PNG §5)."""
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
    """Return the end of a JPEG image: segments, of which the last is a scan, and then EOI (ITU T.81 §B.1)."""
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
            no_hole(data)
            return end + 2
    raise Broken("It ends in the middle: no scan with an end behind it.")


def gif(data: Content) -> int:
    """Return the end of a GIF image: its last byte is 3B (GIF89a §27); zeros or markup may follow."""
    end = len(data)
    while end and not (part := data[max(0, end - PART) : end].rstrip(b"\x00")):
        end = max(0, end - PART)
    end = max(0, end - PART) + len(part)
    if data[end - 1 : end] == b";":
        return end
    trailer = data.rfind(b"\x00;")
    if trailer < 0 or not MARKUP.match(data[trailer + 2 : trailer + NEAR]):
        raise Broken("It ends in the middle: no trailer.")
    return trailer + 2


_TYPES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}  # TIFF 6.0 §2, in bytes
_STRIPS = {273: 279, 324: 325}  # offsets of strips and of tiles, and how long those are
_MOST_IMAGES = 100


def tiff(data: Content) -> int:
    """Return the end of a TIFF image: its directories and strips are there (TIFF 6.0 §2). BigTIFF is not checked."""
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
        ends = (sum(pair) for pair in zip(values.get(offsets, ()), values.get(lengths, ()), strict=False))
        if max(ends, default=0) > len(data):
            raise Broken("It ends in the middle: a strip of it is not there.")
    (after,) = struct.unpack_from(f"{order}I", data, at + 2 + 12 * count)
    return int(after)


def jp2(data: Content) -> int:
    """Return the end of a JPEG 2000 image: boxes with lengths, and a stream that ends with FFD9 (ISO/IEC 15444-1)."""
    at = 0
    for _ in range(MOST_PARTS if data[:1] == b"\x00" else 0):
        head = data[at : at + 16]
        if len(head) < 8:  # noqa: PLR2004 - a length and a name
            break
        length = int.from_bytes(head[:4])
        length = int.from_bytes(head[8:16]) if length == 1 else length or len(data) - at
        if length < 8 or at + length > len(data):  # noqa: PLR2004
            raise Broken(CUT.format("a box of it is not whole"))
        at += length
    if data.rfind(b"\xff\xd9") < max(0, len(data) - NEAR):
        raise Broken(CUT.format("the end of its stream is not there"))
    return at or len(data)


def bitmap(data: Content) -> int:
    """Return the end of a BMP image. The size of an uncompressed image follows from its header."""
    if len(data) < 54:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    start, head, width, height, _, depth, coding = struct.unpack_from("<IIiiHHI", data, 10)
    if head < 40 or coding or not 0 < width < 1 << 20:  # noqa: PLR2004 - another kind of head
        return len(data)
    return whole(data, start + (width * depth + 31) // 32 * 4 * abs(height), "lines of it are not there", 4)


_UNKNOWN = 0x7FFF_FF00  # sizes from here on were written before the size was known
_OFF = 8  # bytes by which writers are wrong that count the head too


def riff(data: Content) -> int:
    """Return the end of a RIFF file (WAV, WebP or AVI), which begins with its length. WAV without sound is broken."""
    size = int.from_bytes(data[4:8], "little")
    if data[8:12] == b"WAVE":
        at = data.find(b"data", 12, 1 << 16)
        if at >= 0 and data[at + 4 : at + 8] == bytes(4) and len(data) <= at + 16:
            raise Broken("There is no sound in it.")
    return whole(data, 8 + size, "it says that it is longer", _OFF) if 0 < size < _UNKNOWN else len(data)


def form(data: Content) -> int:
    """Return the end of an IFF file (DjVu or AIFF), which begins with its length (EA IFF 85)."""
    at = 4 if data[:4] == b"AT&T" else 0
    return whole(data, at + 8 + int.from_bytes(data[at + 4 : at + 8]), "it says that it is longer", 1)


def ogg(data: Content) -> int:
    """Return the end of an Ogg file: pages, each with the lengths of its segments (RFC 3533 §6)."""
    at = 0
    for _ in range(MOST_PARTS):
        if data[at : at + 4] != b"OggS":
            return whole(data, at, "")
        count = int.from_bytes(data[at + 26 : at + 27])
        at += 27 + count + sum(data[at + 27 : at + 27 + count])
        if at > len(data):
            raise Broken(CUT.format("a page of it is not whole"))
    return len(data)


_XING = re.compile(rb"(?:Xing|Info)\x00\x00\x00([\x00-\x0f])")


def mp3(data: Content) -> int:
    """Return the end of an MP3 file. Its first frame may have the number of bytes. One without sound is broken."""
    at = 0
    if data[:3] == b"ID3":
        at = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=False))
        if at >= len(data):
            raise Broken(CUT.format("there is no sound behind its tag"))
    match = _XING.search(data[at : at + 200])
    if match is None or not match[1][0] & 2:
        return len(data)
    place = at + match.end() + (4 if match[1][0] & 1 else 0)
    size = int.from_bytes(data[place : place + 4])
    return whole(data, at + size, "it says that it is longer", NEAR)


def mp4(data: Content) -> int:
    """Return the end of an MP4 file: boxes with lengths, one being `moov`, `moof` or `meta` (ISO/IEC 14496-12 §4.2)."""
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


def matroska(data: Content) -> int:
    """Return the end of a Matroska file: elements, the second of them the segment (RFC 9559, RFC 8794)."""
    at, length = 0, 0
    for is_segment in (False, True):
        at += 4
        width = 9 - int.from_bytes(data[at : at + 1]).bit_length()
        length = int.from_bytes(data[at : at + width]) & ((1 << 7 * width) - 1)
        if is_segment and length == (1 << 7 * width) - 1:
            return len(data)
        at += width + length
    return whole(data, at, "its segment is not whole")
