"""The budget of a host: how long to wait until it may be asked again, whoever asks it from whichever thread."""

from __future__ import annotations

from threading import Lock


class Pace:
    """Knows when each host may be asked next. Share one among all that fetch in a process."""

    def __init__(self) -> None:
        """Every host may be asked at once."""
        self._next: dict[str, float] = {}
        self._lock = Lock()

    def turn(self, host: str, delay: float, now: float) -> float:
        """Take the next turn at a host, `delay` seconds after the one before; return how long to wait for it."""
        with self._lock:
            start = max(now, self._next.get(host, now))
            self._next[host] = start + delay
        return start - now
