"""Publication: makes published records of the pages in the inbox. Here, formats meet the store.

Pages are read forward from a position that moves in the transaction of the records. So it can be killed at any moment
and repeated without effect. A record that has not changed keeps its datestamp.
"""

from collections.abc import Callable, Iterable
from itertools import islice, takewhile

from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.names import local_set
from gateway.publish.batch import Batch, Counts, at_once, beaten, given_of, parts_of, published
from gateway.publish.items import TRIES
from gateway.publish.mapping import SourceFacts
from gateway.publish.rebuild import bury_all
from gateway.publish.source_facts import introduce, keep_note
from gateway.store.base import Inbox, Store

__all__ = [
    "Counts",
    "SourceFacts",
    "begin",
    "given_of",
    "local_set",
    "pass_removals",
    "publish_in_turn",
    "publish_pending",
]


class _Outdated(Exception):
    """Another publication has changed an item since this one read it."""


def publish_pending(store: Store, inbox: Inbox, source: str, facts: SourceFacts, limit_pages: int = 1) -> Counts:
    """Publish the next pages of a source, at most `limit_pages`, and return the counts; `pages` is 0 if there are none.

    Raise StoreError if the source is not in the store or other processes are always faster, and the errors of the
    store.
    """
    begin(store, inbox, facts)
    for _ in range(TRIES):
        before = store.position(source)
        try:
            return _next_published(store, inbox, facts, before, limit_pages)
        except PositionMoved:
            continue
    raise beaten(source, before)


def _next_published(store: Store, inbox: Inbox, facts: SourceFacts, before: int, limit_pages: int) -> Counts:
    """Publish the next pages, or the removal of the source that follows them, which counts as a page."""
    removal = inbox.removal(facts.name, before)
    pending = inbox.pages(facts.name, before)
    if removal is not None:  # pages that were not published before the removal are never published
        last = removal.position
        pending = takewhile(lambda page: page.number <= last, pending)
    if pages := list(islice(pending, limit_pages)):
        return published(store, inbox, facts, pages, before)
    if removal is None:
        return Counts()
    bury_all(store, facts.name)
    store.advance(facts.name, before, removal.number)
    return Counts(pages=1)


def pass_removals(store: Store, inbox: Inbox, facts: SourceFacts) -> None:
    """Publish until no removal of the source is left to publish; `publish_in_turn` does not publish removals.

    One is left if its command was killed, or if the store is an older copy than the inbox. Raise StoreError when a
    removal cannot be published.
    """
    while inbox.removal(facts.name, store.position(facts.name)) is not None:
        publish_pending(store, inbox, facts.name, facts)


def begin(store: Store, inbox: Inbox, facts: SourceFacts) -> None:
    """Store the facts that `publish_in_turn` needs, in the store and as a note in the inbox.

    Raise StoreError if the source is not in the store.
    """
    with store.view() as view:
        if view.source(facts.name) is None:
            raise StoreError(
                f"The source {facts.name!r} is not in the store, so nothing of it can be published. Add it first."
            )
    introduce(store, facts)
    keep_note(store, inbox, facts.name)


def publish_in_turn(
    store: Store, inbox: Inbox, facts: SourceFacts, before: int, numbers: Iterable[int], turn: Callable[[], None]
) -> Counts:
    """Publish these pages, which follow the position `before`, while other processes publish those around them.

    Everything is prepared first; `turn` returns when all pages up to `before` are published. If these have changed an
    item, the pages are mapped again. Raise StoreError if that happens too often, and the errors of the store and of
    `turn`.
    """
    pages = [inbox.page(number) for number in numbers]
    if len(parts_of(pages)) > 1:
        turn()
        return published(store, inbox, facts, pages, before)
    wait = turn
    for _ in range(TRIES):
        is_first = store.position(facts.name) == before  # before anything is read
        batch = Batch(store, inbox, facts, pages)

        def ready(batch: Batch = batch, wait: Callable[[], None] = wait, is_first: bool = is_first) -> None:
            wait()
            if not is_first and batch.is_outdated():
                raise _Outdated

        try:
            return batch.publish(before, ready)
        except (IntentExpired, FilesChanged, _Outdated):
            wait = at_once
    raise beaten(facts.name, before)
