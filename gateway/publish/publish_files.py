"""Writes new facts about files, and publishes the items with them at once.

The caller gives all facts about the files of an item. They replace the former ones; harvests and rebuilds keep them.
"""

from collections import Counter
from collections.abc import Callable, Collection

from gateway.core.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.core.model import FileLink, ItemFiles, ItemState, Publication
from gateway.core.takedowns import Takedowns
from gateway.publish.batch import Payloads
from gateway.publish.items import TRIES, Change, write
from gateway.publish.mapping import prepare
from gateway.publish.source_facts import facts_held
from gateway.publish.withholding import Forbidden, permitted
from gateway.store.base import Inbox, Store


def file_all(
    store: Store,
    inbox: Inbox,
    source: str,
    upstreams: Collection[str],
    known: Callable[[ItemState], tuple[FileLink, ...]],
) -> Counter[str]:
    """Write the known files of these items, and publish them; return how many records of an item got a new datestamp.

    `known` returns all files for the stored state of an item; it is called again if another process was faster. Files
    that are taken down are left out. Unknown items are skipped, and unchanged files are not written. Raise StoreError
    if other processes were always faster, or if nothing of the source was ever published.
    """
    facts = facts_held(store, source)
    if facts is None:
        raise StoreError(f"Nothing of {source!r} was ever published. Run `harvester publish {source}` first.")
    for _ in range(TRIES):
        # Before the states: a later publication, or change of files, moves these values.
        position, edition, takedowns = store.position(source), store.edition(source), store.takedowns()
        payloads = Payloads(store, inbox, facts)
        held = store.states(source, tuple(upstreams)).values()
        permitted = ((state, _permitted(state, known(state), takedowns)) for state in held)
        news = [state._replace(files=files) for state, files in permitted if files != state.files]
        if not news:
            return Counter()
        filed = tuple(ItemFiles(state.upstream, state.files) for state in news)
        publication = Publication(
            source, position=(position, position), edition=edition, files=filed, takedowns=takedowns.revision
        )
        try:
            changes = _changes(payloads, news)
            write(store, publication, changes)
        except (IntentExpired, PositionMoved, FilesChanged):
            continue
        return Counter({change.prepared.upstream: len(change.news()) for change in changes})
    raise StoreError(
        f"The files of {source} were not published: other processes were faster {TRIES} times. Repeat the command."
    )


def _permitted(state: ItemState, files: tuple[FileLink, ...], takedowns: Takedowns) -> tuple[FileLink, ...]:
    return () if state.is_hidden else permitted(files, Forbidden(takedowns))


def _changes(payloads: Payloads, states: Collection[ItemState]) -> list[Change]:
    """Return the items whose records change. Deleted items stay deleted; unreadable ones stay unchanged."""
    live = [state for state in states if not state.is_deleted and state.payloads]
    changes = [Change(prepare(payloads.task(state.upstream, {}, state)), (), state) for state in live]
    return [change for change in changes if not change.prepared.problems and change.differs()]
