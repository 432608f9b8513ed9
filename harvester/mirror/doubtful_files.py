"""Doubtful files: received bytes that may not be the requested file. They are stored aside until the doubt ends.

DIR/doubtful/OBJECT/FILE         its bytes, unless the folder is full
DIR/doubtful/OBJECT/FILE.json    its state, the rule that doubts it, and the time of the next request
DIR/doubtful/accepted.json       the files that a person has accepted

The catalogue names the JSON files (`files_beside.py`). They have the digests of the bytes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.xmltext import utc_datetime
from harvester.http.urls import host_of
from harvester.mirror.files_beside import DOUBTFUL, FilesBeside, content_of
from harvester.mirror.inventory import Arrived
from harvester.mirror.object_state import HeldFile, file_data, file_of
from harvester.mirror.ocfl import Incoming
from harvester.runtime.durable_files import DIGESTS, digests_by_algorithm, reporting_unwritable

SAME_ANSWER = "same_answer"  # the only rule that compares addresses
MOST_BYTES = 1 << 30
_DAY_SECONDS = 86_400
_PAUSES_DAYS = (0, 1, 2, 4, 8, 16, 32)  # by the number of tries; after the first try the next run tries again


class Suspect(NamedTuple):
    """Received bytes that are doubtful: the file as it would be stored, the bytes, the rule and the reason."""

    file: HeldFile
    incoming: Incoming
    rule: str
    reason: str


class DoubtfulFile(NamedTuple):
    """A doubtful file of an object: its logical path, and the second since 1970 of the next try (`next_at`).

    `is_kept`: its bytes are stored.
    """

    identifier: str
    path: str
    rule: str
    reason: str
    file: HeldFile
    tries: int = 1
    next_at: int = 0
    is_kept: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """All its addresses."""
        return (*self.file.locations, self.file.url, self.file.came_from)

    @property
    def without_validators(self) -> DoubtfulFile:
        """The same without ETag and Last-Modified: it is requested without a condition."""
        return self._replace(file=self.file._replace(entity_tag="", last_modified=""))


class Acceptance(NamedTuple):
    """Bytes from an address that a person has accepted; with the rule `same_answer`, from any address of the host."""

    url: str
    sha512: str
    rule: str
    accepted_at: str

    def covers(self, file: HeldFile, rule: str) -> bool:
        """Return whether a file is accepted by this."""
        if file.sha512 != self.sha512:
            return False
        is_same_host = rule == self.rule == SAME_ANSWER and host_of(file.url) == host_of(self.url)
        return is_same_host or file.url == self.url


class DoubtfulFiles:
    """The folder of doubtful files, which need not be there. `beside` writes its JSON files; None: nothing is written.

    Several threads may write, but only one for each object.
    """

    def __init__(self, folder: Path = Path(DOUBTFUL), beside: FilesBeside | None = None) -> None:
        self.folder, self._beside = folder, beside
        self.most_bytes = MOST_BYTES
        self._lock = Lock()
        self._kept_bytes: int | None = None
        self._accepted: list[Acceptance] | None = None

    # -- doubtful files --

    def of(self, identifier: str) -> dict[str, DoubtfulFile]:
        """Return the doubtful files of an object, by path."""
        folder = self._folder(identifier)
        if not folder.is_dir():
            return {}
        return {doubt.path: doubt for doubt in self._read_all(folder.glob("*.json"))}

    def all(self) -> Iterator[DoubtfulFile]:
        """Return all doubtful files."""
        return self._read_all(self.folder.glob("*/*.json"))

    def _read_all(self, files: Iterable[Path]) -> Iterator[DoubtfulFile]:
        """Return the states in files. A file that a run did not write, or not whole, is left out."""
        for file in sorted(files):
            is_ours = self._beside is None or self._beside.is_as_written(file)
            if is_ours and (doubt := _read(file)) is not None:
                yield doubt

    def kept(self) -> dict[Path, DoubtfulFile]:
        """Return the doubtful files whose bytes are stored, by the file with the bytes."""
        return {self.bytes_of(doubt): doubt for doubt in self.all() if doubt.is_kept}

    def due(self, now: int) -> list[str]:
        """Return the identifiers of the objects with a doubtful file that is due for another try."""
        return sorted({suspect.identifier for suspect in self.all() if suspect.next_at <= now})

    def bytes_of(self, doubt: DoubtfulFile) -> Path:
        """Return the file with the bytes."""
        return self._folder(doubt.identifier) / _name(doubt.path)

    def state_of(self, doubt: DoubtfulFile) -> Path:
        """Return the file with the state."""
        return self.bytes_of(doubt).with_suffix(".json")

    def checked(self, doubt: DoubtfulFile) -> DoubtfulFile:
        """Return a doubtful file, without its validators if its stored bytes are not what arrived."""
        return doubt.without_validators if doubt.is_kept and altered(doubt, self.bytes_of(doubt)) else doubt

    def keep(
        self, identifier: str, found_suspects: Mapping[str, Suspect | None], now: int, resting: Container[str] = ()
    ) -> None:
        """Store these doubtful files of an object, by path; `tidy` removes its others.

        None: the stored file stays, and another try is counted, unless the path is in `resting`. Raise StoreUnwritable.
        """
        before = self.of(identifier)
        for path, suspect in found_suspects.items():
            earlier = before.get(path)
            if suspect is not None:
                self._put(identifier, path, suspect, earlier, now)
            elif earlier is not None and path not in resting:
                self._note(_tried(earlier, now))

    def _put(self, identifier: str, path: str, suspect: Suspect, earlier: DoubtfulFile | None, now: int) -> None:
        doubt = DoubtfulFile(identifier, path, suspect.rule, suspect.reason, suspect.file, 0)
        if earlier is not None:
            doubt = doubt._replace(tries=earlier.tries)
            self._empty(earlier)
        doubt = doubt._replace(is_kept=self._has_room(suspect.file.size or 0))
        file, arrived = self.bytes_of(doubt), suspect.incoming.file
        with self._writer.writing(self.state_of(doubt), _written(_tried(doubt, now))), reporting_unwritable(file):
            if doubt.is_kept:
                arrived.replace(file)
            else:
                arrived.unlink(missing_ok=True)

    def _empty(self, doubt: DoubtfulFile) -> None:
        """Remove the stored bytes of a file, after its state has it: a killed process leaves no wrong bytes."""
        if doubt.is_kept:
            self._note(doubt._replace(is_kept=False))
            self._free(doubt)
            with reporting_unwritable(self.folder):
                self.bytes_of(doubt).unlink(missing_ok=True)

    def tidy(self, identifier: str, wanted: Collection[str]) -> None:
        """Remove all doubtful files of an object, except those of the wanted paths. Raise StoreUnwritable."""
        folder, names = self._folder(identifier), {_name(path) for path in wanted}
        for path, doubt in self.of(identifier).items():
            if path not in wanted:
                self._free(doubt)
        with reporting_unwritable(folder):
            for file in sorted(self._writer.in_folder(folder)):
                if file.stem not in names:
                    self._remove(file)
            if not names:
                shutil.rmtree(folder, ignore_errors=True)
            for file in folder.glob("*"):
                if file.stem not in names and not file.is_dir():
                    file.unlink()

    def _has_room(self, size: int) -> bool:
        with self._lock:
            if self._kept_bytes is None:
                self._kept_bytes = sum(suspect.file.size or 0 for suspect in self.all() if suspect.is_kept)
            if self._kept_bytes + size > self.most_bytes:
                return False
            self._kept_bytes += size
            return True

    def _remove(self, state: Path) -> None:
        """Remove a state and its bytes."""
        with self._writer.removing(state), reporting_unwritable(state):
            state.with_suffix("").unlink(missing_ok=True)

    def recover(self, files: Iterable[Path]) -> None:
        """Remove bytes that a killed process moved here or left here, by the files of which it changed the state."""
        for state in files:
            is_state = state.parent.parent == self.folder and state.suffix == ".json"
            if is_state and not (_has_bytes(state) or state.is_symlink()):
                with reporting_unwritable(state):
                    state.with_suffix("").unlink(missing_ok=True)

    def _free(self, doubt: DoubtfulFile) -> None:
        with self._lock:
            if self._kept_bytes is not None and doubt.is_kept:
                self._kept_bytes -= doubt.file.size or 0

    def _note(self, doubt: DoubtfulFile) -> None:
        self._writer.write(self.state_of(doubt), _written(doubt))

    @property
    def _writer(self) -> FilesBeside:
        assert self._beside is not None, "only the doubtful files of a mirror are written"
        return self._beside

    def _folder(self, identifier: str) -> Path:
        return self.folder / sha256(identifier.encode()).hexdigest()

    # -- accepted files --

    @property
    def accepted(self) -> list[Acceptance]:
        """The files that a person has accepted. Raise StoreDamaged when they cannot be read."""
        if self._accepted is None:
            self._accepted = _acceptances(self.folder / "accepted.json")
        return self._accepted

    def accept(self, doubt: DoubtfulFile, now: int) -> None:
        """Note that a person accepts these bytes. The next run stores them as good. Raise StoreUnwritable."""
        row = Acceptance(doubt.file.url, doubt.file.sha512, doubt.rule, utc_datetime(now))
        rows = [*self.accepted, row]
        content = json.dumps([row._asdict() for row in rows], ensure_ascii=False, indent=1).encode() + b"\n"
        self._writer.write(self.folder / "accepted.json", content)
        self._accepted = rows
        self._note((doubt if doubt.is_kept else doubt.without_validators)._replace(tries=0, next_at=0))

    def acceptance(self, file: HeldFile, rule: str) -> str:
        """Return the UTCdatetime at which a person accepted a file; an empty string when nobody has."""
        return next((acceptance.accepted_at for acceptance in self.accepted if acceptance.covers(file, rule)), "")


def count(folder: Path) -> int:
    """Return how many files of the mirror in `folder` are doubtful."""
    return sum(1 for _ in (folder / "doubtful").glob("*/*.json"))


def incoming_of(doubt: DoubtfulFile, file: Path, aside: Path) -> Incoming:
    """Copy stored doubtful bytes to the temporary file `aside`, for the next version of an object.

    Raise StoreDamaged when they are not what arrived, StoreUnwritable.
    """
    with reporting_unwritable(aside):
        shutil.copyfile(file, aside)
    if problem := altered(doubt, aside):
        raise StoreDamaged(f"{file} {problem}.")
    return Incoming(aside, Arrived(doubt.file.sha512, doubt.file.sha256))


def altered(doubt: DoubtfulFile, file: Path) -> str:
    """Return how stored bytes differ from those that arrived, in words; an empty string when they do not."""
    if not file.is_file():
        return "is not there"
    try:
        digests = digests_by_algorithm(file, DIGESTS)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    is_same = (digests["sha512"], digests["sha256"]) == (doubt.file.sha512, doubt.file.sha256)
    return "" if is_same else "has other bytes than those that arrived"


def _acceptances(file: Path) -> list[Acceptance]:
    try:
        rows = json.loads(content_of(file) or b"") if os.path.lexists(file) else []
        return [Acceptance(*(str(row.get(name, "")) for name in Acceptance._fields)) for row in rows]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(f"{file} cannot be read: {error}. Bring it back from a copy.") from error


def _tried(doubt: DoubtfulFile, now: int) -> DoubtfulFile:
    pause = _PAUSES_DAYS[min(doubt.tries, len(_PAUSES_DAYS) - 1)] * _DAY_SECONDS
    return doubt._replace(tries=doubt.tries + 1, next_at=now + pause)


def _name(path: str) -> str:
    return sha256(path.encode()).hexdigest()[:32]


def _written(doubt: DoubtfulFile) -> bytes:
    document = {**doubt._asdict(), "file": file_data(doubt.file)}
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def _has_bytes(state: Path) -> bool:
    """Return whether there may be bytes beside a state."""
    doubt = _read(state)
    return state.exists() and (doubt is None or doubt.is_kept)


def _read(file: Path) -> DoubtfulFile | None:
    """Return a doubtful file; None when it was not written completely. The next run repairs that."""
    try:
        document = json.loads(content_of(file) or b"")
        return DoubtfulFile(**{**document, "file": file_of(document["file"])})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
