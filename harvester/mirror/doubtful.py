"""What came and may not be the file that was asked for: kept aside until something better comes, or it is proven good.

DIR/doubtful/OBJECT/FILE         its bytes, unless there are more of them than may be kept
DIR/doubtful/OBJECT/FILE.json    what is known of them, which rule doubts them, and when they are asked for again
DIR/doubtful/accepted.json       what a person has accepted
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Container, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from gateway.xmltext import utc_datetime
from harvester.mirror.holding import HeldFile, file_data, file_of
from harvester.mirror.inventory import Arrived
from harvester.mirror.ocfl import Incoming, replaced, telling
from harvester.wire.urls import host_of

SAME_ANSWER = "same_answer"  # the one rule that looks at other addresses too
MOST_BYTES = 1 << 30
_DAY_SECONDS = 86_400
_PAUSES_DAYS = (0, 1, 2, 4, 8, 16, 32)  # after so many tries; the first is repeated by the next run


class Suspect(NamedTuple):
    """Bytes that came and are doubtful: the file as it would be held, where they wait, and why."""

    file: HeldFile
    incoming: Incoming
    rule: str
    reason: str


class Doubt(NamedTuple):
    """What is kept aside of one file of an object: where it would lie, and from which second on it is tried again."""

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
        """The addresses that it goes by."""
        return (*self.file.locations, self.file.url, self.file.came_from)


class Acceptance(NamedTuple):
    """What a person has accepted: these bytes, from this address; of one answer at many, from the whole host."""

    url: str
    sha512: str
    rule: str
    accepted_at: str

    def covers(self, file: HeldFile, rule: str) -> bool:
        """Tell whether a file is what was accepted."""
        if file.sha512 != self.sha512:
            return False
        is_same_host = rule == self.rule == SAME_ANSWER and host_of(file.url) == host_of(self.url)
        return is_same_host or file.url == self.url


class Doubtful:
    """The folder of what is doubtful. Its objects may be written by several threads, each by one."""

    def __init__(self, folder: Path = Path("doubtful")) -> None:
        """Take the folder, which need not be there."""
        self.folder = folder
        self.most_bytes = MOST_BYTES
        self._lock = Lock()
        self._kept_bytes: int | None = None
        self._accepted: list[Acceptance] | None = None

    # -- what is kept --

    def of(self, identifier: str) -> dict[str, Doubt]:
        """Return what is doubtful of an object, by path."""
        folder = self._folder(identifier)
        if not folder.is_dir():
            return {}
        found = (_read(file) for file in sorted(folder.glob("*.json")))
        return {each.path: each for each in found if each is not None}

    def all(self) -> Iterator[Doubt]:
        """Return everything that is doubtful."""
        for file in sorted(self.folder.glob("*/*.json")):
            if (found := _read(file)) is not None:
                yield found

    def due(self, now: int) -> list[str]:
        """Return the identifiers of the objects of which something doubtful is to be asked for again."""
        return sorted({each.identifier for each in self.all() if each.next_at <= now})

    def bytes_of(self, doubt: Doubt) -> Path:
        """Return the file with the bytes."""
        return self._folder(doubt.identifier) / _name(doubt.path)

    def keep(
        self, identifier: str, found: Mapping[str, Suspect | None], now: int, resting: Container[str] = ()
    ) -> None:
        """Keep exactly this of an object, by path. None: what is there already stays, and was tried once more.

        What is `resting` was not tried.
        """
        before = self.of(identifier)
        for path, suspect in found.items():
            earlier = before.get(path)
            if suspect is not None:
                self._put(identifier, path, suspect, earlier, now)
            elif earlier is not None and path not in resting:
                self._note(_tried(earlier, now))
        for path in before.keys() - found.keys():
            self._drop(before[path])
        if before and not found:
            with telling(self.folder):
                shutil.rmtree(self._folder(identifier), ignore_errors=True)

    def _put(self, identifier: str, path: str, suspect: Suspect, earlier: Doubt | None, now: int) -> None:
        doubt = Doubt(identifier, path, suspect.rule, suspect.reason, suspect.file, 0)
        if earlier is not None:
            doubt = doubt._replace(tries=earlier.tries)
            self._drop(earlier)
        size = suspect.file.size or 0
        doubt = doubt._replace(is_kept=self._has_room(size))
        file = self.bytes_of(doubt)
        with telling(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            if doubt.is_kept:
                suspect.incoming.file.replace(file)
            else:
                suspect.incoming.file.unlink(missing_ok=True)
        self._note(_tried(doubt, now))

    def _has_room(self, size: int) -> bool:
        with self._lock:
            if self._kept_bytes is None:
                self._kept_bytes = sum(each.file.size or 0 for each in self.all() if each.is_kept)
            if self._kept_bytes + size > self.most_bytes:
                return False
            self._kept_bytes += size
            return True

    def _note(self, doubt: Doubt) -> None:
        document = {**doubt._asdict(), "file": file_data(doubt.file)}
        content = json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
        replaced(self.bytes_of(doubt).with_suffix(".json"), content)

    def _drop(self, doubt: Doubt) -> None:
        file = self.bytes_of(doubt)
        with telling(file), self._lock:
            file.with_suffix(".json").unlink(missing_ok=True)
            file.unlink(missing_ok=True)
            if self._kept_bytes is not None and doubt.is_kept:
                self._kept_bytes -= doubt.file.size or 0

    def _folder(self, identifier: str) -> Path:
        return self.folder / sha256(identifier.encode()).hexdigest()

    # -- what was accepted --

    @property
    def accepted(self) -> list[Acceptance]:
        """What a person has accepted."""
        if self._accepted is None:
            try:
                rows = json.loads((self.folder / "accepted.json").read_bytes())
            except FileNotFoundError:
                rows = []
            self._accepted = [Acceptance(*(str(row.get(name, "")) for name in Acceptance._fields)) for row in rows]
        return self._accepted

    def accept(self, doubt: Doubt, now: int) -> None:
        """Remember that a person takes these bytes for good."""
        row = Acceptance(doubt.file.url, doubt.file.sha512, doubt.rule, utc_datetime(now))
        rows = [*self.accepted, row]
        content = json.dumps([each._asdict() for each in rows], ensure_ascii=False, indent=1).encode() + b"\n"
        replaced(self.folder / "accepted.json", content)
        self._accepted = rows
        self._note(doubt._replace(tries=0, next_at=0))

    def acceptance(self, file: HeldFile, rule: str) -> str:
        """Return when a person has accepted a file; an empty string when none has."""
        return next((each.accepted_at for each in self.accepted if each.covers(file, rule)), "")


def count(folder: Path) -> int:
    """Return how many files of the mirror in `folder` are doubtful."""
    return sum(1 for _ in (folder / "doubtful").glob("*/*.json"))


def incoming_of(doubt: Doubt, file: Path, aside: Path) -> Incoming:
    """Return the bytes that are kept aside as bytes that wait to become part of an object."""
    with telling(aside):
        shutil.copyfile(file, aside)
    return Incoming(aside, Arrived(doubt.file.sha512, doubt.file.sha256))


def _tried(doubt: Doubt, now: int) -> Doubt:
    pause = _PAUSES_DAYS[min(doubt.tries, len(_PAUSES_DAYS) - 1)] * _DAY_SECONDS
    return doubt._replace(tries=doubt.tries + 1, next_at=now + pause)


def _name(path: str) -> str:
    return sha256(path.encode()).hexdigest()[:32]


def _read(file: Path) -> Doubt | None:
    """Return what is noted in a file; None when it was not written whole, which the next run repairs."""
    try:
        found = json.loads(file.read_bytes())
        return Doubt(**{**found, "file": file_of(found["file"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None
