"""A file without a name: what is too long for the memory waits there, and it is gone with whoever holds it."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile

from gateway.errors import AnswerTooLarge, StoreUnwritable

_ROOMY = Path("/var/tmp")  # noqa: S108 - the file has no name there; /tmp may lie in memory


class NamelessFile:
    """Bytes on the disk, at most `most_bytes` of them; `what` they are is said in errors."""

    def __init__(self, what: str, most_bytes: int) -> None:
        """Make it where there is room, or where `TMPDIR` says."""
        folder = _ROOMY if "TMPDIR" not in os.environ and _ROOMY.is_dir() else None
        self.file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed by `close`
        self.size = 0
        self._what, self._most = what, most_bytes

    def put(self, part: bytes) -> None:
        """Add bytes. Raise AnswerTooLarge for more than there may be, StoreUnwritable when there is no room."""
        self.size += len(part)
        if self.size > self._most:
            raise AnswerTooLarge(f"There are more than {self._most} bytes of {self._what}.")
        left = memoryview(part)
        try:
            while left:
                left = left[self.file.write(left) :]
        except OSError as error:
            raise StoreUnwritable(f"There is no room for {self._what}: {error.strerror}.") from error

    def clear(self) -> None:
        """Begin anew."""
        self.file.seek(0)
        self.file.truncate()
        self.size = 0

    def close(self) -> None:
        """Let go of it."""
        self.file.close()
