"""Open a delivered package: an archive is unpacked into a temporary folder, and bags (RFC 8493) are verified."""

import errno
import os
import re
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
from unicodedata import normalize

from gateway.core.errors import ConfigurationError
from harvester.http.archives import DAMAGES, Ambiguous, TarMember, check_same, members, opened_zip
from harvester.mirror.package import Package, shown
from harvester.runtime.durable_files import digests_by_algorithm, reporting_unwritable

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
    if is_bag(folder):
        good = checked_bag(folder)
        return Package(good.payload, metadata_prefix, good.info.get("bagging-date", ""))
    bags = [checked_bag(folder_) for folder_ in inside if folder_.is_dir() and is_bag(folder_)]
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


# --- bags of BagIt 1.0 (RFC 8493) and of earlier versions: completeness, and the digest of each file --------------
# The tests of the library of the Library of Congress decide what is valid; where they decide nothing, the RFC does.

_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
_MANIFEST = re.compile(r"(tag)?manifest-([a-z0-9]+)\.txt")
_LINE = re.compile(r"([0-9A-Fa-f]+)[ \t]+\*?(\S.*)")
_FETCHED = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://?\S+)[ \t]+(?:\d+|-)[ \t]+(\S.*)")
_DECLARATION = re.compile(r"BagIt-Version: (\d{1,9})\.(\d{1,9})\r?\nTag-File-Character-Encoding: (\S+)(?:\r?\n)?")
_ENDS = re.compile(r"\r\n|\r|\n")  # only these: a path may contain other characters at which str.splitlines splits
_ESCAPED = re.compile(r"(?i)%(0A|0D|25)")
_NEWEST = (1, 0)


class Bag(NamedTuple):
    """A valid bag: the folder of its payload, and the first value of each tag of bag-info.txt, by lower-case label."""

    payload: Path
    info: dict[str, str]


class _Bad(Exception):
    """A bag is invalid; the message is the reason."""


def is_bag(folder: Path) -> bool:
    """Return whether a folder has bagit.txt, or has a payload and a manifest without it."""
    manifests = (path for path in folder.glob("manifest-*.txt") if _MANIFEST.fullmatch(path.name))
    return (folder / "bagit.txt").exists() or ((folder / "data").is_dir() and any(manifests))


def checked_bag(folder: Path) -> Bag:
    """Return a valid bag (RFC 8493 §3). Raise ConfigurationError when a file is missing, unlisted or altered."""
    try:
        return _Checking(folder).bag()
    except (_Bad, OSError, ValueError, LookupError, RuntimeError) as error:
        raise ConfigurationError(f"{folder} is not a valid bag: {error}.") from error


class _Checking:
    """The verification of one bag."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        declared = _DECLARATION.fullmatch((folder / "bagit.txt").read_bytes().decode("utf-8"))
        if declared is None:
            raise _Bad("its bagit.txt is malformed")
        self._version, self._encoding = (int(declared[1]), int(declared[2])), declared[3]
        if self._version > _NEWEST:
            raise _Bad(f"its version {declared[1]}.{declared[2]} is newer than 1.0")
        if not (folder / "data").is_dir():
            raise _Bad("it has no folder data")
        # Names in Unicode form NFC: file systems and archives may change the form.
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        self._files = {normalize("NFC", file): file for file in files}
        self._payload = {name for name in self._files if name.startswith("data/")}

    def bag(self) -> Bag:
        manifests = [match for path in sorted(self._folder.iterdir()) if (match := _MANIFEST.fullmatch(path.name))]
        by_algorithm = {match[0]: dict(self._stated(match[0])) for match in manifests}
        self._check_complete({name: set(stated) for name, stated in by_algorithm.items() if not name.startswith("tag")})
        for match in manifests:
            self._check_digests(match[0], match[2], by_algorithm[match[0]])
        self._check_fetched()
        info: dict[str, str] = {}
        for name, value in (*self._info("bag-info.txt"), *self._info("package-info.txt")):
            info.setdefault(name, value)
        self._check_oxum(info.get("payload-oxum", ""))
        return Bag(self._folder / "data", info)

    def _lines(self, name: str) -> Iterator[str]:
        text = (self._folder / name).read_bytes().decode(self._encoding)
        return (line for line in _ENDS.split(text) if line.strip())

    def _stated(self, manifest: str) -> Iterator[tuple[str, str]]:
        """Return the path and the digest of each line."""
        for line in self._lines(manifest):
            match = _LINE.fullmatch(line)
            if match is None:
                raise _Bad(f"{manifest} has a malformed line: {line[:80]!r}")
            yield self._name(match[2], manifest), match[1].lower()

    def _name(self, path: str, manifest: str) -> str:
        """Return the name of a file from a path in a manifest. It must not lead out of the bag, not even by a link."""
        path = path.removeprefix("./")
        is_inside = (self._folder / path).resolve().is_relative_to(self._folder.resolve())
        if path.startswith(("/", "~")) or ".." in path.split("/") or not is_inside:
            raise _Bad(f"{manifest} names {path}, which is not in the bag")
        name = normalize("NFC", path)
        # The writer may have escaped line ends, with or without per cent signs (RFC 8493 §2.1.3).
        return name if name in self._files else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)

    def _check_complete(self, named: dict[str, set[str]]) -> None:
        """Check that each manifest lists the whole payload; before 1.0, that all manifests together do."""
        if not named:
            raise _Bad("it has no manifest of its payload")
        if self._version < _NEWEST:
            named = {" and ".join(named): set.union(*named.values())}
        for manifest, paths in named.items():
            if unknown := self._payload - paths:
                raise _Bad(f"{min(unknown)} is not in {manifest}")

    def _check_digests(self, manifest: str, algorithm: str, stated: dict[str, str]) -> None:
        if algorithm not in _ALGORITHMS:
            raise _Bad(f"{manifest} has an unknown algorithm")
        for name, digest in stated.items():
            if name not in self._files:
                raise _Bad(f"{name} is in {manifest}, and not in the bag")
            if digests_by_algorithm(self._folder / self._files[name], (algorithm,))[algorithm] != digest:
                raise _Bad(f"{name} does not have the digest in {manifest}")

    def _check_fetched(self) -> None:
        """Check the lines of fetch.txt. Nothing is fetched, but a malformed line makes a bag invalid."""
        if "fetch.txt" in self._files:
            for line in self._lines("fetch.txt"):
                match = _FETCHED.fullmatch(line)
                if match is None:
                    raise _Bad(f"fetch.txt has a malformed line: {line[:80]!r}")
                self._name(match[2], "fetch.txt")

    def _info(self, file: str) -> Iterator[tuple[str, str]]:
        if file in self._files:
            text = "\n".join(self._lines(file))
            for line in re.sub(r"\n[ \t]+", " ", text).split("\n"):
                name, _, value = line.partition(":")
                yield name.strip().lower(), value.strip()

    def _check_oxum(self, oxum: str) -> None:
        sizes = [(self._folder / self._files[name]).stat().st_size for name in self._payload]
        if oxum and oxum != (summary := f"{sum(sizes)}.{len(sizes)}"):
            raise _Bad(f"its payload is {summary} (bytes, files), but Payload-Oxum is {oxum}")
