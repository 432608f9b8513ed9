"""The narrow door to the store: what every backend promises. `contract/` tests run over each of them.

Two databases stand behind it. The *inbox* keeps what arrived, exactly, with the cursor of the harvest in the same
transaction; only harvesting writes it. The *store* keeps what is published; only publication writes it, reading the
inbox forward from a position that it moves in the same transaction. So either may be killed at any moment.

The promise about datestamps: a harvester that uses the `horizon` of its last list's first answer as its next `from`
misses no version of any record, however many processes publish meanwhile (a low watermark; see `Store.intend`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from gateway.model import (
    ChangeLine,
    Cursor,
    Event,
    Format,
    Intent,
    ItemState,
    Key,
    Page,
    Publication,
    Quarantined,
    RawPage,
    Run,
    RunOutcome,
    Selection,
    SetDescription,
    Slice,
    Source,
    StoredPage,
    StoredRecord,
    Subscription,
)


class View(Protocol):
    """One consistent snapshot for reading. Everything it returns is of one moment."""

    @property
    def horizon(self) -> int:
        """The second up to which everything is told: the oldest open intent's, else the clock's.

        It was determined so that no record with a datestamp below it can appear later. It is the `responseDate`.
        """
        ...

    def page(self, selection: Selection, after: Key | None, limit: int) -> Page:
        """Return at most `limit` records after `after`, by (datestamp, item), deleted ones as tombstones.

        Bounds are `selection`'s only; the caller clamps `until` to the horizon. An unknown prefix or set is empty.
        """
        ...

    def count(self, selection: Selection) -> int:
        """Return how many records `page` would list in all. Costs hours of tallies, not a scan of the records."""
        ...

    def record(self, identifier: str, metadata_prefix: str) -> StoredRecord | None:
        """Return one record, or None when this item has none in this format."""
        ...

    def has_item(self, identifier: str) -> bool:
        """Tell whether the identifier is known here, deleted or not."""
        ...

    def formats(self, identifier: str | None = None) -> tuple[Format, ...]:
        """Return the exposed formats, or those in which this item has a record that is not deleted, by prefix."""
        ...

    def has_set(self, spec: str) -> bool:
        """Tell whether the set exists."""
        ...

    def sets(self, after: str | None, limit: int) -> tuple[SetDescription, ...]:
        """Return at most `limit` sets in the order of their specs, after the spec `after`."""
        ...

    def earliest_datestamp(self) -> int:
        """Return a second below which no datestamp is; for an empty store, the second of its making."""
        ...

    def copy_type(self, sha256: str) -> str | None:
        """Return the media type of a copy of ours that a published record names, by its SHA-256; None: none does."""
        ...

    def sources(self) -> tuple[Source, ...]:
        """Return all sources, removed ones included, by name."""
        ...

    def changes(self, after: int, limit: int) -> tuple[ChangeLine, ...]:
        """Return at most `limit` lines of the log of changes, after line `after`."""
        ...


class Store(Protocol):
    """What is published."""

    def view(self) -> AbstractContextManager[View]:
        """Open one snapshot. Cheap; keep it for one answer."""
        ...

    # -- writing -------------------------------------------------------------------------------------------------

    def intend(self) -> Intent:
        """Commit an intent: from now until `publish` or `abandon`, no horizon passes its datestamp.

        The datestamp is the store's clock after that commit, never below any datestamp given or horizon answered
        before. An intent lives a minute; then whoever notices removes it.
        """
        ...

    def publish(self, intent: Intent, publication: Publication, ready: Callable[[], None] = lambda: None) -> int:
        """Write everything in one transaction, remove the intent, and return how many records got the datestamp.

        `ready` is called when all is prepared, before the transaction begins; what it raises ends the publication.

        Records whose stored digest and flag equal the given ones are left alone. Every record written gets its old
        place removed, its memberships, tallies and a line of the log of changes. Raise IntentExpired (also when a
        record already carries a later datestamp), PositionMoved, or FilesChanged when the publication names another
        edition than the source's, with nothing written; the intent is gone then.
        """
        ...

    def abandon(self, intent: Intent) -> None:
        """Remove an intent without publishing."""
        ...

    def advance(self, source: str, before: int, after: int) -> None:
        """Move the publication's position when nothing changed. Raise PositionMoved."""
        ...

    def position(self, source: str) -> int:
        """Return the number of the last inbox page of this source that was published; 0 at first."""
        ...

    def edition(self, source: str) -> int:
        """Return how often what is known of the files of a source's items was changed; ask before `states`."""
        ...

    def states(self, source: str, upstreams: Sequence[str]) -> dict[str, ItemState]:
        """Return what is held of these upstream identifiers; those not held are absent."""
        ...

    def items(self, source: str | None, after: int, limit: int) -> tuple[tuple[str, ItemState], ...]:
        """Return at most `limit` items as (source, state) in the order of their numbers, after number `after`."""
        ...

    def item_sets(self, number: int) -> tuple[str, ...]:
        """Return the specs of the sets that item `number` is in, ancestors included."""
        ...

    def add_source(self, source: Source) -> None:
        """Add a source, or change what is known of it."""
        ...

    def add_format(self, wanted: Format) -> Format:
        """Return the format of `wanted`'s source and upstream prefix, adding it under the first free name.

        `wanted.metadata_prefix` is kept when it is free or when the format there has the same namespace and is no
        other format of that source; otherwise it becomes `<prefix>.<source>`. Formats of ours have no source; theirs
        is replaced when the version grows.
        """
        ...

    def add_sets(self, sets: Iterable[SetDescription]) -> None:
        """Add sets, or change their names and descriptions. Ancestors that are missing are made."""
        ...

    def quarantined(self, source: str | None = None) -> Iterator[Quarantined]:
        """Return what lies in quarantine now, oldest first."""
        ...

    def counts(self, source: str) -> dict[str, int]:
        """Return how many `items`, `deleted` items, items with `fulltext` and `quarantined` records it has."""
        ...

    # -- the house -----------------------------------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """Return one remembered fact (such as the repository's domain), or an empty string."""
        ...

    def remember(self, name: str, value: str) -> None:
        """Remember a fact."""
        ...

    def check(self) -> tuple[str, ...]:
        """Return what is wrong with the store, a sentence each; empty when it is sound."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class Inbox(Protocol):
    """What arrived: pages, slices, cursors, and the story of the runs."""

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None) -> int:
        """Keep a page, its slices and the cursor after it in one durable transaction; return the page's number.

        The cursor may be that of a window.
        """
        ...

    def page(self, number: int) -> StoredPage:
        """Return one page. Raise StoreDamaged when it is not there."""
        ...

    def last_number(self) -> int:
        """Return the number of the last page of all, 0 when there is none."""
        ...

    def number_behind(self, number: int) -> None:
        """Give every page to come a higher number than this."""
        ...

    def extents(self, source: str, after: int, limit: int) -> tuple[tuple[int, int], ...]:
        """Return (number, records) of at most `limit` of the pages that `pages` would return."""
        ...

    def pages(self, source: str, after: int) -> Iterator[StoredPage]:
        """Return the pages of a source that hold records, in order, after page `after`."""
        ...

    def last_answer(self, source: str, verb: str) -> RawPage | None:
        """Return the last page that answered `verb` (Identify, ListSets, ListMetadataFormats)."""
        ...

    def cursor(self, source: str, metadata_prefix: str, set_spec: str) -> Cursor:
        """Return the cursor of one list; its state is empty when there is none."""
        ...

    def cursors(self, source: str) -> tuple[Cursor, ...]:
        """Return every cursor of a source."""
        ...

    def put_cursor(self, cursor: Cursor) -> None:
        """Keep a cursor without a page."""
        ...

    def windows(self, source: str) -> tuple[Cursor, ...]:
        """Return every window of the lists of a source, by list and dates."""
        ...

    def put_windows(self, cursors: Sequence[Cursor]) -> None:
        """Keep several windows in one transaction, with their outcomes."""
        ...

    def forget_windows(self, cursor: Cursor) -> None:
        """Forget the windows of the cursor's list."""
        ...

    def start_run(self, source: str, at: int, stage: str = "harvest") -> int:
        """Begin a run of a stage; return its number."""
        ...

    def tell_run(self, number: int, counts: dict[str, int]) -> None:
        """Write what a run has come to so far; `end_run` writes over it."""
        ...

    def end_run(
        self,
        number: int,
        at: int,
        outcome: RunOutcome,
        is_complete: bool,
        counts: dict[str, int],
        reasons: Sequence[str],
    ) -> None:
        """Write how a run ended."""
        ...

    def add_event(self, event: Event) -> None:
        """Add to the story of a run."""
        ...

    def runs(self, source: str | None, limit: int, stage: str | None = None) -> tuple[Run, ...]:
        """Return the last runs, newest first; of one stage, if one is named."""
        ...

    def events(self, run: int) -> Iterator[Event]:
        """Return the story of a run, oldest first."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class Subscriptions(Protocol):
    """What hubs were asked for. The harvester asks, the gateway takes the calls of the hubs; neither waits for both.

    What a hub says is written only where it was asked for: a call that comes too late changes nothing.
    """

    def of_source(self, source: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of a source, by topic; those that have ended too."""
        ...

    def find(self, token: str) -> Subscription | None:
        """Return the subscription that is called under this token; None: nobody is."""
        ...

    def ask(self, subscription: Subscription) -> Subscription:
        """Keep what a hub is about to be asked for, and return what is to be asked for.

        Where the hub was asked for this topic before, it is the same subscription, unless that has ended.
        """
        ...

    def confirm(self, token: str, lease_seconds: int, until: int) -> None:
        """Write that the hub confirms what was asked for, and until when."""
        ...

    def deny(self, token: str, reason: str) -> None:
        """Write that the hub will tell nothing, or nothing more, and why."""
        ...

    def end(self, source: str, topic: str, at: int) -> None:
        """Write that a subscription is to end; what the hub tells from now on counts no more."""
        ...

    def ended(self, token: str) -> None:
        """Write that the hub has ended it."""
        ...

    def notify(self, token: str, at: int) -> None:
        """Write that the source of an active subscription has something new."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...
