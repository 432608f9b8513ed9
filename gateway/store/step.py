"""Whether store and inbox are of the same day: one of them may have been lost, or come from an older copy.

A store that is older than its inbox publishes again what it lacks. An inbox that is older than its store would give
numbers of pages a second time, and what arrives in these pages would never be published.
"""

from __future__ import annotations

from gateway.store.base import Inbox, Store

INBOX_IS_OLD = (
    "The inbox lacks pages that the store has published: it is new, or an older copy than the store. "
    "`harvester run --all --full` brings again what it lacks."
)


def last_lost(store: Store, inbox: Inbox) -> int:
    """Return the number of the last page that is published and not in the inbox, 0 when none is missing."""
    with store.view() as view:
        sources = [source.name for source in view.sources()]
    published = max(map(store.position, sources), default=0)  # read first: what is published was received before
    return published if published > inbox.last_number() else 0
