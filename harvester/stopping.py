"""How a long command is stopped: the first Ctrl-C or SIGTERM asks, the second one insists.

Asked, a harvest finishes the page that it is at, commits it and ends `stopped`. Signals only set a flag: what is in
the middle of a transaction is never torn. Insisted, connections are broken off, and threads that wait for one leave.
After SIGTERM the second signal comes by itself (`gateway.signals`), so that the command ends within ten seconds.
A command may also have been given a time; when it is over, harvests end as at any other limit.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Lock, Thread, main_thread
from time import monotonic, sleep
from types import FrameType
from typing import TypeVar

from gateway.errors import GatewayError
from gateway.program import is_quiet

_STOPPING = b"\nStopping after this page; once more to stop at once.\n"
# How late a pause may notice that it should end.
_GLANCE_SECONDS = 0.1


class StopAsked(GatewayError):
    """Somebody asked to stop during a pause: nothing is lost by ending it."""


class TimeIsOver(GatewayError):
    """A pause would last longer than the time that was given."""


class OutOfHours(TimeIsOver):
    """The source is to be asked at other hours."""


class Stop:
    """Whether somebody asked to stop, and when the time is over. One for all threads of a command."""

    def __init__(self, max_seconds: float | None = None, clock: Callable[[], float] = monotonic) -> None:
        """Nobody has asked yet; `max_seconds` from now the time is over, by a clock that tells seconds."""
        self._clock = clock
        self._end = inf if max_seconds is None else clock() + max_seconds
        self.is_asked = False
        self.is_insisted = False
        self._ends: list[Callable[[], None]] = []
        self._lock = Lock()

    @property
    def is_time_over(self) -> bool:
        """Tell whether the time that was given is over."""
        return self._clock() >= self._end

    def ask(self) -> None:
        """Ask to stop at the next good moment."""
        self.is_asked = True

    def insist(self) -> None:
        """Ask to stop at once: what `breaking` knows of is broken off."""
        self.is_asked = self.is_insisted = True
        with self._lock:
            ends = tuple(self._ends)
        for end in ends:
            end()

    @contextmanager
    def breaking(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end` when somebody insists inside the block; it is called from another thread."""
        with self._lock:
            self._ends.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._ends.remove(end)

    def pause(self, seconds: float) -> None:
        """Sleep. Raise StopAsked when asked to stop meanwhile, KeyboardInterrupt when somebody insists.

        Raise TimeIsOver at once when the time would be over before the pause is.
        """
        if self._clock() + seconds > self._end:
            raise TimeIsOver(f"A pause of {seconds:.0f} seconds is longer than the time that is left.")
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0:
            if self.is_insisted:
                raise KeyboardInterrupt
            if self.is_asked:
                raise StopAsked("It was asked to stop.")
            sleep(min(left, _GLANCE_SECONDS))


Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def breakable(ask: Callable[[Asked], Answer], stop: Stop) -> Callable[[Asked], Answer]:
    """Let an error of ours be a KeyboardInterrupt once somebody insisted: then it was us who broke the connection."""

    def asked(question: Asked) -> Answer:
        try:
            return ask(question)
        except GatewayError as error:
            if stop.is_insisted:
                raise KeyboardInterrupt from error
            raise

    return asked


@contextmanager
def insisting(stop: Stop) -> Iterator[None]:
    """When an exception ends the block, break off what is under way: nobody waits for it any more."""
    try:
        yield
    except BaseException:
        stop.insist()
        raise


@contextmanager
def listening(stop: Stop) -> Iterator[Stop]:
    """Let SIGINT and SIGTERM ask `stop` inside the block; a second signal raises KeyboardInterrupt."""

    def asked(_number: int, _frame: FrameType | None) -> None:
        if stop.is_asked:
            # In a thread: what is broken off has locks, and the signal may have interrupted the code that holds one.
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
