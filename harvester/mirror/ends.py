"""Where files end that research programs and libraries write: sound, scans, archives, arrays, tables, texts.

It goes on with `mirror/looking.py`: each function returns where a file ends, or raises `Broken`.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

from harvester.mirror.looking import CUT, MOST, MOST_PARTS, Broken, Content, whole
from harvester.mirror.packed import rar, rar5, seven_zip, stream, tar, zstandard

_NEAR = 1024
_UNKNOWN = 0x7FFF_FF00  # sizes from here on were written before the size was known
_OFF = 8  # bytes by which writers are wrong that count the head too


def riff(data: Content) -> int:
    """RIFF: WAV, WebP and AVI say at their beginning how long they are; a sound has data."""
    size = int.from_bytes(data[4:8], "little")
    if data[8:12] == b"WAVE":
        at = data.find(b"data", 12, 1 << 16)
        if at >= 0 and data[at + 4 : at + 8] == bytes(4) and len(data) <= at + 16:
            raise Broken("There is no sound in it.")
    return whole(data, 8 + size, "it says that it is longer", _OFF) if 0 < size < _UNKNOWN else len(data)


def form(data: Content) -> int:
    """EA IFF 85, which DjVu and AIFF are: a size at the beginning."""
    at = 4 if data[:4] == b"AT&T" else 0
    return whole(data, at + 8 + int.from_bytes(data[at + 4 : at + 8]), "it says that it is longer", 1)


def ogg(data: Content) -> int:
    """RFC 3533 §6: pages, each with the lengths of what is in it."""
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
    """MP3: the first frame may say how many bytes there are."""
    at = 0
    if data[:3] == b"ID3":
        at = 10 + sum((each & 0x7F) << shift for each, shift in zip(data[6:10], (21, 14, 7, 0), strict=False))
        if at >= len(data):
            raise Broken(CUT.format("there is no sound behind its tag"))
    match = _XING.search(data[at : at + 200])
    if match is None or not match[1][0] & 2:
        return len(data)
    place = at + match.end() + (4 if match[1][0] & 1 else 0)
    size = int.from_bytes(data[place : place + 4])
    return whole(data, at + size, "it says that it is longer", _NEAR)


def jp2(data: Content) -> int:
    """ISO/IEC 15444-1: boxes with their lengths, and a stream that ends with FFD9."""
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
    if data.rfind(b"\xff\xd9") < max(0, len(data) - _NEAR):
        raise Broken(CUT.format("the end of its stream is not there"))
    return at or len(data)


def bitmap(data: Content) -> int:
    """BMP: the lines of an image that is not compressed have their length."""
    if len(data) < 54:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    start, head, width, height, _, depth, coding = struct.unpack_from("<IIiiHHI", data, 10)
    if head < 40 or coding or not 0 < width < 1 << 20:  # noqa: PLR2004 - another kind of head
        return len(data)
    return whole(data, start + (width * depth + 31) // 32 * 4 * abs(height), "lines of it are not there", 4)


def matroska(data: Content) -> int:
    """RFC 8794: elements, of which the second is the segment, with its length or none."""
    at, length = 0, 0
    for is_segment in (False, True):
        at += 4
        width = 9 - int.from_bytes(data[at : at + 1]).bit_length()
        length = int.from_bytes(data[at : at + width]) & ((1 << 7 * width) - 1)
        if is_segment and length == (1 << 7 * width) - 1:
            return len(data)
        at += width + length
    return whole(data, at, "its segment is not whole")


# --- arrays and tables ----------------------------------------------------------------------------------------------


class _Numbers:
    """Numbers of a head, read one after the other."""

    def __init__(self, data: Content, at: int, order: str) -> None:
        self.data, self.at, self.order = data, at, order

    def next(self, kind: str) -> int:
        """Return the next number."""
        (value,) = struct.unpack_from(f"{self.order}{kind}", self.data, self.at)
        self.at += struct.calcsize(kind)
        return int(value)

    def skip(self, count: int) -> None:
        """Go on, to where the next number stands."""
        self.at += count
        if self.at > len(self.data):
            raise Broken(CUT.format("its head is not whole"))


_NETCDF_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_MOST_NAMES = 10_000


def netcdf(data: Content) -> int:
    """NetCDF classic: the head names every variable, its size, and where it begins."""
    try:
        ends = list(_netcdf(_Numbers(data, 4, ">"), data[3]))
    except struct.error as error:
        raise Broken(CUT.format("its head is not whole")) from error
    return whole(data, max(ends, default=0), "values of a variable are not there", 3)


def _netcdf(numbers: _Numbers, version: int) -> list[int]:
    count, place = ("Q" if version == 5 else "I"), ("I" if version == 1 else "Q")  # noqa: PLR2004
    records = numbers.next(count)
    is_streaming = records >= (1 << 8 * struct.calcsize(count)) - 1

    def listed() -> range:
        numbers.next("I")
        return range(min(numbers.next(count), _MOST_NAMES))

    def named() -> None:
        numbers.skip(-(-numbers.next(count) // 4) * 4)

    def attributes() -> None:
        for _ in listed():
            named()
            size = _NETCDF_SIZES.get(numbers.next("I"), 1)
            numbers.skip(-(-numbers.next(count) * size // 4) * 4)

    lengths = []
    for _ in listed():
        named()
        lengths.append(numbers.next(count))
    attributes()
    fixed, rows, begins = [], [], []
    for _ in listed():
        named()
        dims = [numbers.next(count) for _ in range(min(numbers.next(count), _MOST_NAMES))]
        attributes()
        size = _NETCDF_SIZES.get(numbers.next("I"), 1)
        numbers.next(count)
        begin = numbers.next(place)
        shape = [lengths[each] if each < len(lengths) else 1 for each in dims]
        if shape and shape[0] == 0:
            rows.append(-(-math.prod(shape[1:]) * size // 4) * 4)
            begins.append(begin)
        else:
            fixed.append(begin + math.prod(shape) * size)
    if rows and not is_streaming and records:
        fixed.append(min(begins) + (records - 1) * sum(rows) + (sum(rows) if len(rows) > 1 else rows[0] - 3))
    return fixed


_HDF = b"\x89HDF\r\n\x1a\n"


def hdf5(data: Content) -> int:
    """HDF5 §II.A: the superblock says where the file ends."""
    start = next((at for at in (0, 512, 1024, 2048, 4096, 8192) if data[at : at + 8] == _HDF), 0)
    version = int.from_bytes(data[start + 8 : start + 9])
    place = start + (13 if version < 2 else 9)  # noqa: PLR2004
    width = int.from_bytes(data[place : place + 1])
    at = start + {0: 24, 1: 28}.get(version, 12) + 2 * width
    end = data[at : at + width]
    if width not in (2, 4, 8) or version > 3:  # noqa: PLR2004
        return len(data)
    if len(end) < width:
        raise Broken(CUT.format("its head is not whole"))
    return whole(data, int.from_bytes(end, "little"), "it says that it is longer")


_CARD = re.compile(rb"(BITPIX|NAXIS\d{0,3}|PCOUNT|GCOUNT) *= *(-?\d{1,18})")
_BLOCK = 2880


def fits(data: Content) -> int:
    """FITS §3: a head of cards that tell how much data there is, for each part of the file."""
    at = 0
    while at < len(data) and (not at or data[at : at + 8] == b"XTENSION"):
        values: dict[bytes, int] = {}
        for _ in range(MOST_PARTS):
            card = data[at : at + 80]
            if len(card) < 80:  # noqa: PLR2004
                raise Broken(CUT.format("its head is not whole"))
            at += 80
            if (match := _CARD.match(card)) is not None:
                values[match[1]] = int(match[2])
            if card.rstrip() == b"END":
                break
        at += -at % _BLOCK
        axes = [values.get(b"NAXIS%d" % axis, 0) for axis in range(1, min(values.get(b"NAXIS", 0), 999) + 1)]
        axes = axes[1:] if axes and axes[0] == 0 else axes  # random groups
        count = math.prod(axes) if axes else 0
        size = abs(values.get(b"BITPIX", 8)) // 8 * values.get(b"GCOUNT", 1) * (values.get(b"PCOUNT", 0) + count)
        if at + size > len(data):
            raise Broken(CUT.format("data that its head tells of are not there"))
        at += max(0, size)
        at += -at % _BLOCK
    return len(data)


def spss(data: Content) -> int:
    """SPSS system files as PSPP describes them: the head counts the cases, which are 8 bytes for each variable."""
    order = "<" if int.from_bytes(data[64:68], "little") in (2, 3) else ">"
    try:
        numbers = _Numbers(data, 68, order)
        width, compression, _, cases = (numbers.next("i") for _ in range(4))
        numbers.skip(176 - numbers.at)
        _spss_head(numbers)
        if compression == 2:  # noqa: PLR2004 - blocks of zlib, with a trailer
            numbers.next("q")
            return whole(data, numbers.next("q") + numbers.next("q"), "its trailer is not there")
    except struct.error as error:
        raise Broken(CUT.format("its head is not whole")) from error
    if compression or cases < 0 or width <= 0:
        return len(data)
    return whole(data, numbers.at + 8 * width * cases, "cases of it are not there")


_SPSS_VARIABLE, _SPSS_LABELS, _SPSS_INDEX, _SPSS_NOTE, _SPSS_MORE = 2, 3, 4, 6, 7


def _spss_head(numbers: _Numbers) -> None:
    for _ in range(MOST_PARTS):
        kind = numbers.next("i")
        if kind == _SPSS_VARIABLE:
            _, is_labelled, absent, _, _ = (numbers.next("i") for _ in range(5))
            numbers.skip(8)
            if is_labelled:
                numbers.skip(-(-numbers.next("I") // 4) * 4)
            numbers.skip(8 * abs(absent))
        elif kind == _SPSS_LABELS:
            for _ in range(min(numbers.next("I"), MOST_PARTS)):
                numbers.skip(8)
                numbers.skip((numbers.next("B") + 8) // 8 * 8 - 1)
        elif kind == _SPSS_INDEX:
            numbers.skip(4 * numbers.next("I"))
        elif kind == _SPSS_NOTE:
            numbers.skip(80 * numbers.next("I"))
        elif kind == _SPSS_MORE:
            numbers.next("i")
            size = numbers.next("I")
            numbers.skip(size * numbers.next("I"))
        else:
            numbers.next("i")
            return


def stata(data: Content) -> int:
    """Stata from version 13 on: the file is one element, and closed."""
    if data.rfind(b"</stata_dta>") < max(0, len(data) - _NEAR):
        raise Broken(CUT.format("its last element is not closed"))
    return len(data)


def sqlite(data: Content) -> int:
    """SQLite §1.3: so many pages of such a size, where the count is of the last change."""
    if len(data) < 100:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    size = int.from_bytes(data[16:18])
    count = int.from_bytes(data[28:32]) if data[24:28] == data[92:96] else 0
    return whole(data, (65536 if size == 1 else size) * count, "pages of it are not there")


def parquet(data: Content) -> int:
    """Parquet: the last four bytes are the first four."""
    if data[max(0, len(data) - 4) :] != b"PAR1":
        raise Broken(CUT.format("its footer is not there"))
    return len(data)


# --- texts ----------------------------------------------------------------------------------------------------------

_ESCAPED = re.compile(rb"\\[\\{}]")


def rtf(data: Content) -> int:
    """RTF 1.9: one group, and closed."""
    if len(data) > MOST or b"\\bin" in data[:]:
        return len(data)
    plain = _ESCAPED.sub(b"", data[:])
    if plain.count(b"{") > plain.count(b"}"):
        raise Broken(CUT.format("its groups are not closed"))
    end = data.rfind(b"}") + 1
    return whole(data, end, "")


def postscript(data: Content) -> int:
    """PostScript that keeps to the conventions for documents ends in %%EOF."""
    last = data[max(0, len(data) - 64 * _NEAR) :]
    if b"%%EndComments" in data[: 8 * _NEAR] and b"%%EOF" not in last:
        raise Broken(CUT.format("%%EOF is not there"))
    return whole(data, data.rfind(b"%%EOF") + 5, "") if b"%%EOF" in last else len(data)


_BEGIN = re.compile(rb"(?m)^[^%\n]{0,200}\\begin\s{0,9}\{document\}")


def latex(data: Content) -> int:
    """LaTeX: a document that is begun is ended; a page behind it is no part of it."""
    text = data[:] if len(data) <= MOST else b""
    end = text.rfind(b"\\end{document}")
    if end < 0 and _BEGIN.search(text):
        raise Broken(CUT.format("\\end{document} is not there"))
    return len(data) if end < 0 else whole(data, end + len(b"\\end{document}"), "")


_MARKS = b",;\t|"
_LEAST_ROWS = 8
_CELL = re.compile(rb"(?P<number>[-+]?\d[\d.,]*)|(?P<word>[^\s\d][^\s]*)|(?P<words>.*\S.*)")


def table(data: Content) -> int:
    """RFC 4180: rows of as many cells. The last is cut when it has fewer, like those above it as far as it goes."""
    if len(data) > MOST or b"\x00" in data[:] or data[len(data) - 1 :] in (b"\n", b"\r"):
        return len(data)
    text = data[:]
    if text.count(b'"') % 2 and text.count(b'"') > 2 * _LEAST_ROWS:
        raise Broken(CUT.format("a quotation mark of it is not closed"))
    lines = text.splitlines()
    if b'"' in text or len(lines) < _LEAST_ROWS:
        return len(data)
    *rows, last = lines
    for mark in (bytes([each]) for each in _MARKS):
        counts = {row.count(mark) for row in rows}
        if len(counts) == 1 and max(counts) > 0:
            if last.count(mark) < max(counts) and _is_like(last.split(mark), rows[-1].split(mark)):
                raise Broken(CUT.format("its last row has fewer cells than every other"))
            break
    return len(data)


def _is_like(cut: list[bytes], row: list[bytes]) -> bool:
    """Tell whether the cells of a row that was cut are of the kinds of another row's."""
    return all(_kind(one) == _kind(other) for one, other in zip(cut[:-1] or cut, row, strict=False))


def _kind(cell: bytes) -> str | None:
    match = _CELL.fullmatch(cell.strip())
    return match.lastgroup if match else None


# By its first bytes, what tells whether a file is whole; and by the type that is stated, for texts.
BINARY: tuple[tuple[re.Pattern[bytes], Callable[[Content], int]], ...] = (
    (re.compile(rb"(?s)RIFF.{4}(?:WAVE|WEBP|AVI )"), riff),
    (re.compile(rb"(?s)(?:AT&TFORM.{4}DJV[UMI])|FORM.{4}AIF[FC]"), form),
    (re.compile(rb"OggS"), ogg),
    (re.compile(rb"ID3[\x02-\x04]|\xff[\xf2\xf3\xfa\xfb][\x10-\xef]"), mp3),
    (re.compile(rb"\x00\x00\x00\x0cjP|\xff\x4f\xff\x51"), jp2),
    (re.compile(rb"(?s)BM.{4}\x00{4}"), bitmap),
    (re.compile(rb"\x1a\x45\xdf\xa3"), matroska),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), seven_zip),
    (re.compile(rb"Rar!\x1a\x07\x00"), rar),
    (re.compile(rb"Rar!\x1a\x07\x01\x00"), rar5),
    (re.compile(rb"(?s).{257}ustar"), tar),
    (re.compile(rb"CDF[\x01\x02\x05]"), netcdf),
    (re.compile(rb"(?s)(?:.{512}|.{1024}|.{2048})?\x89HDF\r\n\x1a\n"), hdf5),
    (re.compile(rb"SIMPLE  = {10,20}T"), fits),
    (re.compile(rb"\$FL[23]@\(#\)"), spss),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\x00"), stream),
    (re.compile(rb"\x28\xb5\x2f\xfd"), zstandard),
    (re.compile(rb"<stata_dta>"), stata),
    (re.compile(rb"SQLite format 3\x00"), sqlite),
    (re.compile(rb"PAR1"), parquet),
    (re.compile(rb"\{\\rtf"), rtf),
    (re.compile(rb"\x04?%!PS-Adobe"), postscript),
)
TEXTS: tuple[tuple[re.Pattern[str], Callable[[Content], int]], ...] = (
    (re.compile(r"(?:application|text)/(?:x-)?(?:la)?tex"), latex),
    (re.compile(r"text/(?:csv|tab-separated-values)"), table),
)
