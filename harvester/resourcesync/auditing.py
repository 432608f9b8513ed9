"""An audit: what is held, held against what the lists of a source say it has now. Nothing is changed by it."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.model import Cursor
from harvester.resourcesync.memory import entries_of
from harvester.resourcesync.plan import Plan
from harvester.resourcesync.sweeping import read_everything
from harvester.sources import Finding, Held, Options
from harvester.wire.entries import Entry
from harvester.wire.fixity import fault_of
from harvester.wire.http import Fetch


def audit(options: Options, cursor: Cursor, fetch: Fetch) -> Iterator[Finding]:
    """Return what is missing, changed, extra or corrupt; and the doubts why that may not be all, or not be so.

    Raise what `fetch` raises.
    """
    with Plan() as plan:
        for doubt in read_everything(options, cursor, fetch, plan):
            yield Finding("doubt", "", doubt)
        for held in options.holdings.items(cursor.metadata_prefix):
            if not held.is_deleted:
                plan.tick(held.identifier)
                yield from _differences(held, plan)
        for uri in plan.unticked():
            yield Finding("missing", uri, "It is listed and not held.")


def _differences(held: Held, plan: Plan) -> Iterator[Finding]:
    if not plan.has_item(held.identifier):
        yield Finding("extra", held.identifier, "It is held, and no list names it any more.")
        return
    entry = plan.entry(held.identifier)
    if entry is None:
        return  # only its content is listed, which tells nothing of it
    known = next(iter(entries_of(held)), Entry(held.identifier))
    if not entry.digests:
        if (entry.lastmod, entry.length) != (known.lastmod, known.length):
            yield Finding(
                "changed", held.identifier, f"The list says {_told(entry)}, what is held is of {_told(known)}."
            )
        return
    fault = fault_of(held.content, None, entry.digests) if held.is_as_received else ""
    if known.digests != entry.digests and (fault or not held.is_as_received):
        yield Finding("changed", held.identifier, "The list has another digest than what is held.")
    elif fault:
        yield Finding("corrupt", held.identifier, fault)


def _told(entry: Entry) -> str:
    length = "" if entry.length is None else f" and {entry.length} bytes"
    return f"{entry.lastmod or 'no date'}{length}"
