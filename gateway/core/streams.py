"""Standard input, output and error, when one is closed, has no reader, or is on a full device.

A stream that is closed at the start is replaced by /dev/null. A stream that fails later ends the command: with the
status of SIGPIPE (141) if its reader has ended, else with 1 and a message.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from gateway.core.statuses import Status

_STDERR = 2


def open_missing() -> None:
    """Open /dev/null in place of each standard stream that is closed.

    Otherwise a database would get the descriptor 1 or 2, and messages would be written into it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process


def silence(stream: TextIO | None) -> None:
    """Discard everything that is written to a stream from now on, and the contents of its buffer."""
    with suppress(OSError, ValueError, AttributeError):  # a test's own stream has no descriptor
        number = stream.fileno()  # type: ignore[union-attr]  # None is caught
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)


def status_of_loss(error: OSError) -> Status:
    """Return the exit status of a command that could not write; write why to stderr, and silence streams that fail."""
    _silence_what_fails()
    if isinstance(error, BrokenPipeError):
        return Status.READER_GONE
    what = error.filename or "The output"
    with suppress(OSError, ValueError):
        sys.stderr.write(f"Error: {what} cannot be written or read: {error.strerror or error}.\n")
        sys.stderr.flush()
    _silence_what_fails()
    return Status.FAILED


def _silence_what_fails() -> None:
    """Silence each stream that cannot be flushed: it would fail again at the end of the process, with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            silence(stream)
