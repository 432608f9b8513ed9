"""Deletions of a mirror that wait for a confirmation, because there were too many at once: a small file each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256, sha512
from pathlib import Path

from gateway.errors import StoreDamaged
from harvester.mirror.files_beside import WAITING, FilesBeside, content_of, digest_at, is_ours
from harvester.mirror.object_versions import ReceivedRecord


class WaitingDeletions:
    """The waiting deletions in DIR/waiting, by identifier."""

    def __init__(self, folder: Path, beside: FilesBeside) -> None:
        """Take the folder, which need not be there, and what writes its files."""
        self.folder, self._beside = folder, beside

    def __len__(self) -> int:
        return len(self._files())

    def __iter__(self) -> Iterator[ReceivedRecord]:
        """Return the deletions. Raise StoreDamaged for a file that cannot be read."""
        for file in self._files():
            yield _read(file)

    def damaged(self) -> Iterator[tuple[str, StoreDamaged]]:
        """Return the names of the files that cannot be read, and why not."""
        for file in self._files():
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
        content = json.dumps({**document, "abouts": abouts}, ensure_ascii=False).encode() + b"\n"
        self._beside.write(file, content)

    def discard(self, identifier: str) -> None:
        """Remove a deletion, if it is there. Raise StoreUnwritable."""
        self._beside.remove(self._file(identifier))

    @property
    def sha512(self) -> str:
        """The SHA-512 of all waiting deletions. Only the name of an unreadable file counts."""
        listing = "".join(f"{path.name} {digest_at(path)}\n" for path in self._files())
        return sha512(listing.encode()).hexdigest()

    def _files(self) -> list[Path]:
        return sorted(file for file in self.folder.glob("*.json") if is_ours(f"{WAITING}/{file.name}"))

    def _file(self, identifier: str) -> Path:
        return self.folder / f"{sha256(identifier.encode()).hexdigest()}.json"


def _read(file: Path) -> ReceivedRecord:
    try:
        document = json.loads(content_of(file) or b"")
        abouts = tuple(about.encode() for about in document["abouts"])
        return ReceivedRecord(
            document["identifier"], document["datestamp"], tuple(document["sets"]), is_deleted=True, abouts=abouts
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StoreDamaged(
            f"{file} cannot be read: {error}. Bring it back from a copy; or remove it, and `harvester mirror --full` "
            "brings the deletion again."
        ) from error
