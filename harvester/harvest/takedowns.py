"""Carries out the list of takedowns for commands and stages, and deletes what arrived of items that were taken down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from gateway.core.model import ItemState
from gateway.core.takedown_file import Entries
from gateway.takedowns.apply import bury, hidden, named, pending
from gateway.takedowns.withdrawing import Finished, carry_out
from harvester.harvest.instance import Instance
from harvester.http import downloads


def finish(instance: Instance, progress: Callable[[int], None] = lambda _: None) -> Finished:
    """Carry out the rest of the list. It may be killed and repeated. Raise StoreError."""
    discovery = instance.discovery if instance.has_searched else None
    return carry_out(instance.store, instance.inbox, discovery, instance.settings, progress)


def finish_opened(instance: Instance) -> None:
    """Carry out entries that were added while a search got files that they concern. Raise StoreError."""
    if any(pending(instance.store)):
        finish(instance)


# --- Overwrite the content of items that are taken down: in the pages of the inbox, and in the search for full text


class Purged(NamedTuple):
    """The numbers of overwritten items and versions. `is_settled`: no log of a database has them any more."""

    items: int = 0
    versions: int = 0
    is_settled: bool = True


def purge(instance: Instance, entries: Entries) -> Purged:
    """Overwrite the content of the items that entries hide. It may be killed and repeated. Raise StoreError."""
    by_source: dict[str, list[ItemState]] = defaultdict(list)
    for source, state in hidden(instance.store, instance.inbox, entries):
        by_source[source].append(state)
    versions = 0
    wanted = {source: {state.upstream for state in states} for source, states in by_source.items()}
    for source, upstream in named(entries):
        wanted.setdefault(source, set()).add(upstream)  # it may wait in the inbox to be published
    for source, upstreams in wanted.items():
        versions += _overwrite(instance, source, upstreams)
        bury(instance.store, source, by_source[source])
        downloads.forget(instance.folder, source)  # the archive that a source delivered has them too
    instance.store.erase_superseded()
    # Each log, although a reader is in the way of another.
    settled = [instance.inbox.finish_erasure(), instance.store.finish_erasure()]
    if instance.has_searched:
        discovery = instance.discovery()
        discovery.forget(state.identifier for states in by_source.values() for state in states)
        settled.append(discovery.finish_erasure())
    return Purged(sum(map(len, by_source.values())), versions, all(settled))


def _overwrite(instance: Instance, source: str, upstreams: set[str]) -> int:
    """Overwrite all versions of these records in the inbox, published or not; return their number."""
    count = 0
    for page in instance.inbox.pages(source, 0):
        places = [
            place
            for place, record in enumerate(page.slices)
            if record.identifier in upstreams and (record.stop > record.start or record.abouts)
        ]
        if places:
            instance.inbox.overwrite(page.number, places)
            count += len(places)
    return count
