"""The catalogue of a mirror: a line for all that it should hold, written before it appears. Lines are only added.

    DIR/catalogue.jsonl
    {"catalogue": 1, "begun_at": …}                         its begin; `found`: so many objects lay there already
    {"identifier": …, "path": …, "head": 2, "sha512": …}    a version of an object: the digest of its inventory
    {"identifier": …, "path": …, "head": 0, "sha512": ""}   an announced version never came to be, and there is no other
    {"file": "README.txt", "sha512": …}                     a file of the storage root beside its objects
    {"mirror": SHA-512}                                     mirror.json
    {"run": …, "at": …}                                     a run began: it writes all that follows
    {"receipt": …, "sha512": …}                             its receipt; what stands before it is settled

Each receipt holds the SHA-256 of the catalogue up to its own line, so that each proves the other: `Mark`. Only what
stands behind the last receipt may be unfulfilled, because a process was killed between a line and what it announces.
No receipt proves these lines yet: they are those of a run that was broken off, or somebody else wrote them.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from struct import Struct
from threading import Lock
from typing import NamedTuple

from gateway.errors import StoreDamaged
from harvester.mirror.ocfl import flush, telling

NAME = "catalogue.jsonl"
_VERSION = 1
_RECORD = Struct(">QIB64s")  # where the line begins, the version, whether it is a deleted one, SHA-512
_KEY_BYTES = 16
_CHUNK = 1 << 20

Line = Mapping[str, object]


class Mark(NamedTuple):
    """The catalogue up to some line: how many bytes, and their SHA-256."""

    bytes: int
    sha256: str


class Entry(NamedTuple):
    """A version of an object. `head` is 0 where there is none."""

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


class Begun(NamedTuple):
    """A run that has begun, and has no receipt: its command, when it began, and how many versions it announced."""

    command: str
    at: str
    versions: int = 0


class Stated(NamedTuple):
    """What one line says of an object, without its name. `is_settled`: a receipt stands behind it."""

    head: int
    sha512: str
    is_deleted: bool
    is_settled: bool


@dataclass(slots=True)
class Contents:
    """What a catalogue says, in little memory: objects by a short digest of their identifier."""

    size: int = 0
    settled: int = 0  # where the line behind the last receipt begins
    begun_at: str = ""
    found: int | None = None  # how many objects lay there when it was made from them
    receipts: dict[str, str] = field(default_factory=dict)  # their SHA-512; empty: it was never written
    adopted: frozenset[str] = frozenset()  # receipts that lay there when it was made: they tell of another, or of none
    last_receipt: str = ""
    named_at: dict[str, int] = field(default_factory=dict)  # where the line of each receipt begins
    running: Begun | None = None  # the last run, when it has no receipt
    has_runs: bool = False  # runs write down that they begin; an earlier program did not
    foreign: str = ""  # the first line that no run wrote
    foreign_lines: int = 0
    digests: dict[int, str] = field(default_factory=dict)  # SHA-256 up to where a receipt's line begins or ends
    files: dict[str, list[str]] = field(default_factory=dict)  # what each may be
    mirrors: list[str] = field(default_factory=list)
    _objects: dict[bytes, bytes] = field(default_factory=dict)

    def of(self, identifier: str) -> tuple[Stated, ...]:
        """Return what is said of an object, in order."""
        records = _RECORD.iter_unpack(self._objects.get(_key(identifier), b""))
        return tuple(
            Stated(head, digest.hex() if head else "", bool(deleted), at < self.settled)
            for at, head, deleted, digest in records
        )

    def states(self, identifier: str) -> frozenset[str]:
        """Return the digests that the inventory of an object may have; "" where there may be no object."""
        return frozenset(_possible(self.of(identifier)))

    def versions(self, identifier: str) -> dict[int, str]:
        """Return the digest of the inventory of each version."""
        return {each.head: each.sha512 for each in self.of(identifier) if each.head}

    def forget(self, identifier: str) -> None:
        """Drop an object, so that at last those are left which nobody has asked for."""
        self._objects.pop(_key(identifier), None)

    def has(self, identifier: str) -> bool:
        """Tell whether something is said of an object."""
        return _key(identifier) in self._objects

    @property
    def living(self) -> int:
        """How many objects there are that are not deleted."""
        last = (_RECORD.unpack_from(each, len(each) - _RECORD.size) for each in self._objects.values())
        return sum(head > 0 and not deleted for _, head, deleted, _ in last)

    def take(self, at: int, line: Mapping[str, object]) -> None:
        """Take a line that begins at a byte."""
        if self.has_runs and (told := self._foreign(at, line)):
            self.foreign = self.foreign or told
            self.foreign_lines += 1
        if "identifier" in line:
            entry = _entry(line)
            record = _RECORD.pack(at, entry.head, entry.is_deleted, bytes.fromhex(entry.sha512))
            self._objects[_key(entry.identifier)] = self._objects.get(_key(entry.identifier), b"") + record
            if self.running:
                self.running = self.running._replace(versions=self.running.versions + 1)
        elif "file" in line:
            self.files.setdefault(str(line["file"]), [""]).append(str(line["sha512"]))
        elif "mirror" in line:
            self.mirrors.append(str(line["mirror"]))
        elif "receipt" in line:
            self.last_receipt = str(line["receipt"])
            self.named_at[self.last_receipt] = at
            self.receipts[self.last_receipt] = str(line["sha512"])
            self.running = self.running if not line["sha512"] else None
        elif "run" in line:
            earlier = self.running.versions if self.running else 0
            self.running, self.has_runs = Begun(str(line["run"]), str(line["at"]), earlier), True
        elif "catalogue" in line:
            self.begun_at, self.adopted = str(line["begun_at"]), frozenset(self.receipts)
            self.found = int(str(line["found"])) if "found" in line else None

    def _foreign(self, at: int, line: Line) -> str:
        """Return what a line says that no run can have written; an empty string when one may have."""
        if "catalogue" in line:
            return "it begins again"
        if "receipt" in line and line["sha512"] and self.receipts.get(str(line["receipt"])):
            return f"receipts/{line['receipt']} is named again"
        if self.running or "run" in line or ("mirror" in line and at == self.settled):
            return ""
        return " ".join(str(each) for each in next(iter(line.items()), ()))

    def is_proven(self, receipt: str, mark: Mark | None) -> bool:
        """Tell whether a receipt was written for certain: the last one may not have been, before mirror.json tells."""
        return receipt != self.last_receipt or (mark is not None and self.named_at[receipt] < mark.bytes)

    def settle(self, at: int) -> None:
        """Take it that all lines up to a byte have become true."""
        self.settled = at
        del self.mirrors[:-1]
        for digests in self.files.values():
            del digests[:-1]


def _possible(stated: tuple[Stated, ...]) -> Iterator[str]:
    """Return the digests that an inventory may have. An object that a receipt has settled is never no object again."""
    settled = [each for each in stated if each.is_settled]
    yield settled[-1].sha512 if settled else ""
    was_there = any(each.head for each in settled)
    yield from (each.sha512 for each in stated if not each.is_settled and (each.head or not was_there))


def _key(identifier: str) -> bytes:
    return sha256(identifier.encode()).digest()[:_KEY_BYTES]


def _entry(line: Mapping[str, object]) -> Entry:
    head = int(str(line["head"]))
    return Entry(str(line["identifier"]), str(line["path"]), head, str(line["sha512"]), bool(line.get("is_deleted")))


def _lines(file: Path, at: int = 0) -> Iterator[tuple[int, bytes, Line]]:
    """Return each whole line from a byte on: where it begins, its bytes, and what it says. Raise StoreDamaged."""
    start = at
    _check_file(file)
    try:
        with file.open("rb") as stream:
            stream.seek(start)
            for number, raw in enumerate(stream, 1):
                if not raw.endswith(b"\n"):  # a process was killed while it wrote this
                    return
                yield at, raw, _said(raw, f"Line {number}{f' behind byte {start}' if start else ''} of {file}")
                at += len(raw)
    except OSError as error:
        raise StoreDamaged(f"{file} cannot be read: {error.strerror}.") from error


def _check_file(file: Path) -> None:
    """Raise StoreDamaged for what may never end when it is read."""
    if file.exists() and not file.is_file():
        raise StoreDamaged(f"{file} is no file. Bring it back from a copy.")


def _said(raw: bytes, where: str) -> Line:
    try:
        line = json.loads(raw)
        if isinstance(line, dict):
            return line
    except (ValueError, RecursionError):
        pass
    raise StoreDamaged(f"{where} is not one that was written. Bring the file back from a copy.")


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
    """Return what is said of objects from a byte on, in order."""
    return (_entry(line) for _, _, line in _lines(file, at) if "identifier" in line)


class Catalogue:
    """A catalogue that is being written, by any thread of one process."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the mirror."""
        self.file = folder / NAME
        self._hash, self._size = sha256(), 0
        self._lock = Lock()
        self._broken: list[Entry] = []

    def make(self, begun_at: str, lines: Iterable[Line], found: Callable[[], int]) -> None:
        """Make it, whole or not at all, with these lines; `found` tells behind them how many objects they name."""
        aside = self.file.with_name(f"{NAME}.new")
        with telling(aside):
            with aside.open("wb") as stream:
                stream.writelines(_raw(each) for each in lines)
                head = {"catalogue": _VERSION, "begun_at": begun_at}
                stream.write(_raw({**head, "found": found()} if found() else head))
                stream.flush()
                os.fsync(stream.fileno())
            aside.replace(self.file)
            flush(self.file.parent)
        self._hash, self._size = sha256(), 0

    def check(self, mark: Mark | None) -> None:
        """Raise StoreDamaged when it does not begin with what was marked."""
        if mark is not None and not self.begins_with(mark):
            raise StoreDamaged(
                f"{self.file} is not the catalogue that the last run wrote: bring it back from a copy. "
                f"{audit_of(self.file.parent)} tells what is wrong, and with --accept takes what is here."
            )

    def begins_with(self, mark: Mark) -> bool:
        """Tell whether it begins with what was marked."""
        return self._marked(mark.bytes) == mark

    def _marked(self, size: int) -> Mark:
        hashed, left = sha256(), size
        _check_file(self.file)
        with self.file.open("rb") as stream:
            while left and (part := stream.read(min(left, _CHUNK))):
                hashed.update(part)
                left -= len(part)
        return Mark(size - left, hashed.hexdigest())

    def append(self, *lines: Line) -> None:
        """Add lines; they are on the disk when this returns."""
        raw = b"".join(map(_raw, lines))
        with telling(self.file):
            with self._lock:
                self._prepare()
                with self.file.open("ab") as stream:
                    stream.write(raw)
                self._hash.update(raw)
                self._size += len(raw)
            flush(self.file)  # several threads at once

    def _prepare(self) -> None:
        """Hash it up to its last whole line: what a killed process has left of another announces nothing."""
        if not self._size:
            with self.file.open("r+b") as stream:
                for raw in stream:
                    if raw.endswith(b"\n"):
                        self._hash.update(raw)
                        self._size += len(raw)
                stream.truncate(self._size)

    @property
    def mark(self) -> Mark:
        """All that has been written."""
        with self._lock, telling(self.file):
            self._prepare()
            return Mark(self._size, self._hash.hexdigest())

    @contextmanager
    def announced(self, entry: Entry) -> Iterator[None]:
        """Write a version down before the block makes it; remember it when the block fails."""
        self.append(entry.line)
        try:
            yield
        except BaseException:
            self._broken.append(entry)
            raise

    def settle(self, on_disk: Callable[[str], Entry]) -> None:
        """Correct what was announced by this process and did not come to be."""
        broken, self._broken = self._broken, []
        for entry in broken:
            if (found := on_disk(entry.identifier)) != entry:
                self.append(found.line)

    def recover(self, on_disk: Callable[[str], Entry]) -> None:
        """Correct what a process announced that was killed; what nobody announced stays for an audit to find."""
        contents = read(self.file)
        for last in {each.identifier: each for each in entries(self.file, contents.settled)}.values():
            found = on_disk(last.identifier)
            if found != last and found.sha512 in contents.states(last.identifier):
                self.append(found.line)

    def behind(self, mark: Mark | None) -> list[Line]:
        """Return what stands behind a mark."""
        return [line for _, _, line in _lines(self.file, mark.bytes if mark else 0)]


def audit_of(folder: Path, *options: str) -> str:
    """Return the command that audits a mirror, as it may be typed."""
    return f"`{shlex.join(('harvester', 'mirror', 'audit', str(folder), *options))}`"


def _raw(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"
