"""Stored records that a full harvest did not list.

A harvest deletes only what the source says is deleted. So if a source lists nothing any more, or much less, the records
stay as they are. They are counted when all lists of a full harvest have ended, in any number of runs. It costs no
request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from harvester.harvest.instance import Instance
from harvester.harvest.list_progress import FEW_DELETIONS
from harvester.sources.seen import Seen

_AT_ONCE = 1000


class Unlisted(NamedTuple):
    """How many records are stored as living in a format, and how many of them a full harvest did not list."""

    metadata_prefix: str
    unlisted: int
    stored: int

    def are_many(self, share: float) -> bool:
        """Return whether these are more than so large a share of the stored records, and more than a few."""
        return self.unlisted > max(FEW_DELETIONS, share * self.stored)

    def reason(self, source: str) -> str:
        """Return what is not known of them, and what to do."""
        return (
            f"{self.metadata_prefix}: {self.unlisted} of {self.stored} stored records were not listed in this full "
            f"harvest, and stay as they are. If the source has deleted them, `harvester source sweep {source}` deletes "
            "them."
        )


def covers_earlier(instance: Instance, source: str, lists: Collection[tuple[str, str]]) -> bool:
    """Return whether lists of one format include every list of it that was harvested before.

    Otherwise the selection has changed, and nothing may be said of the records outside it.
    """
    prefixes, sets = {prefix for prefix, _ in lists}, {spec for _, spec in lists}
    cursors = instance.inbox.cursors(source)
    return "" in sets or all(cursor.set_spec in sets for cursor in cursors if cursor.metadata_prefix in prefixes)


def unlisted_records(instance: Instance, source: str, metadata_prefix: str, begun: int) -> Unlisted:
    """Count the stored records of a format that no page after the page `begun` lists, not even as deleted.

    It takes sixteen bytes of memory for each of their records. Raise StoreError.
    """
    listed = Seen()
    for identifier in instance.inbox.identifiers(source, metadata_prefix, begun):
        listed.add(identifier)
    unlisted = stored = 0
    for names in _stored(instance, source, metadata_prefix):
        stored += len(names)
        unlisted += sum(name not in listed for name in names)
    return Unlisted(metadata_prefix, unlisted, stored)


def _stored(instance: Instance, source: str, metadata_prefix: str) -> Iterator[tuple[str, ...]]:
    names: tuple[str, ...] = ("",)
    while names := instance.store.living(source, metadata_prefix, names[-1], _AT_ONCE):
        yield names
