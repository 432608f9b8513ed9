"""Pauses between the requests to each host of this process, and which servers have answered lately."""

from collections.abc import Callable
from threading import Lock

from gateway.core.errors import AnswerTooSlow
from harvester.http.urls import shown

_GRACE_SECONDS = 10.0  # at the start of a body, without a least rate
_RECENT_SECONDS = 3600.0


class Pace:
    """The next turn of each host, and the last answer of each server. Share one in a process; safe for threads."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._answered: dict[str, float] = {}
        self._lock = Lock()

    def turn(self, host: str, delay: float, now: float) -> float:
        """Take the next turn at a host, `delay` seconds after the one before; return the seconds to wait for it."""
        with self._lock:
            start = max(now, self._next.get(host, now))
            self._next[host] = start + delay
        return start - now

    def wait(self, host: str, now: float) -> float:
        """Return the seconds until the next turn at a host, without taking it."""
        with self._lock:
            return max(self._next.get(host, now) - now, 0.0)

    def note_answer(self, server: str, now: float) -> None:
        """Note that a server (`host:port`) has answered at `now` (monotonic seconds)."""
        with self._lock:
            self._answered[server] = now

    def note_gone(self, server: str) -> None:
        """Note that a server cannot be reached any more."""
        with self._lock:
            self._answered.pop(server, None)

    def has_answered(self, server: str, now: float) -> bool:
        """Return whether a server has answered within the last hour."""
        with self._lock:
            return now - self._answered.get(server, float("-inf")) < _RECENT_SECONDS


class Rate:
    """The least rate of the body of one answer: `least` bytes per second after ten seconds; 0: none."""

    def __init__(self, url: str, least: int, monotonic: Callable[[], float]) -> None:
        self.least, self._url, self._monotonic = least, url, monotonic
        self._began = monotonic() if least else 0.0

    def check(self, size: int) -> None:
        """Raise AnswerTooSlow when `size` bytes so far are too few."""
        took = self._monotonic() - self._began if self.least else 0.0
        if took > _GRACE_SECONDS and size < self.least * took:
            raise AnswerTooSlow(f"{shown(self._url)} sends less than {self.least} bytes per second.")
