"""The recheck of many files: threads recheck the due files, host by host, and the results are stored.

Rechecks of unchanged files are stored a hundred at a time; after a kill, these few are repeated. A changed file is
stored with its decisions at once. The caller publishes what was decided.
"""

from __future__ import annotations

import heapq
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from math import inf
from typing import NamedTuple

from gateway.core import xmlio
from gateway.core.addresses import address
from gateway.core.errors import GatewayError
from gateway.core.model import Candidate, Ending, FileLink, FileOrigin, FileRecheck, Key, Outcome, Selection
from gateway.core.model.published import SHARES
from gateway.core.names import SOURCES, source_of, upstream_identifier
from gateway.core.settings import Settings
from gateway.core.takedown_file import TakedownFile
from gateway.core.xmltext import utc_datetime
from gateway.formats import oai_didl
from gateway.fulltext.decisions import thresholds_of
from gateway.fulltext.search_result import NAMED, RECHECK
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of
from gateway.store.base import Discovery, Store
from gateway.takedowns.withdrawing import note_address, reopen_for
from harvester.fulltext.recheck.one_file import Before, Case, Effect, Grace, Rechecked, Rechecker, concluded, last_on
from harvester.fulltext.run import asked_for, keep_first_page, step_settings
from harvester.fulltext.steps import known_of
from harvester.fulltext.substance import DAY_SECONDS
from harvester.fulltext.takedown_filter import TakedownFilter, forget
from harvester.fulltext.works import PREFIX, found_of, work_of
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import host_of
from harvester.runtime.interrupts import Stop, StopAsked, TimeIsOver
from harvester.runtime.worker_pool import Job, WorkerPool, without_resource

log = logging.getLogger("harvester")

_AT_ONCE = 100  # rechecks in one transaction
_LONGEST_SECONDS = 1.0  # until rechecks are stored
_POLL_SECONDS = 0.2
_FAULT_SECONDS = 86_400  # until the program may have been repaired
_OF_THE_WHOLE = (GatewayError, OSError, MemoryError)  # errors that would also stop the next file

_BATCH = 200
_LISTS = ("published", "found and published")  # with the files that records name, and without


def list_published(store: Store, discovery: Discovery, source: str, every: int, at: int, *, wants_named: bool) -> None:
    """Store which files of a source are published, and their period in seconds. `at` is now.

    Files whose bytes are not known, and without `wants_named` those that a record names, are left out. Raise NotXml
    when a stored record cannot be read.
    """
    list_, other = (f"{source} {kind}" for kind in _LISTS[:: 1 if wants_named else -1])
    with store.view() as view:
        horizon = view.horizon
    for rechecks in published(store, source, discovery.position(list_), wants_named=wants_named):
        discovery.rechecks.publish(rechecks)
    discovery.rechecks.schedule(source, every, at)
    discovery.enlist(source, (), horizon, at, list_)
    discovery.rechecks.list_anew(other)  # if the setting changes, all files are listed


def published(
    store: Store, source: str, since: int = 0, *, wants_named: bool
) -> Iterator[dict[str, tuple[FileRecheck, ...]]]:
    """Yield batches of items with a datestamp since a second, inclusive: their published files, not yet looked at."""
    selection = Selection(PREFIX, f"{SOURCES}:{source}", from_=since)
    after: Key | None = Key(since, 0) if since else None
    is_first = True
    while is_first or after is not None:
        with store.view() as view:
            page = view.page(selection, after, _BATCH)
        read = map(_files_of, page.records)
        yield {name: tuple(_rechecks(name, source, files, wants_named=wants_named)) for name, files in read}
        after, is_first = page.next, False


def _files_of(record: bytes) -> tuple[str, tuple[FileLink, ...]]:
    """Return the identifier of a stored record, and its files; none if it is deleted."""
    root = xmlio.parse(record)
    metadata = root.find("metadata")
    files = oai_didl.files_of_ours(metadata[0]) if metadata is not None and len(metadata) else ()
    return root.findtext("header/identifier") or "", files


def _rechecks(identifier: str, source: str, files: Iterable[FileLink], *, wants_named: bool) -> Iterator[FileRecheck]:
    for file in files:
        is_named = file.origin is FileOrigin.UPSTREAM
        host = host_of(file.url)
        if file.sha256 and host and (wants_named or not is_named):
            names = blake2b(f"{identifier} {file.url}".encode("utf-8", "surrogatepass"), digest_size=4).digest()
            share = int.from_bytes(names) % SHARES  # its place in the period depends only on its names
            yield FileRecheck(identifier, file.url, source, host, file.sha256.lower(), is_named, share)


class Order(NamedTuple):
    """What is looked at: due files of these sources, or of one item, due or not.

    every   the period of each source in seconds; 0: it has none, so all its files are due
    is_all  all files are due
    is_dry  nothing is stored, but which hosts refuse us
    """

    every: Mapping[str, int]
    identifier: str = ""
    limit: int | None = None
    is_all: bool = False
    is_dry: bool = False


class Result(NamedTuple):
    """The result of one recheck. `verdict` is that in force on a found file that was decided on; else empty.

    `is_overtaken`: somebody decided on the file meanwhile, so nothing was stored, and it is due again. `is_flagged`:
    the record names the file, and from now on its DIDL says that it is not there.
    """

    file: FileRecheck
    effect: Effect
    verdict: str = ""
    is_overtaken: bool = False
    is_flagged: bool = False


class _Seen(NamedTuple):
    """A recheck, and what was known of the file before, if it has changed."""

    rechecked: Rechecked
    before: Before | None


class _Stream:
    """Files in the order in which they come, to recheck each without a database of due files."""

    def __init__(self, files: Iterable[FileRecheck]) -> None:
        self._files, self._is_over = iter(files), False

    def next_ready(self) -> FileRecheck | None:
        """Return the next file, or None after the last."""
        file = next(self._files, None)
        self._is_over = file is None
        return file

    def release(self, host: str, seconds: float) -> None:
        """Do nothing: the threads wait."""

    def wait(self) -> float | None:
        """Return 0 until the last file was returned."""
        return None if self._is_over else 0.0


class Recheck:
    """The rechecks of the published files of an instance.

    `fetch` is polite and has no cache; `wait` returns the seconds until a host may get a request.
    """

    def __init__(
        self,
        store: Store,
        discovery: Discovery,
        fetch: Fetch,
        settings: Settings,
        *,
        wait: Callable[[str], float] = lambda _host: 0.0,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._store, self._discovery, self._wait = store, discovery, wait
        self._clock, self._monotonic, self._sleep = clock, monotonic, sleep
        self._fetch: Fetch = TakedownFilter(fetch, store.takedowns, self._note)
        self._known, self._thresholds = step_settings(settings), thresholds_of(settings)
        self._wants_named = settings.is_on("discover_named_files")
        self._threads = settings.number("discover_threads")
        self._copies = Copies(settings.instance)
        self._takedowns = TakedownFile(settings.instance)
        self._stamping = set(discovery.rechecks.stamping_hosts())
        self._before: dict[tuple[str, str], Before | None] = {}
        self._pending: list[FileRecheck] = []
        self._stored_at = self._monotonic()
        self._settings = settings
        self._is_dry = False
        self._rechecker = self._made(is_dry=False)

    def _note(self, identifier: str, url: str, digest: str) -> None:
        """Note that bytes which are taken down are at an address, unless nothing is to be stored."""
        if not self._is_dry:
            item = source_of(identifier), upstream_identifier(identifier)
            note_address(self._store, self._takedowns, item, url, digest)

    def _made(self, *, is_dry: bool) -> Rechecker:
        """Return what rechecks files; with `is_dry` it stores no copies and no texts."""
        keeps = self._settings.is_on("files_keep") and not is_dry
        return Rechecker(
            grace=Grace(self._settings.number("recheck_grace_looks"), self._settings.number("recheck_grace_seconds")),
            whole_every=self._settings.number("recheck_whole_every"),
            before=self._known_before,
            copies=self._copies,
            is_stamping=self._stamping.__contains__,
            keep=self._copies.keep if keeps else forget,
            keep_text=forget if is_dry else partial(keep_first_page, self._store, self._discovery),
            seconds=self._settings.seconds("discover_text_seconds"),
        )

    def run(self, order: Order, *, is_asked_to_stop: Callable[[], bool] = lambda: False) -> Generator[Result]:
        """Recheck all files of an order, store the results, and yield them. Raise StoreError."""
        self._store.takedowns()  # raises an error when the list of takedowns is unreadable
        self._is_dry = order.is_dry
        self._rechecker = self._made(is_dry=order.is_dry)
        if order.is_dry:
            yield from self._run(_Stream(self._to_try(order)), order, is_asked_to_stop)
            return
        now = int(self._clock())
        self._copies.tidy()
        for source, every in order.every.items():
            list_published(self._store, self._discovery, source, every, now, wants_named=self._wants_named)
            if (order.is_all or not every) and not order.identifier:
                self._discovery.rechecks.ask(source, now)
        feeder = (
            _Stream(self._discovery.rechecks.of_item(order.identifier))
            if order.identifier
            else self._queues(order, now)
        )
        yield from self._run(feeder, order, is_asked_to_stop)

    def _queues(self, order: Order, now: int) -> HostQueues:
        """Return the due files of all sources, host by host."""
        sources: dict[str, list[str]] = {}
        for source in order.every:
            for host in self._discovery.rechecks.hosts(source, now):
                sources.setdefault(host, []).append(source)

        def more(host: str, last: FileRecheck | None, limit: int) -> Iterable[FileRecheck]:
            while of_host := sources.get(host):
                is_begun = last is not None and last.source == of_host[0]
                after = (last.due, last.identifier, last.url) if last is not None and is_begun else (-1, "", "")
                if files := self._discovery.rechecks.due(of_host[0], host, now, after, limit):
                    return files
                del of_host[0]
            return ()

        return HostQueues(sources, more, self._monotonic)

    def _to_try(self, order: Order) -> Iterable[FileRecheck]:
        """Yield the files that `run` would recheck."""
        now = int(self._clock())
        for source, every in order.every.items():
            for batch in published(self._store, source, wants_named=self._wants_named):
                for identifier, files in batch.items():
                    if order.identifier in ("", identifier):
                        known = {recheck.url: recheck for recheck in self._discovery.rechecks.of_item(identifier)}
                        rechecks = (known.get(file.url, file) for file in files)
                        is_asked = order.is_all or not every or bool(order.identifier)
                        yield from (recheck for recheck in rechecks if is_asked or recheck.due <= now)

    def _run(
        self, feeder: HostQueues | _Stream, order: Order, is_asked_to_stop: Callable[[], bool]
    ) -> Generator[Result]:
        left = inf if order.limit is None else order.limit
        stop = Stop()  # the first error stops the pool
        with WorkerPool[None, _Seen](self._threads, stop, per_key=1) as pool:
            try:
                while True:
                    is_open = left > 0 and not (stop.is_asked or is_asked_to_stop())
                    file = feeder.next_ready() if is_open and len(pool) < self._threads else None
                    if file is not None:
                        left -= 1
                        pool.add(Job(f"{file.identifier} {file.url}", file.host, without_resource(self._seen, file)))
                        continue
                    wait = feeder.wait() if is_open else None
                    if pool.is_idle:
                        if wait is None:
                            break
                        self._sleep(min(wait, _POLL_SECONDS))
                        continue
                    is_full = len(pool) >= self._threads or wait is None
                    for _, seen in pool.turn(_POLL_SECONDS if is_full else min(wait or 0.0, _POLL_SECONDS)):
                        host = seen.rechecked.file.host
                        feeder.release(host, self._wait(host))
                        yield self._stored(seen, is_dry=order.is_dry)
            finally:
                self._store_pending()
            pool.raise_error()

    # -- in the threads ------------------------------------------------------------------------------------------

    def _seen(self, file: FileRecheck) -> _Seen:
        """Recheck a file; an unexpected exception is the outcome FAULT of this file only."""
        at = int(self._clock())
        stopped: list[GatewayError] = []

        def fetch(request: Request) -> Fetched:
            try:
                return asked_for(file.identifier, self._fetch, request, is_anew=True)
            except (StopAsked, TimeIsOver) as error:
                stopped.append(error)
                raise

        try:
            rechecked = self._rechecker.recheck(file, fetch, at)
        except _OF_THE_WHOLE:
            raise
        except Exception:
            log.exception("A fault of this program at %s of %s. It is tried again in a day.", file.url, file.identifier)
            due = min(file.next_after(at), at + _FAULT_SECONDS)
            rechecked = Rechecked(file._replace(outcome=Outcome.FAULT, due=due, looked_at=at), Effect.FAULT)
        if stopped:  # the file was not looked at
            raise stopped[0]
        return _Seen(rechecked, self._before.pop((file.identifier, file.url), None))

    def _known_before(self, file: FileRecheck) -> Before | None:
        """Return what is known of a file, or None if it is not to be published any more."""
        upstream = upstream_identifier(file.identifier)
        work = work_of(self._store, file.identifier, upstream, found_of(self._store, file.source, upstream))
        last = last_on(self._discovery.decisions(file.identifier), file.url)
        if work is None or (last is not None and last.verdict != "accept" and not file.is_named):
            return None
        candidates = candidates_of(self._discovery.search(file.identifier))
        unknown = Candidate(last.url if last else file.url, RECHECK)
        candidate = next(
            (
                candidate
                for candidate in candidates
                if address(candidate.url) == file.url and (candidate.found_by == NAMED) is file.is_named
            ),
            unknown,
        )
        link = next((link for link in work.all_files if address(link.url) == file.url), FileLink(file.url))
        # The address that was looked at, so that the bytes that were seen are judged, and no others are fetched.
        candidate, link = candidate._replace(sha256=file.sha256, url=file.url), link._replace(url=file.url)
        before = Before(known_of(work, self._known), candidate, link, last)
        self._before[file.identifier, file.url] = before
        return before

    # -- results -------------------------------------------------------------------------------------------------

    def _stored(self, seen: _Seen, *, is_dry: bool) -> Result:
        rechecked = seen.rechecked
        if rechecked.is_stamped and rechecked.file.host not in self._stamping:
            self._stamping.add(rechecked.file.host)
            if not is_dry:
                self._discovery.rechecks.note_stamping(rechecked.file.host, rechecked.file.looked_at)
        is_news = rechecked.effect in (Effect.CHANGED, Effect.LOST) or (
            rechecked.effect is Effect.RETURNED and rechecked.file.is_named
        )
        if is_dry:
            return Result(rechecked.file, rechecked.effect)
        if is_news:
            return self._concluded(rechecked, seen.before)
        self._pending.append(rechecked.file)
        if len(self._pending) >= _AT_ONCE or self._monotonic() - self._stored_at > _LONGEST_SECONDS:
            self._store_pending()
        return Result(rechecked.file, rechecked.effect)

    def _store_pending(self) -> None:
        if self._pending:
            rechecks, self._pending = self._pending, []
            self._discovery.rechecks.write(rechecks, map(_ending, rechecks))
        self._stored_at = self._monotonic()

    def _concluded(self, rechecked: Rechecked, before: Before | None) -> Result:
        """Store the recheck of a changed file, with the decisions on it."""
        file, candidate = rechecked.file, rechecked.candidate
        last = before.last if before else last_on(self._discovery.decisions(file.identifier), file.url)
        url = last.url if last else before.candidate.url if before else file.url
        is_other = candidate is not None and bool(candidate.sha256)
        is_other = is_other and not (file.is_named and file.outcome != Outcome.SUCCESS)
        case = Case(rechecked, before, url)
        is_written = self._discovery.rechecks.conclude(
            file,
            last.number if last else 0,
            url,
            partial(concluded, case, self._thresholds, file.looked_at),
            candidate.sha256 if candidate is not None and is_other else "",
        )
        search = self._discovery.search(file.identifier)
        if is_written:
            self._discovery.rechecks.write((), (_ending(file),))
            reopen_for(self._store, self._takedowns, search)
        elif search is None:  # a lost database: the search begins anew
            item = (file.identifier, upstream_identifier(file.identifier))
            self._discovery.enlist(file.source, (item,), 0, file.looked_at)
            self._discovery.rechecks.write((file,), (_ending(file),))
        now = last_on(self._discovery.decisions(file.identifier), file.url)
        was_there = before is not None and before.candidate.outcome is Outcome.SUCCESS
        is_flagged = file.is_named and was_there and file.outcome != Outcome.SUCCESS
        return Result(file, rechecked.effect, now.verdict if now else "", not is_written, is_flagged)


def _ending(file: FileRecheck) -> Ending:
    at = file.looked_at
    return Ending(file.source, RECHECK, file.host, str(file.outcome), utc_datetime(at)[:7], "copy", at // DAY_SECONDS)


# --- The due files ----------------------------------------------------------------------------------------------------

_MOST_WAITING = 4000  # files in memory, of all hosts
_LONGEST_QUEUE = 20  # files of one host that are read at once


class HostQueues:
    """The due files of some hosts, each read from the database when its turn comes. For one thread."""

    def __init__(
        self,
        hosts: Iterable[str],
        more: Callable[[str, FileRecheck | None, int], Iterable[FileRecheck]],
        monotonic: Callable[[], float],
    ) -> None:
        """Take the hosts, `more(host, after, limit)`, which returns its next due files, and a clock."""
        self._free = [(0.0, host) for host in dict.fromkeys(hosts)]
        self._more, self._monotonic = more, monotonic
        self._at_once = min(max(_MOST_WAITING // max(len(self._free), 1), 1), _LONGEST_QUEUE)
        self._queues: dict[str, deque[FileRecheck]] = {}
        self._last: dict[str, FileRecheck] = {}
        heapq.heapify(self._free)

    def next_ready(self) -> FileRecheck | None:
        """Return a file whose host may get a request now, or None. The host gets no other request until `release`."""
        while self._free and self._free[0][0] <= self._monotonic():
            _, host = heapq.heappop(self._free)
            queue = self._queues.setdefault(host, deque())
            if not queue:
                queue.extend(self._more(host, self._last.get(host), self._at_once))
            if queue:
                file = self._last[host] = queue.popleft()
                return file
            del self._queues[host]
            self._last.pop(host, None)
        return None

    def release(self, host: str, seconds: float) -> None:
        """Note that a host may get its next request after so many seconds."""
        heapq.heappush(self._free, (self._monotonic() + seconds, host))

    def wait(self) -> float | None:
        """Return the seconds until the next host may get a request; None: each waits for an answer or is done."""
        return max(self._free[0][0] - self._monotonic(), 0.0) if self._free else None
