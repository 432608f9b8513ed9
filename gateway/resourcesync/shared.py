"""What all answers about sets of resources share: the store, the sets, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flask import abort

from gateway.resourcesync.addresses import ResourceSet
from gateway.resourcesync.keeping import valid_parts
from gateway.resourcesync.kept import KeptFiles, Shelf
from gateway.resourcesync.site_resources import SiteResources
from gateway.store.base import Store, View


class Shared(NamedTuple):
    """The store, the sets of resources, what makes their documents, and the function that returns their kept files."""

    store: Store
    sets: tuple[ResourceSet, ...]
    site: SiteResources
    kept_of: Callable[[ResourceSet], KeptFiles]

    def asked(self, prefix: str, spec: str) -> ResourceSet:
        """Return the set of resources of a request; answer with 404 if there is no such set."""
        resources = ResourceSet(prefix, spec)
        if resources not in self.sets:
            abort(404)
        return resources

    def kept(self, view: View, resources: ResourceSet) -> Shelf:
        """Return what is kept of a set of resources, without what is lost, damaged or no longer valid.

        A damaged package of the Resource Dump stays: it is made at the request, with the same bytes.
        """
        files = self.kept_of(resources)
        shelf = files.read()
        if not all(map(files.has, shelf.files)):  # `tend` may have replaced some meanwhile
            shelf = files.read()
        return shelf._replace(
            packages=tuple(package for package in shelf.packages if files.is_intact(package.file)),
            parts=valid_parts(view, self.site, resources, shelf.parts),
            lists=tuple(kept for kept in shelf.lists if all(files.is_intact(file) for _, file in kept.parts)),
        )
