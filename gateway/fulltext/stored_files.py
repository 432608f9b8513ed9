"""Our own copies of discovered files, in `files/` of the instance folder, for reviewers.

A file is stored under its SHA-256, `files/ab/ab12…`, so only once. It is written to a temporary file, which its process
locks. The next search deletes temporary files without a lock: their process was killed. `release.py` decides
whether other people may get a copy.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from gateway.core.errors import StoreUnwritable
from gateway.core.permissions import file_mode
from gateway.core.settings import place_of_copy
from gateway.core.takedown_file import TakedownFile

# The prefix of the names of temporary files in Python.
_PREFIX = "tmp"


@contextmanager
def _aside(folder: Path) -> Iterator[IO[bytes]]:
    """Yield a new locked temporary file in a folder. It is deleted at the end of the block unless it was renamed."""
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
        file.close()  # another process has deleted it before it was locked


class Copies:
    """The copies of one instance."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._takedowns = folder, TakedownFile(folder)

    def keep(self, body: bytes) -> None:
        """Store a file, unless it is taken down or stored already. Raise StoreUnwritable, TakedownsUnreadable."""
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
        """Delete the temporary files of killed processes; files that another process is writing now stay."""
        for file in (self._folder / "files").glob(f"??/{_PREFIX}*"):
            with suppress(OSError), closing(file.open("rb")) as left:  # somebody else was faster, or may do it
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.unlink()

    def has(self, digest: str) -> bool:
        """Return whether there is a copy of the bytes with this SHA-256."""
        return place_of_copy(self._folder, digest).is_file()

    def remove(self, digest: str) -> bool:
        """Delete a copy, and return whether there was one. Raise StoreUnwritable."""
        place = place_of_copy(self._folder, digest)
        try:
            place.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnwritable(f"{place} cannot be deleted: {error.strerror}.") from error
        return True

    def read(self, digest: str) -> bytes:
        """Return the bytes of a copy, or no bytes if there is none. Raise OSError."""
        place = place_of_copy(self._folder, digest)
        return place.read_bytes() if place.is_file() else b""
