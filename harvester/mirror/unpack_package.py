"""Open a delivered package: an archive is unpacked into a temporary folder, and bags (RFC 8493) are verified."""

import errno
import os
import shutil
import tarfile
import unicodedata
import zipfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from typing import IO, NamedTuple

from gateway.core.errors import ConfigurationError
from harvester.http.archives import DAMAGES, Ambiguous, TarMember, check_same, members, opened_zip
from harvester.mirror import bagit
from harvester.mirror.package import Package, shown
from harvester.runtime.durable_files import reporting_unwritable

_CHUNK = 1 << 20
_HARMLESS = 100_000_000  # unpacked bytes before the ratio counts: a small archive of zeros is harmless


class UnpackLimits(NamedTuple):
    """Limits of unpacking: bytes, unpacked bytes per byte of the archive, and bytes that stay free on the disk.

    A `max_ratio` of 0 is no limit. The ratio counts only after 100 MB were unpacked.
    """

    max_bytes: int
    max_ratio: int = 0
    min_free_bytes: int = 0


@contextmanager
def unpacked(source: Path, aside: Path, limits: UnpackLimits, metadata_prefix: str) -> Iterator[Package]:
    """Return a package. An archive is unpacked below `aside` until the context ends; a bag is verified.

    Files with a name that is illegal on this disk are left out and reported. Raise ConfigurationError when the package
    cannot be read, exceeds a limit, has two files of one name, or is an invalid bag. Raise StoreUnwritable when
    the folder `aside` cannot be written.
    """
    folder = aside / "package"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        if source.is_dir():
            yield _package(source, metadata_prefix)
            return
        with reporting_unwritable(folder):
            folder.mkdir(parents=True)
        try:
            left_out = tuple(_unpack(source, folder, limits))
        except Ambiguous as error:
            message = f"{source} is not unpacked: {error}; upper and lower case do not count."
            raise ConfigurationError(f"{message} Unpack it by hand, rename one, and import the folder.") from error
        except DAMAGES as error:
            raise ConfigurationError(f"{source} cannot be unpacked: {error}.") from error
        yield replace(_package(folder, metadata_prefix), left_out=left_out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _package(folder: Path, metadata_prefix: str) -> Package:
    """Return the package in a folder, or in its only subfolder: many archives have one folder around all.

    Several bags in the folder are verified, too; the earliest date counts.
    """
    inside = sorted(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        folder, inside = inside[0], sorted(inside[0].iterdir())
    if bagit.is_bag(folder):
        good = bagit.checked(folder)
        return Package(good.payload, metadata_prefix, good.info.get("bagging-date", ""))
    bags = [bagit.checked(folder_) for folder_ in inside if folder_.is_dir() and bagit.is_bag(folder_)]
    dates = filter(None, (bag.info.get("bagging-date", "") for bag in bags))
    return Package(folder, metadata_prefix, min(dates, default=""))


def _unpack(source: Path, folder: Path, limits: UnpackLimits) -> Iterator[str]:
    """Unpack all files of an archive; return a sentence for each file that is left out."""
    meter = _Meter(source, folder, limits)
    places: dict[str, str] = {}  # unpacked files, by name without differences of case and Unicode form
    left_out: set[str] = set()
    links: dict[str, str] = {}
    for name, stream in _members(source, folder, left_out, links):
        if normpath(name) == ".":
            yield f"An entry of the package is left out: its name is {name!r}."
            continue
        if stream is None:
            left_out.add(normpath(name))
            yield f"{shown(name)} of the package is left out: it is a link to a file that is not unpacked either."
            continue
        if not _is_inside(name):
            raise ConfigurationError(f"{source} has a file that leads out of it: {name!r}.")
        path = normpath(name)
        key = unicodedata.normalize("NFC", path).casefold()
        if (known := places.get(key)) is not None:
            with (folder / known).open("rb") as before:
                check_same(name, before, stream)
            if not (folder / path).exists() and not _refused(folder, path):
                meter.count((folder / known).stat().st_size)
                shutil.copyfile(folder / known, folder / path)
            continue
        if reason := _refused(folder, path):
            left_out.add(path)
            yield f"{shown(name)} of the package is left out: {reason}"
            continue
        places[key] = path
        with (folder / path).open("wb") as target:
            while part := stream.read(_CHUNK):
                meter.count(len(part))
                target.write(part)
    yield from _lost_links(folder, links)


_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR)
_NO_NAME = (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)


def _refused(folder: Path, path: str) -> str:
    """Make an empty file. Return why its name is impossible, else an empty string. Raise OSError otherwise."""
    try:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).open("xb").close()
    except OSError as error:
        if error.errno in _NO_NAME:
            return f"no file on this disk can have its name ({os.strerror(error.errno)})."
        if error.errno not in _IN_THE_WAY:
            raise
        above = [parent.as_posix() for parent in PurePosixPath(path).parents if (folder / parent).is_file()]
        other = f"{shown(above[0])} is a file" if above else f"{shown(path)} is a folder"
        return f"{other} in it too. Unpack it by hand and rename one of them, if both are needed."
    return ""


class _Meter:
    """Counts unpacked bytes, and enforces the limits."""

    def __init__(self, source: Path, folder: Path, limits: UnpackLimits) -> None:
        self._source, self._folder, self._room = source, folder, limits
        self._packed, self._count = source.stat().st_size, 0

    def count(self, size: int) -> None:
        """Add bytes that will be written. Raise ConfigurationError when they exceed a limit."""
        self._count += size
        if self._count > self._room.max_bytes:
            raise ConfigurationError(
                f"{self._source} has more than {self._room.max_bytes} bytes, unpacked (fetch_file_max_bytes)."
            )
        ratio = self._room.max_ratio
        if ratio and self._count > max(_HARMLESS, ratio * self._packed):
            raise ConfigurationError(
                f"{self._source} has more than {ratio} bytes for each of its own, unpacked. If that is right, raise "
                "unpack_max_ratio."
            )
        free = shutil.disk_usage(self._folder).free
        if free - size < self._room.min_free_bytes:
            raise ConfigurationError(
                f"{self._source} needs more room than there is: unpacking it would leave less than "
                f"{self._room.min_free_bytes} bytes free (unpack_min_free_bytes) in {self._folder.parent}."
            )


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and not name.startswith("/") and ".." not in parts


def _members(
    source: Path, folder: Path, left_out: Container[str], links: dict[str, str]
) -> Iterator[tuple[str, IO[bytes] | None]]:
    """Return the files of an archive; folders, symbolic links and devices are left out. Add the links to `links`.

    None: the file is a hard link to a file in `left_out`. Any other hard link is read from its target in `folder`,
    which must come earlier. The archive is read once, from its beginning to its end. Tar is tried first, because a tar
    archive that ends with a ZIP file looks like a ZIP file.
    """
    if tarfile.is_tarfile(source):
        with tarfile.open(source, tarinfo=TarMember) as tar:
            yield from _in_tar(tar, folder, left_out, links)
    elif zipfile.is_zipfile(source):
        with opened_zip(source) as archive:
            for archived in archive.infolist():
                if not archived.is_dir():
                    with archive.open(archived) as stream:
                        yield archived.filename, stream
    else:
        raise tarfile.ReadError("it is neither a tar nor a zip archive, or its beginning or end is damaged")


def _in_tar(
    tar: tarfile.TarFile, folder: Path, left_out: Container[str], links: dict[str, str]
) -> Iterator[tuple[str, IO[bytes] | None]]:
    unpacked_names = set()
    for member in members(tar):
        if member.islnk():
            if (name := normpath(member.linkname)) not in unpacked_names:
                problem = f"{member.name!r} is a link to {member.linkname!r}, which is not before it"
                raise tarfile.ReadError(problem)
            if name in left_out or not (folder / name).is_file():
                yield member.name, None
            else:
                with (folder / name).open("rb") as linked:
                    yield member.name, linked
        elif member.isfile() and (content := tar.extractfile(member)) is not None:
            yield member.name, content
        else:
            if member.issym():
                links[member.name] = normpath(join(dirname(member.name), member.linkname))
            continue
        unpacked_names.add(normpath(member.name))


def _lost_links(folder: Path, links: dict[str, str]) -> Iterator[str]:
    """Return a sentence for each symbolic link to something that the archive does not have."""
    for name, path in links.items():
        if not (_is_inside(path) and (folder / path).exists()):
            yield f"{shown(name)} of the package is left out: it is a link to {shown(path)}, which is not in it."
