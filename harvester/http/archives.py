"""Entries of archives: ZIP, and tar with or without compression. Pure.

All code that reads an archive uses `opened_zip`, or `members` of a tar opened with `TarMember`. Only they limit the
number and the depth of entries. A folder has no such limits, so a refused archive can be unpacked by hand and read as a
folder.
"""

import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from io import SEEK_CUR, SEEK_END, BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO, Self, TypeVar

# Raised while an archive is read that is damaged, encrypted, or packed in an unknown way.
DAMAGES: tuple[type[Exception], ...] = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
_File = TypeVar("_File")
_STEP = 1 << 20
_BEGINNINGS = (b"PK", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")  # ZIP, gzip, bzip2, xz
_GZIP_WINDOW = 31
_TAR, _TAR_AT = b"ustar", 257
# The local header before each file of a ZIP: mark, flags, packed length, lengths of the name and of the extra field.
_HEAD, _HEAD_MARK = struct.Struct("<4s2xH10xI4xHH"), b"PK\x03\x04"
_LENGTH_BEHIND, _LENGTH_ELSEWHERE = (0x8, 0xFFFFFFFF)  # the packed length stands after the file, or in the ZIP64 field

MOST_ENTRIES = 100_000  # files and folders; the manifest of a ResourceSync package has room for 50,000
MOST_DEPTH = 32  # folders in each other, and the file in them

# The end of a ZIP: mark, length and position of the central directory; the longer form (ZIP64) stands before it.
_END, _END_MARK, _MOST_COMMENT = struct.Struct("<4s8xL6x"), b"PK\x05\x06", 0xFFFF
_LONG_END, _LONG_END_MARK = struct.Struct("<4s36xQ8x"), b"PK\x06\x06"
_LOCATOR_MARK, _LOCATOR_SIZE = b"PK\x06\x07", 20
# An entry of the central directory: mark, lengths of its name, extra field and comment.
_ENTRY, _ENTRY_MARK = struct.Struct("<4s24xHHH12x"), b"PK\x01\x02"

# Headers before a member of a tar: long names, and PAX attributes of this member or of all that follow.
_HEADERS = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_MOST_HEADER_BYTES = 1_000_000
_MOST_GLOBAL_BYTES, _MOST_GLOBAL = 65_536, 1000  # every member gets a copy of it

_MOST_PASSED = 100_000_000  # bytes of files that are unpacked only to see what stands behind them


class TooMuch(ValueError):
    """An archive has more than `MOST_ENTRIES` entries, or one deeper than `MOST_DEPTH` folders."""


class Ambiguous(ValueError):
    """An archive has two different files with the same name."""


def by_name(files: Iterable[tuple[str, _File]], opened: Callable[[_File], IO[bytes]]) -> dict[str, _File]:
    """Return the files of an archive by name. Raise Ambiguous when two with one name differ, and any of DAMAGES."""
    by_name: dict[str, _File] = {}
    for name, file in files:
        if name not in by_name:
            by_name[name] = file
            continue
        with opened(by_name[name]) as one, opened(file) as other:
            check_same(name, one, other)
    return by_name


def check_same(name: str, one: IO[bytes], other: IO[bytes]) -> None:
    """Raise Ambiguous unless two files of one name have the same bytes."""
    part = b"?"
    while part:
        part = one.read(_STEP)
        if part != other.read(_STEP):
            raise Ambiguous(f"it has two different files of one name, {name!r}")


def check_entry(count: int, name: str) -> None:
    """Raise TooMuch when entry number `count` exceeds the limit, or `name` lies too deep."""
    if count > MOST_ENTRIES:
        raise TooMuch(f"it has more than {MOST_ENTRIES} entries. Unpack it by hand and read the folder")
    if len([part for part in name.split("/") if part]) > MOST_DEPTH:
        raise TooMuch(f"{name[:80]!r} lies more than {MOST_DEPTH} folders deep")


class TarMember(tarfile.TarInfo):
    """A member of a tar that must have an end mark. `tarfile` alone reads a damaged header as the end of the tar.

    Open a tar with this class as its `tarinfo`: a damaged header then raises ReadError.
    """

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        """Return the next member. Raise ReadError where there should be one, and EOFHeaderError at the end."""
        try:
            member = super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined] # a block of zeros
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"it is damaged or truncated after {tarfile_.offset} bytes") from error
        member.pax_headers = {}  # they have been applied
        return member

    def _proc_member(self, tarfile_: tarfile.TarFile) -> Self:
        """Read the headers of a member into memory. Raise ReadError when they are too long. `tarfile` calls it."""
        is_global = self.type == tarfile.XGLTYPE
        most = _MOST_GLOBAL_BYTES if is_global else _MOST_HEADER_BYTES if self.type in _HEADERS else self.size
        if self.size > most or (is_global and len(tarfile_.pax_headers) > _MOST_GLOBAL):
            raise tarfile.ReadError("the headers of a member are too long")
        return super()._proc_member(tarfile_)  # type: ignore[misc,no-any-return] # of the library, to be overridden


def members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Return the members of a tar. Raise TooMuch, and any of DAMAGES."""
    for count, member in enumerate(archive, 1):
        check_entry(count, member.name)
        yield member


def opened_zip(file: Path | BinaryIO) -> zipfile.ZipFile:
    """Open a ZIP. Raise TooMuch before its directory is read into memory, and any of DAMAGES."""
    if isinstance(file, Path):
        with file.open("rb") as stream:
            _check_directory(stream)
    else:
        _check_directory(file)
    archive = zipfile.ZipFile(file)
    try:
        for count, name in enumerate(archive.namelist(), 1):  # `zipfile` may find another directory
            check_entry(count, name)
    except TooMuch:
        archive.close()
        raise
    return archive


def _check_directory(stream: BinaryIO) -> None:
    """Check each entry of the directory of a ZIP. If there is none, `zipfile` raises the error later."""
    start, end = _directory(stream)
    stream.seek(start)
    count = 0
    while stream.tell() < end and len(head := stream.read(_ENTRY.size)) == _ENTRY.size:
        mark, name_length, extra_length, comment_length = _ENTRY.unpack(head)
        if mark != _ENTRY_MARK:
            return
        count += 1
        check_entry(count, stream.read(name_length).decode("utf-8", "replace"))
        stream.seek(extra_length + comment_length, SEEK_CUR)


def _directory(stream: BinaryIO) -> tuple[int, int]:
    """Return where the directory of a ZIP begins and ends; both 0 when it has none."""
    size = stream.seek(0, SEEK_END)
    tail_at = max(0, size - _END.size - _MOST_COMMENT)
    stream.seek(tail_at)
    tail = stream.read(size - tail_at)
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END.size:
        return 0, 0
    end, length = tail_at + at, _END.unpack(tail[at : at + _END.size])[1]
    longer_at = end - _LOCATOR_SIZE - _LONG_END.size
    if longer_at >= 0:
        stream.seek(longer_at)
        longer, locator = stream.read(_LONG_END.size), stream.read(_LOCATOR_SIZE)
        if longer.startswith(_LONG_END_MARK) and locator.startswith(_LOCATOR_MARK):
            end, length = longer_at, _LONG_END.unpack(longer)[1]
    return max(0, end - length), end


def names_in(body: bytes) -> tuple[str, ...]:
    """Return the names of the files in an archive, or in the beginning of one. Return none for any other bytes.

    Return only the first names if a tar has more than 100 MB of files.
    """
    if not body.startswith(_BEGINNINGS) and body[_TAR_AT : _TAR_AT + len(_TAR)] != _TAR:
        return ()
    names = []
    try:
        for name in islice(_in_zip(body) if body.startswith(b"PK") else _in_tar(body), MOST_ENTRIES):
            names.append(name)  # noqa: PERF402 - names before the damage are returned
    except DAMAGES:
        pass
    return tuple(names)


def unpacked_beginning(body: bytes, most: int) -> bytes:
    """Return the first `most` bytes, decompressed, of gzip or of its beginning; no bytes for anything else."""
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(body, most)
    except zlib.error:
        return b""


def _in_zip(body: bytes) -> Iterator[str]:
    try:
        archive = opened_zip(BytesIO(body))
    except DAMAGES:  # its directory stands at its end, or is too long
        yield from _in_beginning_of_zip(body)
        return
    with archive:
        yield from (member.filename for member in archive.infolist() if not member.is_dir())


def _in_beginning_of_zip(body: bytes) -> Iterator[str]:
    """Return the names in the local headers, as long as those also state the lengths of the files."""
    at = 0
    while len(head := body[at : at + _HEAD.size]) == _HEAD.size:
        mark, flags, packed, name_length, extra_length = _HEAD.unpack(head)
        name = body[at + _HEAD.size : at + _HEAD.size + name_length]
        if mark != _HEAD_MARK or len(name) < name_length:
            return
        if not name.endswith(b"/"):
            yield name.decode("utf-8", "replace")
        if flags & _LENGTH_BEHIND or packed == _LENGTH_ELSEWHERE:
            return
        at += _HEAD.size + name_length + extra_length + packed


def _in_tar(body: bytes) -> Iterator[str]:
    passed = 0
    with tarfile.open(fileobj=BytesIO(body), tarinfo=TarMember) as archive:
        for member in members(archive):
            if member.isfile():
                yield member.name
            passed += member.size
            if passed > _MOST_PASSED:
                return
