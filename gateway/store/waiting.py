"""Waits for another process that writes the same database: long, with a message, and so that a signal ends it at once.

SQLite waits in C, where Python handles no signals, so each wait takes at most a second.
"""

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

SLICE_SECONDS = 1.0
REPORTED_AFTER_SECONDS = 5.0
PATIENCE_SECONDS = 3600.0  # a person may have stopped a publisher to inspect it
_WRITE_LOCK = ("120", "120")  # the byte of the -shm file that a writer locks (SQLite's walformat.html §2.1.3)
_STOPPED = "T"  # proc_pid_stat(5)
_LOCKS = Path("/proc/locks")

log = logging.getLogger("gateway.store")
_parents: list[int] = []


def leave_with_parent() -> None:
    """Let this process stop waiting when its parent process has ended."""
    _parents[:] = [os.getppid()]


class Waiting:
    """One wait for the lock of a database; `clock` returns seconds."""

    def __init__(self, path: Path, seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._path, self._clock = path, clock
        self._began = clock()
        self._ends = self._began + seconds
        self._is_reported = False

    @property
    def slice_seconds(self) -> float:
        """How many seconds to wait at once."""
        return min(max(self._ends - self._clock(), 0.0), SLICE_SECONDS)

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
