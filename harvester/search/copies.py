"""Our own copies of files that were found: content-addressed in `files/` of the instance folder, for whoever reviews.

A file lies under its SHA-256, `files/ab/ab12…`, so it is kept once however often it is found, and a kill leaves nothing
that is not whole. Whether anybody else may see it is decided elsewhere (`carrying.py`).
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from gateway.errors import StoreUnwritable
from gateway.settings import place_of_copy


class Copies:
    """The copies of one instance."""

    def __init__(self, folder: Path) -> None:
        """Take the instance folder."""
        self._folder = folder

    def keep(self, body: bytes) -> None:
        """Keep a file. Raise StoreUnwritable."""
        place = place_of_copy(self._folder, sha256(body).hexdigest())
        if place.is_file():
            return
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=place.parent, delete=False) as aside:
                aside.write(body)
                aside.flush()
                os.fsync(aside.fileno())
            Path(aside.name).replace(place)
        except OSError as error:
            raise StoreUnwritable(f"{place} cannot be written: {error.strerror}.") from error

    def has(self, digest: str) -> bool:
        """Tell whether there is a copy of these bytes."""
        return place_of_copy(self._folder, digest).is_file()

    def read(self, digest: str) -> bytes:
        """Return a copy, or nothing when there is none."""
        place = place_of_copy(self._folder, digest)
        return place.read_bytes() if place.is_file() else b""
