"""Searches again for works whose record has changed in its identifiers, titles, landing page or named files.

Other changes of a record cause no search. A work that is being searched for is searched for once more. The harvest does
no work for it: records with a datestamp since the last check are read when works are enlisted. After a `gateway
rebuild` that gives all records new datestamps, all are read once.
"""

from collections.abc import Iterator
from hashlib import sha256

from gateway.core.model import Key, Lease, Selection, Work
from gateway.core.names import SOURCES
from gateway.store.base import Discovery, Store
from harvester.fulltext.identifiers import identifiers_of
from harvester.fulltext.works import PREFIX, works_of

_BATCH = 200


def basis_of(work: Work) -> str:
    """Return a digest, in hexadecimal, of everything in a record that its search depends on."""
    stated = {f"{identifier.scheme} {identifier.value}" for identifier in identifiers_of(work).entries}
    stated |= {f"title {title}" for title in work.texts("title")}
    stated |= {" ".join(("file", file.url, *(value for _, value in file.digests))) for file in work.files}
    return sha256("\n".join([work.landing_page, *sorted(stated)]).encode("utf-8", "surrogatepass")).hexdigest()


def renew_changed(store: Store, discovery: Discovery, source: str, at: int, *, wants_named: bool) -> int:
    """Make items due whose record has changed since it was searched for; return how many.

    An item without a search that could have one now gets it. The first run only stores its time. Raise NotXml when a
    stored record cannot be read.
    """
    list_ = _list(source)
    with store.view() as view:
        horizon = view.horizon
    count = 0
    for works in _published(store, discovery, source):
        wanted = [(name, work.upstream) for name, work in works if wants_named or not work.files]
        discovery.enlist(source, wanted, 0, at, list_)
        count += discovery.renew_outdated(((name, basis_of(work)) for name, work in works), at)
    discovery.enlist(source, (), horizon, at, list_)
    return count


def changed(store: Store, discovery: Discovery, source: str, *, wants_named: bool) -> Iterator[Lease]:
    """Yield the items that `renew_changed` would make due, without writing.

    Raise NotXml when a stored record cannot be read.
    """
    for works in _published(store, discovery, source):
        for name, work in works:
            if discovery.search(name) is None and (wants_named or not work.files):
                yield Lease(name, source, work.upstream, 0, 0)
            elif lease := discovery.outdated(name, basis_of(work)):
                yield lease


def _list(source: str) -> str:
    """Return the name under which the second of the last check is stored."""
    return f"{source} changed"


def _published(store: Store, discovery: Discovery, source: str) -> Iterator[tuple[tuple[str, Work], ...]]:
    """Yield batches of works with a datestamp since the second of the last check, inclusive, by identifier."""
    since = discovery.position(_list(source))
    selection = Selection(PREFIX, f"{SOURCES}:{source}", from_=since)
    after: Key | None = Key(since, 0) if since else None
    while after is not None:
        with store.view() as view:
            page = view.page(selection, after, _BATCH)
        yield works_of(store, source, page.records)
        after = page.next
