"""A delivered package: OAI records and the files they name, as a folder, tar or zip, a bag or not.

Records are read from every XML file that holds some: answers of OAI-PMH, what `harvester dump` wrote, single records.
A file is found by the location that its document gives: relative to it, or by the end of its address.
"""

from __future__ import annotations

import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import unquote, urlsplit

from gateway.errors import AnswerError, ConfigurationError
from gateway.model import RawPage, Slice
from gateway.xmltext import OAI_PMH
from harvester.mirror import bag
from harvester.mirror.collecting import Collected
from harvester.mirror.holding import entry
from harvester.mirror.inventory import Arrived
from harvester.mirror.ocfl import ALWAYS, Incoming, hashed, telling
from harvester.mirror.planning import Want
from harvester.mirror.verifying import Bytes, Fate, verdict
from harvester.wire.oai_pmh import parse_list

_LISTS = re.compile(rb"(?s)<list\b[^>]*>(.*?)</list>")
_OPENING = f'<OAI-PMH xmlns="{OAI_PMH}"><ListRecords>'.encode()
_CLOSING = b"</ListRecords></OAI-PMH>"
_LOOK = 2048  # bytes at either end that are looked at
_CHUNK = 1 << 20


@dataclass(slots=True)
class Package:
    """What was delivered, unpacked and verified. `date` is the day it was made, where it says so."""

    payload: Path
    date: str = ""
    unread: list[str] = field(default_factory=list)  # XML files that hold no records
    _by_name: dict[str, list[PurePosixPath]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for file in self._files():
            self._by_name.setdefault(file.name, []).append(PurePosixPath(file.relative_to(self.payload).as_posix()))

    def records(self) -> Iterator[tuple[Path, RawPage, Slice]]:
        """Return every record, with the file that holds it."""
        for file in self._files():
            if file.suffix.lower() == ".xml":
                yield from self._records(file)

    def find(self, want: Want, document: Path) -> Path | None:
        """Return the file that a document names; None when it is not here, or there are several that could be it."""
        for location in want.component.locations:
            found = self._at(location, document)
            if found is not None:
                return found
        return None

    def _files(self) -> Iterable[Path]:
        return sorted(each for each in self.payload.rglob("*") if each.is_file() and not each.is_symlink())

    def _records(self, file: Path) -> Iterator[tuple[Path, RawPage, Slice]]:
        count = 0
        for body in _pages(file.read_bytes()):
            try:
                answer = parse_list(body)
            except AnswerError:
                continue
            page = RawPage("", "ListRecords", file.name, 0, 200, (), body, repaired=answer.repaired)
            for each in answer.slices:
                count += 1
                yield file, page, each
        if not count:
            self.unread.append(file.relative_to(self.payload).as_posix())

    def _at(self, location: str, document: Path) -> Path | None:
        path = PurePosixPath(unquote(urlsplit(location).path if "://" in location else location))
        if "://" not in location and not path.is_absolute() and ".." not in path.parts:
            for folder in (document.parent, self.payload):
                if (folder / path).is_file():
                    return folder / path
        candidates = self._by_name.get(path.name, [])
        ends = [(_shared(each, path), each) for each in candidates]
        best = max((count for count, _ in ends), default=0)
        fitting = [each for count, each in ends if count == best]
        return self.payload / fitting[0] if len(fitting) == 1 else None


def _shared(one: PurePosixPath, other: PurePosixPath) -> int:
    """Return how many parts two paths have in common, from the end."""
    pairs = zip(reversed(one.parts), reversed(other.parts), strict=False)
    count = 0
    for mine, theirs in pairs:
        if mine != theirs:
            break
        count += 1
    return count


def _pages(content: bytes) -> Iterator[bytes]:
    """Return what an XML file holds as answers of OAI-PMH: itself, the lists of a dump, or one record."""
    start = content[:4096]
    if b"<harvest" in start:
        yield from (_OPENING + match[1] + _CLOSING for match in _LISTS.finditer(content))
    elif b"OAI-PMH" in start:
        yield content
    else:
        yield _OPENING + re.sub(rb"^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\?>", b"", content) + _CLOSING


def delivered(want: Want, file: Path | None, aside: Path) -> Collected:
    """Take a file out of a package, when it is there and good."""
    if file is None:
        return Collected(want, entry(want.component)._replace(fate=Fate.NOT_FOUND, reason="It is not in the package."))
    with telling(aside):
        shutil.copyfile(file, aside)
    digests = hashed(aside, {*ALWAYS, *(algorithm for algorithm, _ in want.component.digests)})
    size = aside.stat().st_size
    with aside.open("rb") as stream:
        first = stream.read(_LOOK)
        stream.seek(max(0, size - _LOOK))
        judged = verdict(want.component, Bytes(size, digests, first, stream.read()))
    if judged.fate is not Fate.FETCHED:
        aside.unlink()
        return Collected(want, entry(want.component)._replace(fate=judged.fate, reason=judged.reason))
    arrived = Arrived(digests["sha512"], digests["sha256"])
    held = entry(want.component)._replace(
        path=want.path,
        size=size,
        sha512=arrived.sha512,
        sha256=arrived.sha256,
        verified=judged.verified,
        fate=Fate.DELIVERED,
    )
    return Collected(want, held, Incoming(aside, arrived))


# --- unpacking ------------------------------------------------------------------------------------------------------


@contextmanager
def unpacked(source: Path, aside: Path, max_bytes: int) -> Iterator[Package]:
    """Return a package, unpacked below `aside` as long as the context lasts, and verified when it is a bag.

    Raise ConfigurationError when it cannot be read, has more bytes than it may, or is a bag that is not good.
    """
    folder = aside / "package"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        if source.is_dir():
            yield _package(source)
            return
        with telling(folder):
            folder.mkdir(parents=True)
        try:
            _unpack(source, folder, max_bytes)
        except (tarfile.TarError, zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError, OSError) as error:
            raise ConfigurationError(f"{source} cannot be unpacked: {error}.") from error
        yield _package(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _package(folder: Path) -> Package:
    """Return what is in a folder, or in the only folder that is in it: archives are often packed with one around."""
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        folder = inside[0]
    if not bag.is_bag(folder):
        return Package(folder)
    good = bag.checked(folder)
    return Package(good.payload, good.info.get("bagging-date", ""))


def _unpack(source: Path, folder: Path, max_bytes: int) -> None:
    left = max_bytes
    for name, stream in _members(source):
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise ConfigurationError(f"{source} has a file that leads out of it: {name!r}.")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("wb") as target:
            while part := stream.read(_CHUNK):
                left -= len(part)
                if left < 0:
                    raise ConfigurationError(f"{source} has more than {max_bytes} bytes, unpacked.")
                target.write(part)


def _members(source: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Return the files of an archive; folders, links and devices are left out."""
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            for each in archive.infolist():
                if not each.is_dir():
                    with archive.open(each) as stream:
                        yield each.filename, stream
        return
    with tarfile.open(source) as tar:
        for member in tar:
            stream_or_none = tar.extractfile(member) if member.isfile() else None
            if stream_or_none is not None:
                yield member.name, stream_or_none
