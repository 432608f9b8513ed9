"""The addresses of ResourceSync documents: `/.well-known/resourcesync`, and everything below `/resourcesync/`.

Documents are made from the store at each request. `at`, `from` and `until` are horizons of the store, so a destination
misses nothing if it continues from them. `at` is the second after the last change: the state has been the same since.
"""

from collections.abc import Callable, Sequence
from typing import Final

from flask import Blueprint, Response, abort
from werkzeug.routing import BaseConverter

from gateway.core.errors import StoreError
from gateway.core.model import Selection
from gateway.core.xmltext import utc_datetime
from gateway.resourcesync.addresses import DESCRIPTION, FOLDER, ResourceSet
from gateway.resourcesync.documents import Document, Link
from gateway.resourcesync.dumps import Archives, ChangeDumps, ResourceDumps
from gateway.resourcesync.kept import KeptFiles
from gateway.resourcesync.periods import OPEN, Period
from gateway.resourcesync.shared import FRESH_SECONDS, Shared, answer, unavailable
from gateway.resourcesync.site_resources import SiteResources, bounds, selected
from gateway.store.base import Store, View


class _Part(BaseConverter):
    """The number of a part in an address, in the one way in which it is written."""

    regex = "[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        """Return the number."""
        return int(value)


_CLOSED_FRESH_SECONDS: Final = 3_600  # a takedown may still empty its entries


def blueprint(
    store: Store,
    sets: Sequence[ResourceSet],
    site: SiteResources,
    kept_of: Callable[[ResourceSet], KeptFiles],
    *,
    further: Sequence[str] = (),
    hub: str = "",
) -> Blueprint:
    """Return the Flask blueprint of the source.

    `sets` are the sets of resources, each with a Capability List; `further` are the addresses of others. `kept_of`
    returns the kept files of a set. `hub` is the address of the hub that announces changes (ResourceSync Change
    Notification); empty: there is none.
    """
    blueprint = Blueprint("resourcesync", __name__)
    blueprint.record_once(lambda state: state.app.url_map.converters.update(part=_Part))
    shared = Shared(store, tuple(sets), site, kept_of)
    source = _Source(shared, tuple(further), hub)
    dumps, changes, archives = ResourceDumps(shared), ChangeDumps(shared), Archives(shared)
    blueprint.add_url_rule(DESCRIPTION, "description", source.description)
    for name, rule, view in (
        ("capability_list", "capabilitylist.xml", source.capability_list),
        ("resource_list", "resourcelist.xml", source.resource_list),
        ("resource_list_part", "resourcelist-<part:part>.xml", source.resource_list_part),
        ("resource_dump", "resourcedump.xml", dumps.dump),
        ("resource_dump_manifest", "resourcedump-<part:part>.xml", dumps.manifest),
        ("resource_dump_package", "resourcedump-<part:part>.zip", dumps.package),
        ("change_lists", "changelist.xml", source.change_lists),
        ("change_list", "changelist-<period>.xml", source.change_list),
        ("change_dump", "changedump.xml", changes.dump),
        ("change_dump_of_period", "changedump-<period>.xml", changes.dump_of_period),
        ("change_dump_manifest", "changedump-manifest-<period>.xml", changes.manifest),
        ("change_dump_package", "changedump-<period>.zip", changes.package),
        ("resource_list_archive", "resourcelist-archive.xml", archives.resource_lists),
        ("change_list_archive", "changelist-archive.xml", archives.change_lists),
        ("change_dump_archive", "changedump-archive.xml", archives.change_dumps),
        ("archived_list", "archive/<name>/resourcelist.xml", archives.resource_list),
        ("archived_list_part", "archive/<name>/resourcelist-<part:part>.xml", archives.resource_list_part),
    ):
        blueprint.add_url_rule(f"{FOLDER}/<prefix>/<spec>/{rule}", name, view)
    blueprint.register_error_handler(StoreError, unavailable)
    return blueprint


class _Source:
    """Answers for one site: what there is, the present state, and what has changed."""

    def __init__(self, shared: Shared, further: tuple[str, ...], hub: str) -> None:
        self._shared, self._site = shared, shared.site
        self._addresses, self._periods = shared.site.addresses, shared.site.periods
        self._most = shared.site.most_entries
        self._further, self._hub = further, hub

    # -- what there is -------------------------------------------------------------------------------------------

    def description(self) -> Response:
        """Answer with the Source Description (§8): the Capability Lists of all sets of resources, and of files."""
        document = Document("description", (Link("describedby", f"{self._addresses.url}/"),))
        md = {"capability": "capabilitylist"}
        lists = (self._addresses.of(resources, "capabilitylist") for resources in self._shared.sets)
        return answer(document.write(document.entry(address, md) for address in (*lists, *self._further)))

    def capability_list(self, prefix: str, spec: str) -> Response:
        """Answer with the Capability List of a set of resources (§9)."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            capabilities = self._capabilities(view, resources)
            namespaces = [known.namespace for known in view.formats() if known.metadata_prefix == prefix]
        links = (
            Link("up", self._addresses.description),
            Link("describedby", f"{self._addresses.url}/formats/{prefix}"),
            *(Link("profile", namespace) for namespace in namespaces if namespace),
        )
        document = Document("capabilitylist", links)
        entries = [document.entry(address, {"capability": capability}) for capability, address in capabilities.items()]
        if self._hub and "changelist" in capabilities:
            channel = self._addresses.of(resources, f"changelist-{OPEN}")
            entries.append(document.entry(channel, {"capability": "change-notification"}, (Link("hub", self._hub),)))
        return answer(document.write(entries))

    def _capabilities(self, view: View, resources: ResourceSet) -> dict[str, str]:
        """Return the addresses of the documents of a set of resources, by their capabilities."""
        periods, kept = self._periods.of(view, resources), self._shared.kept(view, resources)
        listed = {
            "changelist": periods,
            "changedump": kept.packages,
            "resourcelist-archive": kept.lists,
            "changelist-archive": periods[:-1],
            "changedump-archive": kept.packages,
        }
        names = ("resourcelist", "resourcedump", *(name for name, documents in listed.items() if documents))
        return {name: self._addresses.of(resources, name) for name in names}

    # -- the present state ---------------------------------------------------------------------------------------

    def resource_list(self, prefix: str, spec: str) -> Response:
        """Answer with the Resource List (§10), or with its index if it has too many entries for one document."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            last = view.last_item()
            is_small = view.count(Selection(prefix, resources.selected)) <= self._most
            archived = self._shared.kept(view, resources).lists
            links = (self._site.up(resources), *self._archive(resources, "resourcelist", is_there=bool(archived)))
            document = Document("resourcelist", links, self._at(view, resources), is_index=not is_small)
            if is_small:
                return answer(document.write(self._site.listed(view, resources, 0, last)))
            ranges = view.resource_ranges(Selection(*selected(resources)), self._most)
        addresses = (self._addresses.of(resources, f"resourcelist-{number + 1}") for number in ranges)
        return answer(document.write(document.entry(address, {}) for address in addresses))

    def resource_list_part(self, prefix: str, spec: str, part: int) -> Response:
        """Answer with a part of the Resource List: the resources of a range of items, which never change their part."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            if not 1 <= part <= -(-view.last_item() // self._most):
                abort(404)
            links = (self._site.up(resources), Link("index", self._addresses.of(resources, "resourcelist")))
            document = Document("resourcelist", links, self._at(view, resources))
            return answer(document.write(self._site.listed(view, resources, *bounds(part, self._most))))

    def _at(self, view: View, resources: ResourceSet) -> dict[str, str]:
        return {"at": utc_datetime(self._site.at(view, resources))}

    # -- what has changed ----------------------------------------------------------------------------------------

    def change_lists(self, prefix: str, spec: str) -> Response:
        """Answer with the Change List Index (§12.1)."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            periods = self._periods.of(view, resources)
            begin = view.changes_from()
        links = (self._site.up(resources), *self._archive(resources, "changelist", is_there=len(periods) > 1))
        document = Document("changelist", links, {"from": utc_datetime(begin)}, is_index=True)
        if not periods:
            abort(404)
        return answer(
            document.write(
                document.entry(self._addresses.of(resources, f"changelist-{period.name}"), _times(period))
                for period in periods
            )
        )

    def change_list(self, prefix: str, spec: str, period: str) -> Response:
        """Answer with one Change List (§12): open, or closed and then always the same."""
        with self._shared.viewed(prefix, spec) as (resources, view):
            wanted = self._periods.named(view, resources, period)
            if wanted is None:
                abort(404)
            index = Link("index", self._addresses.of(resources, "changelist"))
            links = (self._site.up(resources), index, *self._announced(resources, period))
            document = Document("changelist", links, _times(wanted))
            content = document.write(self._site.changed(view, resources, self._site.changes(view, resources, wanted)))
        return answer(content, FRESH_SECONDS if wanted.until is None else _CLOSED_FRESH_SECONDS)

    def _archive(self, resources: ResourceSet, kind: str, *, is_there: bool) -> tuple[Link, ...]:
        """Return the link of a live document to the archive (ResourceSync Archives 1.1)."""
        return (Link("archives", self._addresses.of(resources, f"{kind}-archive")),) if is_there else ()

    def _announced(self, resources: ResourceSet, period: str) -> tuple[Link, ...]:
        """Return the links of a document whose changes the hub announces (WebSub §4)."""
        if not self._hub or period != OPEN:
            return ()
        return (Link("hub", self._hub), Link("self", self._addresses.of(resources, f"changelist-{OPEN}")))


def _times(period: Period) -> dict[str, str]:
    until = {} if period.until is None else {"until": utc_datetime(period.until)}
    return {"from": utc_datetime(period.from_), **until}
