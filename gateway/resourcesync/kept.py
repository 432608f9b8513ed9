"""What `harvester tend` keeps of a set of resources: packages and archived lists, and the index of them.

The files of a set are in `resourcesync/<prefix>@<spec>/` of the instance folder. Their names have the SHA-256 of their
bytes, so none of them ever changes. `kept.json` says which there are; it is replaced as a whole. A file that it does
not name is the rest of a killed process. What it names and is missing is lost: no document lists it.

The index has a key: what the addresses and the bytes in the files depend on. Another key means that nothing is kept.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b, file_digest, sha256
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias, get_origin, get_type_hints
from zipfile import BadZipFile

from gateway.core import durable
from gateway.core.permissions import file_mode, keep_owner
from gateway.core.takedowns import Takedowns
from gateway.resourcesync.addresses import ResourceSet
from gateway.resourcesync.packages import items_of, versions_of

FOLDER: Final = "resourcesync"  # in the instance folder
INDEX: Final = "kept.json"
_FORM: Final = 2  # of the files: entries of archived lists have no links to files
_SHOWN: Final = 16  # digits of the SHA-256 in a name
_PIECE: Final = 1 << 20
_MOST: Final = 253_402_300_799  # the last second of the year 9999; no package is longer
# What reading a damaged package or list raises; a flipped bit of a length can be an OSError too.
DAMAGED: Final = (BadZipFile, EOFError, KeyError, NotImplementedError, OSError, ValueError, zlib.error)

_NO_TAKEDOWNS: Final = Takedowns()

# (item, datestamp of the version that is served; 0: none) of each item of which something is taken down.
Versions: TypeAlias = tuple[tuple[int, int], ...]


class KeptPackage(NamedTuple):
    """A package of the changes of a closed period. It was compared with the takedowns that have the mark `checked`."""

    name: str
    from_: int
    until: int
    file: str
    length: int
    sha256: str
    checked: str


class KeptPart(NamedTuple):
    """A package of the Resource Dump, as it was at the second `at` and the line `line` of the log of changes.

    `origins` is the mark of the sources that were known (`SiteResources.origins_mark`).
    """

    part: int
    file: str
    length: int
    sha256: str
    at: int
    line: int
    origins: str


class KeptList(NamedTuple):
    """An archived Resource List: the numbers of its parts with their files. It is compared as packages are."""

    name: str
    at: int
    parts: tuple[tuple[int, str], ...]
    checked: str


class KeptDocuments(NamedTuple):
    """All that is kept of a set of resources. `dumped_at` is the second in which the Resource Dump was made last.

    `verified_at`: the second in which `tend` last compared all files with their names.
    """

    packages: tuple[KeptPackage, ...] = ()
    parts: tuple[KeptPart, ...] = ()
    lists: tuple[KeptList, ...] = ()
    dumped_at: int = 0
    verified_at: int = 0

    @property
    def files(self) -> frozenset[str]:
        """The names of all files."""
        of_lists = (file for kept in self.lists for _, file in kept.parts)
        of_packages = (package.file for package in self.packages)
        return frozenset((*of_packages, *(part.file for part in self.parts), *of_lists))


class KeptFiles:
    """The kept files of one set of resources. `key` is that of `key_of`."""

    def __init__(self, instance: Path, resources: ResourceSet, key: str) -> None:
        self._instance, self._key = instance, key
        self.folder = instance / FOLDER / folder_of(resources)

    def read(self) -> KeptDocuments:
        """Return what is kept; nothing if the index is missing, damaged, or has another key."""
        try:
            data = json.loads((self.folder / INDEX).read_bytes())
            return _kept_documents(data) if data["key"] == self._key else KeptDocuments()
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return KeptDocuments()

    def write(self, kept_documents: KeptDocuments) -> None:
        """Replace the index. Raise OSError."""
        data = {"key": self._key, **kept_documents._asdict()}
        self._ready()
        self._put(self.folder / INDEX, json.dumps(data).encode())

    def add(self, stem: str, stream: IO[bytes], ending: str) -> tuple[str, int, str]:
        """Write a file that is on the disk before an index names it; return its name, length and SHA-256.

        The stream is closed. Raise OSError.
        """
        self._ready()
        with stream:
            digest, length = sha256(), 0
            while piece := stream.read(_PIECE):
                digest.update(piece)
                length += len(piece)
            file = self.folder / f"{stem}.{digest.hexdigest()[:_SHOWN]}{ending}"
            stream.seek(0)
            if not self.is_intact(file.name):
                self._put(file, stream.read())
        return file.name, length, digest.hexdigest()

    def has(self, name: str) -> bool:
        """Return whether a file is there."""
        return (self.folder / name).is_file()

    def opened(self, name: str) -> IO[bytes] | None:
        """Return a file, opened for reading; None if it is lost."""
        try:
            return (self.folder / name).open("rb")
        except OSError:
            return None

    def is_whole(self, name: str, length: int) -> bool:
        """Return whether a file is there, with its length."""
        with suppress(OSError):
            return (self.folder / name).stat().st_size == length
        return False

    def is_intact(self, name: str) -> bool:
        """Return whether a file is there with the bytes of which its name has the SHA-256.

        A process reads a file once, and again when its time or size has changed.
        """
        file = self.folder / name
        try:
            state = file.stat()
            return _is_intact(file, state.st_ino, state.st_mtime_ns, state.st_size)
        except OSError:
            return False

    def remove_others(self, kept_documents: KeptDocuments) -> None:
        """Delete all files that are not of this index. Raise OSError."""
        files = {*kept_documents.files, INDEX}
        for file in tuple(self.folder.iterdir()) if self.folder.is_dir() else ():
            if file.name not in files:
                file.unlink(missing_ok=True)

    def _put(self, file: Path, content: bytes) -> None:
        try:
            durable.write(file, content, self._shared)
        except OSError as error:
            error.filename = error.filename or str(file)  # a full disk names none
            raise

    def _ready(self) -> None:
        for folder in (self.folder.parent, self.folder):
            if not folder.is_dir():
                folder.mkdir()
                descriptor = os.open(folder, os.O_RDONLY)
                keep_owner(descriptor, self._instance)
                os.close(descriptor)

    def _shared(self, descriptor: int) -> None:
        """Let the users of the instance read a new file."""
        os.fchmod(descriptor, file_mode(self._instance))
        keep_owner(descriptor, self._instance)


@lru_cache(maxsize=8192)
def _is_intact(file: Path, *_state: int) -> bool:
    with file.open("rb") as stream:
        return f".{file_digest(stream, 'sha256').hexdigest()[:_SHOWN]}." in file.name


def _kept_documents(data: Mapping[str, Any]) -> KeptDocuments:
    """Return what an index has. Raise ValueError, TypeError or KeyError if it is not as `KeptFiles.write` makes it."""
    lists = ([name, at, tuple(_rows((int, str), parts)), mark] for name, at, parts, mark in data["lists"])
    (times,) = _rows((int, int), [[data["dumped_at"], data["verified_at"]]])
    return KeptDocuments(
        tuple(KeptPackage(*row) for row in _rows(_types(KeptPackage), data["packages"])),
        tuple(KeptPart(*row) for row in _rows(_types(KeptPart), data["parts"])),
        tuple(KeptList(*row) for row in _rows(_types(KeptList), lists)),
        *times,
    )


def _types(kind: type[tuple[Any, ...]]) -> tuple[type, ...]:
    return tuple(get_origin(hint) or hint for hint in get_type_hints(kind).values())


def _rows(types: tuple[type, ...], rows: Iterable[Iterable[Any]]) -> Iterator[tuple[Any, ...]]:
    for row in map(tuple, rows):
        for value, type_ in zip(row, types, strict=True):
            if not isinstance(value, type_) or not _CHECKS.get(type_, bool)(value):
                raise ValueError(value)
        yield row


_CHECKS: Final[Mapping[type, Callable[[Any], bool]]] = {
    int: lambda value: value is not True and value is not False and 0 <= value <= _MOST,
    str: lambda value: value.isascii() and value.replace("-", "").replace(".", "").isalnum(),
}


def folder_of(resources: ResourceSet) -> str:
    """Return the name of the folder of a set of resources."""
    return f"{resources.metadata_prefix}@{resources.set_spec}"


def key_of(url: str, epoch: str, *bounds: int) -> str:
    """Return the key of kept files: of the address of the site, the epoch of the store, and the bounds of documents."""
    return blake2b(repr((_FORM, url, epoch, *bounds)).encode(), digest_size=16).hexdigest()


def mark_of(versions: Versions, takedowns: Takedowns = _NO_TAKEDOWNS) -> str:
    """Return a short text that is different for other takedowns."""
    revision = "" if takedowns.is_empty else takedowns.revision
    return blake2b(repr((versions, revision)).encode(), digest_size=8).hexdigest()


def forbidden_in(kept: KeptFiles, package: KeptPackage, versions: Versions, takedowns: Takedowns) -> frozenset[int]:
    """Return the items whose version in a kept package may not be shown any more, or names what is taken down.

    Raise any of `DAMAGED` if the file is damaged or lost.
    """
    if package.checked == mark_of(versions, takedowns) or (not versions and takedowns.is_empty):
        return frozenset()
    return _forbidden(kept.folder / package.file, versions, takedowns)


@lru_cache(maxsize=512)
def _forbidden(file: Path, versions: Versions, takedowns: Takedowns) -> frozenset[int]:
    with file.open("rb") as stream:
        packed = versions_of(stream)
        forbidden = frozenset(item for item, served in versions if item in packed and packed[item] != served)
        return forbidden if takedowns.is_empty else forbidden.union(items_of(stream, takedowns.mentions))


# -- archived lists ------------------------------------------------------------------------------------------------


def line_of(item: int, datestamp: int, entry: str) -> bytes:
    """Return the line of an archived list: an entry, and the version of which item it is."""
    return f"{item} {datestamp}\t{entry}".encode("utf-8", "replace")


def entries_of(lines: Iterable[bytes], versions: Versions) -> Iterable[str]:
    """Yield the entries of an archived list, except those of versions that may not be shown."""
    served = dict(versions)
    for line in lines:
        version, _, entry = line.decode().partition("\t")
        item, _, datestamp = version.partition(" ")
        if served.get(int(item), int(datestamp)) == int(datestamp):
            yield entry
