"""The catalogue of a mirror: a line for each expected file or version, written in advance. Lines are only added.

    DIR/catalogue.jsonl
    {"catalogue": 1, "begun_at": …}                         the first line; `found`: objects that existed already
    {"identifier": …, "path": …, "head": 2, "sha512": …}    a version of an object: the digest of its inventory
    {"identifier": …, "path": …, "head": 0, "sha512": ""}   an announced version was not written; there is no other
    {"file": "README.txt", "sha512": …}                     a file of the storage root beside its objects
    {"beside": "failed/…", "sha512": …}                     a small file of the mirror (`files_beside.py`)
    {"mirror": SHA-512}                                     mirror.json
    {"run": …, "at": …}                                     a run began; the following lines are its lines
    {"receipt": …, "sha512": …}                             the receipt of the run; all lines before are settled

Each receipt has the SHA-256 of the catalogue before its own line, and the catalogue has the SHA-512 of each receipt
(`Mark`). Only lines after the last receipt may announce a version that does not exist, because a process was killed.
No receipt proves these lines yet: they are those of a run that was broken off, or somebody else wrote them.
"""

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from struct import Struct
from threading import Lock
from typing import NamedTuple

from gateway.core.errors import StoreDamaged
from harvester.runtime.durable_files import reporting_unwritable, sync

NAME = "catalogue.jsonl"
_VERSION = 1
_RECORD = Struct(">QIB64s")  # where the line begins, the version, whether it is a deleted one, SHA-512
_KEY_BYTES = 16
_CHUNK = 1 << 20

Line = Mapping[str, object]


class Mark(NamedTuple):
    """The first part of a catalogue: its length in bytes, and its SHA-256."""

    bytes: int
    sha256: str


class Entry(NamedTuple):
    """A version of an object, and the SHA-512 of its inventory. `head` is its number; 0: there is no version."""

    identifier: str
    path: str
    head: int
    sha512: str
    is_deleted: bool = False

    @property
    def line(self) -> Line:
        """The line of the catalogue."""
        plain = self._asdict()
        return plain if plain.pop("is_deleted") is False else self._asdict()


class UnfinishedRun(NamedTuple):
    """A run without a receipt: its command, its begin (UTCdatetime), and the number of versions that it announced."""

    command: str
    at: str
    versions: int = 0


class VersionLine(NamedTuple):
    """A line about an object, without its identifier. `is_settled`: a receipt follows the line."""

    head: int
    sha512: str
    is_deleted: bool
    is_settled: bool


@dataclass(slots=True)
class Contents:
    """The content of a catalogue. It needs little memory: objects are known by a short digest of their identifier."""

    size: int = 0
    settled: int = 0  # the byte after the line of the last receipt
    begun_at: str = ""
    object_count: int | None = None  # the number of objects from which it was made
    receipts: dict[str, str] = field(default_factory=dict)  # SHA-512 by name; empty: never written
    adopted: frozenset[str] = frozenset()  # receipts of an earlier catalogue, or of none
    last_receipt: str = ""
    named_at: dict[str, int] = field(default_factory=dict)  # the first byte of the line of each receipt
    running: UnfinishedRun | None = None  # the last run, when it has no receipt
    has_runs: bool = False  # it has lines of runs; an earlier version of the program wrote none
    foreign: str = ""  # a description of the first line that no run wrote
    foreign_lines: int = 0
    digests: dict[int, str] = field(default_factory=dict)  # SHA-256 up to where a receipt's line begins or ends
    files: dict[str, list[str]] = field(default_factory=dict)  # the possible digests of each file
    beside: dict[str, list[str]] = field(default_factory=dict)  # the possible digests of each small file
    unsettled: set[str] = field(default_factory=set)  # the small files of which lines follow the last receipt
    names_beside: bool = False  # it names the small files; an earlier version of the program did not
    mirrors: list[str] = field(default_factory=list)
    _objects: dict[bytes, bytes] = field(default_factory=dict)

    def of(self, identifier: str) -> tuple[VersionLine, ...]:
        """Return the lines of an object, in order."""
        records = _RECORD.iter_unpack(self._objects.get(_key(identifier), b""))
        return tuple(
            VersionLine(head, digest.hex() if head else "", bool(deleted), at < self.settled)
            for at, head, deleted, digest in records
        )

    def states(self, identifier: str) -> frozenset[str]:
        """Return the digests that the inventory of an object may have; "" if the object may be absent."""
        return frozenset(_possible(self.of(identifier)))

    def versions(self, identifier: str) -> dict[int, str]:
        """Return the digest of the inventory of each version."""
        return {entry.head: entry.sha512 for entry in self.of(identifier) if entry.head}

    def forget(self, identifier: str) -> None:
        """Drop an object that was checked, so that unchecked objects are left."""
        self._objects.pop(_key(identifier), None)

    def has(self, identifier: str) -> bool:
        """Return whether there is a line of an object."""
        return _key(identifier) in self._objects

    @property
    def living(self) -> int:
        """The number of objects that are not deleted."""
        last = (_RECORD.unpack_from(object_, len(object_) - _RECORD.size) for object_ in self._objects.values())
        return sum(head > 0 and not deleted for _, head, deleted, _ in last)

    def take(self, at: int, line: Mapping[str, object]) -> None:
        """Take a line; `at` is its first byte. Raise KeyError, TypeError or ValueError for a malformed line."""
        if self.has_runs and (problem := self._foreign(at, line)):
            self.foreign = self.foreign or problem
            self.foreign_lines += 1
        if "identifier" in line:
            entry = _entry(line)
            record = _RECORD.pack(at, entry.head, entry.is_deleted, bytes.fromhex(entry.sha512))
            self._objects[_key(entry.identifier)] = self._objects.get(_key(entry.identifier), b"") + record
            if self.running:
                self.running = self.running._replace(versions=self.running.versions + 1)
        elif "file" in line:
            self.files.setdefault(str(line["file"]), [""]).append(str(line["sha512"]))
        elif "beside" in line:
            self._take_beside(str(line["beside"]), str(line["sha512"]))
        elif "mirror" in line:
            self.mirrors.append(str(line["mirror"]))
        elif "receipt" in line:
            self.last_receipt = str(line["receipt"])
            self.named_at[self.last_receipt] = at
            self.receipts[self.last_receipt] = str(line["sha512"])
            self.running = self.running if not line["sha512"] else None
        elif "run" in line:
            earlier = self.running.versions if self.running else 0
            self.running, self.has_runs = UnfinishedRun(str(line["run"]), str(line["at"]), earlier), True
        elif "catalogue" in line:
            self.begun_at, self.adopted = str(line["begun_at"]), frozenset(self.receipts)
            self.object_count = int(str(line["found"])) if "found" in line else None

    def _take_beside(self, name: str, digest: str) -> None:
        if not name:
            self.names_beside = True
        else:
            self.beside.setdefault(name, [""]).append(digest)
            self.unsettled.add(name)

    def _foreign(self, at: int, line: Line) -> str:
        """Return why no run can have written a line; an empty string when a run may have written it."""
        if "catalogue" in line:
            return "it begins again"
        if "receipt" in line and line["sha512"] and self.receipts.get(str(line["receipt"])):
            return f"receipts/{line['receipt']} is named again"
        if self.running or "run" in line or ("mirror" in line and at == self.settled):
            return ""
        return " ".join(str(value) for value in next(iter(line.items()), ()))

    def is_proven(self, receipt: str, mark: Mark | None) -> bool:
        """Return whether a receipt was certainly written. The last one may be missing unless mirror.json covers it."""
        return receipt != self.last_receipt or (mark is not None and self.named_at[receipt] < mark.bytes)

    def settle(self, at: int) -> None:
        """Mark all lines before a byte as settled."""
        self.settled = at
        del self.mirrors[:-1]
        for digests in self.files.values():
            del digests[:-1]
        for name in self.unsettled:
            del self.beside[name][:-1]
            if self.beside[name] == [""]:
                del self.beside[name]
        self.unsettled.clear()


def _possible(stated: tuple[VersionLine, ...]) -> Iterator[str]:
    """Return the digests that an inventory may have. An object with a settled version cannot be absent."""
    settled = [entry for entry in stated if entry.is_settled]
    yield settled[-1].sha512 if settled else ""
    was_there = any(entry.head for entry in settled)
    yield from (entry.sha512 for entry in stated if not entry.is_settled and (entry.head or not was_there))


def _key(identifier: str) -> bytes:
    return sha256(identifier.encode()).digest()[:_KEY_BYTES]


def _entry(line: Mapping[str, object]) -> Entry:
    head = int(str(line["head"]))
    return Entry(str(line["identifier"]), str(line["path"]), head, str(line["sha512"]), bool(line.get("is_deleted")))


def _lines(file: Path, at: int = 0) -> Iterator[tuple[int, bytes, Line]]:
    """Return each complete line from a byte on: its first byte, its raw form and its content. Raise StoreDamaged."""
    start = at
    _check_file(file)
    try:
        with file.open("rb") as stream:
            stream.seek(start)
            for number, raw in enumerate(stream, 1):
                if not raw.endswith(b"\n"):  # a killed process left an incomplete line
                    return
                yield at, raw, _parsed(raw, f"Line {number}{f' behind byte {start}' if start else ''} of {file}")
                at += len(raw)
    except OSError as error:
        raise StoreDamaged(f"{file} cannot be read: {error.strerror}.") from error


def _check_file(file: Path) -> None:
    """Raise StoreDamaged when it is not a regular file: reading a device may never end."""
    if file.exists() and not file.is_file():
        raise StoreDamaged(f"{file} is no file. Bring it back from a copy.")


def _parsed(raw: bytes, where: str) -> Line:
    try:
        line = json.loads(raw)
        if isinstance(line, dict):
            return line
    except (ValueError, RecursionError):
        pass
    raise StoreDamaged(f"{where} is damaged. Restore the file from a copy.")


def read(file: Path) -> Contents:
    """Read a catalogue. Raise StoreDamaged when it cannot be read."""
    contents, hashed = Contents(), sha256()
    for at, raw, line in _lines(file):
        is_end = "receipt" in line
        if is_end:
            contents.digests[at] = hashed.hexdigest()
        hashed.update(raw)
        contents.size = at + len(raw)
        try:
            contents.take(at, line)
        except (KeyError, ValueError, TypeError) as error:
            raise StoreDamaged(
                f"{file} has a line that cannot be read: {error!r}. Bring it back from a copy."
            ) from error
        if (is_end and line["sha512"]) or "catalogue" in line:
            contents.settle(contents.size)
            contents.digests[contents.size] = hashed.hexdigest()
    contents.digests[contents.size] = hashed.hexdigest()
    return contents


def entries(file: Path, at: int = 0) -> Iterator[Entry]:
    """Return the entries of objects from a byte on, in order. Raise StoreDamaged."""
    return (_entry(line) for _, _, line in _lines(file, at) if "identifier" in line)


class Catalogue:
    """The catalogue of a mirror folder, for reading and appending. Any thread of one process may use it.

    Methods that write, and `mark`, raise StoreUnwritable.
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / NAME
        self._hash, self._size = sha256(), 0
        self._lock = Lock()
        self._broken: list[Entry] = []

    def make(self, begun_at: str, lines: Iterable[Line], count: Callable[[], int]) -> None:
        """Write a new catalogue with these lines, atomically. `count` is called last; it returns the number of objects.

        Raise StoreUnwritable.
        """
        aside = self.file.with_name(f"{NAME}.new")
        with reporting_unwritable(aside):
            with aside.open("wb") as stream:
                stream.writelines(_raw(line) for line in lines)
                head = {"catalogue": _VERSION, "begun_at": begun_at}
                stream.write(_raw({**head, "found": count()} if count() else head))
                stream.flush()
                os.fsync(stream.fileno())
            aside.replace(self.file)
            sync(self.file.parent)
        self._hash, self._size = sha256(), 0

    def check(self, mark: Mark | None) -> None:
        """Raise StoreDamaged when it does not begin with the marked part."""
        if mark is not None and not self.begins_with(mark):
            raise StoreDamaged(
                f"{self.file} is not the catalogue that the last run wrote: bring it back from a copy. "
                f"{audit_of(self.file.parent)} shows what is wrong; with --accept, it accepts the present content."
            )

    def begins_with(self, mark: Mark) -> bool:
        """Return whether it begins with the marked part. Raise StoreDamaged when it is no regular file."""
        hashed, left = sha256(), mark.bytes
        _check_file(self.file)
        with self.file.open("rb") as stream:
            while left and (part := stream.read(min(left, _CHUNK))):
                hashed.update(part)
                left -= len(part)
        return not left and hashed.hexdigest() == mark.sha256

    def append(self, *lines: Line) -> None:
        """Append lines, if any. They are on the disk when this returns. Raise StoreUnwritable."""
        if not lines:
            return
        raw = b"".join(map(_raw, lines))
        with reporting_unwritable(self.file):
            with self._lock:
                self._prepare()
                with self._whole(), self.file.open("ab") as stream:
                    stream.write(raw)
                self._hash.update(raw)
                self._size += len(raw)
            sync(self.file)  # several threads at once

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Remove what the block has written when it fails, as on a full disk: a half line would spoil the next one."""
        try:
            yield
        except OSError:
            with suppress(OSError):
                os.truncate(self.file, self._size)
            self._hash, self._size = sha256(), 0  # it is read again, and cut if that failed
            raise

    def _prepare(self) -> None:
        """Hash it up to its last complete line. An incomplete line of a killed process is removed."""
        if not self._size:
            with self.file.open("r+b") as stream:
                for raw in stream:
                    if raw.endswith(b"\n"):
                        self._hash.update(raw)
                        self._size += len(raw)
                stream.truncate(self._size)

    @property
    def mark(self) -> Mark:
        """The mark of the whole catalogue."""
        with self._lock, reporting_unwritable(self.file):
            self._prepare()
            return Mark(self._size, self._hash.hexdigest())

    @contextmanager
    def announced(self, entry: Entry) -> Iterator[None]:
        """Append the entry of a version before the block writes the version. Note a failure of the block."""
        self.append(entry.line)
        try:
            yield
        except BaseException:
            self._broken.append(entry)
            raise

    def settle(self, on_disk: Callable[[str], Entry]) -> None:
        """Correct the entries of versions that this process announced and failed to write."""
        broken, self._broken = self._broken, []
        for entry in broken:
            if (on_disk_entry := on_disk(entry.identifier)) != entry:
                self.append(on_disk_entry.line)

    def recover(self, on_disk: Callable[[str], Entry]) -> None:
        """Correct the entries of versions that a killed process announced. Unannounced changes are left to an audit.

        Raise StoreDamaged when the catalogue cannot be read.
        """
        contents = read(self.file)
        for last in {entry.identifier: entry for entry in entries(self.file, contents.settled)}.values():
            on_disk_entry = on_disk(last.identifier)
            if on_disk_entry != last and on_disk_entry.sha512 in contents.states(last.identifier):
                self.append(on_disk_entry.line)

    def behind(self, mark: Mark | None) -> list[Line]:
        """Return the lines after a mark. Raise StoreDamaged."""
        return [line for _, _, line in _lines(self.file, mark.bytes if mark else 0)]


def audit_of(folder: Path, *options: str) -> str:
    """Return the shell command that audits a mirror."""
    return f"`{shlex.join(('harvester', 'mirror', 'audit', str(folder), *options))}`"


def _raw(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
