"""One process at a time per source: a lock that the kernel takes back when its holder dies.

Harvesting and publishing a source hold it. Being advisory and bound to the open file, it needs no cleaning up after
`kill -9`, and whoever sees a run marked `running` whose lock is free knows that its process died.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

from gateway.errors import StoreUnwritable
from harvester.outcomes import SourceLocked


def _file(instance: Path, source: str) -> Path:
    return instance / "locks" / source


@contextmanager
def lock(instance: Path, source: str) -> Iterator[None]:
    """Hold the lock of `source` inside the block. Raise SourceLocked when another process holds it."""
    file = _file(instance, source)
    try:
        file.parent.mkdir(exist_ok=True)
        # Not inherited by children (PEP 446): the lock ends with this process, whatever it started.
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreUnwritable(f"The lock {file} cannot be made: {error.strerror}.") from error
    try:
        if not _taken(descriptor):
            raise SourceLocked(f"Another process works on {source} (process {_holder(descriptor)}).")
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def is_locked(instance: Path, source: str) -> bool:
    """Tell whether some process holds the lock of `source` now."""
    try:
        descriptor = os.open(_file(instance, source), os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _taken(descriptor: int) -> bool:
    """Try for a moment: `is_locked` of another process may hold the lock for an instant."""
    for _ in range(5):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sleep(0.02)
        else:
            return True
    return False


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
