"""Locks of sources: one process at a time. The kernel releases a lock (flock) when its process dies.

A process that harvests or publishes a source holds its lock. The lock is advisory and belongs to the open file, so it
needs no cleaning after `kill -9`. A run that is marked `running` while its lock is free has died.

The publishing processes of a harvest hold a second lock together. When the harvester is killed, they finish what they
write; the next harvester waits for them.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from time import monotonic, sleep

from gateway.core.errors import StoreUnwritable
from gateway.core.permissions import file_mode
from harvester.runtime.exit_status import SourceLocked

# A publication lives no longer than its intent; twice that is for a machine that is very busy.
LAST_PUBLICATION_SECONDS = 120.0


@contextmanager
def _opened(instance: Path, source: str) -> Iterator[int]:
    """Return the descriptor of a lock, which is closed and so released at the end of the block."""
    file = instance / "locks" / source
    try:
        file.parent.mkdir(exist_ok=True)
        # Not inherited by the commands that this process starts (PEP 446): the lock ends with this process.
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, file_mode(instance))
    except OSError as error:
        raise StoreUnwritable(f"The lock {file} cannot be made: {error.strerror}.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def lock(instance: Path, source: str) -> Iterator[None]:
    """Hold the lock of `source` inside the block. Raise SourceLocked if it is held, StoreUnwritable on a full disk."""
    with _opened(instance, source) as descriptor:
        if not _taken(descriptor):
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
            raise SourceLocked(f"Another process works on {source} (process {holder}).")
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield


@contextmanager
def changing(file: Path) -> Iterator[int]:
    """Hold the lock of a file of the instance folder inside the block; wait for other holders first.

    The value is the descriptor of the lock: a process that inherits it holds the lock until it ends. Raise
    StoreUnwritable when the lock cannot be made.
    """
    with _opened(file.parent, file.name) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor


def publishing(instance: Path, source: str) -> AbstractContextManager[int]:
    """Hold the lock that `await_publishers` waits for, as `changing` does."""
    return changing(instance / f"{source}.publishing")


def await_publishers(instance: Path, source: str, seconds: float = LAST_PUBLICATION_SECONDS) -> None:
    """Wait until no process of an earlier run publishes `source`. Raise SourceLocked after `seconds`.

    Raise StoreUnwritable when the lock cannot be made.
    """
    end = monotonic() + seconds
    with _opened(instance, f"{source}.publishing") as descriptor:
        while not _taken(descriptor):
            if monotonic() > end:
                raise SourceLocked(f"Processes of an earlier run still publish {source}; wait, or end them.")


def _taken(descriptor: int) -> bool:
    """Return whether the lock was taken. It is tried several times: who looks whether it is free holds it briefly."""
    for _ in range(5):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(0.02)
        else:
            return True
    return False
