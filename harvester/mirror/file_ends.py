"""Find the end of a file by its type: a function for each type that is more than a row of `file_types.toml`.

A function returns the offset of the end, or raises `Broken`, or struct.error where the file ends within a number.
"""

import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator

from harvester.mirror.file_types import MARKUP, MOST_PARTS, NEAR, Broken, Content, no_hole, whole


def number(data: Content, at: int, width: int, order: str = "big") -> int:
    """Return an unsigned number of a head. Raise struct.error when it is not there."""
    if at + width > len(data):
        raise struct.error
    return int.from_bytes(data[at : at + width], "little" if order == "little" else "big")


def chained(data: Content, at: int, after: Callable[[int], int]) -> int:
    """Return the end of the last part of a chain. `after` returns the end of the part at an offset; the same: none.

    Raise Broken when a part is longer than the data.
    """
    for _ in range(MOST_PARTS):
        following = after(at) if at < len(data) else at
        whole(data, following)
        if following == at:
            return at
        at = following
    return len(data)


# --- images, audio and video ----------------------------------------------------------------------------------------


def png(data: Content) -> int:
    """Follow chunks with a length and a CRC each; the last of them is IEND (PNG §5)."""
    at = 8
    for _ in range(MOST_PARTS):
        length, name = struct.unpack_from(">I4s", data, at)
        body, check = data[at + 4 : at + 8 + length], data[at + 8 + length : at + 12 + length]
        if check != struct.pack(">I", zlib.crc32(body)):
            raise Broken("A chunk of it is not whole, or not what was written: its CRC is another.")
        at += 12 + int(length)
        if name == b"IEND":
            return at
    return len(data)


_LONE = frozenset((0x01, 0xFF, *range(0xD0, 0xD8)))  # markers of JPEG without a length
_SOS = 0xDA


def jpeg(data: Content) -> int:
    """Follow segments, of which the last is a scan, and find EOI (ITU T.81 §B.1)."""
    at = 2
    for _ in range(MOST_PARTS):
        mark, kind, length = struct.unpack_from(">BBH", data, at)
        if mark != 0xFF:  # noqa: PLR2004
            break
        at += (1 if kind == 0xFF else 2) if kind in _LONE else 2 + length  # noqa: PLR2004
        if kind == _SOS:
            end = data.rfind(b"\xff\xd9")
            if end < at:
                break
            no_hole(data)
            return end + 2
    raise Broken


def gif(data: Content) -> int:
    """Find the last byte, 3B (GIF89a §27); zeros or markup may follow."""
    last = data[max(0, len(data) - 64 * NEAR) :]
    if last.rstrip(b"\x00").endswith(b";"):
        return len(data) - len(last) + len(last.rstrip(b"\x00"))
    trailer = data.rfind(b"\x00;")
    if trailer < 0 or not MARKUP.match(data[trailer + 2 : trailer + NEAR]):
        raise Broken
    return trailer + 2


_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}  # TIFF 6.0 §2, in bytes
_STRIPS = {273: 279, 324: 325}  # offsets of strips and of tiles, and how long those are
_MOST_IMAGES = 100


def tiff(data: Content) -> int:
    """Follow directories, and the strips that they name (TIFF 6.0 §2). BigTIFF is not checked."""
    order = "<" if data[:2] == b"II" else ">"
    if b"*" not in data[2:4]:
        return len(data)  # BigTIFF
    (at,) = struct.unpack_from(f"{order}I", data, 4)
    for _ in range(_MOST_IMAGES if at else 0):
        (count,) = struct.unpack_from(f"{order}H", data, at)
        values: dict[int, tuple[int, ...]] = {}
        for place in range(at + 2, at + 2 + 12 * count, 12):
            tag, kind, length, where = struct.unpack_from(f"{order}HHII", data, place)
            size = _SIZES.get(kind, 1) * length
            where = where if size > 4 else place + 8  # noqa: PLR2004 - a value that fits stands in its place
            whole(data, where + size)
            if tag in (*_STRIPS, *_STRIPS.values()) and kind in (3, 4):
                values[tag] = struct.unpack_from(f"{order}{length}{'HI'[kind - 3]}", data, where)
        for offsets, lengths in _STRIPS.items():
            for pair in zip(values.get(offsets, ()), values.get(lengths, ()), strict=False):
                whole(data, sum(pair))
        (at,) = struct.unpack_from(f"{order}I", data, at + 2 + 12 * count)
        if not at:
            break
    return len(data)


_UNKNOWN = 0x7FFF_FF00  # sizes from here on were written before the size was known


def riff(data: Content) -> int:
    """Read the length in the head of WAV, WebP or AVI; some writers count the head too. WAV without sound is broken."""
    size = number(data, 4, 4, "little")
    if data[8:12] == b"WAVE":
        at = data.find(b"data", 12, 1 << 16)
        if at >= 0 and data[at + 4 : at + 8] == bytes(4) and len(data) <= at + 16:
            raise Broken("There is no sound in it.")
    return whole(data, 8 + size, 8) if 0 < size < _UNKNOWN else len(data)


def ogg(data: Content) -> int:
    """Follow pages, each with the lengths of its segments (RFC 3533 §6)."""

    def after(at: int) -> int:
        count = number(data, at + 26, 1) if data[at : at + 4] == b"OggS" else -27
        return at + 27 + count + sum(data[at + 27 : at + 27 + count])

    return whole(data, chained(data, 0, after))


_XING = re.compile(rb"(?:Xing|Info)\x00\x00\x00([\x00-\x0f])")


def mp3(data: Content) -> int:
    """Read the number of bytes in the first frame, if it has one. A tag without sound behind it is broken."""
    at = 0
    if data[:3] == b"ID3":
        size = struct.unpack_from("4B", data, 6)
        at = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(size, (21, 14, 7, 0), strict=True))
        whole(data, at + 1)
    match = _XING.search(data[at : at + 200])
    if match is None or not match[1][0] & 2:
        return len(data)
    return whole(data, at + number(data, at + match.end() + 4 * (match[1][0] & 1), 4), NEAR)


def _boxes(data: Content) -> tuple[int, set[bytes]]:
    """Return the end of boxes with lengths, and their names."""
    names = set[bytes]()

    def after(at: int) -> int:
        head = data[at : at + 16]
        if len(head) < 8 or not head[4:8].isascii() or not head[4:8].strip(b"\x00"):  # noqa: PLR2004
            return at
        names.add(head[4:8])
        length = int.from_bytes(head[:4])
        length = int.from_bytes(head[8:16]) if length == 1 else length or len(data) - at
        if length < 8:  # noqa: PLR2004
            raise Broken
        return at + length

    return chained(data, 0, after), names


def mp4(data: Content) -> int:
    """Follow boxes, one being `moov`, `moof` or `meta` (ISO/IEC 14496-12 §4.2)."""
    end, names = _boxes(data)
    if not names & {b"moov", b"moof", b"meta"}:
        raise Broken("It has no moov box, without which nothing can be played.")
    return end


def jp2(data: Content) -> int:
    """Follow boxes, if there are any, and find the end of a stream, FFD9 (ISO/IEC 15444-1)."""
    end = _boxes(data)[0] if data[:1] == b"\x00" else len(data)
    if data.rfind(b"\xff\xd9") < max(0, len(data) - NEAR):
        raise Broken
    return end


def matroska(data: Content) -> int:
    """Follow two elements, the second of them the segment (RFC 9559, RFC 8794)."""
    at, length = 0, 0
    for is_segment in (False, True):
        at += 4 + length
        width = 9 - number(data, at, 1).bit_length()
        unknown = (1 << 7 * width) - 1
        length = number(data, at, width) & unknown
        if is_segment and length == unknown:
            return len(data)
        at += width
    return whole(data, at + length)


# --- data of research -----------------------------------------------------------------------------------------------


class _Numbers:
    """Reads the numbers of a head in order."""

    def __init__(self, data: Content, at: int, order: str) -> None:
        self.data, self.at, self.order = data, at, order

    def next(self, kind: str) -> int:
        """Return the next number."""
        (value,) = struct.unpack_from(f"{self.order}{kind}", self.data, self.at)
        self.at += struct.calcsize(kind)
        return int(value)

    def skip(self, count: int) -> None:
        """Skip bytes."""
        self.at += count


_NETCDF_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_MOST_NAMES = 10_000


def netcdf(data: Content) -> int:
    """Read the size and the offset of each variable in the head (NetCDF classic)."""
    numbers, version = _Numbers(data, 4, ">"), data[3]
    count, place = ("Q" if version == 5 else "I"), ("I" if version == 1 else "Q")  # noqa: PLR2004
    records = numbers.next(count)

    def listed() -> Iterator[int]:
        numbers.next("I")
        for number in range(min(numbers.next(count), _MOST_NAMES)):
            numbers.skip(-(-numbers.next(count) // 4) * 4)  # a name
            yield number

    def attributes() -> None:
        for _ in listed():
            size = _NETCDF_SIZES.get(numbers.next("I"), 1)
            numbers.skip(-(-numbers.next(count) * size // 4) * 4)

    lengths = [numbers.next(count) for _ in listed()]
    attributes()
    ends, rows, begins = [0], [], []
    for _ in listed():
        dims = [numbers.next(count) for _ in range(min(numbers.next(count), _MOST_NAMES))]
        attributes()
        size = _NETCDF_SIZES.get(numbers.next("I"), 1)
        numbers.next(count)
        begin = numbers.next(place)
        shape = [lengths[dim] if dim < len(lengths) else 1 for dim in dims]
        if shape and shape[0] == 0:
            rows.append(-(-math.prod(shape[1:]) * size // 4) * 4)
            begins.append(begin)
        else:
            ends.append(begin + math.prod(shape) * size)
    if rows and 0 < records < (1 << 8 * struct.calcsize(count)) - 1:  # more: it was written as a stream
        ends.append(min(begins) + records * sum(rows) - (3 if len(rows) == 1 else 0))
    return whole(data, max(ends), 3)


_HDF = b"\x89HDF\r\n\x1a\n"


def hdf5(data: Content) -> int:
    """Read the offset of the end in the superblock (HDF5 File Format Specification §II.A)."""
    start = next((at for at in (0, 512, 1024, 2048, 4096, 8192) if data[at : at + 8] == _HDF), 0)
    version = number(data, start + 8, 1)
    width = number(data, start + (13 if version < 2 else 9), 1)  # noqa: PLR2004
    if width not in (2, 4, 8) or version > 3:  # noqa: PLR2004
        return len(data)
    return whole(data, number(data, start + {0: 24, 1: 28}.get(version, 12) + 2 * width, width, "little"))


_CARD = re.compile(rb"(BITPIX|NAXIS\d{0,3}|PCOUNT|GCOUNT) *= *(-?\d{1,18})")
_BLOCK = 2880


def fits(data: Content) -> int:
    """Follow parts, each with cards that give the size of its data (FITS §3)."""

    def after(at: int) -> int:
        values: dict[bytes, int] = {}
        for _ in range(MOST_PARTS if not at or data[at : at + 8] == b"XTENSION" else 0):
            (card,) = struct.unpack_from("80s", data, at)
            at += 80
            if (match := _CARD.match(card)) is not None:
                values[match[1]] = int(match[2])
            if card.rstrip() == b"END":
                break
        axes = [values.get(b"NAXIS%d" % axis, 0) for axis in range(1, min(values.get(b"NAXIS", 0), 999) + 1)]
        axes = axes[1:] if axes and axes[0] == 0 else axes  # random groups
        count = math.prod(axes) if axes else 0
        size = abs(values.get(b"BITPIX", 8)) // 8 * values.get(b"GCOUNT", 1) * (values.get(b"PCOUNT", 0) + count)
        end = at + -at % _BLOCK + max(0, size) if values else at
        whole(data, end)
        return min(end + -end % _BLOCK, len(data)) if values else at

    chained(data, 0, after)
    return len(data)


def spss(data: Content) -> int:
    """Read the number of cases, 8 bytes a variable, and the dictionary (as PSPP describes them)."""
    numbers = _Numbers(data, 68, "<" if number(data, 64, 4, "little") in (2, 3) else ">")
    width, compression, _, cases = (numbers.next("i") for _ in range(4))
    numbers.at = 176
    for _ in range(MOST_PARTS):
        kind = numbers.next("i")
        if kind == 2:  # noqa: PLR2004 - a variable
            _, is_labelled, absent, _, _ = (numbers.next("i") for _ in range(5))
            numbers.skip(8)
            numbers.skip((-(-numbers.next("I") // 4) * 4 if is_labelled else 0) + 8 * abs(absent))
        elif kind == 3:  # noqa: PLR2004 - labels of values
            for _ in range(min(numbers.next("I"), MOST_PARTS)):
                numbers.skip(8)
                numbers.skip((numbers.next("B") + 8) // 8 * 8 - 1)
        elif kind in (4, 6):  # the variables of labels, and a text
            numbers.skip((4 if kind == 4 else 80) * numbers.next("I"))  # noqa: PLR2004
        elif kind == 7:  # noqa: PLR2004 - an extension
            numbers.next("i")
            numbers.skip(numbers.next("I") * numbers.next("I"))
        else:
            numbers.next("i")
            break
    if compression == 2:  # noqa: PLR2004 - blocks of zlib, with a trailer
        numbers.next("q")
        return whole(data, numbers.next("q") + numbers.next("q"))
    is_plain = not compression and cases >= 0 and width > 0
    end = whole(data, numbers.at + (8 * width * cases if is_plain else 0))
    return end if is_plain else len(data)


def sqlite(data: Content) -> int:
    """Read the size and the number of pages, if the number is of the last change (Database File Format §1.3)."""
    size, count = number(data, 16, 2), number(data, 28, 4)
    (changed,), (counted,) = struct.unpack_from("4s", data, 24), struct.unpack_from("4s", data, 92)
    return whole(data, (65536 if size == 1 else size) * count) if changed == counted else len(data)
