"""Find the end of ZIP and gzip files (functions raise `Broken`, see `file_facts.py`), and read small ones."""

import re
import struct
import zipfile
import zlib
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any

from harvester.mirror.file_types import MOST, PART, Broken, Content


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
    """Return the end of the ZIP file `data`: an offset in bytes (APPNOTE §4.3).

    A central directory at the end has all members with their CRCs. Raise Broken if the directory is missing, a member
    cannot be read, or there is no member besides lists of files.
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
    """Return the end of the gzip file `data`: an offset in bytes (RFC 1952 §2.2).

    It has members, each with the CRC of its content. Raise Broken if a member has no end or cannot be read, or if the
    content is empty or compressed again.
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
