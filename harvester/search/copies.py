"""Our own copies of files that were found: content-addressed in `files/` of the instance folder, for whoever reviews.

A file lies under its SHA-256, `files/ab/ab12…`, so it is kept once however often it is found. It is written under a
temporary name, which its process locks. What a killed process left is not locked any more; the next search deletes it.
Whether anybody else may see a copy is decided elsewhere (`carrying.py`).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from gateway.errors import StoreUnwritable
from gateway.permissions import file_mode
from gateway.settings import place_of_copy
from gateway.store.takedown_file import TakedownFile

# What Python puts before the names of temporary files.
_PREFIX = "tmp"


@contextmanager
def _aside(folder: Path) -> Iterator[IO[bytes]]:
    """Return a new locked file in a folder. When the block ends and the file was not renamed, it is deleted."""
    with _locked(folder) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def _locked(folder: Path) -> IO[bytes]:
    while True:
        file = NamedTemporaryFile(dir=folder, prefix=_PREFIX, delete=False)  # noqa: SIM115 - closed by the caller
        fcntl.flock(file, fcntl.LOCK_EX)
        if Path(file.name).exists():
            return file
        file.close()  # another process has tidied just before it was locked


class Copies:
    """The copies of one instance."""

    def __init__(self, folder: Path) -> None:
        """Take the instance folder."""
        self._folder, self._takedowns = folder, TakedownFile(folder)

    def keep(self, body: bytes) -> None:
        """Keep a file, unless it is taken down. Raise StoreUnwritable."""
        digest = sha256(body).hexdigest()
        place = place_of_copy(self._folder, digest)
        if self._takedowns.read().names_digest(digest) or place.is_file():
            return
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with _aside(place.parent) as aside:
                os.fchmod(aside.fileno(), file_mode(self._folder))
                aside.write(body)
                aside.flush()
                os.fsync(aside.fileno())
                Path(aside.name).replace(place)
            if self._takedowns.read().names_digest(digest):  # it was taken down meanwhile
                self.remove(digest)
        except OSError as error:
            raise StoreUnwritable(f"{place} cannot be written: {error.strerror}.") from error

    def tidy(self) -> None:
        """Delete what killed processes have left; what another process is writing now stays."""
        for file in (self._folder / "files").glob(f"??/{_PREFIX}*"):
            with suppress(OSError), closing(file.open("rb")) as left:  # somebody else was faster, or may do it
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.unlink()

    def has(self, digest: str) -> bool:
        """Tell whether there is a copy of these bytes."""
        return place_of_copy(self._folder, digest).is_file()

    def remove(self, digest: str) -> bool:
        """Delete a copy, and tell whether there was one. Raise StoreUnwritable."""
        place = place_of_copy(self._folder, digest)
        try:
            place.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnwritable(f"{place} cannot be deleted: {error.strerror}.") from error
        return True

    def read(self, digest: str) -> bytes:
        """Return a copy, or nothing when there is none."""
        place = place_of_copy(self._folder, digest)
        return place.read_bytes() if place.is_file() else b""
