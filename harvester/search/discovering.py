"""Many works are searched for: whatever is due is taken, searched and written down, by several threads at once.

Each search is committed with its lease; one that is killed is taken again when its lease has run out, and what it had
asked is not asked again, since answers are kept.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from itertools import chain
from threading import Lock
from typing import NamedTuple

from gateway.errors import GatewayError
from gateway.model import Candidate, Decision, Lease, Outcome, SearchState
from gateway.settings import Settings
from gateway.store.base import Store
from gateway.store.sqlite_discovery import SqliteDiscovery
from gateway.xmltext import utc_datetime
from harvester.discovery import Step
from harvester.search.changed import basis_of, changed, renew_changed
from harvester.search.checking import Keep
from harvester.search.copies import Copies
from harvester.search.deciding import RULE, decided, thresholds_of
from harvester.search.embargoes import due_at
from harvester.search.identity import Identity, identity_of
from harvester.search.matches import compared
from harvester.search.obedient import Obedient
from harvester.search.searching import RECHECK, Searched, search
from harvester.search.stories import (
    candidates_of,
    endings,
    identity_of_story,
    kept,
    matches_of,
    open_from_of,
    retracted_of,
)
from harvester.search.works import found_of, listed, work_of
from harvester.wire.http import Fetch, Fetched, Request

log = logging.getLogger("harvester")

LEASE_SECONDS = 1800
_FIRST_WAIT, _LONGEST_WAIT = 3600, 604_800
_MOST_TRIES = 6  # then what was in the way is the answer
_FAULT_WAIT = 86_400  # until somebody may have mended the program
_ANEW = (("Cache-Control", "no-cache"),)  # RFC 9111 §5.2.1.4
_OF_THE_WHOLE = (GatewayError, OSError, MemoryError)  # what would be in the way of the next item too


class Result(NamedTuple):
    """One search that has ended. `is_lost`: another process had taken the item meanwhile, and nothing was written."""

    identifier: str
    source: str
    searched: Searched
    is_lost: bool = False


def _forget(_body: bytes) -> None:
    """Keep nothing."""


def asked_for(identifier: str, fetch: Fetch, request: Request, *, is_anew: bool = False) -> Fetched:
    """Ask for one work: what a host gave to remember for another one is not told.

    `is_anew`: what was answered before does not count, here or on the way.
    """
    return fetch(replace(request, source=identifier, headers=request.headers + _ANEW * is_anew))


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
        self.store, self.desk, self.steps, self.clock = store, desk, steps, clock
        self.fetch: Fetch = Obedient(fetch, store.takedowns)
        self.known: Mapping[str, str] = step_settings(settings)
        self.most_files = settings.number("discover_max_files")
        self.threads = settings.number("discover_threads")
        self.copies = Copies(settings.instance)
        self.keep: Keep = self.copies.keep if settings.is_on("files_keep") else _forget
        self.wants_named = settings.is_on("discover_named_files")
        self.thresholds = thresholds_of(settings)
        self._lock = Lock()

    def enlist(self, sources: Collection[str]) -> int:
        """Put up what has come since the last time and lacks a file, and what names its files; return how many.

        What was searched for and is not the same any more is put up again.
        """
        count = 0
        for source in sources:
            for list_, item, found in self._come(source):
                self.desk.enlist(source, found, item, int(self.clock()), list_)
                count += len(found)
            count += renew_changed(self.store, self.desk, source, int(self.clock()), wants_named=self.wants_named)
        return count

    def _come(self, source: str) -> Iterator[tuple[str, int, tuple[tuple[str, str], ...]]]:
        """Return what has come since the last time, with what it is remembered by and how far that reaches."""
        for with_files in (False, True)[: 1 + self.wants_named]:
            list_ = f"{source} named" if with_files else source
            for item, found in listed(self.store, source, self.desk.position(list_), with_files=with_files):
                yield list_, item, found

    def run(
        self,
        sources: Collection[str] = (),
        identifier: str = "",
        limit: int | None = None,
        *,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> Generator[Result]:
        """Search for what is due, or for one item, and write it down. Results come as they end."""

        def take() -> Lease | None:
            return self.desk.lease(int(self.clock()), LEASE_SECONDS, sources, identifier)

        self.copies.tidy()
        yield from self._run(take, self._ended, 1 if identifier else limit, is_asked_to_stop)

    def try_out(
        self,
        sources: Collection[str] = (),
        identifier: str = "",
        limit: int | None = None,
        *,
        before: int = 0,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> Generator[Result]:
        """Search as `enlist` and `run` would, with what was searched before a second too.

        Nothing is put up or taken, and nothing but answers kept.
        """
        leases = self._to_try(sources, identifier, before)

        def tried(lease: Lease) -> Result:
            return Result(lease.identifier, lease.source, self._searched(lease, _forget))

        yield from self._run(lambda: next(leases, None), tried, 1 if identifier else limit, is_asked_to_stop)

    def _to_try(self, sources: Collection[str], identifier: str, before: int) -> Iterator[Lease]:
        """Return what a search would take, each once: what is due, what has come, and what has changed."""
        seen: set[str] = set()
        for lease in chain(self._due(sources, identifier, before), *map(self._to_put_up, sources)):
            if identifier in ("", lease.identifier) and lease.identifier not in seen:
                seen.add(lease.identifier)
                yield lease

    def _due(self, sources: Collection[str], identifier: str, before: int) -> Iterator[Lease]:
        after = ""
        while (lease := self.desk.due(after, int(self.clock()), sources, identifier, before)).identifier:
            after = lease.identifier
            yield lease

    def _to_put_up(self, source: str) -> Iterator[Lease]:
        for _, _, found in self._come(source):
            for identifier, upstream in found:
                if self.desk.search(identifier) is None:
                    yield Lease(identifier, source, upstream, 0, 0)
        yield from changed(self.store, self.desk, source, wants_named=self.wants_named)

    def _run(
        self,
        take: Callable[[], Lease | None],
        end: Callable[[Lease], Result],
        limit: int | None,
        is_asked_to_stop: Callable[[], bool],
    ) -> Generator[Result]:
        left = [-1 if limit is None else limit]
        self.store.takedowns()  # nothing is asked when nobody knows what must not be

        def work() -> list[Result]:
            with self._lock:
                if not left[0] or is_asked_to_stop():
                    return []
                left[0] -= 1
                lease = take()
                left[0] = left[0] if lease else 0
            return [end(lease)] if lease else []

        threads = min(self.threads, limit or self.threads)
        with ThreadPoolExecutor(threads) as pool:
            yield from _as_they_end(pool, work, threads)

    def _searched(self, lease: Lease, keep: Keep) -> Searched:
        """Search for one item; a fault of this program ends that alone."""
        try:
            return self._search(lease, keep)
        except _OF_THE_WHOLE:
            raise
        except Exception:
            log.exception("%s: a fault of this program; the item is searched for again in a day.", lease.identifier)
            return Searched(Outcome.FAULT, is_over=False)

    def _search(self, lease: Lease, keep: Keep) -> Searched:
        found = found_of(self.store, lease.source, lease.upstream)
        work = work_of(self.store, lease.identifier, lease.upstream, found)
        state = self.desk.search(lease.identifier)
        if work is None:
            return Searched(Outcome.GONE, identity=identity_of_story(state) or Identity())
        is_open_now = "" < open_from_of(state) <= utc_datetime(int(self.clock()))[:10]
        fetch = partial(asked_for, lease.identifier, self.fetch, is_anew=is_open_now)
        identity, before = identity_of(work), identity_of_story(state)
        refused = [each.doi for each in self.desk.refusals(lease.identifier)]
        searched = search(
            work,
            self.steps,
            fetch,
            self.known,
            at=int(self.clock()),
            most_files=self.most_files,
            wants_named=self.wants_named,
            accepted=(accepted := self._accepted(lease.identifier, state)),
            unproven=self._unproven(lease.identifier, accepted),
            is_another=before is not None and before.is_another(identity),
            refused=refused,
            keep=keep,
        )._replace(basis=basis_of(work), identity=identity, before=before)
        if searched.silent and not searched.retracted and not searched.is_another:
            searched = searched._replace(retracted=retracted_of(state))  # nobody has taken it back
        return compared(searched, tuple(each for each in matches_of(state) if each.doi not in refused))

    def _accepted(self, identifier: str, state: SearchState | None) -> tuple[Candidate, ...]:
        """Return the copies of an item that are accepted, with the bytes of which that was said.

        Of one that the last search did not look at, only its address and its bytes are known.
        """
        seen = {each.url: each for each in candidates_of(state)}
        last = {each.url: each for each in self.desk.decisions(identifier)}
        return tuple(
            seen.get(url, Candidate(url, RECHECK))._replace(sha256=each.sha256)
            for url, each in last.items()
            if each.verdict == "accept"
        )

    def _unproven(self, identifier: str, accepted: Collection[Candidate]) -> tuple[str, ...]:
        """Return the addresses of accepted copies that show nothing of the work, and that no person has accepted.

        Releases before 0.5.0 accepted such files.
        """
        last = {decision.url: decision for decision in self.desk.decisions(identifier)}
        return tuple(
            candidate.url
            for candidate in accepted
            if not candidate.identified_by and last[candidate.url].decided_by == RULE
        )

    def _ended(self, lease: Lease) -> Result:
        try:
            searched = self._searched(lease, self.keep)
        except BaseException:
            self.desk.release(lease, int(self.clock()))
            raise
        if searched.outcome is Outcome.FAULT:  # what is known of the item stays as it is
            self.desk.release(lease, int(self.clock()) + _FAULT_WAIT)
            return Result(lease.identifier, lease.source, searched)
        at = int(self.clock())
        ends = tuple(endings(lease.source, searched, at))
        if searched.is_over or lease.tries >= _MOST_TRIES:

            def decide(earlier: Sequence[Decision]) -> Sequence[Decision]:
                return decided(lease.identifier, searched, self.thresholds, at, earlier)

            due = due_at(searched.open_from, at)
            is_written = self.desk.done(lease, searched.outcome, kept(searched), at, decide, ends, searched.basis, due)
        else:
            wait = min(_FIRST_WAIT * 2 ** (lease.tries - 1), _LONGEST_WAIT)
            matches = (*searched.matches, *searched.lost)  # nothing was decided on: the next search compares them
            story = kept(searched._replace(identity=searched.before or searched.identity, matches=matches))
            until = at + wait
            is_written = self.desk.waiting(lease, until, searched.outcome, story, at, ends, searched.basis)
        return Result(lease.identifier, lease.source, searched, is_lost=not is_written)


def _as_they_end(pool: ThreadPoolExecutor, work: Callable[[], list[Result]], threads: int) -> Generator[Result]:
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
