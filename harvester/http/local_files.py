"""Files on this machine behind a `Fetch`: a file, a folder or an archive.

`file:///path` answers with a list in JSON: [name, bytes, second of the last change] of each file. After them comes an
object with the fields of `Unread` for each name that is not read. `file:///path#name` answers with one file, with the
part that a Range header asks for, or with 304. Single compressed files (`.gz`, `.zst`) are read decompressed. Nothing
outside the one path is opened: links in a folder are not followed, for they may lead out of it, in a circle, or to a
file that is read under its own name. Nothing is written, except that a compressed tar is unpacked once into a temporary
file without a name. Otherwise each step back would unpack it from its beginning.
"""

import bz2
import gzip
import json
import lzma
import os
import tarfile
import time
import zipfile
from collections.abc import Callable, Container
from functools import partial
from http import HTTPStatus
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import IO, NamedTuple, Self, TypeAlias, cast
from urllib.parse import unquote, urlsplit

from zstandard import ZstdDecompressor, ZstdError

from gateway.core.errors import AddressRefused, AnswerTooLarge, ConnectionFailed, RemoteRefuses
from harvester.http.archives import DAMAGES, Ambiguous, TarMember, TooMuch, by_name, members, opened_zip
from harvester.http.messages import Fetched, Request
from harvester.runtime.durable_files import AnonymousFile

_APPLE_DOUBLE = b"\x00\x05\x16\x07"  # the first bytes of `._NAME`, which macOS writes beside a file
_File: TypeAlias = tuple[str, int, int]  # name, bytes, second of the last change
_STEP = 1 << 16  # bytes written to a sink at once
_DAMAGES = (*DAMAGES, cast("type[Exception]", ZstdError))  # its type stub does not say that it is an exception
_MOST_BYTES = 100_000_000_000  # of a compressed tar, unpacked
_COMPRESSED = {b"\x1f\x8b": gzip.GzipFile, b"BZh": bz2.BZ2File, b"\xfd7zXZ": lzma.LZMAFile}  # by their first bytes


class Unread(NamedTuple):
    """A name below the folder that is not read, the reason as a clause, and the file in the folder that it links to.

    The name of a folder, or of a link to one, ends with a slash. `target` is empty for anything but such a link.
    """

    name: str
    why: str
    target: str = ""


def files_in(folder: Path, *, reads_hidden: bool = False) -> tuple[list[Path], list[Unread]]:
    """Return the plain files of a folder and all folders below it, and the names that are not read."""
    files: list[Path] = []
    unread: list[Unread] = []
    failures: list[OSError] = []
    for above, folders, names in os.walk(folder, onerror=failures.append):
        links = [name for name in folders if (Path(above) / name).is_symlink()]
        for path in (Path(above) / name for name in (*names, *links)):
            if path.is_symlink():
                unread.append(_link(folder, path))
            elif not path.is_file():
                unread.append(Unread(_name(folder, path), "it is a pipe, a socket or a device"))
            elif reads_hidden or not path.name.startswith("."):
                files.append(path)
            elif not _is_apple_double(path):
                unread.append(Unread(_name(folder, path), "it is hidden"))
    unread += (Unread(f"{_name(folder, Path(error.filename))}/", f"{error.strerror}") for error in failures)
    return files, unread


def escaped(name: str) -> str:
    """Return a name of a file, with an escape of four characters for each byte that is not UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _link(folder: Path, path: Path) -> Unread:
    name, root, target = _name(folder, path), Path(os.path.realpath(folder)), Path(os.path.realpath(path))
    slash = "/" if path.is_dir() else ""
    if not path.exists():
        return Unread(name, "it is a link that leads nowhere")
    if not target.is_relative_to(root):
        return Unread(name + slash, "it is a link out of the folder")
    return Unread(name + slash, "it is a link", "" if slash else _name(root, target))


def _is_apple_double(path: Path) -> bool:
    if not path.name.startswith("._"):
        return False
    with path.open("rb") as stream:
        return stream.read(len(_APPLE_DOUBLE)) == _APPLE_DOUBLE


class Local:
    """A `Fetch` for one file, folder or archive. Use it in a `with` block; one thread at a time."""

    def __init__(
        self, url: str, limit: int, clock: Callable[[], float] = time.time, most_bytes: int = _MOST_BYTES
    ) -> None:
        self._most_bytes = most_bytes
        self._unpacked: AnonymousFile | None = None
        self._members: dict[str, tarfile.TarInfo] = {}
        self._url, self._limit, self._clock = url, limit, clock
        self._root = Path(unquote(urlsplit(url).path))
        self._listed: dict[str, tuple[int, int]] = {}
        self._archive: zipfile.ZipFile | tarfile.TarFile | None = None
        self._name_open = ""  # what was read last: its next part is probably next
        self._streams: list[IO[bytes]] = []  # of that file; the last one is read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if self._archive is not None:
            self._archive.close()
        if self._unpacked is not None:
            self._unpacked.close()

    def _close(self) -> None:
        for stream in reversed(self._streams):
            stream.close()
        self._name_open, self._streams = "", []

    def __call__(self, request: Request) -> Fetched:
        """Return the answer to one request. Raise AddressRefused for another path, RemoteRefuses for a missing file.

        Raise AnswerTooLarge beyond a limit, ConnectionFailed when the archive or file is damaged.
        """
        url, _, name = request.url.partition("#")
        if url != self._url:
            raise AddressRefused(f"{url} is not the path of this source.")
        try:
            if not name:
                files, unread = self._names()
                listing = [*files, *(entry._asdict() for entry in unread)]
                return self._answer(request, json.dumps(listing).encode(), HTTPStatus.OK)
            return self._part(request, unquote(name), dict(request.headers))
        except (FileNotFoundError, KeyError) as error:
            raise RemoteRefuses(f"{unquote(name) or self._root} does not exist.") from error
        except Ambiguous as error:
            raise RemoteRefuses(
                f"{self._root} is not read: {error}. Unpack it by hand, rename one of them, and read the folder."
            ) from error
        except TooMuch as error:
            raise AnswerTooLarge(f"{self._root} is not read: {error}.") from error
        except _DAMAGES as error:
            raise ConnectionFailed(f"{self._root} cannot be read: {error}.") from error

    def _answer(self, request: Request, body: bytes, status: HTTPStatus, etag: str = "") -> Fetched:
        headers = (("ETag", etag),) if etag else ()
        return Fetched(request.url, int(status), headers, body, int(self._clock()))

    def _part(self, request: Request, name: str, headers: dict[str, str]) -> Fetched:
        size, second = self._known(name)
        etag = f'"{second}-{size}"'
        if headers.get("If-None-Match") == etag:
            return self._answer(request, b"", HTTPStatus.NOT_MODIFIED, etag)
        wanted = headers.get("Range", "")
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        stream = self._stream(name)
        if name.lower().endswith(".zst") and stream.tell() > int(first or 0):
            self._close()  # Zstandard cannot be read backwards
            stream = self._stream(name)
        stream.seek(int(first or 0))
        whole = self._answer(request, b"", HTTPStatus.OK, etag)
        if request.sink is not None and not wanted and request.sink.begin(whole):
            while part := stream.read(_STEP):
                request.sink.write(part)
            return whole
        body = stream.read(int(last) - int(first) + 1 if last else self._limit + 1)
        if len(body) > self._limit:
            raise AnswerTooLarge(f"{name} has more than {self._limit} bytes.")
        return self._answer(request, body, HTTPStatus.PARTIAL_CONTENT if wanted else HTTPStatus.OK, etag)

    def _known(self, name: str) -> tuple[int, int]:
        """Return size (bytes) and last change (second) of a file; the list is read once."""
        if not self._listed:
            self._listed = {name: (size, second) for name, size, second in self._names()[0]}
        return self._listed[name]

    def _names(self) -> tuple[list[_File], list[Unread]]:
        """Return the files that are read, sorted by name, and the names that are not read."""
        files, unread = self._files()
        unread += (Unread(name, "its name is not UTF-8") for name, _, _ in files if escaped(name) != name)
        unread = [Unread(*map(escaped, entry)) for entry in unread]
        return sorted(file for file in files if escaped(file[0]) == file[0]), sorted(unread)

    def _files(self) -> tuple[list[_File], list[Unread]]:
        archive = self._opened()
        if isinstance(archive, zipfile.ZipFile):
            plain = ((member.filename, member) for member in archive.infolist() if not member.is_dir())
            whole = by_name(plain, archive.open)
            return [(name, of.file_size, int(time.mktime((*of.date_time, 0, 0, -1)))) for name, of in whole.items()], []
        if isinstance(archive, tarfile.TarFile):
            tar = archive
            inside = list(members(tar))
            self._members = by_name(
                ((member.name, member) for member in inside if member.isfile()), partial(_extracted, tar)
            )
            unread = [_unread(member, self._members) for member in inside if not (member.isfile() or member.isdir())]
            return [(member.name, member.size, int(member.mtime)) for member in self._members.values()], unread
        if not self._root.exists():
            raise FileNotFoundError
        paths, unread = ([self._root], []) if self._root.is_file() else files_in(self._root)
        return [(self._name(path), path.stat().st_size, int(path.stat().st_mtime)) for path in paths], unread

    def _name(self, file: Path) -> str:
        return file.name if file == self._root else file.relative_to(self._root).as_posix()

    def _opened(self) -> zipfile.ZipFile | tarfile.TarFile | None:
        if self._archive is None and self._root.is_file():
            # Tar first: a tar whose last member is a ZIP looks like a ZIP.
            if tarfile.is_tarfile(self._root):
                self._archive = self._tar()
            elif zipfile.is_zipfile(self._root):
                self._archive = opened_zip(self._root)
        return self._archive

    def _tar(self) -> tarfile.TarFile:
        """Return the opened tar; a compressed one is unpacked first."""
        with self._root.open("rb") as stream:
            start = stream.read(6)
        compressed = next((opener for mark, opener in _COMPRESSED.items() if start.startswith(mark)), None)
        if compressed is None:
            return tarfile.open(self._root, tarinfo=TarMember)
        self._unpacked = AnonymousFile(f"{self._root}, unpacked", self._most_bytes)
        with compressed(self._root) as packed:
            while part := packed.read(_STEP):
                self._unpacked.put(part)
        self._unpacked.file.seek(0)
        return tarfile.open(fileobj=self._unpacked.file, tarinfo=TarMember)

    def _stream(self, name: str) -> IO[bytes]:
        if self._name_open != name:
            self._close()
            self._streams.append(self._member(name))
            if name.lower().endswith(".gz"):
                self._streams.append(cast("IO[bytes]", gzip.GzipFile(fileobj=self._streams[0])))
            elif name.lower().endswith(".zst"):
                unpacked = ZstdDecompressor().stream_reader(self._streams[0], read_across_frames=True)
                self._streams.append(cast("IO[bytes]", unpacked))
            self._name_open = name
        return self._streams[-1]

    def _member(self, name: str) -> IO[bytes]:
        archive = self._opened()
        if isinstance(archive, zipfile.ZipFile):
            return archive.open(name)
        if isinstance(archive, tarfile.TarFile):
            return _extracted(archive, self._members[name])
        return (self._root if self._root.is_file() else self._root / name).open("rb")


def _extracted(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(member)
    assert stream is not None  # only plain files are listed
    return stream


def _unread(member: tarfile.TarInfo, files: Container[str]) -> Unread:
    """Return a link or a device of a tar as a name that is not read."""
    if not (member.islnk() or member.issym()):
        return Unread(member.name, "it is a pipe or a device")
    target = member.linkname if member.islnk() else normpath(join(dirname(member.name), member.linkname))
    is_inside = target in files
    return Unread(member.name, "it is a link" if is_inside else "it is a link out of the archive", target * is_inside)
