"""Find the end of archives, as `file_ends.py` does for other types. Also read small ones."""

import bz2
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import IO, cast

from isal import igzip_lib

from harvester.mirror.file_ends import chained, number
from harvester.mirror.file_types import MOST, MOST_PARTS, PART, Broken, Content, whole


def seven_zip(data: Content) -> int:
    """Read the offset and the CRC of the table of members in the head (7zFormat.txt)."""
    offset, size, crc = struct.unpack_from("<QQI", data, 12)
    end = whole(data, 32 + offset + size)
    if size <= MOST and zlib.crc32(data[32 + offset : 32 + offset + size]) != crc:
        raise Broken("Its table of members is not what was written: its CRC is another.")
    return end


_STEP = 1 << 16  # bytes; each of many short streams costs one


def stream(data: Content) -> int:
    """Read consecutive streams of gzip, bzip2 or xz, each with a check value.

    In gzip, empty content is broken, and so is content that is compressed again.
    """
    at, written, is_empty = 0, 0, data[:2] == b"\x1f\x8b"
    for _ in range(MOST_PARTS):
        reader = _reader(data[at : at + 6])
        if reader is None:
            if is_empty:
                raise Broken("Nothing is in it.")
            return at
        try:
            while not reader.eof:
                part = data[at : at + _STEP] if reader.needs_input else b""
                if not part and reader.needs_input:
                    raise Broken
                at += len(part)
                content = reader.decompress(part, _STEP)
                if is_empty and not written and content.startswith(b"\x1f\x8b\x08"):
                    raise Broken("It was compressed twice.")
                is_empty = is_empty and not content.strip(b"\x00")
                written += len(content)
                if written > 4 * MOST:
                    return len(data)
        except (OSError, EOFError, lzma.LZMAError, igzip_lib.IsalError) as error:  # type: ignore[misc]  # its stub
            if "memory" in str(error).lower():
                return len(data)
            raise Broken(f"Its stream is broken: {error}.") from error
        at -= len(reader.unused_data)
    return len(data)


def _reader(data: bytes) -> bz2.BZ2Decompressor | lzma.LZMADecompressor | igzip_lib.IgzipDecompressor | None:
    if data.startswith(b"\x1f\x8b"):
        return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)
    if data.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(memlimit=MOST) if data.startswith(b"\xfd7zXZ\x00") else None


def zstandard(data: Content) -> int:
    """Follow frames of blocks and skippable frames, with their lengths (RFC 8878 §3.1)."""
    at, parts = 0, iter(range(MOST_PARTS))  # frames and blocks
    for _ in parts:
        head = data[at : at + 8]
        if head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:  # noqa: PLR2004
            at += 8 + number(data, at + 4, 4, "little")
        elif head[:4] == b"\x28\xb5\x2f\xfd":
            at = _frame(data, at + 4, parts)
        else:
            return at
        whole(data, at)
    return len(data)


def _frame(data: Content, at: int, parts: Iterator[int]) -> int:
    flags = number(data, at, 1)
    is_single = flags >> 5 & 1
    at += 1 + (not is_single) + (0, 1, 2, 4)[flags & 3] + (is_single, 2, 4, 8)[flags >> 6]
    for _ in parts:
        block = number(data, at, 3, "little")
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if block & 1:
            return at + (4 if flags & 4 else 0)
    return at


_RAR_END, _RAR_MAIN, _RAR_LOCKED = 0x7B, 0x73, 0x80


def rar(data: Content) -> int:
    """Follow blocks of RAR 4, each with its CRC and its length."""
    kind = 0

    def after(at: int) -> int:
        nonlocal kind
        if kind == _RAR_END:
            return at
        crc, kind, flags, size = struct.unpack_from("<HBHH", data, at)
        if kind in (_RAR_MAIN, 0x74, _RAR_END) and zlib.crc32(data[at + 2 : at + size]) & 0xFFFF != crc:
            raise Broken("A block of it is not what was written: its CRC is another.")
        if kind == _RAR_MAIN and flags & _RAR_LOCKED:
            return len(data)
        return at + max(int(size), 7) + (number(data, at + 7, 4, "little") if flags & 0x8000 else 0)

    return whole(data, chained(data, 7, after))


_MOST_OF_A_BLOCK = 2 << 20  # bytes: a block of RAR 5 may have no more, without what follows it


def _vint(data: Content, at: int) -> tuple[int, int]:
    """Return a number of RAR 5, and where it ends."""
    value = 0
    for place, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << 7 * place
        if not byte & 0x80:
            return value, at + place + 1
    raise Broken


def rar5(data: Content) -> int:
    """Follow blocks of RAR 5, each with its CRC and its length. What follows an encrypted one is not checked."""
    kind = 0

    def after(at: int) -> int:
        nonlocal kind
        if kind in (4, 5):
            return len(data) if kind == 4 else at  # noqa: PLR2004
        size, start = _vint(data, at + 4)
        end = start + size
        if size > _MOST_OF_A_BLOCK or zlib.crc32(data[at + 4 : end]) != number(data, at, 4, "little"):
            raise Broken("A block of it is not whole, or not what was written.")
        kind, place = _vint(data, start)
        flags, place = _vint(data, place)
        place = _vint(data, place)[1] if flags & 1 else place
        return end + (_vint(data, place)[0] if flags & 2 else 0)

    return whole(data, chained(data, 8, after))


def tar(data: Content) -> int:
    """Follow members, each with a head that has its size and a checksum (POSIX pax)."""

    def after(at: int) -> int:
        head = data[at : at + 512]
        if not head.strip(b"\x00"):
            return at
        size = _octal(head[124:136])
        if size is None or not _is_summed(head):
            raise Broken
        is_longer = head[156:157] == b"S" and head[482:483] == b"\x01"  # GNU: holes that the head has no room for
        while is_longer and at + 512 < len(data):
            at += 512
            is_longer = data[at + 504 : at + 505] == b"\x01"
        whole(data, at + 512 + size)
        return at + 512 + (size + 511) // 512 * 512

    if not chained(data, 0, after):
        raise Broken("Nothing is in it.")
    return len(data)


def _octal(field: bytes) -> int | None:
    if field[:1] in (b"\x80", b"\xff"):
        return int.from_bytes(field[1:])
    try:
        return int(field.strip(b"\x00 ") or b"0", 8)
    except ValueError:
        return None


def _is_summed(head: bytes) -> bool:
    """Return whether the checksum of a header is right; some programs sum signed bytes."""
    total = sum(head) - sum(head[148:156]) + 8 * 32
    signed = total - 256 * sum(byte > 0x7F for byte in head[:148] + head[156:])  # noqa: PLR2004
    return _octal(head[148:156]) in (total, signed, None)


_ENCRYPTED = 1
_LIST = re.compile(r"(?i)(?:\A|/)manifest[\w.-]{0,30}\.(?:txt|json|csv|tsv|xml)\Z")
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error, RuntimeError)


def zip_(data: Content) -> int:
    """Read the central directory and the members (APPNOTE §4.3). One that has only lists of files is broken."""
    end = data.rfind(b"PK\x05\x06")
    if end < 0 or len(data) < end + 22:
        raise Broken("It has no end: the central directory is not there.")
    try:
        with zipfile.ZipFile(cast("IO[bytes]", BytesIO(data) if isinstance(data, bytes) else data)) as archive:
            if not archive.infolist():
                raise Broken("Nothing is in it.")
            if all(_LIST.search(member.filename) for member in archive.infolist()):
                raise Broken("Only a list of files is in it, and none of them.")
            members = [member for member in archive.infolist() if not member.flag_bits & _ENCRYPTED]
            if len(data) <= MOST and sum(member.file_size for member in members) <= MOST:
                for archived in members:
                    with archive.open(archived) as member:
                        while member.read(PART):
                            pass
    except NotImplementedError:
        pass  # an unknown compression cannot be checked
    except _UNREADABLE as error:
        raise Broken(f"It is a ZIP file that cannot be read: {error}.") from error
    return end + 22 + int.from_bytes(data[end + 20 : end + 22], "little")


def unpacked(data: Content, most: int) -> bytes:
    """Return the content of a gzip file with one member of at most `most` bytes; else empty."""
    reader = zlib.decompressobj(wbits=31)
    try:
        part = reader.decompress(data[:most], most)
    except zlib.error:
        return b""
    return part if reader.eof and not reader.unused_data else b""
