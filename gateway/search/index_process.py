"""The parent's end of a child process that writes the search index while the parent process publishes.

The child process (`indexing.follow`) writes what is published until its standard input ends. After the line `end` it
first writes everything. Nothing depends on it: the parent process completes what a child process has left.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from select import select
from typing import Final

_END: Final = b"end\n"
# Not `-m`: `gateway.search.indexing` would be there twice.
_COMMAND: Final = "import sys; from gateway.search.indexing import follow; sys.exit(follow(sys.argv[1]))"


class IndexProcess:
    """A running child process, as its parent sees it."""

    def __init__(self, folder: Path) -> None:
        """Start a child process that writes the index of an instance folder. Raise OSError."""
        # A session of its own: only the parent process gets Ctrl-C, and then ends the child process.
        self._process = subprocess.Popen(  # noqa: S603 - our own
            [sys.executable, "-c", _COMMAND, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )

    def finish(self) -> None:
        """Ask the child process to write everything that is published, and to exit then."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it has died
            self._process.stdin.write(_END)
        self._process.stdin.close()

    def is_working(self, seconds: float) -> bool:
        """Wait for so long, and return whether the child process still works."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is None

    def kill(self) -> None:
        """End the child process at once: the index can be killed at any moment."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()


class Orders:
    """The orders of the parent process, as its child reads them from a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.is_last = False  # nothing more is published
        self.is_over = False  # the parent has died, or needs the process no more

    def receive(self, seconds: float) -> None:
        """Wait at most so long for an order."""
        if not self.is_last and select([self._descriptor], [], [], seconds)[0]:
            self.is_last = bool(os.read(self._descriptor, len(_END)))
            self.is_over = not self.is_last
