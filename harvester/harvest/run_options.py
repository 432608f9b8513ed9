"""The options of a run, the resulting options of its source, and the lists that it harvests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gateway.core.model import Cursor
from gateway.core.settings import Settings
from gateway.store.base import Inbox
from harvester.harvest.instance import Instance
from harvester.harvest.sources_toml import SourceEntry
from harvester.sources import Options, SourceKind
from harvester.sources.budget import Budget


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of one run. Empty: as in the entry of the source.

    `from_` and `until` make a separate window, which leaves the cursor of the incremental harvest unchanged.
    `is_sure`: a person confirmed all deletions.
    """

    is_full: bool = False
    from_: str = ""
    until: str = ""
    formats: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    max_records: int | None = None
    slice: str | None = None
    is_sure: bool = False

    @property
    def stage(self) -> str:
        """The stage in the log: a harvest, or a part, which does not change when the next harvest is due."""
        return "part" if self.has_window or self.formats or self.sets else "harvest"

    @property
    def has_window(self) -> bool:
        """Return whether it harvests a separate window."""
        return bool(self.from_ or self.until)


def source_options(entry: SourceEntry, settings: Settings, overlap_seconds: int, run_options: RunOptions) -> Options:
    """Return the options for the source: from its entry, the settings, and the options of this run."""
    return Options(
        source=entry.name,
        url=entry.url,
        overlap_seconds=overlap_seconds if entry.overlap_seconds is None else int(entry.overlap_seconds),
        from_=entry.from_,
        until=entry.until,
        window=(run_options.from_, run_options.until) if run_options.from_ or run_options.until else None,
        own=entry.own,
        most_bytes=settings.number("fetch_document_max_bytes"),
        announced_tolerance=settings.share("announced_tolerance"),
        asks_anew=run_options.is_full,
        budget=Budget(settings.number("fallback_most_requests"), settings.seconds("fallback_most_seconds")),
    )


def learned_of(instance: Instance, kind: SourceKind, source: str) -> str:
    """Return the facts that the lists of a source have learned, for lists that have not begun."""
    return kind.learned((*instance.inbox.cursors(source), *instance.inbox.windows(source)))


def received_identifiers(inbox: Inbox, cursor: Cursor, since: int) -> Iterator[str]:
    """Return the identifiers received in one list since a second; it reads all pages of the source."""
    wanted = (cursor.metadata_prefix, cursor.set_spec)
    for stored in inbox.pages(cursor.source, 0):
        if (stored.page.metadata_prefix, stored.page.set_spec) == wanted and stored.page.received_at >= since:
            yield from (record.identifier for record in stored.slices if record.identifier)


def lists_of(entry: SourceEntry, run_options: RunOptions) -> Iterator[tuple[str, str]]:
    """Return the lists to harvest, as (metadataPrefix, setSpec): each set in each format."""
    for metadata_prefix in dict.fromkeys(run_options.formats or entry.formats):
        for set_spec in dict.fromkeys(run_options.sets or entry.sets or ("",)):
            yield metadata_prefix, set_spec


def start_cursor(
    instance: Instance, source: str, metadata_prefix: str, set_spec: str, run_options: RunOptions
) -> Cursor:
    """Return the cursor of a list: where it stopped, or at its beginning for a full harvest.

    A separate window is always complete, and does not use the cursor of the incremental harvest.
    """
    if run_options.is_full and not (run_options.from_ or run_options.until):
        return Cursor(source, metadata_prefix, set_spec)
    return instance.inbox.cursor(source, metadata_prefix, set_spec)
