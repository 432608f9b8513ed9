"""Standard input, output and error: what happens when one is closed, has no reader, or is on a full device.

A stream that is closed from the start is taken as /dev/null. One that fails later ends the command: with the status
of SIGPIPE (141) when its reader has gone, else with 1 and a sentence.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

from gateway.statuses import Status

_STDERR = 2


def open_missing() -> None:
    """Open /dev/null in place of each standard stream that is closed.

    Otherwise a database would get the number 1 or 2, and words would be written into it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process


def silence(stream: TextIO | None) -> None:
    """Let whatever is written to a stream from now on, and whatever waits in its buffer, go nowhere."""
    with suppress(OSError, ValueError, AttributeError):  # a test's own stream has no descriptor
        number = stream.fileno()  # type: ignore[union-attr]  # None is caught
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def status_of_loss(error: OSError) -> Status:
    """Return the exit status of a command that could not write, say why if anybody hears it, and silence what fails."""
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
