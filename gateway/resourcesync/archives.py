"""Answers with archives of documents (ResourceSync Archives 1.1), and the Resource Lists that are archived.

Closed Change Lists are made from the store, closed Change Dumps and archived Resource Lists from kept files. Versions
that were taken down are left out of archived Resource Lists.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from typing import Final

from flask import Response, abort

from gateway.core.xmltext import utc_datetime
from gateway.resourcesync.addresses import ResourceSet
from gateway.resourcesync.documents import Document, Link
from gateway.resourcesync.dumps import times_of
from gateway.resourcesync.kept import DAMAGED, KeptList, entries_of
from gateway.resourcesync.shared import FRESH_SECONDS, Shared, answer
from gateway.store.base import View

_WHOLE: Final = 0  # the part of an archived list that is one document


class Archives:
    """The archives of all sets of resources."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._site, self._addresses = shared, shared.site, shared.site.addresses

    def change_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Change List Archive: all closed Change Lists."""
        resources = self._shared.asked(prefix, spec)
        with self._shared.store.view() as view:
            periods = self._site.periods.of(view, resources)
        listed = {
            self._addresses.change_list(resources, period.name): {
                "from": utc_datetime(period.from_),
                "until": utc_datetime(period.until),
            }
            for period in periods
            if period.until is not None
        }
        return self._archive(resources, "changelist", listed)

    def change_dumps(self, prefix: str, spec: str) -> Response:
        """Answer with the Change Dump Archive: the Change Dump of each closed period that is kept."""
        resources = self._shared.asked(prefix, spec)
        with self._shared.store.view() as view:
            kept = self._shared.kept(view, resources).packages
        listed = {self._addresses.change_dump(resources, package.name): times_of(package) for package in kept}
        return self._archive(resources, "changedump", listed)

    def resource_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource List Archive: the Resource Lists that were kept."""
        resources = self._shared.asked(prefix, spec)
        with self._shared.store.view() as view:
            kept = self._shared.kept(view, resources).lists
        listed = {self._addresses.snapshot(resources, one.name): {"at": utc_datetime(one.at)} for one in kept}
        return self._archive(resources, "resourcelist", listed)

    def _archive(self, resources: ResourceSet, kind: str, listed: Mapping[str, Mapping[str, str]]) -> Response:
        if not listed:
            abort(404)
        document = Document(f"{kind}-archive", (Link("up", self._addresses.capability_list(resources)),))
        return answer(document.write(document.entry(address, times) for address, times in listed.items()))

    # -- archived Resource Lists ---------------------------------------------------------------------------------

    def resource_list(self, prefix: str, spec: str, name: str) -> Response:
        """Answer with an archived Resource List, or with its index."""
        resources = self._shared.asked(prefix, spec)
        with self._shared.store.view() as view:
            kept = self._named(view, resources, name)
            if kept.parts[0][0] == _WHOLE:
                return self._part(view, resources, kept, _WHOLE)
        document = Document("resourcelist", (self._up(resources),), {"at": utc_datetime(kept.at)}, is_index=True)
        addresses = (self._addresses.snapshot(resources, name, part) for part, _ in kept.parts)
        return answer(document.write(document.entry(address, {}) for address in addresses))

    def resource_list_part(self, prefix: str, spec: str, name: str, part: int) -> Response:
        """Answer with a part of an archived Resource List."""
        resources = self._shared.asked(prefix, spec)
        with self._shared.store.view() as view:
            return self._part(view, resources, self._named(view, resources, name), part or -1)

    def _named(self, view: View, resources: ResourceSet, name: str) -> KeptList:
        lists = self._shared.kept(view, resources).lists
        named = next((kept for kept in lists if kept.name == name and kept.parts), None)
        return named or abort(404)

    def _part(self, view: View, resources: ResourceSet, kept: KeptList, part: int) -> Response:
        links = [self._up(resources)]
        if part != _WHOLE:
            links.append(Link("index", self._addresses.snapshot(resources, kept.name)))
        document = Document("resourcelist", tuple(links), {"at": utc_datetime(kept.at)})
        versions = view.withheld_versions(resources.metadata_prefix)
        lines = self._lines(resources, dict(kept.parts).get(part, ""))
        return answer(document.write(entries_of(lines, versions)), FRESH_SECONDS)

    def _lines(self, resources: ResourceSet, name: str) -> Iterable[bytes]:
        file = self._shared.kept_of(resources).opened(name) if name else None
        if file is None:
            abort(404)
        try:
            with file, gzip.open(file) as lines:
                return lines.readlines()
        except DAMAGED:
            abort(404)

    def _up(self, resources: ResourceSet) -> Link:
        return Link("up", self._addresses.capability_list(resources))
