"""Waits for another process that writes the same database: long, with a message, and so that a signal ends it at once.

SQLite waits in C, where Python handles no signals, so each wait takes at most a second. The locks of the instance
folder are here too.
"""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from time import monotonic, sleep

from gateway.core.errors import StoreBusy
from gateway.core.permissions import file_mode, is_for_group, keep_owner

SLICE_SECONDS = 1.0
REPORTED_AFTER_SECONDS = 5.0
PATIENCE_SECONDS = 3600.0  # a person may have stopped a publisher to inspect it
_WRITE_LOCK = ("120", "120")  # the byte of the -shm file that a writer locks (SQLite's walformat.html §2.1.3)
_STOPPED = "T"  # proc_pid_stat(5)
_LOCKS = Path("/proc/locks")

log = logging.getLogger("gateway.store")
_parents: list[int] = []
_patience = [PATIENCE_SECONDS]


def leave_with_parent() -> None:
    """Let this process stop waiting when its parent process has ended."""
    _parents[:] = [os.getppid()]


def has_parent() -> bool:
    """Return whether this process works for another one, which has begun to use the databases."""
    return bool(_parents)


def answer_at_once() -> None:
    """Let this process, which answers requests, not wait for a server of databases that does not answer."""
    _patience[:] = [0.0]


def server_seconds() -> float:
    """Return for how long a reader waits for a server of databases that does not answer."""
    return _patience[0]


class Waiting:
    """One wait for the lock of a database; `clock` returns seconds."""

    def __init__(self, path: Path, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._path, self._clock = path, clock
        self._began = clock()
        self._ends = self._began + seconds
        self._is_reported = False

    @property
    def left_seconds(self) -> float:
        """How many seconds are left."""
        return max(self._ends - self._clock(), 0.0)

    @property
    def slice_seconds(self) -> float:
        """How many seconds to wait at once."""
        return min(self.left_seconds, SLICE_SECONDS)

    def goes_on(self) -> bool:
        """Return whether to wait any longer; log once, after some seconds, which process is waited for."""
        now = self._clock()
        if now >= self._ends or (_parents and _parents != [os.getppid()]):
            return False
        if now - self._began >= REPORTED_AFTER_SECONDS and not self._is_reported:
            self._is_reported = True
            log.warning("%s", self._sentence())
        return True

    def _sentence(self) -> str:
        number = holder(self._path)
        who = "another process" if number is None else f"process {number}"
        stopped = ", which is stopped (`kill -CONT` continues it)" if number and _is_stopped(number) else ""
        return f"{self._path} is being written by {who}{stopped}. Waiting until it has finished."


def holder(path: Path, locks: Path = _LOCKS) -> int | None:
    """Return the number of the process that writes a database; None if that is unknown."""
    with suppress(OSError, ValueError):
        status = path.with_name(path.name + "-shm").stat()
        place = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
        for line in locks.read_text().splitlines():
            _, _, _, kind, number, where, *span = line.replace("-> ", "").split()
            if (kind, where, tuple(span)) == ("WRITE", place, _WRITE_LOCK):
                return int(number)
    return None


def _is_stopped(number: int) -> bool:
    with suppress(OSError, IndexError):
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == _STOPPED
    return False


# --- Locks in locks/ of the instance folder; the kernel releases them when their process dies ------------------------

_BETWEEN_TRIES_SECONDS = 0.002


@contextmanager
def locked(file: Path, seconds: float = inf) -> Iterator[None]:
    """Hold a lock inside the block, after others have released it. `file` is in `locks/`; no source has its name.

    Raise StoreBusy if it is not free within some `seconds`, and OSError if it cannot be made.
    """
    file.parent.mkdir(0o770 if is_for_group(file.parent.parent) else 0o700, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, file_mode(file.parent.parent))
    try:
        keep_owner(descriptor, file.parent.parent)
        _take(descriptor, file, seconds)
        yield
    finally:
        os.close(descriptor)


def is_locked(instance: Path, source: str) -> bool:
    """Return whether some process works on a source now, or it cannot be known because its lock cannot be read."""
    try:
        descriptor = os.open(instance / "locks" / source, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _take(descriptor: int, file: Path, seconds: float) -> None:
    if seconds == inf:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    ends = monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= ends:
                raise StoreBusy(
                    f"Another process has held the lock {file} for more than {seconds:g} seconds."
                ) from None
            sleep(_BETWEEN_TRIES_SECONDS)
        else:
            return
