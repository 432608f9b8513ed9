"""The objects that are not whole, and the records that cannot be read: a small file each in `failed`.

DIR/failed/HASH         the identifier of an object with missing files
DIR/failed/HASH.json    the identifier of a record that cannot be read, and the reason

HASH is the SHA-256 of the identifier.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from harvester.mirror.files_beside import FAILED, FilesBeside, content_of, is_ours
from harvester.runtime.durable_files import replace_durably, reporting_unwritable


class FailedObjects:
    """The folder `failed` of one mirror. Methods that write raise StoreUnwritable, and the errors of `FilesBeside`."""

    def __init__(self, folder: Path, beside: FilesBeside) -> None:
        self._folder, self._beside = folder / FAILED, beside

    # -- objects that are not whole --

    def mark(self, identifier: str, *, is_whole: bool) -> None:
        """Note whether an object is whole."""
        file = self._file(identifier)
        if is_whole:
            self._beside.remove(file)
        elif not (is_mark(file) and self._beside.is_named(file)):
            self._beside.write(file, identifier.encode())

    def mark_without_line(self, identifier: str) -> None:
        """Note that an audit found an object that is not whole. Only runs add lines to the catalogue."""
        file = self._file(identifier)
        with reporting_unwritable(self._folder):
            self._folder.mkdir(exist_ok=True)
        replace_durably(file, identifier.encode())

    def is_marked(self, identifier: str) -> bool:
        """Return whether an object is noted as not whole."""
        return self._file(identifier).exists()

    def marked(self) -> Iterator[str]:
        """Return the identifiers of the objects that are not whole. A file with another content is left out."""
        for file in sorted(self._folder.glob("[0-9a-f]" * 64)):
            if identifier := marked_by(file):
                yield identifier

    # -- records that cannot be read --

    def note_unread(self, identifier: str, reason: str) -> None:
        """Note that the newest record of an object cannot be read, and why."""
        content = json.dumps({"identifier": identifier, "reason": reason}).encode()
        self._beside.write(self._unread_file(identifier), content)

    def forget_unread(self, identifier: str) -> None:
        """Remove the note: a readable record was received."""
        self._beside.remove(self._unread_file(identifier))

    def forget_all_unread(self) -> None:
        """Remove all notes of unreadable records: a full harvest receives these records again."""
        for file in sorted(self._beside.in_folder(self._folder)):
            self._beside.remove(file)

    def unread(self) -> Iterator[tuple[str, str]]:
        """Return the identifiers of records that cannot be read, and why.

        For a note that was altered, return the name of its file instead.
        """
        for file in self._unread_files():
            try:
                document = json.loads(content_of(file) or b"")
                yield str(document["identifier"]), str(document["reason"])
            except (ValueError, LookupError, TypeError, RecursionError):
                yield f"{FAILED}/{file.name}", "This note of a record that cannot be read was altered."

    def _unread_files(self) -> list[Path]:
        return sorted(file for file in self._folder.glob("*.json") if is_ours(f"{FAILED}/{file.name}"))

    def _file(self, identifier: str) -> Path:
        return self._folder / sha256(identifier.encode()).hexdigest()

    def _unread_file(self, identifier: str) -> Path:
        return self._file(identifier).with_suffix(".json")


def is_mark(file: Path) -> bool:
    """Return whether a file is the note of an object that is not whole."""
    return marked_by(file) != ""


def marked_by(file: Path) -> str:
    """Return the identifier in the note of an object that is not whole; an empty string when it is no such note."""
    content = content_of(file) or b""
    if sha256(content).hexdigest() != file.name:
        return ""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
