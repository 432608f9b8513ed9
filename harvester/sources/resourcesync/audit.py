"""An audit: stored items compared with the current lists of a source. It changes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.model import Cursor
from harvester.http.messages import Fetch
from harvester.sources import Finding, Held, Options
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.fixity import fault_of
from harvester.sources.resourcesync.held_resources import entries_of
from harvester.sources.resourcesync.plan import Item, Plan
from harvester.sources.resourcesync.sweep import read_everything


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
