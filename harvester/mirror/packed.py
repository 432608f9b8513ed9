"""Where archives end: 7z, RAR and tar. Each function returns the end, or raises `Broken`; see `mirror/looking.py`."""

from __future__ import annotations

import struct
import zlib

from harvester.mirror.looking import CUT, MOST, MOST_PARTS, Broken, Content, whole


def seven_zip(data: Content) -> int:
    """7zFormat.txt: the head says where the table of members is, and has its CRC."""
    if len(data) < 32:  # noqa: PLR2004
        raise Broken(CUT.format("its head is not whole"))
    offset, size, crc = struct.unpack_from("<QQI", data, 12)
    end = 32 + offset + size
    if end > len(data):
        raise Broken(CUT.format("its table of members is not there"))
    if size <= MOST and zlib.crc32(data[32 + offset : end]) != crc:
        raise Broken("Its table of members is not what was written: its CRC is another.")
    return whole(data, end, "")


_RAR_END, _RAR_MAIN, _RAR_LOCKED = 0x7B, 0x73, 0x80


def rar(data: Content) -> int:
    """RAR 4: blocks, each with its CRC and its length."""
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
    for place, each in enumerate(data[at : at + 10]):
        value |= (each & 0x7F) << 7 * place
        if not each & 0x80:
            return value, at + place + 1
    raise Broken(CUT.format("a block of it is not whole"))


def rar5(data: Content) -> int:
    """RAR 5: blocks, each with its CRC and its length."""
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
    """POSIX pax: a head of 512 bytes for each member, with its size and a sum."""
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
    """Tell whether a head has its sum: of its bytes as numbers without a sign, or with one, as some wrote it."""
    total = sum(head) - sum(head[148:156]) + 8 * 32
    signed = total - 256 * sum(each > 0x7F for each in head[:148] + head[156:])  # noqa: PLR2004
    return _number(head[148:156]) in (total, signed, None)
