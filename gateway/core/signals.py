"""SIGTERM ends a command within ten seconds, whatever the command is doing.

SIGTERM raises KeyboardInterrupt, unless the command has a handler of its own that waits for the end of a page. A thread
repeats the signal if the command still runs, and ends the process if that is not enough. The C handler informs the
thread (`signal.set_wakeup_fd`). So it also works while the main thread is blocked in C, as in a name lookup or a wait
for a database. A timer of the kernel is the last resort.
"""

import atexit
import os
import signal
import threading
from select import select
from time import monotonic
from types import FrameType

from gateway.core.statuses import Status

# Most pages are fetched and committed within this time. After it, the signal is repeated.
REPEATED_AFTER_SECONDS = 3.0
# After this time, the process is ended. The promise to supervisors is ten seconds.
ENDED_AFTER_SECONDS = 8.5
_KILLED_AFTER_SECONDS = 9.5  # by the kernel, if a thread holds the interpreter's lock
_RELEASED = b"\0"


class _Watch:
    """The thread that ends the process, and the pipe that wakes it."""

    def __init__(self) -> None:
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        self._thread = threading.Thread(target=self._watch, name="signals", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while (number := os.read(self._read_end, 1)) != _RELEASED:
            if number[0] == signal.SIGTERM:
                self._end()
                return

    def _end(self) -> None:
        """End the process in time; return early if `close` is called."""
        signal.setitimer(signal.ITIMER_REAL, _KILLED_AFTER_SECONDS)
        if self._is_released(REPEATED_AFTER_SECONDS):
            return
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
        if not self._is_released(ENDED_AFTER_SECONDS - REPEATED_AFTER_SECONDS):
            os._exit(int(Status.STOPPED))

    def _is_released(self, seconds: float) -> bool:
        """Wait at most so long, and return whether `close` was called."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if select([self._read_end], [], [], left)[0] and os.read(self._read_end, 1) == _RELEASED:
                return True
        return False

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.set_blocking(self._write_end, True)
        os.write(self._write_end, _RELEASED)
        self._thread.join()
        os.close(self._read_end)
        os.close(self._write_end)


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


_watches: list[_Watch] = []


def watch() -> None:
    """Let SIGTERM raise KeyboardInterrupt, and end the process if that does not end it. Call it in the main thread."""
    _watches.append(_Watch())
    signal.signal(signal.SIGTERM, _interrupted)


@atexit.register  # on import, so that it is the last exit function
def _ignore() -> None:
    """Ignore both for the last milliseconds: the interpreter has no handlers then, and the status would change."""
    if _watches:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def calm() -> None:
    """Let another signal raise nothing, because the command has ended. The thread still ends the process in time.

    While the interpreter waits for threads, Ctrl-C still ends that.
    """
    if _watches:
        signal.signal(signal.SIGTERM, lambda _number, _frame: None)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupted_if_waiting)


def _interrupted_if_waiting(_number: int, _frame: FrameType | None) -> None:
    if any(thread is not threading.current_thread() and not thread.daemon for thread in threading.enumerate()):
        raise KeyboardInterrupt


def release() -> None:
    """Stop the thread and restore SIGTERM: a server forks, and has handlers and a grace period of its own."""
    if _watches:
        _watches.pop().close()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
