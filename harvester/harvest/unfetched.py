"""The missing records of a source: those in quarantine because they could not be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gateway.model import Cursor
from harvester.harvest.instance import Instance
from harvester.sources import UNFETCHED


def unfetched(instance: Instance, source: str) -> Iterator[tuple[Cursor, str]]:
    """Return the identifiers of missing records, oldest first, each with its list.

    Raise PageLost when the inbox lacks a page.
    """

    @lru_cache(maxsize=1)  # hundreds of them may lie on one page
    def cursor(page: int, metadata_prefix: str) -> Cursor:
        return instance.inbox.cursor(source, metadata_prefix, instance.inbox.page(page).page.set_spec)

    for bad in instance.store.quarantined(source):
        if bad.reason.startswith(UNFETCHED):
            yield cursor(bad.page, bad.metadata_prefix), bad.identifier
