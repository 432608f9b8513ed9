"""The highest second that a repository may ever have answered, in a file beside the store: `answered-until`.

The store has this ceiling too (see clock.py). A new store, or one that was restored from an older copy, does not know
what the former store answered, but this file does. No datestamp of the new store may be below it. Otherwise, harvesters
would miss the record.
"""

import mmap
import os
import stat
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from gateway.core.errors import StoreUnwritable
from gateway.core.permissions import file_mode
from gateway.core.waiting import locked
from gateway.core.xmltext import parse_utc_datetime, utc_datetime

NAME = "answered-until"
_LOCK = ".answered"  # in `locks/`; no source can have this name
_PATIENCE_SECONDS = 0.25  # as for the lock of writers
_SLOTS = 64  # workers of a server; two with the same slot may answer an earlier second once
_SHARED = memoryview(mmap.mmap(-1, _SLOTS * 16)).cast("q")  # pairs of a store and a second; a fork shares it


class Ceiling:
    """The file of one instance. A process writes it only while it has the write lock of the store, or `lift`s it."""

    def __init__(self, store: Path) -> None:
        self._store, self._file = store, store.with_name(NAME)

    def read(self) -> int:
        """Return the ceiling in seconds since 1970; 0 if the file is missing or cannot be read."""
        with suppress(OSError, ValueError):
            second, _ = parse_utc_datetime(self._file.read_text("utf-8").strip())
            return second
        return 0

    def write(self, second: int) -> None:
        """Write the ceiling, whole or not at all. Raise StoreUnwritable.

        The file has the mode of the store, whatever the umask of this process: SQLite does the same with its files.
        """
        aside = self._file.with_name(f"{NAME}.new")
        try:
            mode = file_mode(aside.parent)
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as stream:
                with suppress(FileNotFoundError):
                    os.fchmod(stream.fileno(), stat.S_IMODE(self._store.stat().st_mode))
                stream.write(f"{utc_datetime(second)}\n")
            aside.replace(self._file)
        except OSError as error:
            raise StoreUnwritable(f"{self._file} cannot be written: {error.strerror}.") from error

    def lift(self, second: int) -> None:
        """Write the ceiling if it is below `second`; processes take turns. Raise StoreBusy or StoreUnwritable."""
        try:
            with locked(self._file.parent / "locks" / _LOCK, _PATIENCE_SECONDS):
                if self.read() < second:
                    self.write(second)
        except OSError as error:
            raise StoreUnwritable(f"{self._file} cannot be written: {error.strerror}.") from error


class Answered:
    """The highest second that this server has answered from a store, in all its processes.

    An intent is visible a moment after its watermark was read, so a horizon could be earlier than one that was answered
    before. The later one is right too: the datestamp of an intent is read after its commit, so it is not earlier than
    any second that was answered without the intent. That holds for a snapshot that is taken after `highest`.
    """

    def __init__(self, store: str) -> None:
        self._store = crc32(store.encode("utf-8", "surrogateescape")) + 1

    def highest(self) -> int:
        """Return the highest second that was noted; 0 if none was."""
        return max((_SHARED[slot + 1] for slot in range(0, len(_SHARED), 2) if _SHARED[slot] == self._store), default=0)

    def note(self, second: int) -> None:
        """Note that a second is being answered. A process writes into its own slot only."""
        own = os.getpid() % _SLOTS * 2
        if _SHARED[own] != self._store:
            _SHARED[own + 1], _SHARED[own] = 0, self._store
        _SHARED[own + 1] = max(second, _SHARED[own + 1])
