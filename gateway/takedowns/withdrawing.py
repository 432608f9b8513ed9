"""Carries out the list of takedowns: publishes the changes, and deletes the copies of files.

A command that changes the list does it at once, and so does the server for a page. After a kill, the next `harvester
takedown`, `run`, `publish` or `tend` does. The same finishes the erasure of which a reader of the store was in the way.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from gateway.core.model import Candidate, Outcome, SearchState
from gateway.core.settings import Settings
from gateway.core.takedown_file import Entries, TakedownFile
from gateway.core.takedowns import UNERASED, UNSETTLED, Kind, Takedown, Takedowns, place_of
from gateway.fulltext.release import Releaser
from gateway.fulltext.search_result import RECHECK, REVIEWED
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of
from gateway.store.base import Discovery, Inbox, Store
from gateway.takedowns.apply import OF_ITEMS, Searches, TakedownsApplied, apply_takedowns, pending, reopen

_BATCH = 500
_MOST_COPIES = 1_000  # of one file
_ELSEWHERE = (Kind.IDENTIFIER, Kind.DOI, Kind.SHA256)  # what these concern is known without reading all searches
_EVER = 1 << 62  # a second behind all others

log = logging.getLogger("gateway.takedowns")

Progress = Callable[[int], None]


class Finished(NamedTuple):
    """The result: the published changes, and the number of deleted copies of files."""

    changes: TakedownsApplied
    copies: int


def carry_out(
    store: Store,
    inbox: Inbox,
    open_discovery: Callable[[], Discovery] | None,
    settings: Settings,
    progress: Progress = lambda _: None,
) -> Finished:
    """Carry out the rest of the list; `open_discovery` returns the searches, None: there were none.

    It may be killed and repeated. Raise StoreError.
    """
    file = TakedownFile(settings.instance)
    new, lifted = pending(store)
    if store.takedowns().is_empty and not lifted:
        finish_erasure(store)
        return Finished(TakedownsApplied(), 0)
    discovery = open_discovery() if open_discovery is not None else None
    if discovery is not None and new:
        discovery.forget_answers(_EVER)  # pages and files as they were fetched
    if discovery is not None and lifted:
        discovery.change_all()
    searches = (
        Searches()
        if discovery is None
        else Searches(partial(found_files, store, discovery), partial(has_file, store, discovery))
    )
    changes = apply_takedowns(store, inbox, file, progress, searches)
    if changes.damaged:
        log.error(UNERASED, changes.damaged)
    copies = Copies(settings.instance)
    digests = sorted(file.read().digests)
    deleted = sum(copies.remove(digest) for digest in digests)
    if discovery is not None:
        discovery.forget_first_pages(digests)
    if discovery is not None and lifted:
        Releaser(store, inbox, discovery, settings).release()
    finish_erasure(store)
    return Finished(changes, deleted)


def finish_erasure(store: Store) -> None:
    """Remove what was taken down from the log of the store too, or log that a reader prevents it. Raise StoreError."""
    if store.has_open_erasure() and not store.finish_erasure():
        log.warning(UNSETTLED)


def reopen_for(store: Store, file: TakedownFile, state: SearchState | None) -> None:
    """Let entries count as not carried out if a search has files that they concern and do not know.

    They were added while the search was under way. Raise StoreError.
    """
    takedowns = store.takedowns()
    if takedowns.is_empty or state is None:
        return
    unknown = [one for one in candidates_of(state) if one.sha256 and not takedowns.names_digest(one.sha256)]
    if not any(_concerns(takedowns, state, candidate) for candidate in unknown):
        return
    alone = ((entry.key, Takedowns((entry,))) for entry in takedowns.entries)
    reopen(store, file, {key for key, entry in alone if any(_concerns(entry, state, one) for one in unknown)})


def note_address(store: Store, file: TakedownFile, item: tuple[str, str], url: str, digest: str) -> None:
    """Let the list note that bytes which are taken down are at an address that an item is published with.

    No record names it then. Entries on items note none: their files may stay with other items. `item` is its source and
    its identifier there. Raise StoreError.
    """
    source, upstream = item
    place, state = place_of(url), store.states(source, (upstream,)).get(upstream)
    if state is None:
        return
    with store.view() as view:
        if all(place_of(published.url) != place for _, published in view.contents(state.number - 1, state.number)):
            return
    entries = [entry for entry in store.takedowns().entries if entry.kind not in OF_ITEMS]
    keys = {entry.key for entry in entries if digest in (entry.value, *entry.files)}
    file.change(lambda listed: [_at(entry, place) if entry.key in keys else entry for entry in listed])
    reopen(store, file, keys)


def _at(entry: Takedown, place: str) -> Takedown:
    return entry._replace(addresses=tuple(sorted({*entry.addresses, place})))


def _concerns(takedowns: Takedowns, state: SearchState, candidate: Candidate) -> bool:
    return _names(state, takedowns) or _is_at(takedowns, candidate)


def _is_at(takedowns: Takedowns, candidate: Candidate) -> bool:
    """Return whether an entry names the address of a file, or one on the way to it."""
    return any(map(takedowns.targets, (candidate.url, candidate.final_url, *candidate.hops)))


def found_files(store: Store, discovery: Discovery, entries: Entries, wanted: Entries = ()) -> Mapping[str, set[str]]:
    """Return the found files that entries name, published or not, by the keys of the entries.

    Entries on items have noted which these are. `wanted` are those that are not on the list yet. Raise StoreError.
    """
    groups: dict[str, set[str]] = defaultdict(set)
    anywhere = tuple(entry for entry in entries if entry.kind not in _ELSEWHERE)
    for entry in entries:
        names = {entry.value, *entry.items} if entry.kind is Kind.IDENTIFIER else {*entry.items}
        searches = () if entry in anywhere else filter(None, map(discovery.search, sorted(names)))
        groups[entry.key] |= files_named(store, discovery, searches, (entry,))[entry.key]
    after = ""
    while anywhere and (batch := discovery.searches(after, _BATCH)):
        for key, digests in files_named(store, discovery, batch, anywhere).items():
            groups[key] |= digests
        after = batch[-1].identifier
    for entry in entries:
        if entry.kind in OF_ITEMS:
            lists = (*wanted, entry)
            groups[entry.key] = {
                digest for digest in groups[entry.key] if not has_file(store, discovery, digest, lists)
            }
    return groups


def has_file(store: Store, discovery: Discovery, digest: str, wanted: Entries = ()) -> bool:
    """Return whether a file was found for an item that is not taken down, and that nobody has rejected it there.

    `wanted` are entries that are not on the list yet. Raise StoreError.
    """
    lists = (store.takedowns(), Takedowns(wanted))
    for copy in discovery.copies_with(digest, _MOST_COPIES):
        search = discovery.search(copy.identifier)
        if search is None or any(map(partial(_names, search), lists)):
            continue
        state = store.states(search.source, (search.upstream,)).get(search.upstream)
        if state is None or state.is_hidden:
            continue
        verdicts = [decision.verdict for decision in discovery.decisions(copy.identifier) if decision.url == copy.url]
        if verdicts and verdicts[-1] != "reject":
            return True
    return False


def _names(search: SearchState, takedowns: Takedowns) -> bool:
    return takedowns.names_item(search.identifier, search.source, search.upstream)


def files_named(
    store: Store, discovery: Discovery, searches: Iterable[SearchState], entries: Entries
) -> defaultdict[str, set[str]]:
    """Return the files of some searches that entries name, by the keys of the entries. Raise StoreError.

    Bytes that were decided on count too, if there are others at their address now.
    """
    groups: defaultdict[str, set[str]] = defaultdict(set)
    alone = [(entry, Takedowns((entry,))) for entry in entries]
    for state in searches:
        for candidate in (*candidates_of(state), *_decided(discovery, state)):
            for entry, takedowns in alone:
                if candidate.sha256 and _is_meant(store, takedowns, state, candidate):
                    groups[entry.key].add(candidate.sha256)
    return groups


def _decided(discovery: Discovery, state: SearchState) -> Iterator[Candidate]:
    """Yield the files of an item that were decided on, as if they were checked copies."""
    for url, digest in {(decision.url, decision.sha256) for decision in discovery.decisions(state.identifier)}:
        yield Candidate(url, RECHECK, outcome=Outcome.SUCCESS, sha256=digest)


def _is_meant(store: Store, takedowns: Takedowns, state: SearchState, candidate: Candidate) -> bool:
    """Return whether an entry names a file: by an address or a redirect, or as the file of a named item alone."""
    if _is_at(takedowns, candidate):
        return True
    if candidate.outcome not in REVIEWED or not takedowns.names_item(state.identifier, state.source, state.upstream):
        return False
    known = store.states(state.source, (state.upstream,)).get(state.upstream)
    return not {*store.items_with(candidate.sha256)} - {known.number if known else 0}


def added(listed: Entries, wanted: Entries) -> Entries:
    """Return a list with these entries; of one that is in force already only a reason that is given is new.

    The person who gives it is new then, too.
    """
    news = {takedown.key: takedown for takedown in wanted}
    kept = (_still(takedown, news.pop(takedown.key)) if takedown.key in news else takedown for takedown in listed)
    return (*kept, *news.values())


def _still(before: Takedown, wanted: Takedown) -> Takedown:
    if before.removed_at or wanted.reason in ("", before.reason):
        return wanted if before.removed_at else before
    return before._replace(reason=wanted.reason, by=wanted.by)
