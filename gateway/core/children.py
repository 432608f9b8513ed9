"""Child processes: a function of ours that works while this process does, or a command whose answer has a time limit.

Each has a session of its own: only its parent gets Ctrl-C, and then ends it. Its standard input brings orders, one per
line. The line `end` asks it to exit when everything is done. If the input ends without this line, the parent has died
or needs it no more.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from select import select
from typing import NamedTuple

END = b"end\n"


def program(module: str, function: str, *arguments: str) -> list[str]:
    """Return the command that calls a function with texts; its result is the exit status."""
    # Not `-m`: then the module would be there twice.
    code = f"import sys; from {module} import {function}; sys.exit({function}(*sys.argv[1:]))"
    return [sys.executable, "-c", code, *arguments]


class Child:
    """A running child process, as its parent sees it."""

    def __init__(self, command: Sequence[str], locks: Sequence[int] = ()) -> None:
        """Start it; it inherits the descriptors of `locks`. Raise OSError."""
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(  # noqa: S603 - our own
            command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True, pass_fds=locks
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._input, self._output = self.process.stdin, self.process.stdout
        self._unread = b""

    def fileno(self) -> int:
        """Return the descriptor of its output, for `select`."""
        return self._output.fileno()

    def order(self, line: bytes, *, waits: bool = True) -> bool:
        """Give an order; return False if it has died. Without `waits`, the order is lost if many are unread."""
        try:
            os.set_blocking(self._input.fileno(), waits)
            self._input.write(line)
        except (OSError, ValueError):  # ValueError: its input is closed
            return False
        return True

    def finish(self) -> bool:
        """Ask it to do everything that is left, and to exit then; return False if it has died."""
        is_told = self.order(END)
        self.dismiss()
        return is_told

    def dismiss(self) -> None:
        """Ask it to exit after what it is doing."""
        with suppress(OSError):
            self._input.close()

    def hear(self, seconds: float) -> list[bytes] | None:
        """Wait so long for lines of its output, and return them; None when there are no more: `wait` for its end."""
        lines: list[bytes] = []
        if self._output.closed:
            return None
        while select([self._output], [], [], seconds)[0]:
            output = os.read(self._output.fileno(), 65536)
            if not output:
                return lines or None
            *whole, self._unread = (self._unread + output).split(b"\n")
            lines += whole
            seconds = 0
        return lines

    def wait(self) -> int:
        """Wait for its end, and return its exit status."""
        self.dismiss()
        status = self.process.wait()
        self._output.close()
        return status

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.wait()


class Orders:
    """The orders of the parent, as a child reads them. `is_last`: the line `end` came. `is_over`: the input ended."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.is_last = self.is_over = False
        self._tail = b""

    @property
    def is_open(self) -> bool:
        """Return whether more orders may come."""
        return not (self.is_last or self.is_over)

    def receive(self, seconds: float) -> bool:
        """Wait so long for orders, and read those that are there; return whether there were any, or the end."""
        if not self.is_open or not select([self.descriptor], [], [], seconds)[0]:
            return False
        words = os.read(self.descriptor, 65536)
        self._tail = (self._tail + words)[-len(END) :]
        self.is_last, self.is_over = self._tail == END, not words
        return True


# --- a command whose answer has a time limit --------------------------------------------------------------------------

Running = set[subprocess.Popen[bytes]]


class Answered(NamedTuple):
    """How a command ended, and its output. `is_late`: it was killed at the time limit."""

    status: int
    output: bytes
    is_late: bool


def ask(command: Sequence[str], given: bytes, seconds: float, running: Running | None = None) -> Answered:
    """Run a command on these bytes, with an empty environment and the working directory `/`.

    Meanwhile it is in `running`. Raise KeyboardInterrupt if `break_off` ended it. No exception leaves it running.
    """
    running, is_late = set() if running is None else running, False
    with subprocess.Popen(  # noqa: S603 - the command is ours; the bytes are no argument
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={},
        cwd="/",
    ) as child:
        running.add(child)
        try:
            output, _ = child.communicate(given, seconds)
        except subprocess.TimeoutExpired:
            is_late = True
            _kill(child)
            output, _ = child.communicate()
        except BaseException:  # a signal: the child must not go on alone
            _kill(child)
            raise
        finally:  # however it ended: its number may soon be that of another process
            is_broken_off = child not in running
            running.discard(child)
        if is_broken_off:
            raise KeyboardInterrupt
        return Answered(child.returncode, output, is_late)


def break_off(running: Running) -> None:
    """Kill all running commands, from another thread. The threads that wait for them get a KeyboardInterrupt."""
    while running:
        with suppress(KeyError):  # it has just ended
            _kill(running.pop())


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
