"""The narrow door to the inbox and to the subscriptions. Everybody imports it from `base`, which explains it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from gateway.model import (
    Cursor,
    Event,
    KnownIdentity,
    RawPage,
    Removal,
    Restoration,
    Run,
    RunOutcome,
    RunTotal,
    SetDescription,
    Slice,
    SourceClock,
    StoredPage,
    Subscription,
)


class Inbox(Protocol):
    """What arrived: pages, slices, cursors, and the story of the runs."""

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None, harvest: str | None = None) -> int:
        """Keep a page, its slices and the cursor after it in one durable transaction; return the page's number.

        The cursor may be that of a window. `harvest` is what to remember of the harvest besides; None: nothing new.
        """
        ...

    def harvest(self, source: str) -> str:
        """Return what is remembered of the harvest of a source; empty when nothing is."""
        ...

    def keep_harvest(self, source: str, state: str) -> None:
        """Remember something else of the harvest of a source."""
        ...

    def page(self, number: int) -> StoredPage:
        """Return one page. Raise PageLost when it is not there."""
        ...

    def headers(self, number: int) -> StoredPage:
        """Return one page without its bytes, which are not read. Raise PageLost when it is not there."""
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

    def overwrite(self, number: int, places: Collection[int]) -> None:
        """Overwrite the metadata and abouts of these slices of a page, for good; they count as deleted from then on.

        What else the page holds stays. The bytes as received go too where they could not be read as they were.
        """
        ...

    def settle(self) -> bool:
        """Write the log back into the file and empty it; False: a reader is in the way."""
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

    def identity(self, source: str) -> KnownIdentity | None:
        """Return which repository a source is; None when that is not known."""
        ...

    def keep_identity(self, source: str, known: KnownIdentity) -> None:
        """Keep which repository a source is."""
        ...

    def source_clocks(self) -> dict[str, SourceClock]:
        """Return by source what it said last that it is o'clock."""
        ...

    def keep_source_clock(self, source: str, told: SourceClock) -> None:
        """Keep what a source says that it is o'clock."""
        ...

    def forget_identity(self, source: str) -> None:
        """Forget which repository a source is, and its clock."""
        ...

    # -- what the store is made of again -------------------------------------------------------------------------

    def sources(self) -> tuple[str, ...]:
        """Return the names of the sources of which pages hold records, by name."""
        ...

    def pages_behind(self, source: str, after: int) -> int:
        """Return how many pages of a source hold records, after page `after`."""
        ...

    def lost_until(self) -> int:
        """Return the number of the last page that was lost with an earlier inbox; 0 when none was."""
        ...

    def remove_source(self, source: str, position: int, at: int) -> int:
        """Write that all records of a source were removed, with its pages up to `position` published.

        Return the number of that entry, which is behind all pages that came before.
        """
        ...

    def mark_restored(self, since: int, at: int) -> None:
        """Write that what arrived after the second `since` was lost: this inbox was restored from a backup."""
        ...

    def restored(self) -> tuple[Restoration, ...]:
        """Return when this inbox was restored, first to last."""
        ...

    def removal(self, source: str, after: int) -> Removal | None:
        """Return the first removal of a source behind page `after`, or None."""
        ...

    def note(self, source: str) -> str:
        """Return the note on a source; empty when there is none."""
        ...

    def keep_note(self, source: str, note: str) -> None:
        """Keep what the store must be told of a source when it is made again."""
        ...

    def notes(self) -> tuple[tuple[str, str], ...]:
        """Return the notes on all sources, as (source, note), the first that came first."""
        ...

    def keep_sets(self, source: str, sets: Sequence[SetDescription]) -> None:
        """Keep the sets of a source under our specs, with their names and descriptions. None is ever forgotten."""
        ...

    def kept_sets(self, source: str) -> tuple[SetDescription, ...]:
        """Return the sets of a source that were kept, by spec."""
        ...

    # -- runs ----------------------------------------------------------------------------------------------------

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

    def run_totals(self) -> tuple[RunTotal, ...]:
        """Return how many runs of each source and stage ended in each way, running ones included."""
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
