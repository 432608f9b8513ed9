"""The addresses of ResourceSync documents: `/.well-known/resourcesync`, and everything below `/resourcesync/`.

Documents are made from the store at each request. `at`, `from` and `until` are horizons of the store, so a destination
misses nothing if it continues from them. `at` is the second after the last change: the state has been the same since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import IO, Final, TypeAlias
from wsgiref.util import FileWrapper

from flask import Blueprint, Response, abort, request

from gateway.errors import StoreError
from gateway.model import Content, Resource, Selection
from gateway.resourcesync import packages
from gateway.resourcesync.addresses import DESCRIPTION, FOLDER, Addresses, ResourceSet
from gateway.resourcesync.answers import FRESH_SECONDS, answer, unavailable
from gateway.resourcesync.documents import Document, Link
from gateway.resourcesync.entries import Entries, Origin, origin_of
from gateway.resourcesync.packages import Packed
from gateway.resourcesync.periods import MOST_ENTRIES, OPEN, Period, Periods
from gateway.store.base import Store, View
from gateway.xmltext import utc_datetime

# Returns the function that returns the address of the metadata of an item in a format.
MetadataUrl: TypeAlias = Callable[[View, str], Callable[[str], str]]

# Returns the bytes between `<metadata>` and `</metadata>` of a record.
MetadataOf: TypeAlias = Callable[[bytes], bytes]

MOST_PACKED: Final = 5_000  # resources of a package: some 5 MB, made in half a second
_ZIP: Final = "application/zip"
_STEP: Final = 1 << 16
_CLOSED_FRESH_SECONDS: Final = 3_600  # a takedown may still empty its entries


def blueprint(
    store: Store,
    sets: Sequence[ResourceSet],
    url: str,
    metadata_url: MetadataUrl,
    metadata_of: MetadataOf,
    *,
    further: Sequence[str] = (),
    most_entries: int = MOST_ENTRIES,
    most_packed: int = MOST_PACKED,
    hub: str = "",
) -> Blueprint:
    """Return the Flask blueprint of the source; `url` is the address of `/` without the slash.

    `sets` are the sets of resources, each with a Capability List; `further` are the addresses of others. `metadata_of`
    returns the metadata in a record. A document has at most `most_entries` entries, and a package at most `most_packed`
    resources. `hub` is the address of the hub that announces changes (ResourceSync Change Notification); empty: there
    is none.
    """
    face = Blueprint("resourcesync", __name__)
    source = _Source(store, sets, Addresses(url), metadata_url, metadata_of)
    source.further = tuple(further)
    source.limit(most_entries, most_packed)
    source.hub = hub
    face.add_url_rule(DESCRIPTION, "description", source.description)
    for name, rule, view in (
        ("capability_list", "capabilitylist.xml", source.capability_list),
        ("resource_list", "resourcelist.xml", source.resource_list),
        ("resource_list_part", "resourcelist-<int:part>.xml", source.resource_list_part),
        ("resource_dump", "resourcedump.xml", source.resource_dump),
        ("resource_dump_manifest", "resourcedump-<int:part>.xml", source.manifest),
        ("resource_dump_package", "resourcedump-<int:part>.zip", source.package),
        ("change_lists", "changelist.xml", source.change_lists),
        ("change_list", "changelist-<period>.xml", source.change_list),
    ):
        face.add_url_rule(f"{FOLDER}/<prefix>/<spec>/{rule}", name, view)
    face.register_error_handler(StoreError, unavailable)
    return face


class _Source:
    """Answers for one site."""

    def __init__(
        self,
        store: Store,
        sets: Sequence[ResourceSet],
        addresses: Addresses,
        metadata_url: MetadataUrl,
        metadata_of: MetadataOf,
    ) -> None:
        self._store = store
        self._sets = tuple(sets)
        self._addresses = addresses
        self._metadata_url = metadata_url
        self._metadata_of = metadata_of
        self.further: tuple[str, ...] = ()  # the addresses of Capability Lists that are made elsewhere
        self.hub = ""
        self.limit(MOST_ENTRIES, MOST_PACKED)

    def limit(self, most_entries: int, most_packed: int) -> None:
        """Set how many entries a document has at most, and how many resources a package."""
        self._most, self._most_packed = most_entries, most_packed
        self._periods = Periods(most_entries)

    # -- what there is -------------------------------------------------------------------------------------------

    def description(self) -> Response:
        """Answer with the Source Description (§8): the Capability Lists of all sets of resources, and of files."""
        document = Document("description", (Link("describedby", f"{self._addresses.url}/"),))
        md = {"capability": "capabilitylist"}
        lists = (*map(self._addresses.capability_list, self._sets), *self.further)
        return answer(document.write(document.entry(address, md) for address in lists))

    def capability_list(self, prefix: str, spec: str) -> Response:
        """Answer with the Capability List of a set of resources (§9)."""
        resources = self._asked(prefix, spec)
        links = (
            Link("up", self._addresses.description),
            Link("describedby", f"{self._addresses.url}/formats/{resources.metadata_prefix}"),
        )
        document = Document("capabilitylist", links)
        entries = [
            document.entry(self._addresses.resource_list(resources), {"capability": "resourcelist"}),
            document.entry(self._addresses.resource_dump(resources), {"capability": "resourcedump"}),
        ]
        with self._store.view() as view:
            if self._periods.of(view, resources):
                entries.append(document.entry(self._addresses.change_list(resources), {"capability": "changelist"}))
                if self.hub:
                    channel = self._addresses.change_list(resources, OPEN)
                    md = {"capability": "change-notification"}
                    entries.append(document.entry(channel, md, (Link("hub", self.hub),)))
        return answer(document.write(entries))

    # -- the present state ---------------------------------------------------------------------------------------

    def resource_list(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource List (§10), or with its index if it has too many entries for one document."""
        resources = self._asked(prefix, spec)
        up = Link("up", self._addresses.capability_list(resources))
        with self._store.view() as view:
            last = view.last_item()
            is_small = view.count(Selection(prefix, resources.selected)) <= self._most
            document = Document("resourcelist", (up,), self._at(view, resources), is_index=not is_small)
            if is_small:
                return answer(document.write(self._resources(view, resources, 0, last)))
            ranges = view.resource_ranges(Selection(*_selected(resources)), self._most)
        addresses = (self._addresses.resource_list(resources, number + 1) for number in ranges)
        return answer(document.write(document.entry(address, {}) for address in addresses))

    def resource_list_part(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a part of the Resource List: the resources of a range of items, which never change their part."""
        resources = self._asked(prefix, spec)
        links = (
            Link("up", self._addresses.capability_list(resources)),
            Link("index", self._addresses.resource_list(resources)),
        )
        with self._store.view() as view:
            if not 1 <= part <= -(-view.last_item() // self._most):
                abort(404)
            document = Document("resourcelist", links, self._at(view, resources))
            return answer(document.write(self._resources(view, resources, *_bounds(part, self._most))))

    def _at(self, view: View, resources: ResourceSet) -> dict[str, str]:
        return {"at": utc_datetime(view.changed_until(resources.metadata_prefix, view.horizon - 1))}

    def _resources(self, view: View, resources: ResourceSet, after: int, until: int) -> Iterator[str]:
        entries = self._entries(view, resources)
        listed = view.resources(Selection(*_selected(resources)), after, until, self._most)
        for resource, contents in _with_contents(view, listed):
            yield entries.resource(resource, contents)

    # -- packages ------------------------------------------------------------------------------------------------

    def resource_dump(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource Dump (§11): the packages of all resources, each a range of items."""
        resources = self._asked(prefix, spec)
        within = Selection(*_selected(resources))
        with self._store.view() as view:
            document = Document(
                "resourcedump", (Link("up", self._addresses.capability_list(resources)),), self._at(view, resources)
            )
            entries = [
                document.entry(
                    self._addresses.package(resources, part),
                    {"type": _ZIP},
                    [Link("contents", self._addresses.manifest(resources, part), "application/xml")],
                )
                for part in (1 + number for number in view.resource_ranges(within, self._most_packed))
            ]
        return answer(document.write(entries))

    def manifest(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a copy of the manifest of a package (§11.2)."""
        resources = self._asked(prefix, spec)
        with self._store.view() as view:
            document = self._manifest(view, resources)
            entries = self._entries(view, resources)
            packed = self._packed(view, resources, self._in_package(view, resources, part))
            return answer(document.write(entries.packed(*one) for one in packed))

    def package(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a package: made of the store, always the same for the same resources, and in ranges of bytes."""
        resources = self._asked(prefix, spec)
        with self._store.view() as view:
            listed = self._in_package(view, resources, part)
            document = self._manifest(view, resources)
            tag = blake2b(repr((document.times, listed)).encode(), digest_size=16).hexdigest()
            response = Response(content_type=_ZIP)
            response.set_etag(tag)
            response.cache_control.public = True
            response.cache_control.max_age = FRESH_SECONDS
            if request.if_none_match.contains(tag):
                response.status_code = 304
                return response
            entries = self._entries(view, resources)
            file, length = packages.package(document, entries, self._packed(view, resources, listed))
        return _sent(response, file, length)

    def _in_package(self, view: View, resources: ResourceSet, part: int) -> tuple[Resource, ...]:
        listed: tuple[Resource, ...] = ()
        if 1 <= part <= -(-view.last_item() // self._most_packed):
            listed = view.resources(
                Selection(*_selected(resources)), *_bounds(part, self._most_packed), self._most_packed
            )
        if not listed:
            abort(404)
        return listed

    def _manifest(self, view: View, resources: ResourceSet) -> Document:
        up = Link("up", self._addresses.capability_list(resources))
        return Document("resourcedump-manifest", (up,), self._at(view, resources))

    def _packed(self, view: View, resources: ResourceSet, listed: Sequence[Resource]) -> Iterator[Packed]:
        for resource, contents in _with_contents(view, listed):
            record = view.record(resource.identifier, resources.metadata_prefix)
            assert record is not None, "it is of one snapshot"
            yield Packed(resource, self._metadata_of(record.content), contents)

    # -- what has changed ----------------------------------------------------------------------------------------

    def change_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Change List Index (§12.1)."""
        resources = self._asked(prefix, spec)
        with self._store.view() as view:
            periods = self._periods.of(view, resources)
            begin = view.changes_from()
        links = (Link("up", self._addresses.capability_list(resources)),)
        document = Document("changelist", links, {"from": utc_datetime(begin)}, is_index=True)
        if not periods:
            abort(404)
        return answer(
            document.write(
                document.entry(self._addresses.change_list(resources, period.name), _times(period))
                for period in periods
            )
        )

    def change_list(self, prefix: str, spec: str, period: str) -> Response:
        """Answer with one Change List (§12): open, or closed and then always the same."""
        resources = self._asked(prefix, spec)
        links = (
            Link("up", self._addresses.capability_list(resources)),
            Link("index", self._addresses.change_list(resources)),
            *self._announced(resources, period),
        )
        with self._store.view() as view:
            wanted = self._periods.named(view, resources, period)
            if wanted is None:
                abort(404)
            document = Document("changelist", links, _times(wanted))
            entries = self._entries(view, resources)
            within = Selection(*_selected(resources), wanted.first, wanted.last)
            changes = view.resource_changes(within, wanted.after, self._most)
            content = document.write(map(entries.change, changes))
        return answer(content, FRESH_SECONDS if wanted.until is None else _CLOSED_FRESH_SECONDS)

    def _announced(self, resources: ResourceSet, period: str) -> tuple[Link, ...]:
        """Return the links of a document whose changes the hub announces (WebSub §4)."""
        if not self.hub or period != OPEN:
            return ()
        return (Link("hub", self.hub), Link("self", self._addresses.change_list(resources, OPEN)))

    # -- shared --------------------------------------------------------------------------------------------------

    def _asked(self, prefix: str, spec: str) -> ResourceSet:
        resources = ResourceSet(prefix, spec)
        if resources not in self._sets:
            abort(404)
        return resources

    def _entries(self, view: View, resources: ResourceSet) -> Entries:
        return Entries(self._metadata_url(view, resources.metadata_prefix), self._origins(view, resources))

    def _origins(self, view: View, resources: ResourceSet) -> Mapping[str, Origin]:
        known = {known.metadata_prefix: known for known in view.formats()}.get(resources.metadata_prefix)
        upstream_prefix = known.upstream_prefix if known and known.upstream_prefix else "oai_dc"
        return {
            source.name: origin_of(source, f"{self._addresses.url}/sources/{source.name}", upstream_prefix)
            for source in view.sources()
        }


def _with_contents(view: View, listed: Sequence[Resource]) -> Iterator[tuple[Resource, tuple[Content, ...]]]:
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


def _bounds(part: int, width: int) -> tuple[int, int]:
    """Return the numbers of the items before a part, and at its end."""
    return (part - 1) * width, part * width


def _selected(resources: ResourceSet) -> tuple[str, str | None]:
    return resources.metadata_prefix, resources.selected


def _sent(response: Response, file: IO[bytes], length: int) -> Response:
    """Return an answer with a package, or with a range of its bytes (RFC 9110 §14); the file is closed behind it."""
    response.response = FileWrapper(file, _STEP)
    response.content_length = length
    response.call_on_close(file.close)
    response.make_conditional(request, accept_ranges=True, complete_length=length)
    return response


def _times(period: Period) -> dict[str, str]:
    until = {} if period.until is None else {"until": utc_datetime(period.until)}
    return {"from": utc_datetime(period.from_), **until}
