"""The list of copies after an upgrade: it is made of the stored searches, once. New searches list their own copies."""

from collections.abc import Iterator

from gateway.core.errors import NotXml
from gateway.core.model import FoundCopy, SearchState, Work
from gateway.fulltext.found_copies import copies_of_state, described
from gateway.store.base import Discovery, Store
from harvester.fulltext.works import work_of
from harvester.http.urls import host_of

_BATCH = 200


def complete(store: Store, discovery: Discovery) -> int:
    """List the copies of searches of earlier releases; return of how many. It continues where it was interrupted.

    Raise StoreError.
    """
    count = 0
    while (after := discovery.copies_lack_after()) is not None:
        states = discovery.searches(after, _BATCH)
        copies = [copy for state in states for copy in _copies(store, discovery, state)]
        discovery.list_copies(copies, states[-1].identifier if states else None)
        count += len(states)
    return count


def _copies(store: Store, discovery: Discovery, state: SearchState) -> Iterator[FoundCopy]:
    work = _work(store, state)
    listed = list(copies_of_state(state, work, host_of))
    yield from listed
    seen = {copy.url for copy in listed}
    title, authors = described(work)
    for decision in {decision.url: decision for decision in discovery.decisions(state.identifier)}.values():
        if decision.url not in seen:  # the last search did not check it
            host = host_of(decision.url)
            yield FoundCopy(
                state.identifier, decision.url, state.source, title, authors, host=host, sha256=decision.sha256
            )


def _work(store: Store, state: SearchState) -> Work | None:
    try:
        return work_of(store, state.identifier, state.upstream)
    except NotXml:
        return None
