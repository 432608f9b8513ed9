"""Stop a long command: the first Ctrl-C or SIGTERM asks it to stop, the second one forces it to stop.

After the first signal, a harvest finishes its page, commits it and ends `stopped`. Signals only set a flag, so no
transaction is interrupted. After the second signal, connections are closed, and threads that wait for one end.
SIGTERM is repeated automatically (`gateway.core.signals`), so that the command ends within ten seconds. A command may
also have a time limit; it ends harvests like any other limit.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Event, Lock, Thread, main_thread
from time import monotonic, sleep
from types import FrameType
from typing import TypeVar

from gateway.core.errors import GatewayError
from gateway.core.program import is_quiet

_STOPPING = b"\nStopping after this page; once more to stop at once.\n"
# The longest delay before a pause notices that it must end.
_POLL_SECONDS = 0.1
# For the answer to a request that was sent before a request to stop.
_LAST_WAIT_SECONDS = 3.0


class StopAsked(GatewayError):
    """The command was asked to stop during a pause."""


class TimeIsOver(GatewayError):
    """A pause would last longer than the time limit of the command."""


class OutOfHours(TimeIsOver):
    """The source may not be requested at this hour."""


class Stop:
    """The request to stop, and the time limit. All threads of a command share one."""

    def __init__(self, max_seconds: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        """Begin without a request to stop. The time limit is `max_seconds` from now; `clock` returns seconds."""
        self._clock = clock
        self._end = inf if max_seconds is None else clock() + max_seconds
        self.is_asked = False
        self.is_insisted = False
        self._ends: list[Callable[[], None]] = []
        self._lock = Lock()

    @property
    def is_time_over(self) -> bool:
        """Return whether the time limit is reached."""
        return self._clock() >= self._end

    def ask(self) -> None:
        """Ask to stop after the present page."""
        self.is_asked = True

    def insist(self) -> None:
        """Request an immediate stop: call all functions that are registered with `breaking`."""
        self.is_asked = self.is_insisted = True
        with self._lock:
            ends = tuple(self._ends)
        for end in ends:
            end()

    @contextmanager
    def breaking(self, end: Callable[[], None]) -> Iterator[None]:
        """Register `end` inside the block: `insist` calls it, from another thread. Call it at once if that is over."""
        with self._lock:
            self._ends.append(end)
            is_late = self.is_insisted
        try:
            if is_late:
                end()
            yield
        finally:
            with self._lock:
                self._ends.remove(end)

    def pause(self, seconds: float) -> None:
        """Sleep for some seconds. Raise StopAsked when asked to stop meanwhile, KeyboardInterrupt after `insist`.

        Raise TimeIsOver at once when the pause would end after the time limit.
        """
        if self._clock() + seconds > self._end:
            raise TimeIsOver(f"A pause of {seconds:.0f} seconds is longer than the time that is left.")
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if self.is_insisted:
                raise KeyboardInterrupt
            if self.is_asked:
                raise StopAsked("It was asked to stop.")
            sleep(min(left, _POLL_SECONDS))


Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def breakable(ask: Callable[[Asked], Answer], stop: Stop) -> Callable[[Asked], Answer]:
    """Return `ask`, which raises KeyboardInterrupt instead of a GatewayError after `insist` closed its connection."""

    def asked(question: Asked) -> Answer:
        try:
            return ask(question)
        except GatewayError as error:
            if stop.is_insisted:
                raise KeyboardInterrupt from error
            raise

    return asked


def answered_soon(
    ask: Callable[[Asked], Answer], stop: Stop, break_off: Callable[[], None]
) -> Callable[[Asked], Answer]:
    """Return `ask`, which does not wait long for an answer once `stop` is asked: then it raises StopAsked.

    `break_off` closes its connection. It is for requests that may be sent again.
    """

    def asked(question: Asked) -> Answer:
        is_answered = Event()

        def watch() -> None:
            while not is_answered.wait(_POLL_SECONDS):
                if stop.is_asked:
                    if not is_answered.wait(_LAST_WAIT_SECONDS):
                        break_off()
                    return

        Thread(target=watch, name="watch", daemon=True).start()
        try:
            return ask(question)
        except GatewayError as error:
            if stop.is_asked and not isinstance(error, StopAsked):
                raise StopAsked("It was asked to stop.") from error
            raise
        finally:
            is_answered.set()

    return asked


@contextmanager
def insisting(stop: Stop) -> Iterator[None]:
    """Call `insist` when an exception ends the block, because nobody waits for the threads any more."""
    try:
        yield
    except BaseException:
        stop.insist()
        raise


@contextmanager
def listening(stop: Stop) -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM inside the block: the first asks `stop`, the second raises KeyboardInterrupt."""

    def asked(_number: int, _frame: FrameType | None) -> None:
        if stop.is_asked:
            # In a thread: the registered functions take locks, and the interrupted code may hold one.
            Thread(target=stop.insist, name="insist", daemon=True).start()
            raise KeyboardInterrupt
        stop.ask()
        if not is_quiet():
            with suppress(OSError):  # nobody reads it
                # Not print: a signal may interrupt a print, which then must not be entered again.
                os.write(2, _STOPPING)

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def terminate() -> None:
    """End this command as SIGTERM would, from any thread."""
    signal.pthread_kill(main_thread().ident or 0, signal.SIGTERM)
