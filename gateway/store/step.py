"""Whether store and inbox are of the same day: one of them may have been lost, or come from an older copy.

A store that is older than its inbox publishes again what it lacks. An inbox that is older than its store would give
numbers of pages a second time, and what arrives in these pages would never be published.
"""

from __future__ import annotations

from pathlib import Path

from gateway.errors import StoreError, StoreMissing
from gateway.store.base import Inbox, Store

INBOX_IS_OLD = (
    "The inbox lacks pages that the store has published: it is new, or an older copy than the store. "
    "`harvester run --all --full` brings again what it lacks."
)

# While this fact says anything, the store is being made again from the inbox, and lacks what comes behind.
UNFINISHED_FACT = "made from the inbox"
# Changes with every store that was made again or restored: resumptionTokens of the one before are not its own.
EPOCH_FACT = "epoch"
_MOST_NAMES = 5


def last_lost(store: Store, inbox: Inbox) -> int:
    """Return the number of the last page that is published and not in the inbox, 0 when none is missing."""
    with store.view() as view:
        sources = [source.name for source in view.sources()]
    published = max(map(store.position, sources), default=0)  # read first: what is published was received before
    return published if published > inbox.last_number() else 0


def check_inbox(store: Store, inbox: Path) -> None:
    """Raise StoreMissing when there is no inbox, and the store has published what it held.

    A new inbox made in silence would be taken for the old one, and could replace it in a backup.
    """
    if inbox.is_file() and inbox.stat().st_size:
        return
    with store.view() as view:
        sources = [source.name for source in view.sources()]
    if any(map(store.position, sources)):
        raise StoreMissing(
            f"{inbox} is not there, and it holds all that was harvested. `gateway restore --missing` brings it back; "
            "without a backup, `gateway init` makes a new one, and `harvester run --all --full` fills it."
        )


def unknown_sources(store: Store, inbox: Inbox) -> tuple[str, ...]:
    """Return the sources of which the inbox holds records and the store knows nothing, by name."""
    with store.view() as view:
        known = {source.name for source in view.sources()}
    return tuple(name for name in inbox.sources() if name not in known)


def unfinished(store: Store) -> str:
    """Return that the store is only being made again, as a sentence; empty when it is whole."""
    if not store.fact(UNFINISHED_FACT):
        return ""
    return (
        "The store is being made again from the inbox and is not complete. "
        "`gateway rebuild --from-inbox` goes on where it stopped."
    )


def check_finished(store: Store) -> None:
    """Raise StoreError when the store is only being made again."""
    if sentence := unfinished(store):
        raise StoreError(sentence)


def store_lacks(store: Store, inbox: Inbox) -> str:
    """Return what the store lacks that must be there before anything is published, in words; empty for nothing."""
    if sentence := unfinished(store):
        return sentence
    unknown = unknown_sources(store, inbox)
    if not unknown:
        return ""
    names = ", ".join(unknown[:_MOST_NAMES]) + (" and others" if len(unknown) > _MOST_NAMES else "")
    return (
        f"The store does not know {names}, of which the inbox holds records: it is new, or an older copy. "
        "`gateway restore` brings a backup of it back; `gateway rebuild --from-inbox` makes it again from the inbox."
    )


def check_whole(store: Store, inbox: Inbox) -> None:
    """Raise StoreError when the store lacks what must be there before anything is published."""
    if sentence := store_lacks(store, inbox):
        raise StoreError(sentence)
