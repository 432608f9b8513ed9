"""Deletions of a mirror that wait for a confirmation, because there were too many at once: a small file each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256, sha512
from pathlib import Path

from gateway.errors import StoreDamaged
from harvester.mirror.object_versions import ReceivedRecord
from harvester.runtime.durable_files import replace_durably, reporting_unwritable


class WaitingDeletions:
    """The waiting deletions in DIR/waiting, by identifier."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which need not be there."""
        self.folder = folder

    def __len__(self) -> int:
        return sum(1 for _ in self.folder.glob("*.json"))

    def __iter__(self) -> Iterator[ReceivedRecord]:
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

    def add(self, received: ReceivedRecord) -> None:
        """Store a deletion. Raise StoreUnwritable."""
        file = self._file(received.identifier)
        abouts = [about.decode("utf-8", "replace") for about in received.abouts]
        document = {"identifier": received.identifier, "datestamp": received.datestamp, "sets": received.sets}
        with reporting_unwritable(file):
            file.parent.mkdir(exist_ok=True)
        replace_durably(file, json.dumps({**document, "abouts": abouts}, ensure_ascii=False).encode() + b"\n")

    def discard(self, identifier: str) -> None:
        """Remove a deletion, if it is there. Raise StoreUnwritable."""
        file = self._file(identifier)
        with reporting_unwritable(file):
            file.unlink(missing_ok=True)

    @property
    def sha512(self) -> str:
        """The SHA-512 of all waiting deletions. Only the name of an unreadable file counts."""
        listing = "".join(f"{path.name} {_digest(path)}\n" for path in sorted(self.folder.glob("*.json")))
        return sha512(listing.encode()).hexdigest()

    def _file(self, identifier: str) -> Path:
        return self.folder / f"{sha256(identifier.encode()).hexdigest()}.json"


def _read(file: Path) -> ReceivedRecord:
    try:
        document = json.loads(file.read_bytes() if file.is_file() else b"")
        abouts = tuple(about.encode() for about in document["abouts"])
        return ReceivedRecord(
            document["identifier"], document["datestamp"], tuple(document["sets"]), is_deleted=True, abouts=abouts
        )
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
