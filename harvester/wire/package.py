"""A package of a Resource Dump or a Change Dump (Z39.99 §11, §13): a ZIP file with a manifest. Pure.

Nothing is ever written to where a package says: its files are read into memory, one at a time, by the paths that its
manifest names, and within limits that no packed bytes can pass; the package itself may be a long file. What is
ambiguous, a link, locked, or lies outside is refused with its reason; the rest of the package is read.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from io import SEEK_END
from typing import BinaryIO

from gateway.errors import NotResourceSync, UnusableRecord
from harvester.wire.archives import opened_zip
from harvester.wire.resourcesync import Document

MANIFEST = "manifest.xml"

MOST_FILE_BYTES = 100_000_000  # of one file that is read; metadata records are far smaller
MOST_GROWTH = 250  # bytes that all files may have for each byte of the package; XML has up to fifty
_LEAST_ROOM = 10_000_000
_STEP = 1 << 16
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCKED = 0x1  # general purpose bit 0: encrypted

# What zipfile raises for packages that are not as they should be.
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError)


class Package:
    """One package. Raise NotResourceSync when it is no ZIP file or has no manifest that can be read."""

    def __init__(self, body: BinaryIO, most_file_bytes: int = MOST_FILE_BYTES) -> None:
        """Take the bytes of the package, wherever they lie."""
        self._most_file_bytes = most_file_bytes
        self._room = max(_LEAST_ROOM, MOST_GROWTH * body.seek(0, SEEK_END))
        try:
            self._zip = opened_zip(body)
        except _DAMAGES as error:
            raise NotResourceSync(f"The package is no ZIP file that can be read: {error}.") from error
        found = Counter(each.filename for each in self._zip.infolist())
        self._files = {each.filename: each for each in self._zip.infolist()}
        self._ambiguous = {name for name, count in found.items() if count > 1}

    def manifest(self, base: str = "") -> Document:
        """Return the manifest. It may raise NotXml and NotResourceSync while its entries are read."""
        try:
            return Document(self._parts(MANIFEST), base)
        except UnusableRecord as error:
            raise NotResourceSync(f"The package has no manifest that can be read. {error}") from error

    def read(self, path: str) -> bytes:
        """Return the file at a path of the manifest. Raise UnusableRecord, which says why it cannot be used."""
        name = path.removeprefix("/")
        if not name or "\\" in name or ":" in name or not _is_inside(name):
            raise UnusableRecord(f"The path {path!r} leads out of the package.")
        return b"".join(self._parts(name))

    def _parts(self, name: str) -> Iterator[bytes]:
        found = self._files.get(name)
        if found is None:
            raise UnusableRecord(f"There is no file {name!r} in the package.")
        self._refuse(found)
        # No more is unpacked than is announced; a file that is refused takes no room from the others.
        if found.file_size > min(self._most_file_bytes, self._room):
            raise UnusableRecord(f"{name!r} grows beyond every limit when it is unpacked.")
        self._room -= found.file_size
        try:
            with self._zip.open(found) as stream:
                while part := stream.read(_STEP):
                    yield part
        except _DAMAGES as error:
            raise UnusableRecord(f"{name!r} is damaged in the package: {error}.") from error

    def _refuse(self, found: zipfile.ZipInfo) -> None:
        name = found.filename
        if name in self._ambiguous:
            raise UnusableRecord(f"The package has several files {name!r}.")
        if stat.S_ISLNK(found.external_attr >> 16):
            raise UnusableRecord(f"{name!r} is a link in the package.")
        if found.flag_bits & _LOCKED or found.compress_type not in _READ:
            raise UnusableRecord(f"{name!r} is packed in a way that is not read.")


def _is_inside(name: str) -> bool:
    return not name.startswith("/") and not {"", ".", ".."}.intersection(name.split("/"))
