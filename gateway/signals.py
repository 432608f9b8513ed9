"""SIGTERM ends a command within ten seconds, whatever the command is doing.

SIGTERM raises KeyboardInterrupt, unless the command has a handler of its own that first asks for a good moment. A
thread watches: it repeats the signal when the command still runs, and ends the process when that is not enough. The
thread learns of the signal from the C handler (`signal.set_wakeup_fd`). So it works while the main thread is blocked in
C, in a name lookup or in a wait for a database. A timer of the kernel is the last resort.
"""

from __future__ import annotations

import atexit
import os
import signal
import threading
from select import select
from time import monotonic
from types import FrameType

from gateway.statuses import Status

# A page is fetched and committed within this time by most sources; then the signal is repeated.
REPEATED_AFTER_SECONDS = 3.0
# Now the process is ended. A supervisor is promised ten seconds.
ENDED_AFTER_SECONDS = 8.5
_KILLED_AFTER_SECONDS = 9.5  # by the kernel, if a thread holds the interpreter's lock
_RELEASED = b"\0"


class _Watch:
    """The thread that watches, and the pipe on which it learns of signals."""

    def __init__(self) -> None:
        self._heard, self._told = os.pipe()
        os.set_blocking(self._told, False)
        signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, name="signals", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while (heard := os.read(self._heard, 1)) != _RELEASED:
            if heard[0] == signal.SIGTERM:
                self._end()
                return

    def _end(self) -> None:
        """See to it that the process ends; return early when it is left alone."""
        signal.setitimer(signal.ITIMER_REAL, _KILLED_AFTER_SECONDS)
        if self._is_released(REPEATED_AFTER_SECONDS):
            return
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        if not self._is_released(ENDED_AFTER_SECONDS - REPEATED_AFTER_SECONDS):
            os._exit(int(Status.STOPPED))

    def _is_released(self, seconds: float) -> bool:
        """Wait so long, and tell whether the process is to be left alone."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if select([self._heard], [], [], left)[0] and os.read(self._heard, 1) == _RELEASED:
                return True
        return False

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.set_blocking(self._told, True)
        os.write(self._told, _RELEASED)
        self._thread.join()
        os.close(self._heard)
        os.close(self._told)


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


_watches: list[_Watch] = []


def watch() -> None:
    """Let SIGTERM raise KeyboardInterrupt in this process, and end the process if that does not. Main thread only."""
    _watches.append(_Watch())
    signal.signal(signal.SIGTERM, _interrupted)


@atexit.register  # on import, so that it is the last of those that end a process
def _ignore() -> None:
    """Ignore SIGTERM for the last milliseconds: the interpreter has no handlers then, and the status would change."""
    if _watches:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def calm() -> None:
    """Let a further SIGTERM raise nothing, because the command has ended. The watch goes on until the process ends."""
    if _watches:
        signal.signal(signal.SIGTERM, lambda _number, _frame: None)


def release() -> None:
    """Watch no longer: for a server, which has handlers and a time of grace of its own, and which forks."""
    if _watches:
        _watches.pop().close()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
