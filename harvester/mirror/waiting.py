"""Deletions of a mirror that wait for a person, because the provider announced too many at once: a small file each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256, sha512
from pathlib import Path

from gateway.errors import StoreDamaged
from harvester.mirror.keeping import Received
from harvester.mirror.ocfl import replaced, telling


class Waiting:
    """The deletions that wait in DIR/waiting, by identifier."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which need not be there."""
        self.folder = folder

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob("*.json"))

    def __iter__(self) -> Iterator[Received]:
        """Return the deletions. Raise StoreDamaged for a file that cannot be read."""
        for file in sorted(self.folder.glob("*.json")):
            yield _read(file)

    def damaged(self) -> Iterator[tuple[str, StoreDamaged]]:
        """Return the names of the files that cannot be read, and why not."""
        for file in sorted(self.folder.glob("*.json")):
            try:
                _read(file)
            except StoreDamaged as error:
                yield file.name, error

    def __contains__(self, identifier: object) -> bool:
        return isinstance(identifier, str) and self._file(identifier).exists()

    def add(self, received: Received) -> None:
        """Let a deletion wait."""
        file = self._file(received.identifier)
        abouts = [each.decode("utf-8", "replace") for each in received.abouts]
        document = {"identifier": received.identifier, "datestamp": received.datestamp, "sets": received.sets}
        with telling(file):
            file.parent.mkdir(exist_ok=True)
        replaced(file, json.dumps({**document, "abouts": abouts}, ensure_ascii=False).encode() + b"\n")

    def discard(self, identifier: str) -> None:
        """Let a deletion wait no longer."""
        file = self._file(identifier)
        with telling(file):
            file.unlink(missing_ok=True)

    @property
    def sha512(self) -> str:
        """The digest of all that waits; of a file that cannot be read only its name counts."""
        found = "".join(f"{each.name} {_digest(each)}\n" for each in sorted(self.folder.glob("*.json")))
        return sha512(found.encode()).hexdigest()

    def _file(self, identifier: str) -> Path:
        return self.folder / f"{sha256(identifier.encode()).hexdigest()}.json"


def _read(file: Path) -> Received:
    try:
        found = json.loads(file.read_bytes() if file.is_file() else b"")
        abouts = tuple(each.encode() for each in found["abouts"])
        return Received(found["identifier"], found["datestamp"], tuple(found["sets"]), is_deleted=True, abouts=abouts)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(
            f"{file} cannot be read: {error}. Bring it back from a copy; or remove it, and `harvester mirror --full` "
            "brings the deletion again."
        ) from error


def _digest(file: Path) -> str:
    try:
        return sha512(file.read_bytes()).hexdigest() if file.is_file() else ""
    except OSError:
        return ""
