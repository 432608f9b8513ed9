"""The current resources of a source by its lists, and single resources: for a sweep, and for an audit.

An audit compares stored items with the lists, and changes nothing.
"""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice

from gateway.core.model import Cursor, RawPage, Slice
from harvester.http.messages import Fetch, Request
from harvester.sources import Finding, Held, Listed, Options
from harvester.sources.resourcesync.bundle import Bundle
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.find_lists import find
from harvester.sources.resourcesync.fixity import fault_of
from harvester.sources.resourcesync.lists import Lists
from harvester.sources.resourcesync.plan import Item, Plan, Role, entries_of
from harvester.sources.resourcesync.request import Endurance, refuse_status

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


def audit(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Finding]:
    """Yield findings: items that are missing, changed, extra or corrupt, and doubts.

    If there are doubts, only items announced as deleted are extra: unreadable lists may name the others. Raise
    NotResourceSync, and the errors of `fetch`.
    """
    with Plan() as plan:
        doubts = read_everything(options, cursor, fetch, plan)
        yield from (Finding("doubt", "", doubt) for doubt in doubts)
        for held in options.holdings.items(cursor.metadata_prefix):
            if held.is_deleted:
                continue
            plan.tick(held.identifier)
            item = plan.item(held.identifier)
            if item is not None:
                yield from _differences(held, item)
            elif plan.deletes(held.identifier):
                yield Finding("extra", held.identifier, "It is stored, but the lists say that it is deleted.")
            elif not doubts and (not cursor.set_spec or held.page_url == cursor.set_spec):
                yield Finding("extra", held.identifier, "It is stored, but no list names it any more.")
        for uri in plan.unticked():
            yield Finding("missing", uri, "It is listed but not stored.")


def _differences(held: Held, item: Item) -> Iterator[Finding]:
    known, *content = entries_of(held) or [Entry(held.identifier)]
    fault = ""
    if item.entry is not None and item.entry.digests:  # else the lists state nothing to verify it with
        fault = fault_of(held.content, None, item.entry.digests) if held.is_as_received else ""
        if fault and known.digests == item.entry.digests:
            yield Finding("corrupt", held.identifier, fault)
            return
    if changes := [*_own_changes(held, known, item.entry, fault), *_content_changes(content, item.content)]:
        yield Finding("changed", held.identifier, changes[0])


def _own_changes(held: Held, known: Entry, listed: Entry | None, fault: str) -> Iterator[str]:
    if listed is None:
        return  # only its content is listed
    if listed.digests:
        if known.digests != listed.digests and (fault or not held.is_as_received):
            yield "The list has another digest than the stored item."
    elif _dated(listed) != _dated(known):
        yield f"The list says {_shown(listed)}, the stored item has {_shown(known)}."


def _content_changes(held: list[Entry], listed: tuple[Entry, ...]) -> Iterator[str]:
    """Yield differences between the current entries of an item's content and the stored ones."""
    before, now = ({entry.loc: entry for entry in entries} for entries in (held, listed))
    yield from (f"Its content {uri} is listed but not stored with it." for uri in sorted(now.keys() - before.keys()))
    yield from (f"Its content {uri} is not listed with it any more." for uri in sorted(before.keys() - now.keys()))
    for uri in sorted(before.keys() & now.keys()):
        known, now_stated = dict(before[uri].digests), dict(now[uri].digests)
        if common := known.keys() & now_stated.keys():
            if any(known[name] != now_stated[name] for name in common):
                yield f"The list has another digest of its content {uri} than the stored entry."
        elif _dated(before[uri]) != _dated(now[uri]):
            yield f"The list says {_shown(now[uri])} of its content {uri}, the stored entry {_shown(before[uri])}."


def _dated(entry: Entry) -> tuple[str, int | None]:
    return entry.lastmod, entry.length


def _shown(entry: Entry) -> str:
    length = "" if entry.length is None else f" and {entry.length} bytes"
    return f"{entry.lastmod or 'no date'}{length}"
