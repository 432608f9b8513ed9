"""The current resources of a source by its lists, and single resources, for a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice

from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.messages import Fetch, Request
from harvester.sources import Listed, Options
from harvester.sources.resourcesync.bundle import Bundle
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.find_lists import find
from harvester.sources.resourcesync.lists import Lists
from harvester.sources.resourcesync.plan import Item, Plan, Role
from harvester.sources.resourcesync.request import refuse_status
from harvester.sources.resourcesync.set_aside import Endurance

_AT_ONCE = 1000
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Yield every item of the cursor's sets, by their Resource Lists and later changes.

    A set without a Resource List is a doubt, and so is an unreadable part. Raise the errors of `find` and `fetch`.
    """
    with Plan() as plan:
        doubts = read_everything(options, cursor, fetch, plan)
        total, received = plan.size(), 0
        items = plan.items()
        while batch := tuple(islice(items, _AT_ONCE)):
            received += len(batch)
            yield Listed(tuple(map(_slice, batch)), received, total, is_last=False)
        yield Listed((), received, total, is_last=True, doubts=tuple(doubts))


def read_everything(options: Options, cursor: Cursor, fetch: Fetch, plan: Plan) -> list[str]:
    """Read all current resources into a plan; return doubts about its completeness. Raise as `listed` does."""
    listed = find(options, fetch)
    doubts = list(listed.doubts)
    for resource_set in listed.sets:
        lists = Lists(options, cursor, fetch, plan, Endurance(options, fetch, resource_set.url))
        if cursor.set_spec not in ("", resource_set.url):
            continue
        if "resourcelist" not in resource_set.lists:
            doubts.append(f"{resource_set.url} names no Resource List.")
            continue
        for _ in lists.baseline(resource_set.lists["resourcelist"]):
            pass
        if "changelist" in resource_set.lists:
            for _ in lists.changes(
                resource_set.lists["changelist"], lists.position, (), resource_set.lists.get("changelist-archive", "")
            ):
                pass
        if lists.is_outdated and lists.has_snapshot:
            doubts.append(f"Changes before {lists.begins} may be missing: the Change Lists begin there.")
        doubts += lists.doubts
    return doubts


def _slice(item: Item) -> Slice:
    datestamp = item.entry.lastmod if item.entry else ""
    return Slice(item.uri, datestamp, (), item.role is Role.DELETED, 0, 0)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Return one resource; without a slice for 404 and 410. Raise the errors of `fetch` and `refuse_status`."""
    fetched = fetch(Request(identifier, options.source))
    bundle = Bundle(options, cursor, identifier, fetched.received_at)
    if fetched.status not in _GONE:
        refuse_status(fetched)
        bundle.take(Item(identifier, Role.METADATA, None), Entry(identifier), fetched)
    return bundle.page(), bundle.slices
