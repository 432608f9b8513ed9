"""Find the end of archives: functions return its offset, or raise `Broken` (`file_facts.py`). Also read small ones."""

import bz2
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any

from harvester.mirror.file_types import CUT, MOST, MOST_PARTS, PART, Broken, Content, whole


def seven_zip(data: Content) -> int:
    """Return the end of a 7z archive. Its header has the offset and the CRC of the table of members (7zFormat.txt)."""
    if len(data) < 32:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    offset, size, crc = struct.unpack_from("<QQI", data, 12)
    end = 32 + offset + size
    if end > len(data):
        raise Broken(CUT.format("its table of members is not there"))
    if size <= MOST and zlib.crc32(data[32 + offset : end]) != crc:
        raise Broken("Its table of members is not what was written: its CRC is another.")
    return whole(data, end, "")


_STEP = 1 << 16  # bytes; each of many short streams costs one


def _reader(data: bytes) -> bz2.BZ2Decompressor | lzma.LZMADecompressor | None:
    if data.startswith(b"BZh"):
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor(memlimit=MOST) if data.startswith(b"\xfd7zXZ\x00") else None


def stream(data: Content) -> int:
    """Return the end of a bzip2 or xz file: consecutive streams, each with an end mark and a check value."""
    at, written = 0, 0
    for _ in range(MOST_PARTS):
        reader = _reader(data[at : at + 6])
        if reader is None:
            return at
        try:
            while not reader.eof:
                part = data[at : at + _STEP] if reader.needs_input else b""
                if not part and reader.needs_input:
                    raise Broken(CUT.format("the end of its stream is not there"))
                at += len(part)
                written += len(reader.decompress(part, _STEP))
                if written > MOST:
                    return len(data)
        except (OSError, EOFError, lzma.LZMAError) as error:
            if "memory" in str(error).lower():
                return len(data)
            raise Broken(f"Its stream is broken: {error}.") from error
        at -= len(reader.unused_data)
    return len(data)


_ZSTD = b"\x28\xb5\x2f\xfd"


def zstandard(data: Content) -> int:
    """Return the end of a Zstandard file: frames of blocks and skippable frames, with their lengths (RFC 8878 §3.1)."""
    at, parts = 0, iter(range(MOST_PARTS))  # frames and blocks
    for _ in parts:
        head = data[at : at + 8]
        if head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:  # noqa: PLR2004
            at = _there(data, at + 8 + int.from_bytes(head[4:8], "little"))
        elif head[:4] == _ZSTD:
            at = _frame(data, at + 4, parts)
        else:
            return at
    return len(data)


def _frame(data: Content, at: int, parts: Iterator[int]) -> int:
    flags = int.from_bytes(data[at : at + 1])
    is_single = flags >> 5 & 1
    at += 1 + (not is_single) + (0, 1, 2, 4)[flags & 3] + (is_single, 2, 4, 8)[flags >> 6]
    for _ in parts:
        block = int.from_bytes(data[at : at + 3], "little")
        at = _there(data, at + 3 + (1 if block >> 1 & 3 == 1 else block >> 3))
        if block & 1:
            return _there(data, at + (4 if flags & 4 else 0))
    return at


def _there(data: Content, end: int) -> int:
    if end > len(data):
        raise Broken(CUT.format("a block of it is not whole"))
    return end


_RAR_END, _RAR_MAIN, _RAR_LOCKED = 0x7B, 0x73, 0x80


def rar(data: Content) -> int:
    """Return the end of a RAR 4 archive: blocks, each with its CRC and its length."""
    at = 7
    for _ in range(MOST_PARTS):
        if at == len(data):
            break
        head = data[at : at + 11]
        if len(head) < 7:  # noqa: PLR2004
            raise Broken(CUT.format("a block of it is not whole"))
        crc, kind, flags, size = struct.unpack("<HBHH", head[:7])
        if zlib.crc32(data[at + 2 : at + size]) & 0xFFFF != crc and kind in (_RAR_MAIN, 0x74, _RAR_END):
            raise Broken("A block of it is not what was written: its CRC is another.")
        more = int.from_bytes(head[7:11], "little") if flags & 0x8000 else 0
        at += max(size, 7) + more
        if at > len(data):
            raise Broken(CUT.format("a block of it is not whole"))
        if kind == _RAR_END or (kind == _RAR_MAIN and flags & _RAR_LOCKED):
            return len(data) if kind == _RAR_MAIN else whole(data, at, "")
    return len(data)


_MOST_OF_A_BLOCK = 2 << 20  # bytes: a block of RAR 5 may have no more, without what follows it


def _vint(data: Content, at: int) -> tuple[int, int]:
    """Return a number of RAR 5, and where it ends."""
    value = 0
    for place, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << 7 * place
        if not byte & 0x80:
            return value, at + place + 1
    raise Broken(CUT.format("a block of it is not whole"))


def rar5(data: Content) -> int:
    """Return the end of a RAR 5 archive: blocks, each with its CRC and its length."""
    at = 8
    for _ in range(MOST_PARTS):
        if at == len(data):
            break
        size, start = _vint(data, at + 4)
        end = start + size
        is_whole = size <= _MOST_OF_A_BLOCK and end <= len(data)
        if not is_whole or zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[at : at + 4], "little"):
            raise Broken("A block of it is not whole, or not what was written.")
        kind, place = _vint(data, start)
        flags, place = _vint(data, place)
        if flags & 1:
            _, place = _vint(data, place)
        more = _vint(data, place)[0] if flags & 2 else 0
        at = end + more
        if at > len(data):
            raise Broken(CUT.format("a member of it is not whole"))
        if kind in (4, 5):  # what follows is encrypted, or the end
            return len(data) if kind == 4 else whole(data, at, "")  # noqa: PLR2004
    return len(data)


def tar(data: Content) -> int:
    """Return the end of a tar archive. Each member has a header with its size and a checksum (POSIX pax)."""
    at, members = 0, 0
    for _ in range(MOST_PARTS):
        head = data[at : at + 512]
        if not head.strip(b"\x00"):
            break
        size = _number(head[124:136])
        if len(head) < 512 or size is None or not _is_summed(head):  # noqa: PLR2004
            raise Broken(CUT.format("the head of a member is not there"))
        members += 1
        is_longer = head[156:157] == b"S" and head[482:483] == b"\x01"  # GNU: holes that the head has no room for
        while is_longer and at + 512 < len(data):
            at += 512
            is_longer = data[at + 504 : at + 505] == b"\x01"
        if at + 512 + size > len(data):
            raise Broken(CUT.format("a member of it is not whole"))
        at += 512 + (size + 511) // 512 * 512
    if not members:
        raise Broken("Nothing is in it.")
    return len(data)


def _number(field: bytes) -> int | None:
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
    return _number(head[148:156]) in (total, signed, None)


# --- ZIP and gzip -------------------------------------------------------------------------------------------------


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
    """Return the end of a ZIP file. A central directory there has all members with their CRCs (APPNOTE §4.3).

    One without members besides lists of files is broken.
    """
    end = data.rfind(_END_OF_ZIP)
    if end < 0 or len(data) < end + 22:
        raise Broken("It has no end: the central directory is not there.")
    whole = end + 22 + int.from_bytes(data[end + 20 : end + 22], "little")
    try:
        with zipfile.ZipFile(BufferedReader(_Reading(data, whole))) as archive:
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
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error) as error:
        raise Broken(f"It is a ZIP file that cannot be read: {error}.") from error
    return whole


def gzip(data: Content) -> int:
    """Return the end of a gzip file: members, each with the CRC of its content (RFC 1952 §2.2).

    Empty content is broken, and so is content that is compressed again.
    """
    at, written, is_zero = 0, 0, True
    while data[at : at + 2] == b"\x1f\x8b":
        reader = zlib.decompressobj(wbits=31)
        try:
            first = reader.decompress(data[at : at + PART], PART)
            if not at and first.startswith(b"\x1f\x8b\x08"):
                raise Broken("It was compressed twice.")
            is_zero = is_zero and not first.strip(b"\x00")
            left, at = reader.unconsumed_tail, at + PART
            while not reader.eof:
                left = left or data[at : at + PART]
                if not left:
                    raise Broken("It ends in the middle: the end of its stream is not there.")
                at += PART if not reader.unconsumed_tail else 0
                part = reader.decompress(left, PART)
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


def unpacked(data: Content, most: int) -> bytes:
    """Return the content of a gzip file with one member of at most `most` bytes; else empty."""
    reader = zlib.decompressobj(wbits=31)
    try:
        part = reader.decompress(data[:most], most)
    except zlib.error:
        return b""
    return part if reader.eof and not reader.unused_data else b""


def members(data: Content, most: int, count: int) -> dict[str, bytes]:
    """Return the files in a ZIP with at most `count` files and `most` bytes in all; else nothing."""
    if len(data) > most:
        return {}
    try:
        with zipfile.ZipFile(BytesIO(data[:])) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > count or sum(member.file_size for member in members) > most:
                return {}
            return {member.filename: archive.read(member) for member in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, struct.error, RuntimeError):
        return {}
