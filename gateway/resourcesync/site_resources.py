"""The resources of a site as its documents and packages have them: entries, manifests, and what is packed.

The routes make them at the request, and `harvester tend` makes files of them. Both make the same bytes.

While a file of an item is taken down and its record names it, each new version empties the hash of the one before.
Lists get the hashes back at the end of the takedown, packages do not.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Final, TypeAlias

from gateway.core.model import Content, Resource, ResourceChange, Selection
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync.addresses import Addresses, ResourceSet
from gateway.resourcesync.documents import Document, Entries, Link, Origin, origin_of
from gateway.resourcesync.packages import Member, Packed
from gateway.resourcesync.periods import MOST_ENTRIES, Period, Periods
from gateway.store.base import View

# Returns the function that returns the address of the metadata of an item in a format.
MetadataUrl: TypeAlias = Callable[[View, str], Callable[[str], str]]

# Returns the function that returns the address of the page of an item.
PageUrl: TypeAlias = Callable[[View], Callable[[str], str]]

# Returns the bytes between `<metadata>` and `</metadata>` of a record.
MetadataOf: TypeAlias = Callable[[bytes], bytes]

_DIDL: Final = "oai_didl"
MOST_PACKED: Final = 5_000  # resources of a package: some 5 MB, made in half a second


class SiteResources:
    """The resources of a site. A document has at most `most_entries` entries, a package `most_packed` resources."""

    def __init__(
        self,
        addresses: Addresses,
        metadata_url: MetadataUrl,
        metadata_of: MetadataOf,
        most_entries: int = MOST_ENTRIES,
        most_packed: int = MOST_PACKED,
        *,
        page_url: PageUrl | None = None,
    ) -> None:
        self.addresses, self._metadata_url, self._metadata_of = addresses, metadata_url, metadata_of
        self._page_url = page_url
        self.most_entries, self.most_packed = most_entries, most_packed
        self.periods = Periods(most_entries)

    def up(self, resources: ResourceSet) -> Link:
        """Return the link of a document of a set of resources to its Capability List."""
        return Link("up", self.addresses.of(resources, "capabilitylist"))

    def entries(self, view: View, resources: ResourceSet, *, has_links: bool = True) -> Entries:
        """Return what writes the entries of a set of resources; `has_links`: with that to the page of the item."""
        page_of = self._page_url(view) if self._page_url and has_links else None
        url_of, origins = self._metadata_url(view, resources.metadata_prefix), self._origins(view, resources)
        return Entries(url_of, origins, page_of, view.cited) if has_links else Entries(url_of, origins)

    def origins_mark(self, view: View, resources: ResourceSet) -> str:
        """Return a short text that is different when other sources are known."""
        return blake2b(repr(self._origins(view, resources)).encode(), digest_size=8).hexdigest()

    def _origins(self, view: View, resources: ResourceSet) -> Mapping[str, Sequence[Origin]]:
        known = {known.metadata_prefix: known for known in view.formats()}.get(resources.metadata_prefix)
        upstream_prefix = known.upstream_prefix if known and known.upstream_prefix else "oai_dc"
        origins: dict[str, list[Origin]] = {}
        for source, until in (*view.former_sources(), *((source, inf) for source in view.sources())):
            origin = origin_of(source, f"{self.addresses.url}/sources/{source.name}", upstream_prefix)
            origins.setdefault(source.name, []).append(origin._replace(until=until))
        return origins

    # -- the present state ---------------------------------------------------------------------------------------

    def at(self, view: View, resources: ResourceSet) -> int:
        """Return the second after the last change: the state has been the same since.

        Links to files are from the DIDLs, so a change there counts too.
        """
        return max(view.changed_until(prefix, view.horizon - 1) for prefix in (resources.metadata_prefix, _DIDL))

    def tag(self, view: View, resources: ResourceSet, at: int, listed: Sequence[Resource]) -> str:
        """Return the tag of a package: another one if any of its bytes are others."""
        contents = tuple(view.contents(listed[0].item - 1, listed[-1].item)) if listed else ()
        state = (at, listed, contents, self._origins(view, resources))
        return blake2b(repr(state).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def listed(self, view: View, resources: ResourceSet, after: int, until: int) -> Iterator[str]:
        """Yield the entries of a range of items in a Resource List."""
        entries = self.entries(view, resources)
        for resource, contents in with_contents(view, self._range(view, resources, after, until)):
            yield entries.resource(resource, contents)

    def archived(self, view: View, resources: ResourceSet, after: int, until: int) -> Iterator[tuple[Resource, str]]:
        """Yield the resources of a range of items, each with its entry in an archived Resource List.

        It has no links to files, which may be taken down without a change of the resource.
        """
        entries = self.entries(view, resources, has_links=False)
        for resource in self._range(view, resources, after, until):
            yield resource, entries.resource(resource, ())

    def _range(self, view: View, resources: ResourceSet, after: int, until: int) -> tuple[Resource, ...]:
        return view.resources(Selection(*selected(resources)), after, until, self.most_entries)

    def in_package(self, view: View, resources: ResourceSet, part: int) -> tuple[Resource, ...]:
        """Return the resources in a package of the Resource Dump; none: there is no such package."""
        if not 1 <= part <= -(-view.last_item() // self.most_packed):
            return ()
        return view.resources(Selection(*selected(resources)), *bounds(part, self.most_packed), self.most_packed)

    def resource_manifest(self, resources: ResourceSet, at: int) -> Document:
        """Return the head of the manifest of a package of the Resource Dump."""
        return Document("resourcedump-manifest", (self.up(resources),), {"at": utc_datetime(at)})

    def packed(self, view: View, resources: ResourceSet, listed: Sequence[Resource]) -> Iterator[Packed]:
        """Yield resources with their bytes, and the files that they describe."""
        for resource, contents in with_contents(view, listed):
            record = view.record(resource.identifier, resources.metadata_prefix)
            assert record is not None, "it is of one snapshot"
            yield Packed(resource, self._metadata_of(record.content), contents)

    # -- what has changed ----------------------------------------------------------------------------------------

    def change_manifest(self, resources: ResourceSet, from_: int, until: int) -> Document:
        """Return the head of the manifest of a package of changes."""
        times = {"from": utc_datetime(from_), "until": utc_datetime(until)}
        return Document("changedump-manifest", (self.up(resources),), times)

    def packed_changes(self, view: View, resources: ResourceSet, period: Period) -> Iterator[Member]:
        """Yield the deletions of a period, and the versions of it that are still the present ones."""
        entries = self.entries(view, resources)
        changes = self.changes(view, resources, period)
        last = {change.item: change.number for change in changes}
        for change in changes:
            if change.kind == "deleted":
                yield Member(entries.change(change))
                continue
            is_last = bool(change.sha256) and change.number == last[change.item]
            record = view.record(change.identifier, resources.metadata_prefix) if is_last else None
            if record is not None and not record.is_deleted and record.datestamp <= change.datestamp:
                path = entries.path_of_version(change.item, record.datestamp)
                entry = entries.change(change, contents_of(view, change.item), path)
                yield Member(entry, path, self._metadata_of(record.content))

    def changed(self, view: View, resources: ResourceSet, changes: Iterable[ResourceChange]) -> Iterator[str]:
        """Yield the entries of changes, with the present files of their items."""
        entries = self.entries(view, resources)
        for change in changes:
            yield entries.change(change, contents_of(view, change.item))

    def changes(self, view: View, resources: ResourceSet, period: Period) -> tuple[ResourceChange, ...]:
        """Return the changes of a period."""
        within = Selection(*selected(resources), period.first, period.last)
        return view.resource_changes(within, period.after, self.most_entries)


def contents_of(view: View, item: int) -> Iterator[Content]:
    """Yield the files of an item."""
    return (content for _, content in view.contents(item - 1, item))


def with_contents(view: View, listed: Sequence[Resource]) -> Iterator[tuple[Resource, tuple[Content, ...]]]:
    """Yield resources, sorted by item, each with the files of its item."""
    if not listed:
        return
    end: tuple[int, Iterable[tuple[int, Content]]] = (listed[-1].item + 1, ())
    described = groupby(view.contents(listed[0].item - 1, listed[-1].item), itemgetter(0))
    item, contents = next(described, end)
    for resource in listed:
        while item < resource.item:
            item, contents = next(described, end)
        yield resource, tuple(content for _, content in contents) if item == resource.item else ()


def bounds(part: int, width: int) -> tuple[int, int]:
    """Return the numbers of the items before a part, and at its end."""
    return (part - 1) * width, part * width


def selected(resources: ResourceSet) -> tuple[str, str | None]:
    """Return the prefix and the set as a `Selection` has them."""
    return resources.metadata_prefix, resources.selected
