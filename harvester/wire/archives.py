"""What an archive at hand holds: ZIP, or tar, compressed or not. Pure."""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Self

# What reading an archive raises when it is damaged, encrypted, or packed in a way that is not known.
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
_BEGINNINGS = (b"PK", b"\x1f\x8b", b"BZh", b"\xfd7zXZ")  # ZIP, gzip, bzip2, xz
_GZIP_WINDOW = 31
_TAR, _TAR_AT = b"ustar", 257
# What stands before each file of a ZIP: mark, flags, packed length, lengths of its name and of what else is said.
_HEAD, _HEAD_MARK = struct.Struct("<4s2xH10xI4xHH"), b"PK\x03\x04"
_TOLD_BEHIND, _TOLD_ELSEWHERE = (
    0x8,
    0xFFFFFFFF,
)  # the packed length stands behind the file, or is longer

_MOST_PASSED = 100_000_000  # bytes of files that are unpacked only to see what stands behind them


class TarMember(tarfile.TarInfo):
    """A member of a tar that must have its end: the library takes the first header that it cannot read for that.

    Open a tar with it as its `tarinfo`, and reading it raises ReadError instead.
    """

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        """Return the next member. Raise ReadError where there should be one, and EOFHeaderError at the end."""
        try:
            return super().fromtarfile(tarfile_)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined] # a block of zeros
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"it is damaged or broken off behind {tarfile_.offset} bytes") from error


def names_in(body: bytes) -> tuple[str, ...]:
    """Return the names of files in an archive, or in its beginning; the first ones of a long tar; else none."""
    if not body.startswith(_BEGINNINGS) and body[_TAR_AT : _TAR_AT + len(_TAR)] != _TAR:
        return ()
    found = []
    try:
        for name in _in_zip(body) if body.startswith(b"PK") else _in_tar(body):
            found.append(name)  # noqa: PERF402 - what was told before it breaks off is told
    except DAMAGES:
        pass
    return tuple(found)


def unpacked_beginning(body: bytes, most: int) -> bytes:
    """Return at most so many bytes of what is compressed by itself (gzip), or of its beginning; else none."""
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(body, most)
    except zlib.error:
        return b""


def _in_zip(body: bytes) -> Iterator[str]:
    try:
        archive = zipfile.ZipFile(BytesIO(body))
    except DAMAGES:  # its directory stands at its end
        yield from _in_beginning_of_zip(body)
        return
    with archive:
        yield from (each.filename for each in archive.infolist() if not each.is_dir())


def _in_beginning_of_zip(body: bytes) -> Iterator[str]:
    """Return the names before each file, as far as the lengths of the files are told there too."""
    at = 0
    while len(head := body[at : at + _HEAD.size]) == _HEAD.size:
        mark, flags, packed, name_length, extra_length = _HEAD.unpack(head)
        name = body[at + _HEAD.size : at + _HEAD.size + name_length]
        if mark != _HEAD_MARK or len(name) < name_length:
            return
        if not name.endswith(b"/"):
            yield name.decode("utf-8", "replace")
        if flags & _TOLD_BEHIND or packed == _TOLD_ELSEWHERE:
            return
        at += _HEAD.size + name_length + extra_length + packed


def _in_tar(body: bytes) -> Iterator[str]:
    passed = 0
    with tarfile.open(fileobj=BytesIO(body)) as archive:
        for each in archive:
            if each.isfile():
                yield each.name
            passed += each.size
            if passed > _MOST_PASSED:
                return
