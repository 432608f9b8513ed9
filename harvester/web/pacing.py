"""What is known of each host in this process: when it may be asked again, and which of its servers answer."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from gateway.errors import AnswerTooSlow
from harvester.web.urls import shown

_GRACE_SECONDS = 10.0  # in which a body may be as slow as it likes
_RECENT_SECONDS = 3600.0


class Pace:
    """Knows when each host may be asked next, and which servers answer. Share one among all that fetch in a process."""

    def __init__(self) -> None:
        """Every host may be asked at once."""
        self._next: dict[str, float] = {}
        self._answered: dict[str, float] = {}
        self._lock = Lock()

    def turn(self, host: str, delay: float, now: float) -> float:
        """Take the next turn at a host, `delay` seconds after the one before; return how long to wait for it."""
        with self._lock:
            start = max(now, self._next.get(host, now))
            self._next[host] = start + delay
        return start - now

    def note_answer(self, server: str, now: float) -> None:
        """Note that a server (`host:port`) has answered."""
        with self._lock:
            self._answered[server] = now

    def note_gone(self, server: str) -> None:
        """Note that a server cannot be reached any more."""
        with self._lock:
            self._answered.pop(server, None)

    def has_answered(self, server: str, now: float) -> bool:
        """Tell whether a server has answered within the last hour."""
        with self._lock:
            return now - self._answered.get(server, float("-inf")) < _RECENT_SECONDS


class Rate:
    """How fast the body of one answer must come: at `least` so many bytes a second; 0: as slow as it likes."""

    def __init__(self, url: str, least: int, monotonic: Callable[[], float]) -> None:
        """Begin to count now."""
        self.least, self._url, self._monotonic = least, url, monotonic
        self._began = monotonic() if least else 0.0

    def check(self, size: int) -> None:
        """Raise AnswerTooSlow when so many bytes so far are too few."""
        took = self._monotonic() - self._began if self.least else 0.0
        if took > _GRACE_SECONDS and size < self.least * took:
            raise AnswerTooSlow(f"{shown(self._url)} sends less than {self.least} bytes a second.")
