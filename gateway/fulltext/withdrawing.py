"""Carries out the list of takedowns: publishes the changes, and deletes the copies of files.

A command that changes the list does it at once, and so does the server for a page. After a kill, the next `harvester
takedown`, `run`, `publish` or `tend` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from gateway.apply_takedowns import TakedownsApplied, apply_takedowns, pending
from gateway.fulltext.release import Releaser
from gateway.fulltext.search_result import REVIEWED
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of
from gateway.model import Candidate, SearchState
from gateway.settings import Settings
from gateway.store.base import Discovery, Inbox, Store
from gateway.store.takedown_file import Entries, TakedownFile
from gateway.takedowns import Takedown, Takedowns

_BATCH = 500
_EVER = 1 << 62  # a second behind all others

Progress = Callable[[int], None]


class Finished(NamedTuple):
    """The result: the published changes, and the number of deleted copies of files."""

    changes: TakedownsApplied
    copies: int


def carry_out(
    store: Store,
    inbox: Inbox,
    open_desk: Callable[[], Discovery] | None,
    settings: Settings,
    progress: Progress = lambda _: None,
) -> Finished:
    """Carry out the rest of the list; `open_desk` returns the searches, None: there were none.

    It may be killed and repeated. Raise StoreError.
    """
    file = TakedownFile(settings.instance)
    new, lifted = pending(store)
    if store.takedowns().is_empty and not lifted:
        return Finished(TakedownsApplied(), 0)
    desk = open_desk() if open_desk is not None else None
    if desk is not None and new:
        desk.forget_answers(_EVER)  # pages and files as they were fetched
    if desk is not None and lifted:
        desk.change_all()
    changes = apply_takedowns(store, inbox, file, progress, partial(_named_files, store, desk))
    if new:
        store.erase_superseded()  # files were carried in records, and stand in its blocks,
        store.settle()  # and in its log
    copies = Copies(settings.instance)
    digests = sorted(file.read().digests)
    deleted = sum(copies.remove(digest) for digest in digests)
    if desk is not None:
        desk.forget_first_pages(digests)
    if desk is not None and lifted:
        Releaser(store, inbox, desk, settings).release()
    return Finished(changes, deleted)


def _named_files(store: Store, desk: Discovery | None, entries: Entries) -> Mapping[str, set[str]]:
    """Return the found files that entries name, published or not, by the keys of the entries."""
    groups: dict[str, set[str]] = defaultdict(set)
    after = ""
    while entries and desk is not None and (batch := desk.searches(after, _BATCH)):
        for key, digests in files_named(store, batch, entries).items():
            groups[key] |= digests
        after = batch[-1].identifier
    return groups


def files_named(store: Store, searches: Iterable[SearchState], entries: Entries) -> defaultdict[str, set[str]]:
    """Return the files of some searches that entries name, by the keys of the entries. Raise StoreError."""
    groups: defaultdict[str, set[str]] = defaultdict(set)
    alone = [(entry, Takedowns((entry,))) for entry in entries]
    for state in searches:
        for candidate in filter(_has_bytes, candidates_of(state)):
            for entry, takedowns in alone:
                if _is_meant(store, takedowns, state, candidate):
                    groups[entry.key].add(candidate.sha256)
    return groups


def _has_bytes(candidate: Candidate) -> bool:
    return bool(candidate.sha256)


def _is_meant(store: Store, takedowns: Takedowns, state: SearchState, candidate: Candidate) -> bool:
    """Return whether an entry names a file: by an address or a redirect, or as the file of a named item alone."""
    if any(map(takedowns.names_address, (candidate.url, candidate.final_url, *candidate.hops))):
        return True
    if candidate.outcome not in REVIEWED or not takedowns.names_item(state.identifier, state.source, state.upstream):
        return False
    known = store.states(state.source, (state.upstream,)).get(state.upstream)
    return not {*store.items_with(candidate.sha256)} - {known.number if known else 0}


def added(listed: Entries, wanted: Entries) -> Entries:
    """Return a list with these entries; of one that is in force already only a reason that is given is new."""
    news = {takedown.key: takedown for takedown in wanted}
    kept = (_still(takedown, news.pop(takedown.key)) if takedown.key in news else takedown for takedown in listed)
    return (*kept, *news.values())


def _still(before: Takedown, wanted: Takedown) -> Takedown:
    return wanted if before.removed_at else before._replace(reason=wanted.reason or before.reason)
