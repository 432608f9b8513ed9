"""The parent's end of the wire to the process that publishes (`process.py`).

A line on its standard input announces pages; the line `end` asks it to publish the remaining pages and to exit. Its
standard output brings a line of JSON after every publication: its counts so far, or the error that ended it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Any, BinaryIO

from gateway.core import errors
from gateway.core.errors import StoreError
from harvester.runtime.locks import publishing

WAKE = b"page\n"
END = b"end\n"
# Not `-m`: then the processes of its pool need not import the module again.
_COMMAND = "import sys; from harvester.harvest.publishing.process import main; sys.exit(main(*sys.argv[1:]))"


class Publisher:
    """A running child, as its parent sees it."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._input: BinaryIO = process.stdin  # type: ignore[assignment]  # subprocess knows only IO[bytes]
        self._output = process.stdout.fileno()
        self._unread = b""
        self.counts: Counter[str] = Counter()
        self.example = ""  # of what has gone back to an older datestamp

    @classmethod
    def start(cls, folder: Path, source: str) -> Publisher:
        """Start a child that publishes `source` of an instance folder."""
        command = [sys.executable, "-c", _COMMAND, str(folder), source]
        # A session of its own: only the parent process gets Ctrl-C, and then asks the child process to exit.
        pipe = subprocess.PIPE
        # The child has the lock from its first moment: it may begin after its parent has died.
        with publishing(folder, source) as lock:
            process = subprocess.Popen(  # noqa: S603 - our own
                command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True, pass_fds=(lock,)
            )
        os.set_blocking(process.stdin.fileno(), False)  # type: ignore[union-attr]  # it was asked for
        return cls(process)

    def wake(self) -> None:
        """Tell the child process that there are new pages. Raise the error that ended the child, if one did."""
        with suppress(BlockingIOError):  # it has plenty of such lines to read, and one is enough
            self._send(WAKE)
        self._listen(0)

    def finish(self) -> None:
        """Ask the child process to publish the remaining pages and exit.

        Raise the error that ended the child, if one did; StoreError when the child did not name it.
        """
        os.set_blocking(self._input.fileno(), True)
        self._send(END)
        self.dismiss()

    def dismiss(self) -> None:
        """Ask the child process to exit after the present publication."""
        with suppress(OSError):
            self._input.close()

    def is_working(self, seconds: float) -> bool:
        """Wait for so long, and return whether the child process still works.

        Raise the error that ended it, if one did.
        """
        return self._listen(seconds)

    def kill(self) -> None:
        """End the child process at once. The next run publishes what it has not committed."""
        self.dismiss()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _send(self, line: bytes) -> None:
        try:
            self._input.write(line)
        except BlockingIOError:
            raise
        except (OSError, ValueError):
            self._listen(1.0)  # its error, if any

    def _listen(self, seconds: float) -> bool:
        while select([self._output], [], [], seconds)[0]:
            output = os.read(self._output, 65536)
            if not output:
                self._check_farewell()
                return False
            *lines, self._unread = (self._unread + output).split(b"\n")
            for line in lines:
                self._receive(json.loads(line))
            seconds = 0
        return True

    def _receive(self, message: dict[str, Any]) -> None:
        if "error" in message:
            kind = getattr(errors, str(message["kind"]), StoreError)
            raise kind(str(message["error"]))
        self.counts = Counter(message["counts"])
        self.example = str(message.get("example", ""))

    def _check_farewell(self) -> None:
        status = self._process.wait()
        if status != 0:
            raise StoreError(f"The process that publishes ended with status {status}.")
