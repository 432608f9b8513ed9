"""The works to search for, read from their published DIDL, which has all known facts.

Files that an earlier search found are left out, so that they are searched for again; those that the record names by
now stay. Works whose record has changed in its identifiers, titles, landing page or named files are searched for again;
other changes of a record cause no search. The harvest does no work for it: records with a datestamp since the last
check are read when works are enlisted. After a `gateway rebuild` that gives all records new datestamps, all are read.
"""

from collections.abc import Collection, Iterator
from hashlib import sha256

from gateway.core import xmlio
from gateway.core.model import FileLink, FileOrigin, ItemState, Key, Lease, Selection, Work
from gateway.core.names import FULLTEXT, SOURCES, upstream_identifier
from gateway.core.xmlio import Element
from gateway.formats import oai_didl, reader_of, written
from gateway.store.base import Discovery, Store
from harvester.fulltext.identifiers import identifiers_of

_BATCH = 500
PREFIX = "oai_didl"
_NAMED = b"upstream: named"  # in a DIDL of ours, the provenance of a file that the record names

_CHANGED_AT_ONCE = 200


def listed(
    store: Store, source: str, after: int, *, with_files: bool
) -> Iterator[tuple[int, tuple[tuple[str, str], ...]]]:
    """Yield, per batch, the number of the last item in it and the (identifier, upstream) pairs to search for.

    These are the items without a file, or those `with_files`.
    """
    while batch := store.items(source, after, _BATCH):
        states = [state for _, state in batch]
        after = states[-1].number
        live = (state for state in states if not state.is_deleted)
        yield (
            after,
            tuple(
                (record.identifier, record.upstream)
                for record in live
                if (FULLTEXT in store.item_sets(record.number)) is with_files
            ),
        )


def found_of(store: Store, source: str, upstream: str) -> frozenset[str]:
    """Return the addresses of an item's published files that a search found and its record does not name."""
    return _found_in(store.states(source, (upstream,)).get(upstream))


def _found_in(state: ItemState | None) -> frozenset[str]:
    files = state.files if state else ()
    urls = (url for file in files if file.origin is FileOrigin.DISCOVERED for url in (file.url, file.copy_url))
    return frozenset(filter(None, urls))


def work_of(store: Store, identifier: str, upstream: str, found_urls: Collection[str] = ()) -> Work | None:
    """Return the work of an item without `found_urls`, the files found for it that its record does not name.

    Return None when it is deleted or gone. Raise NotXml when the stored record cannot be read.
    """
    with store.view() as view:
        record = view.record(identifier, PREFIX)
    if record is None or record.is_deleted:
        return None
    return _read(xmlio.parse(record.content), record.content, upstream, found_urls)


def names_file(store: Store, identifier: str, file: FileLink) -> bool:
    """Return whether the record of an item names a file that a search found, with the same bytes.

    The store keeps such a file as a found one; the published DIDL says what the record names. Raise NotXml when it
    cannot be read.
    """
    with store.view() as view:
        record = view.record(identifier, PREFIX)
    if record is None or _NAMED not in record.content:
        return False  # most works with an offered file name none, and parsing takes its time
    metadata = xmlio.parse(record.content).find("metadata")
    return any((link.url, link.sha256.lower()) == (file.url, file.sha256) for link in _named_in(metadata))


def _named_in(metadata: Element | None) -> Iterator[FileLink]:
    """Yield the files that the record itself names, of the `<metadata>` of a DIDL of ours."""
    for root in () if metadata is None else metadata:
        yield from (file for file in oai_didl.files_of_ours(root) if file.origin is FileOrigin.UPSTREAM)


def works_of(store: Store, source: str, records: Collection[bytes]) -> tuple[tuple[str, Work], ...]:
    """Return the works of some records of a source with their identifiers, without the files found for them.

    Raise NotXml when a record cannot be read.
    """
    read = [(xmlio.parse(record), record) for record in records]
    names = [root.findtext("header/identifier") or "" for root, _ in read]
    states = store.states(source, [upstream_identifier(name) for name in names])
    works = (
        (name, _read(root, content, upstream, _found_in(states.get(upstream))))
        for name, upstream, (root, content) in zip(names, map(upstream_identifier, names), read, strict=True)
    )
    return tuple((name, work) for name, work in works if work is not None)


def _read(root: Element, content: bytes, upstream: str, found_urls: Collection[str]) -> Work | None:
    metadata = root.find("metadata")
    if metadata is None or not len(metadata):
        return None
    work = reader_of(written()[PREFIX].namespace).read(metadata[0], content)
    unnamed = set(found_urls).difference(file.url for file in _named_in(metadata)) if found_urls else ()
    return None if work is None else _without(work, unnamed)._replace(upstream=upstream)


def _without(work: Work, found_urls: Collection[str]) -> Work:
    return work.with_files(file for file in work.all_files if file.url not in found_urls)._replace(
        statements=tuple(statement for statement in work.statements if statement.text not in found_urls),
    )


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
            page = view.page(selection, after, _CHANGED_AT_ONCE)
        yield works_of(store, source, page.records)
        after = page.next
