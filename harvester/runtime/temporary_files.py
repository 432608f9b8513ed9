"""An anonymous temporary file for content that is too large for memory. It is removed with its process."""

import os
from pathlib import Path
from tempfile import TemporaryFile

from gateway.core.errors import AnswerTooLarge, StoreUnwritable

_ROOMY = Path("/var/tmp")  # noqa: S108 - the file has no name there; /tmp may lie in memory


class AnonymousFile:
    """An anonymous file of at most `most_bytes` bytes; `what` names the content in messages."""

    def __init__(self, what: str, most_bytes: int) -> None:
        """Make the file in TMPDIR, else in /var/tmp. Raise OSError."""
        folder = _ROOMY if "TMPDIR" not in os.environ and _ROOMY.is_dir() else None
        self.file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed by `close`
        self.size = 0
        self._what, self._most = what, most_bytes

    def put(self, part: bytes) -> None:
        """Add bytes. Raise AnswerTooLarge above the limit, StoreUnwritable when the disk is full."""
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
        """Remove all bytes."""
        self.file.seek(0)
        self.file.truncate()
        self.size = 0

    def close(self) -> None:
        """Close the file, which removes it."""
        self.file.close()
