"""Limits of the requests of one source that a list without faults does not need.

A budget of requests and seconds applies to lists that continue by fallback steps only (smaller windows, record by
record), never to a list that follows the protocol. A new record renews the budget. Answers with other useful content
are not counted. One run also reads a few answers of ListIdentifiers, to compare with its lists if there are no doubts.
Sets, formats and comparisons have 200 answers, 300 seconds and 50 MB.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from math import inf
from random import Random
from threading import Lock

from gateway.core.errors import AnswerTooLarge
from harvester.http.messages import Fetch, Fetched, Request

MOST_REQUESTS, MOST_SECONDS = 200, 600.0  # the defaults of the settings

# Of a run, for what it can do without, since the last new record.
OPTIONAL_REQUESTS, OPTIONAL_SECONDS, OPTIONAL_BYTES = 200, 300.0, 50_000_000

_DAMAGED = 2  # answers that arrived only uncompressed; a single one may be chance
_UNCOMPRESSED = ("Accept-Encoding", "identity")
MOST_ANSWERS = 4  # of one run
_MOST_PLACES = 4


class Budget:
    """The requests and seconds since the last new record. Safe for threads: all windows of a source share one."""

    def __init__(
        self,
        most_requests: int = MOST_REQUESTS,
        most_seconds: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        most_bytes: float = inf,
    ) -> None:
        self.most_requests, self.most_seconds, self.most_bytes = most_requests, most_seconds, most_bytes
        self.clock = clock
        self._requests, self._seconds, self._bytes = 0, 0.0, 0
        self._lock = Lock()

    def spend(self, requests: int, seconds: float, size: int = 0) -> None:
        """Count requests, seconds and bytes that brought nothing."""
        with self._lock:
            self._requests += requests
            self._seconds += seconds
            self._bytes += size

    def renew(self) -> None:
        """Reset both counts: a new record arrived."""
        with self._lock:
            self._requests, self._seconds, self._bytes = 0, 0.0, 0

    @property
    def is_spent(self) -> bool:
        """Return whether no further fallback step, or no further request of this kind, is allowed."""
        is_long = self._requests >= self.most_requests or self._seconds >= self.most_seconds
        return is_long or self._bytes >= self.most_bytes

    @property
    def sentence(self) -> str:
        """A sentence: what was tried, and what to do."""
        return (
            f"{self._requests} requests in {self._seconds:.0f} seconds brought no new record, so this run stops here. "
            "The next run continues; to allow more, raise fallback_most_requests and fallback_most_seconds."
        )


def optional_budget() -> Budget:
    """Return the budget of a run for what a harvest can do without: sets, formats, comparison."""
    return Budget(OPTIONAL_REQUESTS, OPTIONAL_SECONDS, most_bytes=OPTIONAL_BYTES)


class Optional:
    """A `Fetch` for what a harvest can do without. It raises AnswerTooLarge when the budget of the run is spent."""

    def __init__(self, fetch: Fetch, budget: Budget) -> None:
        self._fetch, self._budget = fetch, budget

    def __call__(self, request: Request) -> Fetched:
        """Return the answer to a request. Raise AnswerTooLarge, and the errors of `fetch`."""
        if self._budget.is_spent:
            raise AnswerTooLarge(
                f"A harvest can do without it, and takes at most {self._budget.most_requests} such answers, in "
                f"{self._budget.most_seconds:.0f} seconds, with {self._budget.most_bytes / 1e6:.0f} MB."
            )
        began, size = self._budget.clock(), 0
        try:
            fetched = self._fetch(request)
            size = len(fetched.body)
        finally:
            self._budget.spend(1, self._budget.clock() - began, size)
        return fetched


class Spender:
    """A `Fetch` for one list that counts requests and seconds until their result is known."""

    def __init__(self, fetch: Fetch, budget: Budget, *, is_plain: bool = False) -> None:
        self._fetch, self._budget, self.is_plain = fetch, budget, is_plain
        self._requests, self._seconds, self._damaged = 0, 0.0, 0
        self._notes: dict[str, bool] = {}  # note: whether it was returned

    def __call__(self, request: Request) -> Fetched:
        """Return the answer to a request. Repetitions and redirects count too. Raise the errors of `fetch`."""
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
        """Return notes about wrong encodings that were not returned before."""
        new = [note for note, is_old in self._notes.items() if not is_old]
        self._notes.update(dict.fromkeys(new, True))
        return new

    def gained(self) -> None:
        """Renew the budget: a new record arrived."""
        self._requests, self._seconds = 0, 0.0
        self._budget.renew()

    def spare(self) -> None:
        """Do not count the last requests: they brought a proof or identifiers, and no new record."""
        self._requests, self._seconds = 0, 0.0

    @property
    def is_spent(self) -> bool:
        """Return whether the budget is spent. The requests since the last call count, because they brought nothing."""
        self._budget.spend(self._requests, self._seconds)
        self._requests, self._seconds = 0, 0.0
        return self._budget.is_spent

    @property
    def sentence(self) -> str:
        """A sentence: what was tried, and what to do."""
        return self._budget.sentence


class Answers:
    """The answers that a run may still read: four in all, and at least one per list.

    A list leaves one for each later list. `lists_to_come` is the number of later lists. `chance` returns a random
    number below 1, so that each run compares other places of a list.
    """

    def __init__(self, chance: Callable[[], float] | None = None) -> None:
        self._read = 0
        self.lists_to_come = 0
        self.chance = chance or Random().random  # noqa: S311 - nothing secret

    @property
    def share(self) -> int:
        """How many answers may be read for the current list."""
        return max(1, MOST_ANSWERS - self._read - self.lists_to_come)

    def read(self, answers: int) -> None:
        """Count answers that were read."""
        self._read += answers


class Places:
    """The dates of some pages of a list, each page as likely as any other."""

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance, self._pages = chance, 0
        self.dates: list[str] = []

    def add(self, date: str) -> None:
        """Take the date of a page."""
        self._pages += 1
        if len(self.dates) < _MOST_PLACES:
            self.dates.append(date)
        elif self._chance() < _MOST_PLACES / self._pages:
            self.dates[int(self._chance() * _MOST_PLACES)] = date
