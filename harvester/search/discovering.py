"""Many works are searched for: whatever is due is taken, searched and written down, by several threads at once.

Each search is committed with its lease; one that is killed is taken again when its lease has run out, and what it had
asked is not asked again, since answers are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Lock
from typing import NamedTuple

from gateway.model import Lease, Outcome
from gateway.settings import Settings
from gateway.store.base import Store
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.discovery import Step
from harvester.search.deciding import decided, thresholds_of
from harvester.search.searching import Searched, search
from harvester.search.stories import kept
from harvester.search.works import lacking, work_of
from harvester.wire.http import Fetch

LEASE_SECONDS = 1800
_FIRST_WAIT, _LONGEST_WAIT = 3600, 604_800
_MOST_TRIES = 6  # then what was in the way is the answer


class Result(NamedTuple):
    """One search that has ended. `is_lost`: another process had taken the item meanwhile, and nothing was written."""

    identifier: str
    source: str
    searched: Searched
    is_lost: bool = False


def step_settings(settings: Settings) -> dict[str, str]:
    """Return what steps may know: the settings of discovery by their names without `discover_`, and who asks."""
    told = {name.removeprefix("discover_"): str(settings[name]) for name in settings if name.startswith("discover_")}
    admin = settings.text("admin_email")
    told["email"] = told["email"] or (admin if not admin.endswith(("example.org", "example.com")) else "")
    return told


class Discovering:
    """The search for the works of an instance. `fetch` asks politely and remembers; the clock tells seconds."""

    def __init__(
        self,
        store: Store,
        desk: SqliteDiscovery,
        fetch: Fetch,
        settings: Settings,
        steps: Collection[Step],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take everything that a search needs."""
        self.store, self.desk, self.fetch, self.steps, self.clock = store, desk, fetch, steps, clock
        self.known: Mapping[str, str] = step_settings(settings)
        self.most_files = settings.number("discover_max_files")
        self.threads = settings.number("discover_threads")
        self.thresholds = thresholds_of(settings)
        self._lock = Lock()

    def enlist(self, sources: Collection[str]) -> int:
        """Put up what has come since the last time and lacks a file; return how many items that is."""
        count = 0
        for source in sources:
            for item, found in lacking(self.store, source, self.desk.position(source)):
                self.desk.enlist(source, found, item, int(self.clock()))
                count += len(found)
        return count

    def run(
        self,
        sources: Collection[str] = (),
        identifier: str = "",
        limit: int | None = None,
        *,
        is_dry: bool = False,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> Iterator[Result]:
        """Search for what is due, or for one item; a dry run writes nothing but answers. Results come as they end."""
        left = [1 if identifier else limit if limit is not None else -1]
        held: list[Lease] = []

        def take() -> Lease | None:
            with self._lock:
                if not left[0] or is_asked_to_stop():
                    return None
                left[0] -= 1
            return self.desk.lease(int(self.clock()), LEASE_SECONDS, sources, identifier)

        def work() -> list[Result]:
            lease = take()
            if lease is None:
                return []
            if is_dry:
                held.append(lease)
                return [Result(lease.identifier, lease.source, self._search(lease))]
            return [self._ended(lease)]

        with ThreadPoolExecutor(self.threads) as pool:
            yield from _as_they_end(pool, work, 1 if identifier else self.threads)
        for lease in held:
            self.desk.release(lease, int(self.clock()))

    def _search(self, lease: Lease) -> Searched:
        work = work_of(self.store, lease.identifier, lease.upstream)
        if work is None:
            return Searched(Outcome.GONE)
        at = int(self.clock())
        return search(work, self.steps, self.fetch, self.known, at=at, most_files=self.most_files)

    def _ended(self, lease: Lease) -> Result:
        try:
            searched = self._search(lease)
        except BaseException:
            self.desk.release(lease, int(self.clock()))
            raise
        at = int(self.clock())
        if searched.is_over or lease.tries >= _MOST_TRIES:
            decisions = decided(lease.identifier, searched, self.thresholds, at)
            is_written = self.desk.done(lease, searched.outcome, kept(searched), at, decisions)
        else:
            wait = min(_FIRST_WAIT * 2 ** (lease.tries - 1), _LONGEST_WAIT)
            is_written = self.desk.waiting(lease, at + wait, searched.outcome, kept(searched), at)
        return Result(lease.identifier, lease.source, searched, is_lost=not is_written)


def _as_they_end(pool: ThreadPoolExecutor, work: Callable[[], list[Result]], threads: int) -> Iterator[Result]:
    """Call `work` in so many threads at a time until it has nothing more; return the results as they come."""
    running = {pool.submit(work) for _ in range(threads)}
    while running:
        for future in as_completed(running):
            running.discard(future)
            found = future.result()
            if found:
                running.add(pool.submit(work))
                yield from found
            break
