"""What arrived of items that are taken down is overwritten: in the pages of the inbox, and in the search for full text.

A page holds other records too, which stay as they are. Backups, and what the file system keeps, are beyond this.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from gateway.model import ItemState
from gateway.obeying import bury, hidden, named
from gateway.store.takedown_file import Entries
from harvester import downloaded
from harvester.instance import Instance


class Purged(NamedTuple):
    """How many items, and how many versions of their records, were overwritten. `is_settled`: no log holds them."""

    items: int = 0
    versions: int = 0
    is_settled: bool = True


def purge(instance: Instance, entries: Entries) -> Purged:
    """Overwrite what arrived of the items that entries hide. May be killed and repeated. Raise StoreError."""
    by_source: dict[str, list[ItemState]] = defaultdict(list)
    for source, state in hidden(instance.store, instance.inbox, entries):
        by_source[source].append(state)
    versions = 0
    wanted = {source: {each.upstream for each in states} for source, states in by_source.items()}
    for source, upstream in named(entries):
        wanted.setdefault(source, set()).add(upstream)  # it may wait in the inbox to be published
    for source, upstreams in wanted.items():
        versions += _overwrite(instance, source, upstreams)
        bury(instance.store, source, by_source[source])
        downloaded.forget(instance.folder, source)  # the archive that a source delivered holds them too
    settled = [instance.inbox.settle(), instance.store.settle()]  # each log, although a reader is in the way of another
    if instance.has_searched:
        desk = instance.desk()
        desk.forget(each.identifier for states in by_source.values() for each in states)
        settled.append(desk.settle())
    return Purged(sum(map(len, by_source.values())), versions, all(settled))


def _overwrite(instance: Instance, source: str, upstreams: set[str]) -> int:
    """Overwrite every version of these records in the inbox, published or not; return how many there were."""
    count = 0
    for page in instance.inbox.pages(source, 0):
        places = [
            place
            for place, each in enumerate(page.slices)
            if each.identifier in upstreams and (each.stop > each.start or each.abouts)
        ]
        if places:
            instance.inbox.overwrite(page.number, places)
            count += len(places)
    return count
