"""Carry out the list of takedowns: publish the changes, and delete the copies of files.

A command that changes the list does it at once. After a kill, the next `takedown`, `run`, `publish` or `tend` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from gateway.apply_takedowns import TakedownsApplied, apply_takedowns, pending
from gateway.fulltext.release import Releaser
from gateway.fulltext.stored_files import Copies
from gateway.fulltext.stored_search import candidates_of
from gateway.model import Candidate, SearchState
from gateway.store.takedown_file import Entries, TakedownFile
from gateway.takedowns import Takedowns
from harvester.fulltext.check_copy import REVIEWED
from harvester.harvest.instance import Instance

_BATCH = 500
_EVER = 1 << 62  # a second behind all others


class Finished(NamedTuple):
    """The result: the published changes, and the number of deleted copies of files."""

    changes: TakedownsApplied
    copies: int


def finish(instance: Instance, progress: Callable[[int], None] = lambda _: None) -> Finished:
    """Carry out the rest of the list. It may be killed and repeated. Raise StoreError."""
    store, file = instance.store, TakedownFile(instance.folder)
    new, lifted = pending(store)
    if store.takedowns().is_empty and not lifted:
        return Finished(TakedownsApplied(), 0)
    if instance.has_searched and new:
        instance.desk().forget_answers(_EVER)  # pages and files as they were fetched
    if instance.has_searched and lifted:
        instance.desk().change_all()
    changes = apply_takedowns(store, instance.inbox, file, progress, partial(_named_files, instance))
    if new:
        store.settle()  # files that were carried in records stand in its log
    copies = Copies(instance.folder)
    digests = sorted(file.read().digests)
    deleted = sum(copies.remove(digest) for digest in digests)
    if instance.has_searched:
        instance.desk().forget_first_pages(digests)
    if instance.has_searched and lifted:
        Releaser(store, instance.inbox, instance.desk(), instance.settings).release()
    return Finished(changes, deleted)


def _named_files(instance: Instance, entries: Entries) -> Mapping[str, set[str]]:
    """Return the found files that entries name, published or not, by the keys of the entries."""
    groups: dict[str, set[str]] = defaultdict(set)
    after = ""
    alone = [(entry, Takedowns((entry,))) for entry in entries]
    while alone and instance.has_searched and (batch := instance.desk().searches(after, _BATCH)):
        for state in batch:
            for candidate in filter(_has_bytes, candidates_of(state)):
                for entry, takedowns in alone:
                    if _is_meant(instance, takedowns, state, candidate):
                        groups[entry.key].add(candidate.sha256)
        after = batch[-1].identifier
    return groups


def _has_bytes(candidate: Candidate) -> bool:
    return bool(candidate.sha256)


def _is_meant(instance: Instance, takedowns: Takedowns, state: SearchState, candidate: Candidate) -> bool:
    """Return whether an entry names a file: by an address or a redirect, or as the file of a named item alone."""
    if any(map(takedowns.names_address, (candidate.url, candidate.final_url, *candidate.hops))):
        return True
    if candidate.outcome not in REVIEWED or not takedowns.names_item(state.identifier, state.source, state.upstream):
        return False
    known = instance.store.states(state.source, (state.upstream,)).get(state.upstream)
    return not {*instance.store.items_with(candidate.sha256)} - {known.number if known else 0}
