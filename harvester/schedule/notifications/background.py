"""Send notices in a background thread, so that a slow mail server delays no harvest.

The names of sources wait in a queue, each once. A notice that is not sent in time is due again after the next run,
because only sent notices are stored.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Condition, Thread
from typing import Self

from harvester.schedule.notifications.send import PATIENCE_SECONDS

LIMIT_SECONDS = PATIENCE_SECONDS + 5.0  # at the end of the command: time for one request to a slow server
MOST_WAITING = 10_000  # names of sources

log = logging.getLogger("harvester")


class BackgroundNotifier:
    """Sends notices in a thread. Use it in a `with` block; at its end the queue is sent, within `limit_seconds`."""

    def __init__(
        self, notify: Callable[[str], None], limit_seconds: float = LIMIT_SECONDS, most_waiting: int = MOST_WAITING
    ) -> None:
        """Take the function that sends the notice of a source; the thread begins with the first name."""
        self._notify, self._limit_seconds, self._most_waiting = notify, limit_seconds, most_waiting
        self._names: dict[str, None] = {}  # in the order in which they came
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Send the queue until the time limit; log which notices were not sent."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        if self._thread is None:
            return
        self._thread.join(self._limit_seconds)
        with self._changed:
            left = list(self._names)
            self._names.clear()
        if self._thread.is_alive() or left:
            log.warning(
                "Notices were not sent in %g seconds; they are due again after the next run. Sources that waited: %s.",
                self._limit_seconds,
                ", ".join(left) or "none",
            )

    def put(self, source: str) -> None:
        """Add a source to the queue, unless it is there already. Never blocks."""
        with self._changed:
            if len(self._names) >= self._most_waiting and source not in self._names:
                log.warning("%s: too many notices wait; this one is due again after the next run.", source)
                return
            self._names.setdefault(source)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="notices", daemon=True)
                self._thread.start()
            self._changed.notify()

    def _work(self) -> None:
        while (source := self._next()) is not None:
            try:
                self._notify(source)
            except Exception as error:  # noqa: BLE001 - one notice never ends the others
                log.warning("%s: a notice could not be sent: %s", source, error)

    def _next(self) -> str | None:
        """Return the next name, when there is one; None at the end."""
        with self._changed:
            while not self._names and not self._is_over:
                self._changed.wait()
            if not self._names:
                return None
            first = next(iter(self._names))
            del self._names[first]
            return first
