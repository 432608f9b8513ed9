"""Write files durably, compute their digests, and report errors of the disk; and temporary files without a name."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from gateway.core import durable
from gateway.core.digests import begun
from gateway.core.errors import AnswerTooLarge, StoreUnwritable

_CHUNK = 1 << 20


sync = durable.sync_folder  # flushes a file as well as a folder
DIGESTS = ("sha512", "sha256")  # that of OCFL, and that of the fixity block


def write_durably(file: Path, content: bytes) -> None:
    """Write a file, and flush it to the disk. Raise OSError."""
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def replace_durably(file: Path, content: bytes) -> None:
    """Replace a file atomically: a reader gets the old or the new content. Raise StoreUnwritable."""
    aside = file.with_name(f"{file.name}.new")
    with reporting_unwritable(file):
        write_durably(aside, content)
        aside.replace(file)


def digests_by_algorithm(file: Path, algorithms: Iterable[str]) -> dict[str, str]:
    """Return the hexadecimal digests of a file by algorithm, in one pass. Raise OSError."""
    hashes = {name: begun(name) for name in algorithms}
    with file.open("rb") as stream:
        while part := stream.read(_CHUNK):
            for hash_ in hashes.values():
                hash_.update(part)
    return {name: hash_.hexdigest() for name, hash_ in hashes.items()}


@contextmanager
def reporting_unwritable(path: Path) -> Iterator[None]:
    """Raise StoreUnwritable in place of an OSError of the block."""
    try:
        yield
    except OSError as error:
        raise StoreUnwritable(f"{error.filename or path} cannot be written: {error.strerror or error}.") from error


# --- A temporary file without a name, for content that is too large for memory ----------------------------------------

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
