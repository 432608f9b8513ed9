"""Checks that store and inbox belong together: one of them may have been lost, or be an older copy.

A store that is older than its inbox publishes the missing pages again. An inbox that is older than its store would use
page numbers a second time, and these pages would never be published.
"""

from gateway.core.errors import ConfigurationError, StoreError, StoreMissing
from gateway.core.instance_folder import INBOX
from gateway.core.settings import Settings
from gateway.store.base import Databases, Inbox, Store

INBOX_IS_OLD = (
    "The inbox lacks pages that the store has published: it is new, or an older copy than the store. "
    "`harvester run --all --full` harvests the missing records again."
)

# While this fact is not empty, the store is being made again from the inbox, and is not complete.
UNFINISHED_FACT = "made from the inbox"
# It changes with every rebuild or restore of the store, so that earlier resumptionTokens become invalid.
EPOCH_FACT = "epoch"
_MOST_NAMES = 5


def last_lost(store: Store, inbox: Inbox) -> int:
    """Return the number of the last page that is published but not in the inbox; 0 if none is missing."""
    published = store.last_position()  # read first: published records were received before
    return published if published > inbox.last_number() else 0


def check_inbox(store: Store, settings: Settings) -> None:
    """Raise StoreMissing if there is no inbox, although the store has published pages of it.

    A new inbox that is made without notice would count as the old one, and could replace it in a backup.
    """
    if Databases(settings).has(INBOX):
        return
    if store.last_position():
        raise StoreMissing(
            f"{settings.instance / INBOX}, the database of everything that was harvested, is missing. Restore it with "
            "`gateway restore --missing`, or make a new one with `gateway init` and fill it "
            "with `harvester run --all --full`."
        )


def unknown_sources(store: Store, inbox: Inbox) -> tuple[str, ...]:
    """Return the names of the sources that have records in the inbox but are not in the store, sorted."""
    with store.view() as view:
        known = {source.name for source in view.sources()}
    return tuple(name for name in inbox.sources() if name not in known)


def unfinished(store: Store) -> str:
    """Return a message if the store is being made again and not complete, else an empty string."""
    if not store.fact(UNFINISHED_FACT):
        return ""
    return (
        "The store is being made again from the inbox and is not complete. "
        "`gateway rebuild --from-inbox` continues where it stopped."
    )


def check_finished(store: Store) -> None:
    """Raise StoreError if the store is being made again and not complete."""
    if sentence := unfinished(store):
        raise StoreError(sentence)


def store_lacks(store: Store, inbox: Inbox) -> str:
    """Return a message if the store lacks something that must be there before a publication, else an empty string."""
    if sentence := unfinished(store) or store.changes_lost():
        return sentence
    unknown = unknown_sources(store, inbox)
    if not unknown:
        return ""
    names = ", ".join(unknown[:_MOST_NAMES]) + (" and others" if len(unknown) > _MOST_NAMES else "")
    return (
        f"The store is new or an older copy: it lacks {names}, of which the inbox has records. Restore it with "
        "`gateway restore`, or make it again with `gateway rebuild --from-inbox`."
    )


def check_whole(store: Store, inbox: Inbox) -> None:
    """Raise StoreError if the store lacks something that must be there before a publication."""
    if sentence := store_lacks(store, inbox):
        raise StoreError(sentence)


# --- The domain of the repository: it is part of every identifier, so it is fixed once something is published --------

DOMAIN_FACT = "repository_domain"


def check_domain(store: Store, domain: str) -> None:
    """Raise ConfigurationError if records were published under another domain."""
    fixed = store.fact(DOMAIN_FACT)
    if fixed and fixed != domain and is_published(store):
        raise ConfigurationError(
            f"The repository_domain {domain} cannot be used: identifiers with {fixed} are published. Set it to {fixed}."
        )


def fix_domain(store: Store, domain: str) -> None:
    """Store the domain of all identifiers, before anything is published. Raise the error of `check_domain`."""
    check_domain(store, domain)
    if store.fact(DOMAIN_FACT) != domain:
        store.remember(DOMAIN_FACT, domain)


def is_published(store: Store) -> bool:
    """Return whether any record was ever published."""
    with store.view() as view:
        return bool(view.changes(0, 1))
