"""The published files of a source, as their DIDLs name them. Records that have changed since the last time are read."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from gateway.core import xmlio
from gateway.core.model import FileLink, FileOrigin, FileRecheck, Key, Selection
from gateway.core.model.rechecks import SHARES
from gateway.core.names import SOURCES
from gateway.formats import oai_didl
from gateway.store.base import Discovery, Store
from harvester.fulltext.works import PREFIX
from harvester.http.urls import host_of

_BATCH = 200
_LISTS = ("published", "found and published")  # with the files that records name, and without


def list_published(store: Store, discovery: Discovery, source: str, every: int, at: int, *, wants_named: bool) -> None:
    """Store which files of a source are published, and their period in seconds. `at` is now.

    Files whose bytes are not known, and without `wants_named` those that a record names, are left out. Raise NotXml
    when a stored record cannot be read.
    """
    list_, other = (f"{source} {kind}" for kind in _LISTS[:: 1 if wants_named else -1])
    with store.view() as view:
        horizon = view.horizon
    for rechecks in published(store, source, discovery.position(list_), wants_named=wants_named):
        discovery.rechecks.publish(rechecks)
    discovery.rechecks.schedule(source, every, at)
    discovery.enlist(source, (), horizon, at, list_)
    discovery.rechecks.list_anew(other)  # if the setting changes, all files are listed


def published(
    store: Store, source: str, since: int = 0, *, wants_named: bool
) -> Iterator[dict[str, tuple[FileRecheck, ...]]]:
    """Yield batches of items with a datestamp since a second, inclusive: their published files, not yet looked at."""
    selection = Selection(PREFIX, f"{SOURCES}:{source}", from_=since)
    after: Key | None = Key(since, 0) if since else None
    is_first = True
    while is_first or after is not None:
        with store.view() as view:
            page = view.page(selection, after, _BATCH)
        read = map(_files_of, page.records)
        yield {name: tuple(_rechecks(name, source, files, wants_named=wants_named)) for name, files in read}
        after, is_first = page.next, False


def _files_of(record: bytes) -> tuple[str, tuple[FileLink, ...]]:
    """Return the identifier of a stored record, and its files; none if it is deleted."""
    root = xmlio.parse(record)
    metadata = root.find("metadata")
    files = oai_didl.files_of_ours(metadata[0]) if metadata is not None and len(metadata) else ()
    return root.findtext("header/identifier") or "", files


def _rechecks(identifier: str, source: str, files: Iterable[FileLink], *, wants_named: bool) -> Iterator[FileRecheck]:
    for file in files:
        is_named = file.origin is FileOrigin.UPSTREAM
        host = host_of(file.url)
        if file.sha256 and host and (wants_named or not is_named):
            digest = file.sha256.lower()
            yield FileRecheck(identifier, file.url, source, host, digest, is_named, _share(identifier, file.url))


def _share(identifier: str, url: str) -> int:
    """Return the place of a file in its period, which depends only on its names."""
    digest = blake2b(f"{identifier} {url}".encode("utf-8", "surrogatepass"), digest_size=4).digest()
    return int.from_bytes(digest) % SHARES
