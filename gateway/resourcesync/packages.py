"""Packages of metadata: ZIP files with a manifest (ResourceSync 1.1, §11 and §13).

The same resources give the same bytes: the times of the files in a package are fixed, and their names are numbers.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Final, NamedTuple

from gateway.model import Content, Resource
from gateway.resourcesync.documents import Document
from gateway.resourcesync.entries import Entries

MANIFEST: Final = "manifest.xml"
_IN_MEMORY: Final = 16_000_000  # bytes of a package; a longer one is a temporary file
_FIXED: Final = (1980, 1, 1, 0, 0, 0)  # the first time that ZIP has
_LEVEL: Final = 1  # of deflate: 6 is three times slower, and saves a tenth
_READABLE: Final = 0o644 << 16
_MEMBER: Final = 200  # bytes of the headers of a file in a package, at most


class Packed(NamedTuple):
    """A resource with its bytes, and the files that it describes."""

    resource: Resource
    metadata: bytes
    contents: tuple[Content, ...] = ()


def package(
    document: Document, entries: Entries, packed: Iterable[Packed], most_bytes: int | None = None
) -> tuple[IO[bytes], int]:
    """Return a package as a file at its beginning, and its length; `document` is the head of its manifest.

    With `most_bytes`, resources that could make it longer than that are left out, also of the manifest.
    """
    file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the caller sends and closes it
    manifest: list[str] = []
    room = len(document.write(())) + 2 * _MEMBER  # what is written at the end
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for one in packed:
            entry = entries.packed(one.resource, one.metadata, one.contents)
            needed = len(entry.encode()) + 2 * _MEMBER
            if most_bytes is not None and file.tell() + room + needed + _grown(one.metadata) > most_bytes:
                continue
            archive.writestr(_member(entries.path(one.resource).removeprefix("/")), one.metadata)
            manifest.append(entry)
            room += needed
        archive.writestr(_member(MANIFEST), document.write(manifest))
    length = file.tell()
    file.seek(0)
    if length <= _IN_MEMORY:  # such a file need not be closed
        content = file.read()
        file.close()
        file = BytesIO(content)
    return file, length


def _grown(content: bytes) -> int:
    """Return how many bytes deflate needs at most (RFC 1951 §3.2.4)."""
    return len(content) + len(content) // 1_000 + 100


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _FIXED)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = _READABLE
    return info
