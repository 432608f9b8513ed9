"""Locks in `locks/` of the instance folder. The kernel releases them when their process dies (flock)."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from time import monotonic, sleep

from gateway.core.errors import StoreBusy
from gateway.core.permissions import file_mode, is_for_group, keep_owner

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
