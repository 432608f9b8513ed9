"""A package of a Resource Dump or a Change Dump (Z39.99 §11, §13): a ZIP file with a manifest. Pure.

No file is written. The files of a package are read into memory, one at a time, by the paths in its manifest. Limits
apply to the decompressed bytes. The package itself may be a long file. Repeated names, links, encrypted files and paths
outside the package are refused with a reason; the rest of the package is read.
"""

import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from io import SEEK_END
from typing import BinaryIO

from gateway.core.errors import NotResourceSync, UnusableRecord
from harvester.http.archives import opened_zip
from harvester.sources.resourcesync.documents import Document

MANIFEST = "manifest.xml"

MOST_FILE_BYTES = 100_000_000  # of one file; metadata records are far smaller
MOST_GROWTH = 250  # most decompressed bytes per byte of the package; XML has up to fifty
_LEAST_ROOM = 10_000_000
_STEP = 1 << 16
_READ = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LOCKED = 0x1  # general purpose bit 0: encrypted

# Errors of zipfile for damaged packages.
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError)


class Package:
    """One package. Raise NotResourceSync when it is not a ZIP file or has no readable manifest."""

    def __init__(self, body: BinaryIO, most_file_bytes: int = MOST_FILE_BYTES) -> None:
        self._most_file_bytes = most_file_bytes
        self._room = max(_LEAST_ROOM, MOST_GROWTH * body.seek(0, SEEK_END))
        try:
            self._zip = opened_zip(body)
        except _DAMAGES as error:
            raise NotResourceSync(f"The package is not a readable ZIP file: {error}.") from error
        counts = Counter(member.filename for member in self._zip.infolist())
        self._files = {member.filename: member for member in self._zip.infolist()}
        self._ambiguous = {name for name, count in counts.items() if count > 1}

    def manifest(self, base: str = "") -> Document:
        """Return the manifest. This and the iteration over it may raise NotXml, NotResourceSync and AnswerTooLarge."""
        try:
            return Document(self._parts(MANIFEST), base)
        except UnusableRecord as error:
            raise NotResourceSync(f"The package has no readable manifest. {error}") from error

    def read(self, path: str) -> bytes:
        """Return the file at a path of the manifest. Raise UnusableRecord with the reason when it cannot be used."""
        name = path.removeprefix("/")
        if "\\" in name or ":" in name or {"", ".", ".."}.intersection(name.split("/")):
            raise UnusableRecord(f"The path {path!r} leads out of the package.")
        return b"".join(self._parts(name))

    def _parts(self, name: str) -> Iterator[bytes]:
        member = self._files.get(name)
        if member is None:
            raise UnusableRecord(f"There is no file {name!r} in the package.")
        self._refuse(member)
        # Only the announced size is decompressed; a refused file does not count.
        if member.file_size > min(self._most_file_bytes, self._room):
            raise UnusableRecord(f"{name!r} has too many bytes when it is decompressed.")
        self._room -= member.file_size
        try:
            with self._zip.open(member) as stream:
                while part := stream.read(_STEP):
                    yield part
        except _DAMAGES as error:
            raise UnusableRecord(f"{name!r} is damaged in the package: {error}.") from error

    def _refuse(self, member: zipfile.ZipInfo) -> None:
        name = member.filename
        if name in self._ambiguous:
            raise UnusableRecord(f"The package has several files {name!r}.")
        if stat.S_ISLNK(member.external_attr >> 16):
            raise UnusableRecord(f"{name!r} is a link in the package.")
        if member.flag_bits & _LOCKED or member.compress_type not in _READ:
            raise UnusableRecord(f"{name!r} is encrypted, or compressed by an unsupported method.")
