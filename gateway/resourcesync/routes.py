"""The addresses of ResourceSync documents: `/.well-known/resourcesync`, and everything below `/resourcesync/`.

Documents are made from the store at each request. `at`, `from` and `until` are horizons of the store, so a destination
misses nothing if it continues from them. `at` is the second after the last change: the state has been the same since.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from flask import Blueprint, Response, abort, request
from isal import isal_zlib

from gateway.errors import StoreError
from gateway.model import Content, Selection
from gateway.resourcesync.addresses import DESCRIPTION, FOLDER, Addresses, ResourceSet
from gateway.resourcesync.documents import CONTENT_TYPE, Document, Link
from gateway.resourcesync.entries import Entries, Origin, origin_of
from gateway.resourcesync.periods import MOST_ENTRIES, Period, Periods
from gateway.store.base import Store, View
from gateway.xmltext import utc_datetime

log = logging.getLogger("gateway.resourcesync")

# Returns the function that returns the address of the metadata of an item in a format.
MetadataUrl: TypeAlias = Callable[[View, str], Callable[[str], str]]

_FRESH_SECONDS: Final = 60
_CLOSED_FRESH_SECONDS: Final = 3_600  # a takedown may still empty its entries
_RETRY_AFTER_SECONDS: Final = 60
_GZIP: Final = 31  # wbits


def blueprint(
    store: Store,
    sets: Sequence[ResourceSet],
    url: str,
    metadata_url: MetadataUrl,
    most_entries: int = MOST_ENTRIES,
) -> Blueprint:
    """Return the Flask blueprint of the source; `url` is the address of `/` without the slash.

    `sets` are the sets of resources, each with a Capability List. A document has at most `most_entries` entries.
    """
    face = Blueprint("resourcesync", __name__)
    source = _Source(store, sets, Addresses(url), metadata_url, most_entries)
    face.add_url_rule(DESCRIPTION, "description", source.description)
    for name, rule, view in (
        ("capability_list", "capabilitylist.xml", source.capability_list),
        ("resource_list", "resourcelist.xml", source.resource_list),
        ("resource_list_part", "resourcelist-<int:part>.xml", source.resource_list_part),
        ("change_lists", "changelist.xml", source.change_lists),
        ("change_list", "changelist-<period>.xml", source.change_list),
    ):
        face.add_url_rule(f"{FOLDER}/<prefix>/<spec>/{rule}", name, view)
    face.register_error_handler(StoreError, _unavailable)
    return face


class _Source:
    """Answers for one site."""

    def __init__(
        self,
        store: Store,
        sets: Sequence[ResourceSet],
        addresses: Addresses,
        metadata_url: MetadataUrl,
        most_entries: int,
    ) -> None:
        self._store = store
        self._sets = tuple(sets)
        self._addresses = addresses
        self._metadata_url = metadata_url
        self._most = most_entries
        self._periods = Periods(most_entries)

    # -- what there is -------------------------------------------------------------------------------------------

    def description(self) -> Response:
        """Answer with the Source Description (§8): the Capability Lists of all sets of resources."""
        document = Document("description", (Link("describedby", f"{self._addresses.url}/"),))
        md = {"capability": "capabilitylist"}
        return _answer(
            document.write(document.entry(self._addresses.capability_list(resources), md) for resources in self._sets)
        )

    def capability_list(self, prefix: str, spec: str) -> Response:
        """Answer with the Capability List of a set of resources (§9)."""
        resources = self._asked(prefix, spec)
        links = (
            Link("up", self._addresses.description),
            Link("describedby", f"{self._addresses.url}/formats/{resources.metadata_prefix}"),
        )
        document = Document("capabilitylist", links)
        entries = [document.entry(self._addresses.resource_list(resources), {"capability": "resourcelist"})]
        with self._store.view() as view:
            if self._periods.of(view, resources):
                entries.append(document.entry(self._addresses.change_list(resources), {"capability": "changelist"}))
        return _answer(document.write(entries))

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
                return _answer(document.write(self._resources(view, document, resources, 0, last)))
            parts = range(1, -(-last // self._most) + 1)
            return _answer(
                document.write(
                    document.entry(self._addresses.resource_list(resources, part), {})
                    for part in parts
                    if view.resources(Selection(prefix, resources.selected), *self._bounds(part), 1)
                )
            )

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
            return _answer(document.write(self._resources(view, document, resources, *self._bounds(part))))

    def _bounds(self, part: int) -> tuple[int, int]:
        return (part - 1) * self._most, part * self._most

    def _at(self, view: View, resources: ResourceSet) -> dict[str, str]:
        return {"at": utc_datetime(view.changed_until(resources.metadata_prefix, view.horizon - 1))}

    def _resources(
        self, view: View, document: Document, resources: ResourceSet, after: int, until: int
    ) -> Iterator[str]:
        entries = self._entries(view, document, resources)
        described = groupby(view.contents(after, until), itemgetter(0))
        item, contents = next(described, (until + 1, iter(())))
        for resource in view.resources(Selection(*_selected(resources)), after, until, self._most):
            while item < resource.item:
                item, contents = next(described, (until + 1, iter(())))
            files: Iterator[Content] = (content for _, content in contents) if item == resource.item else iter(())
            yield entries.resource(resource, files)

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
        return _answer(
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
        )
        with self._store.view() as view:
            wanted = self._periods.named(view, resources, period)
            if wanted is None:
                abort(404)
            document = Document("changelist", links, _times(wanted))
            entries = self._entries(view, document, resources)
            within = Selection(*_selected(resources), wanted.first, wanted.last)
            changes = view.resource_changes(within, wanted.after, self._most)
            content = document.write(map(entries.change, changes))
        return _answer(content, _FRESH_SECONDS if wanted.until is None else _CLOSED_FRESH_SECONDS)

    # -- shared --------------------------------------------------------------------------------------------------

    def _asked(self, prefix: str, spec: str) -> ResourceSet:
        resources = ResourceSet(prefix, spec)
        if resources not in self._sets:
            abort(404)
        return resources

    def _entries(self, view: View, document: Document, resources: ResourceSet) -> Entries:
        return Entries(document, self._metadata_url(view, resources.metadata_prefix), self._origins(view, resources))

    def _origins(self, view: View, resources: ResourceSet) -> Mapping[str, Origin]:
        known = {known.metadata_prefix: known for known in view.formats()}.get(resources.metadata_prefix)
        upstream_prefix = known.upstream_prefix if known and known.upstream_prefix else "oai_dc"
        return {
            source.name: origin_of(source, f"{self._addresses.url}/sources/{source.name}", upstream_prefix)
            for source in view.sources()
        }


def _selected(resources: ResourceSet) -> tuple[str, str | None]:
    return resources.metadata_prefix, resources.selected


def _times(period: Period) -> dict[str, str]:
    until = {} if period.until is None else {"until": utc_datetime(period.until)}
    return {"from": utc_datetime(period.from_), **until}


def _answer(content: bytes, fresh_seconds: int = _FRESH_SECONDS) -> Response:
    """Return a document with a strong ETag, compressed if the client accepts it (RFC 9110 §8.8.3.3, §12.5.3)."""
    is_packed = request.accept_encodings.quality("gzip") > 0
    tag = blake2b(content, digest_size=16).hexdigest() + ("-gzip" if is_packed else "")
    response = Response(content, content_type=CONTENT_TYPE)
    response.set_etag(tag)
    response.vary.add("Accept-Encoding")
    response.cache_control.public = True
    response.cache_control.max_age = fresh_seconds
    response.make_conditional(request)
    if is_packed and response.status_code == 200:  # noqa: PLR2004 - a 304 has no body to encode
        response.set_data(isal_zlib.compress(content, level=1, wbits=_GZIP))
        response.content_encoding = "gzip"
    return response


def _unavailable(error: StoreError) -> Response:
    log.error("A ResourceSync document was answered with 503 because the store failed: %s", error)
    headers = {"Retry-After": str(_RETRY_AFTER_SECONDS)}
    text = "The repository cannot answer now. Try again later.\n"
    return Response(text, 503, headers, content_type="text/plain; charset=UTF-8")
