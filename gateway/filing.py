"""What becomes known of files is written and published at once: the items in question are made again with it.

Whoever finds, accepts or withdraws files says for each item all that is to be known of its files from now on; harvests
and rebuilds carry it on. The gateway does not ask who that is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from gateway.errors import FilesChanged, IntentExpired, PositionMoved, StoreError
from gateway.items import TRIES, Change, Payloads, facts_held, write
from gateway.mapping import prepare
from gateway.model import FileLink, ItemFiles, ItemState, Publication
from gateway.store.base import Inbox, Store
from gateway.takedowns import Takedowns
from gateway.withholding import Forbidden, permitted


def file_all(
    store: Store,
    inbox: Inbox,
    source: str,
    upstreams: Collection[str],
    known: Callable[[ItemState], tuple[FileLink, ...]],
) -> int:
    """Write what is known of the files of these items, and publish them; return how many records were stamped.

    `known` tells all of it for an item as it is held, and is asked again when another process was faster: of two the
    later word counts. Files that are taken down are left out. Items that are not held are passed over, what is known
    already is not written again. Raise StoreError when other processes are always faster, or nothing of the source was
    ever published.
    """
    facts = facts_held(store, source)
    if facts is None:
        raise StoreError(f"Nothing of {source!r} was ever published.")
    payloads = Payloads(store, inbox, facts)
    for _ in range(TRIES):
        # Before the states: whoever publishes, or files, after this moves them.
        position, edition, takedowns = store.position(source), store.edition(source), store.takedowns()
        held = store.states(source, tuple(upstreams)).values()
        found = ((state, _permitted(state, known(state), takedowns)) for state in held)
        news = [state._replace(files=files) for state, files in found if files != state.files]
        if not news:
            return 0
        filed = tuple(ItemFiles(state.upstream, state.files) for state in news)
        publication = Publication(
            source, position=(position, position), edition=edition, files=filed, takedowns=takedowns.revision
        )
        try:
            return write(store, publication, _changes(payloads, news))
        except (IntentExpired, PositionMoved, FilesChanged):
            continue
    raise StoreError(f"The files of {source} could not be published: something came between {TRIES} times.")


def _permitted(state: ItemState, files: tuple[FileLink, ...], takedowns: Takedowns) -> tuple[FileLink, ...]:
    return () if state.is_hidden else permitted(files, Forbidden(takedowns))


def _changes(payloads: Payloads, states: Collection[ItemState]) -> list[Change]:
    """Return the items that look otherwise now. What is deleted stays so; what cannot be read stays as it was."""
    live = [state for state in states if not state.is_deleted and state.payloads]
    changes = [Change(prepare(payloads.task(state.upstream, {}, state)), (), state) for state in live]
    return [each for each in changes if not each.prepared.problems and each.differs()]
