"""What has changed since it was searched for is put up again, when that matters to a search: names, page, title, files.

It costs a harvest nothing: what is published with a datestamp since the last look is read when works are put up.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from gateway.model import Key, Lease, Selection, Work
from gateway.names import SOURCES
from gateway.store.base import Store
from gateway.store.sqlite_discovery import SqliteDiscovery
from harvester.search.works import PREFIX, works_of
from harvester.wire.identifiers import identifiers_of

_BATCH = 200


def basis_of(work: Work) -> str:
    """Return a digest of what a search goes by."""
    told = {f"{each.scheme} {each.value}" for each in identifiers_of(work).found}
    told |= {f"title {each.text}" for each in work.statements if each.element == "title"}
    told |= {" ".join(("file", each.url, *(value for _, value in each.digests))) for each in work.files}
    return sha256("\n".join([work.landing_page, *sorted(told)]).encode("utf-8", "surrogatepass")).hexdigest()


def renew_changed(store: Store, desk: SqliteDiscovery, source: str, at: int, *, wants_named: bool) -> int:
    """Put up what was published since the last look and is no more what was searched for; return how many items.

    What has no search yet, and could have one now, gets it. The first look only notes when it was.
    """
    list_ = _list(source)
    with store.view() as view:
        horizon = view.horizon
    count = 0
    for works in _published(store, desk, source):
        wanted = [(name, work.upstream) for name, work in works if wants_named or not work.files]
        desk.enlist(source, wanted, 0, at, list_)
        count += desk.renew_outdated(((name, basis_of(work)) for name, work in works), at)
    desk.enlist(source, (), horizon, at, list_)
    return count


def changed(store: Store, desk: SqliteDiscovery, source: str, *, wants_named: bool) -> Iterator[Lease]:
    """Return what `renew_changed` would put up, and write nothing."""
    for works in _published(store, desk, source):
        for name, work in works:
            if desk.search(name) is None and (wants_named or not work.files):
                yield Lease(name, source, work.upstream, 0, 0)
            elif lease := desk.outdated(name, basis_of(work)):
                yield lease


def _list(source: str) -> str:
    """Return what the second of the last look is remembered by."""
    return f"{source} changed"


def _published(store: Store, desk: SqliteDiscovery, source: str) -> Iterator[tuple[tuple[str, Work], ...]]:
    """Return the works, by their identifiers, that have a datestamp since the last look, those of its second too."""
    since = desk.position(_list(source))
    selection = Selection(PREFIX, f"{SOURCES}:{source}", from_=since)
    after: Key | None = Key(since, 0) if since else None
    while after is not None:
        with store.view() as view:
            page = view.page(selection, after, _BATCH)
        yield works_of(store, source, page.records)
        after = page.next
