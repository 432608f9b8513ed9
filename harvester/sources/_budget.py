"""What one run may spend on one source while its fallback steps bring no new record, and what spends it.

A list that goes as the protocol has it is never judged by this, only one that goes on in another way: in smaller
windows, record by record. A new record renews the budget. Answers that brought something else are not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from harvester.wire.http import Fetch, Fetched, Request

MOST_REQUESTS, MOST_SECONDS = 200, 600.0  # the defaults of the settings

_DAMAGED = 2  # answers that came only uncompressed; one may have broken off by chance
_UNCOMPRESSED = ("Accept-Encoding", "identity")


class Budget:
    """The requests and seconds since the last new record. Safe for threads: the windows of a source share one."""

    def __init__(
        self,
        most_requests: int = MOST_REQUESTS,
        most_seconds: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the limits, and a clock that only goes forward."""
        self.most_requests, self.most_seconds, self.clock = most_requests, most_seconds, clock
        self._requests, self._seconds = 0, 0.0
        self._lock = Lock()

    def spend(self, requests: int, seconds: float) -> None:
        """Note what was asked in vain."""
        with self._lock:
            self._requests += requests
            self._seconds += seconds

    def renew(self) -> None:
        """Begin anew: a new record came."""
        with self._lock:
            self._requests, self._seconds = 0, 0.0

    @property
    def is_spent(self) -> bool:
        """Tell whether no fallback step may be taken any more."""
        return self._requests >= self.most_requests or self._seconds >= self.most_seconds

    @property
    def sentence(self) -> str:
        """What was tried, and what to do."""
        return (
            f"{self._requests} requests in {self._seconds:.0f} seconds brought no new record, so this run asks no "
            "further; the next one goes on from here, with more if fallback_most_requests and fallback_most_seconds "
            "are raised."
        )


class Spender:
    """Fetches for one list, and counts what that costs until it is known what came of it."""

    def __init__(self, fetch: Fetch, budget: Budget, *, is_plain: bool = False) -> None:
        """Take what fetches, the budget of the run, and whether no compressed answers are asked for."""
        self._fetch, self._budget, self.is_plain = fetch, budget, is_plain
        self._requests, self._seconds, self._damaged = 0, 0.0, 0
        self._notes: dict[str, bool] = {}  # whether each was handed out

    def __call__(self, request: Request) -> Fetched:
        """Fetch. Every single request is counted, repetitions and those to where a redirect leads among them."""
        before, began = self._requests, self._budget.clock()

        def permits(url: str) -> None:
            request.permits(url)
            self._requests += 1

        headers = (*request.headers, *((_UNCOMPRESSED,) if self.is_plain else ()))
        try:
            return self._noted(self._fetch(replace(request, permits=permits, headers=headers)))
        finally:
            self._requests = max(self._requests, before + 1)
            self._seconds += self._budget.clock() - began

    def _noted(self, fetched: Fetched) -> Fetched:
        if fetched.note:
            self._notes.setdefault(fetched.note, False)
        self._damaged += fetched.was_damaged
        self.is_plain = self.is_plain or self._damaged >= _DAMAGED
        return fetched

    def new_notes(self) -> list[str]:
        """Return what was seen of the encodings of answers and was not returned before."""
        new = [note for note, is_old in self._notes.items() if not is_old]
        self._notes.update(dict.fromkeys(new, True))
        return new

    def gained(self) -> None:
        """Note that a new record came."""
        self._requests, self._seconds = 0, 0.0
        self._budget.renew()

    def spare(self) -> None:
        """Note that something came of the last requests which is no new record: a proof, or names of records."""
        self._requests, self._seconds = 0, 0.0

    @property
    def is_spent(self) -> bool:
        """Tell whether the budget is spent; nothing came of the requests since the last note."""
        self._budget.spend(self._requests, self._seconds)
        self._requests, self._seconds = 0, 0.0
        return self._budget.is_spent

    @property
    def sentence(self) -> str:
        """What was tried, and what to do."""
        return self._budget.sentence
