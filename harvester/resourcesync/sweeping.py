"""What a source still has: everything that its Resource Lists name, and one resource by itself."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice

from gateway.model import Cursor, RawPage, Slice
from harvester.resourcesync.asking import refuse_status
from harvester.resourcesync.bundle import Bundle
from harvester.resourcesync.enduring import Endurance
from harvester.resourcesync.finding import find
from harvester.resourcesync.lists import Lists
from harvester.resourcesync.plan import Item, Plan, Role
from harvester.sources import Listed, Options
from harvester.wire.entries import Entry
from harvester.wire.http import Fetch, Request

_AT_ONCE = 1000
_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


def listed(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Listed]:
    """Name every item of the cursor's sets, by their Resource Lists and what has changed since.

    A set without a Resource List is a doubt, and so is a part that cannot be had. Raise what `fetch` raises.
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
    """Read what there is now into a plan; return the reasons why it may not be all. Raise what `fetch` raises."""
    found = find(options, fetch)
    doubts = list(found.doubts)
    for each in found.sets:
        lists = Lists(options, cursor, fetch, plan, Endurance(options, fetch, each.url))
        if cursor.set_spec not in ("", each.url):
            continue
        if "resourcelist" not in each.lists:
            doubts.append(f"{each.url} names no Resource List.")
            continue
        for _ in lists.baseline(each.lists["resourcelist"]):
            pass
        if "changelist" in each.lists:
            for _ in lists.changes(
                each.lists["changelist"], lists.position, (), each.lists.get("changelist-archive", "")
            ):
                pass
        if lists.is_outdated and lists.has_snapshot:
            doubts.append(f"What changed before {lists.begins} may be missing: the Change Lists begin there.")
        doubts += lists.doubts
    return doubts


def _slice(item: Item) -> Slice:
    datestamp = item.entry.lastmod if item.entry else ""
    return Slice(item.uri, datestamp, (), item.role is Role.DELETED, 0, 0)


def single(options: Options, cursor: Cursor, identifier: str, fetch: Fetch) -> tuple[RawPage, tuple[Slice, ...]]:
    """Fetch one resource; without a slice when the source says that it is gone. Raise what other answers mean."""
    fetched = fetch(Request(identifier, options.source))
    bundle = Bundle(options, cursor, identifier, fetched.received_at)
    if fetched.status not in _GONE:
        refuse_status(fetched)
        bundle.take(Item(identifier, Role.METADATA, None), Entry(identifier), fetched)
    return bundle.page(), bundle.slices
