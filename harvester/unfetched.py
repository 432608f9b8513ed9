"""What is missing of a source by name: records in quarantine because they could not be fetched."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.model import Cursor
from harvester.instance import Instance
from harvester.sources import UNFETCHED


def unfetched(instance: Instance, source: str) -> Iterator[tuple[Cursor, str]]:
    """Return each of them, oldest first, with the list in which it is missing."""
    for bad in instance.store.quarantined(source):
        if bad.reason.startswith(UNFETCHED):
            set_spec = instance.inbox.page(bad.page).page.set_spec
            yield instance.inbox.cursor(source, bad.metadata_prefix, set_spec), bad.identifier
