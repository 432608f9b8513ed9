"""Packages of metadata: ZIP files with a manifest (ResourceSync 1.1, §11 and §13).

The same resources give the same bytes: the times of the files in a package are fixed, and their names are numbers.
"""

import re
import zipfile
from collections.abc import Callable, Collection, Iterable
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Final, NamedTuple

from gateway.core.model import Content, Resource
from gateway.resourcesync.documents import Document, Entries

MANIFEST: Final = "manifest.xml"
_IN_MEMORY: Final = 16_000_000  # bytes of a package; a longer one is a temporary file
_FIXED: Final = (1980, 1, 1, 0, 0, 0)  # the first time that ZIP has
_LEVEL: Final = 1  # of deflate: 6 is three times slower, and saves a tenth
_READABLE: Final = 0o644 << 16
_PATH: Final = re.compile(rb'<rs:md [^<>]* path="/resources/(\d+)-\d+\.xml"/>')  # of a version in a manifest
_MEMBER: Final = 200  # bytes of the headers of a file in a package, at most


class Packed(NamedTuple):
    """A resource with its bytes, and the files that it describes."""

    resource: Resource
    metadata: bytes
    contents: tuple[Content, ...] = ()


class Member(NamedTuple):
    """An entry of a manifest, with the path and the bytes of its file; None: it has no file."""

    entry: str
    path: str = ""
    content: bytes | None = None


def package(
    document: Document, entries: Entries, packed: Iterable[Packed], most_bytes: int | None = None
) -> tuple[IO[bytes], int]:
    """Return a package as a file at its beginning, and its length; `document` is the head of its manifest.

    With `most_bytes`, resources that could make it longer than that are left out, also of the manifest.
    """
    members = (Member(entries.packed(*one), entries.path(one.resource), one.metadata) for one in packed)
    return zipped(document, members, most_bytes)


def zipped(document: Document, members: Iterable[Member], most_bytes: int | None = None) -> tuple[IO[bytes], int]:
    """Return a package of these members, and its length, as `package` does."""
    file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the caller sends and closes it
    manifest: list[str] = []
    room = len(document.write(())) + 2 * _MEMBER  # what is written at the end
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for member in members:
            needed = len(member.entry.encode()) + 2 * _MEMBER
            if member.content is not None:
                size = len(member.content)
                size += size // 1_000 + 100  # deflate needs no more (RFC 1951 §3.2.4)
                if most_bytes is not None and file.tell() + room + needed + size > most_bytes:
                    continue
                archive.writestr(_member(member.path.removeprefix("/")), member.content)
            manifest.append(member.entry)
            room += needed
        archive.writestr(_member(MANIFEST), document.write(manifest))
    length = file.tell()
    file.seek(0)
    if length <= _IN_MEMORY:  # such a file need not be closed
        content = file.read()
        file.close()
        file = BytesIO(content)
    return file, length


def manifest_of(package: IO[bytes]) -> bytes:
    """Return the manifest of a package. Raise BadZipFile or KeyError if it is damaged."""
    with zipfile.ZipFile(package) as archive:
        return archive.read(MANIFEST)


def versions_of(package: IO[bytes]) -> dict[int, int]:
    """Return the datestamps of the versions in a package of changes, by the numbers of their items."""
    with zipfile.ZipFile(package) as archive:
        return dict(_version_of(name) for name in archive.namelist() if name != MANIFEST)


def without(package: IO[bytes], items: Collection[int]) -> tuple[IO[bytes], int]:
    """Return a package of changes without the versions of these items, also of its manifest, and its length.

    The entries of their deletions stay. It is the same as if it had been made without them.
    """
    with zipfile.ZipFile(package) as former:
        head, *entries, end = former.read(MANIFEST).splitlines(keepends=True)
        lines = [line for line in entries if (place := _PATH.search(line)) is None or int(place[1]) not in items]
        file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the caller sends and closes it
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
            for name in former.namelist():
                if name != MANIFEST and _version_of(name)[0] not in items:
                    archive.writestr(_member(name), former.read(name))
            archive.writestr(_member(MANIFEST), b"".join((head, *lines, end)))
    length = file.tell()
    file.seek(0)
    return file, length


def items_of(package: IO[bytes], is_meant: Callable[[bytes], bool]) -> set[int]:
    """Return the items of which a version in a package of changes is meant, by its metadata or its entry."""
    with zipfile.ZipFile(package) as archive:
        names = (name for name in archive.namelist() if name != MANIFEST)
        entries = ((_PATH.search(line), line) for line in archive.read(MANIFEST).splitlines())
        linked = {int(place[1]) for place, line in entries if place is not None and is_meant(line)}
        return linked.union(_version_of(name)[0] for name in names if is_meant(archive.read(name)))


def _version_of(name: str) -> tuple[int, int]:
    item, _, datestamp = name.removeprefix("resources/").removesuffix(".xml").partition("-")
    return int(item), int(datestamp)


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _FIXED)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = _READABLE
    return info
