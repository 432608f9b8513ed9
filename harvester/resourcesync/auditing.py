"""An audit: what is held, held against what the lists of a source say it has now. Nothing is changed by it."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.model import Cursor
from harvester.resourcesync.memory import entries_of
from harvester.resourcesync.plan import Item, Plan
from harvester.resourcesync.sweeping import read_everything
from harvester.sources import Finding, Held, Options
from harvester.wire.entries import Entry
from harvester.wire.fixity import fault_of
from harvester.wire.http import Fetch


def audit(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Finding]:
    """Return what is missing, changed, extra or corrupt; and the doubts why that may not be all.

    Where there are doubts, only what is said to be deleted is extra: that a list does not name the rest says nothing.
    Raise what `fetch` raises.
    """
    with Plan() as plan:
        doubts = read_everything(options, cursor, fetch, plan)
        yield from (Finding("doubt", "", each) for each in doubts)
        for held in options.holdings.items(cursor.metadata_prefix):
            if held.is_deleted:
                continue
            plan.tick(held.identifier)
            item = plan.item(held.identifier)
            if item is not None:
                yield from _differences(held, item)
            elif plan.deletes(held.identifier):
                yield Finding("extra", held.identifier, "It is held, and the lists say that it is deleted.")
            elif not doubts and (not cursor.set_spec or held.page_url == cursor.set_spec):
                yield Finding("extra", held.identifier, "It is held, and no list names it any more.")
        for uri in plan.unticked():
            yield Finding("missing", uri, "It is listed and not held.")


def _differences(held: Held, item: Item) -> Iterator[Finding]:
    known, *content = entries_of(held) or [Entry(held.identifier)]
    fault = ""
    if item.entry is not None and item.entry.digests:  # else the lists tell nothing of it by which it could be verified
        fault = fault_of(held.content, None, item.entry.digests) if held.is_as_received else ""
        if fault and known.digests == item.entry.digests:
            yield Finding("corrupt", held.identifier, fault)
            return
    if changes := [*_own_changes(held, known, item.entry, fault), *_content_changes(content, item.content)]:
        yield Finding("changed", held.identifier, changes[0])


def _own_changes(held: Held, known: Entry, listed: Entry | None, fault: str) -> Iterator[str]:
    if listed is None:
        return  # only its content is listed, which tells nothing of it
    if listed.digests:
        if known.digests != listed.digests and (fault or not held.is_as_received):
            yield "The list has another digest than what is held."
    elif _dated(listed) != _dated(known):
        yield f"The list says {_told(listed)}, what is held is of {_told(known)}."


def _content_changes(held: list[Entry], listed: tuple[Entry, ...]) -> Iterator[str]:
    """Return what is told of the content of an item, and is not what was told when the item came."""
    before, now = ({each.loc: each for each in entries} for entries in (held, listed))
    yield from (f"Its content {uri} is listed, and not held with it." for uri in sorted(now.keys() - before.keys()))
    yield from (f"Its content {uri} is not listed with it any more." for uri in sorted(before.keys() - now.keys()))
    for uri in sorted(before.keys() & now.keys()):
        known, told = dict(before[uri].digests), dict(now[uri].digests)
        if common := known.keys() & told.keys():
            if any(known[name] != told[name] for name in common):
                yield f"The list has another digest of its content {uri} than what is held."
        elif _dated(before[uri]) != _dated(now[uri]):
            yield f"The list says {_told(now[uri])} of its content {uri}, what is held {_told(before[uri])}."


def _dated(entry: Entry) -> tuple[str, int | None]:
    return entry.lastmod, entry.length


def _told(entry: Entry) -> str:
    length = "" if entry.length is None else f" and {entry.length} bytes"
    return f"{entry.lastmod or 'no date'}{length}"
