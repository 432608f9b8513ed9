"""The search for many works: several threads lease the due works, search for them, and store the results.

Each search is committed with its lease. After a kill, the item is due again when its lease has run out; its answers are
in the cache and are not requested again. Of files that an
earlier release has kept, the texts are read, a few at each turn.
"""

import logging
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from math import inf
from typing import NamedTuple

from gateway.core.addresses import address
from gateway.core.errors import GatewayError
from gateway.core.model import Candidate, Decision, Lease, Outcome, SearchState, Work
from gateway.core.names import source_of, upstream_identifier
from gateway.core.settings import Settings
from gateway.core.takedown_file import TakedownFile
from gateway.core.xmltext import utc_datetime
from gateway.fulltext.decisions import RULE, decided, thresholds_of
from gateway.fulltext.found_copies import copies_of_result, described
from gateway.fulltext.search_result import RECHECK, Identity, SearchResult
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import (
    candidates_of,
    identity_of_search,
    matches_of,
    open_from_of,
    retracted_of,
    search_as_json,
)
from gateway.store.base import Discovery, Store
from gateway.takedowns.withdrawing import note_address, reopen_for
from harvester.fulltext.check_copy import Keep, KeepText, first_page_of
from harvester.fulltext.embargoes import due_at
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.list_copies import complete
from harvester.fulltext.matched_dois import compared
from harvester.fulltext.pages.article_xml import is_article_xml, text_of_article
from harvester.fulltext.pdf.extraction import extract
from harvester.fulltext.pdf.trusted_descriptions import agree
from harvester.fulltext.search_work import search
from harvester.fulltext.steps import Step
from harvester.fulltext.substance import endings
from harvester.fulltext.takedown_filter import TakedownFilter, forget
from harvester.fulltext.works import basis_of, changed, found_of, listed, renew_changed, work_of
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import host_of
from harvester.runtime.interrupts import Stop
from harvester.runtime.worker_pool import Job, WorkerPool, without_resource

log = logging.getLogger("harvester")

LEASE_SECONDS = 1800
_FIRST_WAIT, _LONGEST_WAIT = 3600, 604_800
_MOST_TRIES = 6  # then the failure is the result
_FAULT_WAIT = 86_400  # until the program may have been repaired
_ANEW = (("Cache-Control", "no-cache"),)  # RFC 9111 §5.2.1.4
_OF_THE_WHOLE = (GatewayError, OSError, MemoryError)  # errors that would also stop the next item

_PDF = b"%PDF-"
_MOST_BEFORE = 1024  # bytes before the header that readers of PDF accept


class Result(NamedTuple):
    """The result of one search. `is_lost`: another process leased the item meanwhile, and nothing was stored."""

    identifier: str
    source: str
    searched: SearchResult
    is_lost: bool = False


def asked_for(identifier: str, fetch: Fetch, request: Request, *, is_anew: bool = False) -> Fetched:
    """Send a request for one work, without the cookies that a host set for another one.

    `is_anew`: no cache is used, neither ours nor one in the network.
    """
    return fetch(replace(request, source=identifier, headers=request.headers + _ANEW * is_anew))


def keep_first_page(store: Store, discovery: Discovery, digest: str, text: str) -> None:
    """Store the beginning of the text of a file, unless the file is taken down, perhaps meanwhile."""
    if store.takedowns().names_digest(digest):
        return
    discovery.keep_first_page(digest, text)
    if store.takedowns().names_digest(digest):
        discovery.forget_first_pages([digest])


def step_settings(settings: Settings) -> dict[str, str]:
    """Return the settings that steps get: those of the search by their names without `discover_`, and our email."""
    values = {name.removeprefix("discover_"): str(settings[name]) for name in settings if name.startswith("discover_")}
    admin = settings.text("admin_email")
    values["email"] = values["email"] or (admin if not admin.endswith(("example.org", "example.com")) else "")
    return values


class FullTextSearch:
    """The search for the works of an instance. `fetch` is polite and has a cache; `clock` is like `time.time`."""

    def __init__(
        self,
        store: Store,
        discovery: Discovery,
        fetch: Fetch,
        settings: Settings,
        steps: Collection[Step],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store, self.discovery, self.steps, self.clock = store, discovery, steps, clock
        self.fetch: Fetch = TakedownFilter(fetch, store.takedowns, self._note)
        self.known: Mapping[str, str] = step_settings(settings)
        self.most_files = settings.number("discover_max_files")
        self.threads = settings.number("discover_threads")
        self.copies = Copies(settings.instance)
        self.takedowns = TakedownFile(settings.instance)
        self.keep: Keep = self.copies.keep if settings.is_on("files_keep") else forget
        self.keep_text: KeepText = partial(keep_first_page, store, discovery)
        self.wants_named = settings.is_on("discover_named_files")
        self.thresholds = thresholds_of(settings)
        self._is_dry = False
        self.looked_since = 0  # files that were rechecked since this second are not requested; 0: all are

    def _note(self, identifier: str, url: str, digest: str) -> None:
        """Note that bytes which are taken down are at an address, unless nothing is to be stored."""
        if not self._is_dry:
            item = source_of(identifier), upstream_identifier(identifier)
            note_address(self.store, self.takedowns, item, url, digest)

    def enlist(self, sources: Collection[str]) -> int:
        """Enlist the items that are new since the last time; return how many.

        Items without a file are enlisted, and with `discover_named_files` also those that name their files. Items whose
        record has changed since their search become due again.
        """
        count = 0
        for source in sources:
            for list_, item, items in self._new_items(source):
                self.discovery.enlist(source, items, item, int(self.clock()), list_)
                count += len(items)
            count += renew_changed(self.store, self.discovery, source, int(self.clock()), wants_named=self.wants_named)
        return count

    def _new_items(self, source: str) -> Iterator[tuple[str, int, tuple[tuple[str, str], ...]]]:
        """Yield what is new since the last time: name of the list, last number, (identifier, upstream) pairs."""
        for with_files in (False, True)[: 1 + self.wants_named]:
            list_ = f"{source} named" if with_files else source
            for item, items in listed(self.store, source, self.discovery.position(list_), with_files=with_files):
                yield list_, item, items

    def run(
        self,
        sources: Collection[str] = (),
        identifier: str = "",
        limit: int | None = None,
        *,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> Generator[Result]:
        """Search for all due items, or for one item, store the results, and yield them.

        Raise StoreError, such as TakedownsUnreadable.
        """

        def take() -> Lease | None:
            return self.discovery.lease(int(self.clock()), LEASE_SECONDS, sources, identifier)

        self._is_dry = False
        self.copies.tidy()
        complete(self.store, self.discovery)
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
        """Search as `enlist` and `run` would, also for what was searched `before` a second; yield the results.

        No item is enlisted or leased. Only answers are stored. Raise StoreError, such as TakedownsUnreadable.
        """
        self._is_dry = True
        leases = self._to_try(sources, identifier, before)

        def tried(lease: Lease) -> Result:
            return Result(lease.identifier, lease.source, self._searched(lease, forget, forget))

        yield from self._run(lambda: next(leases, None), tried, 1 if identifier else limit, is_asked_to_stop)

    def _to_try(self, sources: Collection[str], identifier: str, before: int) -> Iterator[Lease]:
        """Yield each item once that a search would lease: due, new or changed."""
        seen: set[str] = set()
        for lease in chain(self._due(sources, identifier, before), *map(self._new_and_changed, sources)):
            if identifier in ("", lease.identifier) and lease.identifier not in seen:
                seen.add(lease.identifier)
                yield lease

    def _due(self, sources: Collection[str], identifier: str, before: int) -> Iterator[Lease]:
        after = ""
        while (lease := self.discovery.due(after, int(self.clock()), sources, identifier, before)).identifier:
            after = lease.identifier
            yield lease

    def _new_and_changed(self, source: str) -> Iterator[Lease]:
        for _, _, items in self._new_items(source):
            for identifier, upstream in items:
                if self.discovery.search(identifier) is None:
                    yield Lease(identifier, source, upstream, 0, 0)
        yield from changed(self.store, self.discovery, source, wants_named=self.wants_named)

    def _run(
        self,
        take: Callable[[], Lease | None],
        end: Callable[[Lease], Result],
        limit: int | None,
        is_asked_to_stop: Callable[[], bool],
    ) -> Generator[Result]:
        left = inf if limit is None else limit
        self.store.takedowns()  # raises an error when the list of takedowns is unreadable
        threads = min(self.threads, limit or self.threads)
        stop = Stop()  # the first error stops the pool: an item that is leased after it would never begin
        with WorkerPool[None, Result](threads, stop, per_key=threads) as pool:
            while True:
                while left and len(pool) < threads and not (stop.is_asked or is_asked_to_stop()):
                    lease = take()
                    left = left - 1 if lease else 0
                    if lease:
                        pool.add(Job(lease.identifier, "", without_resource(end, lease)))
                if pool.is_idle:
                    break
                yield from (result for _, result in pool.turn())
            pool.raise_error()

    def _searched(self, lease: Lease, keep: Keep, keep_text: KeepText) -> SearchResult:
        """Return the result for one item; an unexpected exception is the outcome FAULT of this item only."""
        try:
            return self._search(lease, keep, keep_text)
        except _OF_THE_WHOLE:
            raise
        except Exception:
            log.exception("%s: a fault of this program. The item is searched for again in a day.", lease.identifier)
            return SearchResult(Outcome.FAULT, is_over=False)

    def _search(self, lease: Lease, keep: Keep, keep_text: KeepText) -> SearchResult:
        found_urls = found_of(self.store, lease.source, lease.upstream)
        work = work_of(self.store, lease.identifier, lease.upstream, found_urls)
        state = self.discovery.search(lease.identifier)
        if work is None:
            return SearchResult(Outcome.GONE, identity=identity_of_search(state) or Identity())
        is_open_now = "" < open_from_of(state) <= utc_datetime(int(self.clock()))[:10]
        fetch = partial(asked_for, lease.identifier, self.fetch, is_anew=is_open_now)
        identity, before = identity_of(work), identity_of_search(state)
        has_changed = is_another(before, identity)
        refused = [refusal.doi for refusal in self.discovery.refusals(lease.identifier)]
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
            looked=self._rechecked(lease.identifier, state),
            is_another=has_changed,
            refused=refused,
            supplements=[] if has_changed else [one for one in candidates_of(state) if one.is_supplement],
            keep=keep,
            keep_text=keep_text,
        )
        title, authors = described(work)
        searched = searched._replace(
            basis=basis_of(work), identity=identity, before=before, title=title, authors=authors, is_another=has_changed
        )
        if searched.silent and not searched.retracted and not searched.is_another:
            searched = searched._replace(retracted=retracted_of(state))  # no service has withdrawn it
        return compared(searched, tuple(match_ for match_ in matches_of(state) if match_.doi not in refused), work)

    def _accepted(self, identifier: str, state: SearchState | None) -> tuple[Candidate, ...]:
        """Return the accepted copies of an item, with the digest of the accepted bytes.

        Only the address and the digest are known of a copy that the last search did not check.
        """
        seen = {candidate.url: candidate for candidate in candidates_of(state)}
        last = {decision.url: decision for decision in self.discovery.decisions(identifier)}
        return tuple(
            seen.get(url, Candidate(url, RECHECK))._replace(sha256=decision.sha256)
            for url, decision in last.items()
            if decision.verdict == "accept"
        )

    def _rechecked(self, identifier: str, state: SearchState | None) -> dict[str, Candidate]:
        """Return the copies of published files that a recheck has looked at lately, by their published addresses."""
        rechecks = self.discovery.rechecks.of_item(identifier) if self.looked_since else ()
        urls = {(recheck.url, recheck.sha256) for recheck in rechecks if recheck.looked_at >= self.looked_since}
        known = {address(candidate.url): candidate for candidate in candidates_of(state)} if urls else {}
        return {url: candidate for url, candidate in known.items() if (url, candidate.sha256) in urls}

    def _unproven(self, identifier: str, accepted: Collection[Candidate]) -> tuple[str, ...]:
        """Return the addresses of copies that a rule of an earlier release accepted, to be read again.

        Nothing in them identifies the work, or what they say of licence, restriction and retraction was not read.
        """
        last = {decision.url: decision for decision in self.discovery.decisions(identifier)}
        return tuple(
            candidate.url
            for candidate in accepted
            if not (candidate.identified_by and candidate.has_read_claims) and last[candidate.url].decided_by == RULE
        )

    def _ended(self, lease: Lease) -> Result:
        try:
            searched = self._searched(lease, self.keep, self.keep_text)
        except BaseException:
            self.discovery.release(lease, int(self.clock()))
            raise
        if searched.outcome is Outcome.FAULT:  # the stored state of the item stays
            self.discovery.release(lease, int(self.clock()) + _FAULT_WAIT)
            return Result(lease.identifier, lease.source, searched)
        at = int(self.clock())
        ends = tuple(endings(lease.source, searched, at))
        copies = tuple(copies_of_result(lease.identifier, lease.source, searched, host_of))
        decide: Callable[[Sequence[Decision]], Sequence[Decision]] | None = None
        stored = searched
        if searched.is_over or lease.tries >= _MOST_TRIES:
            decide = partial(decided, lease.identifier, searched, self.thresholds, at)
            due = due_at(searched.open_from, at)
        else:
            due = at + min(_FIRST_WAIT * 2 ** (lease.tries - 1), _LONGEST_WAIT)
            matches = (*searched.matches, *searched.lost)  # no decision was made: the next search compares them
            stored = searched._replace(identity=searched.before or searched.identity, matches=matches)
        is_written = self.discovery.done(
            lease, searched.outcome, search_as_json(stored), at, decide, ends, searched.basis, due, copies
        )
        if is_written:
            reopen_for(self.store, self.takedowns, self.discovery.search(lease.identifier))
        return Result(lease.identifier, lease.source, searched, is_lost=not is_written)


# --- Comparison of the work that a record describes now with the work that its files were found for. Pure ------------


def is_another(before: Identity | None, now: Identity) -> bool:
    """Return whether both have DOIs but none in common, or no titles are similar. `before` None: not known."""
    if before is None:
        return False
    if before.dois and now.dois and not set(before.dois) & set(now.dois):
        return True
    return bool(before.titles and now.titles) and not any(agree(before.titles, title) for title in now.titles)


def identity_of(work: Work) -> Identity:
    """Return the own DOIs and the titles of a work."""
    return Identity(identifiers_of(work).certain("doi"), work.texts("title"))


def read_earlier(
    store: Store, discovery: Discovery, copies: Copies, most: int, is_asked_to_stop: Callable[[], bool] = lambda: False
) -> int:
    """Keep the beginning of the texts of at most `most` files that have none yet; return of how many.

    A file is tried once, also if no copy of it is kept. Raise StoreError, and ConfigurationError when the process that
    reads PDF files cannot start.
    """
    count = 0
    for digest in discovery.files_without_text(most):
        if is_asked_to_stop():
            break
        text = _text(copies, digest)
        discovery.keep_first_page(digest, "")
        if text:
            keep_first_page(store, discovery, digest, text)
        count += 1
    return count


def _text(copies: Copies, digest: str) -> str:
    try:
        body = copies.read(digest)
    except OSError:
        return ""
    if is_article_xml(body):
        return first_page_of(text_of_article(body))
    if _PDF not in body[:_MOST_BEFORE]:
        return ""
    extracted = extract(body)
    return first_page_of(extracted.front or extracted.first)
