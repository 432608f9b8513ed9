"""Find the end of files of research data. Each function returns the offset of the end, or raises `Broken`."""

import math
import re
import struct

from harvester.mirror.file_types import CUT, MOST_PARTS, NEAR, Broken, Content, whole


class _Numbers:
    """Reads the numbers of a header in order."""

    def __init__(self, data: Content, at: int, order: str) -> None:
        self.data, self.at, self.order = data, at, order

    def next(self, kind: str) -> int:
        """Return the next number."""
        (value,) = struct.unpack_from(f"{self.order}{kind}", self.data, self.at)
        self.at += struct.calcsize(kind)
        return int(value)

    def skip(self, count: int) -> None:
        """Skip `count` bytes, to the next number. Raise Broken if the file ends before it."""
        self.at += count
        if self.at > len(self.data):
            raise Broken(CUT.format("its head is not whole"))


_NETCDF_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_MOST_NAMES = 10_000


def netcdf(data: Content) -> int:
    """Return the end of a NetCDF classic file. Its header has the size and the offset of each variable."""
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
        shape = [lengths[dim] if dim < len(lengths) else 1 for dim in dims]
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
    """Return the end of an HDF5 file. Its superblock has the offset (HDF5 File Format Specification §II.A)."""
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
    """Return the end of a FITS file. The header cards of each part give the size of its data (FITS §3)."""
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
            raise Broken(CUT.format("data that its header announces are missing"))
        at += max(0, size)
        at += -at % _BLOCK
    return len(data)


def spss(data: Content) -> int:
    """Return the end of an SPSS system file. Its header has the number of cases, 8 bytes a variable (as PSPP says)."""
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
    """Return the end of a file of Stata 13 or newer: one closed element."""
    if data.rfind(b"</stata_dta>") < max(0, len(data) - NEAR):
        raise Broken(CUT.format("its last element is not closed"))
    return len(data)


def sqlite(data: Content) -> int:
    """Return the end of an SQLite database (Database File Format §1.3).

    Its header has the size and the number of pages, if the number is of the last change.
    """
    if len(data) < 100:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    size = int.from_bytes(data[16:18])
    count = int.from_bytes(data[28:32]) if data[24:28] == data[92:96] else 0
    return whole(data, (65536 if size == 1 else size) * count, "pages of it are not there")


def parquet(data: Content) -> int:
    """Return the end of a Parquet file: its last four bytes are its first four."""
    if data[max(0, len(data) - 4) :] != b"PAR1":
        raise Broken(CUT.format("its footer is not there"))
    return len(data)
