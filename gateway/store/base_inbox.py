"""The protocols of the inbox, the subscriptions and the subscribers. Import them from `base`, which explains them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from gateway.core.model import (
    Cursor,
    Event,
    HubDenial,
    HubRequest,
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
    Subscriber,
    Subscription,
    WindowOutcome,
)


class Inbox(Protocol):
    """The database of what arrived: pages, slices, cursors, and the log of the runs."""

    def receive(self, page: RawPage, slices: Sequence[Slice], cursor: Cursor | None, harvest: str | None = None) -> int:
        """Store a page, its slices and the cursor after it in one durable transaction; return the page's number.

        The cursor may be that of a window. `harvest` is the new state of the harvest; None: it does not change.
        """
        ...

    def harvest(self, source: str) -> str:
        """Return the stored state of the harvest of a source; an empty string if there is none."""
        ...

    def keep_harvest(self, source: str, state: str) -> None:
        """Store the state of the harvest of a source."""
        ...

    def page(self, number: int) -> StoredPage:
        """Return one page. Raise PageLost if it is missing."""
        ...

    def headers(self, number: int) -> StoredPage:
        """Return one page without its bytes, which are not read. Raise PageLost if it is missing."""
        ...

    def last_number(self) -> int:
        """Return the highest number of a page; 0 if there is no page."""
        ...

    def number_behind(self, number: int) -> None:
        """Give new pages numbers above this one."""
        ...

    def extents(self, source: str, after: int, limit: int) -> tuple[tuple[int, int], ...]:
        """Return (number, how many records) of the first `limit` pages that `pages` would return."""
        ...

    def pages(self, source: str, after: int) -> Iterator[StoredPage]:
        """Yield the pages of a source that have records, sorted by number, after the page `after`."""
        ...

    def identifiers(self, source: str, metadata_prefix: str, after: int) -> Iterator[str]:
        """Yield the identifiers of the slices of a source in a format, on its pages after the page `after`.

        They are in the order in which they came. The bytes of the pages are not read.
        """
        ...

    def overwrite(self, number: int, places: Collection[int]) -> None:
        """Overwrite the metadata and abouts of these slices of a page for good; from then on they count as deleted.

        The rest of the page stays. If the page was repaired, its received bytes are removed too.
        """
        ...

    def check(self, *, is_whole: bool = False) -> tuple[str, ...]:
        """Return a message for each page that cannot be read: of the last ones and a sample, or of all."""
        ...

    def settle(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that."""
        ...

    def last_answer(self, source: str, verb: str) -> RawPage | None:
        """Return the last page that answers `verb` (Identify, ListSets, ListMetadataFormats), or None."""
        ...

    def cursor(self, source: str, metadata_prefix: str, set_spec: str) -> Cursor:
        """Return the cursor of one list; its state is empty if none is stored."""
        ...

    def cursors(self, source: str) -> tuple[Cursor, ...]:
        """Return all cursors of a source."""
        ...

    def put_cursor(self, cursor: Cursor) -> None:
        """Store a cursor without a page."""
        ...

    def windows(self, source: str) -> tuple[Cursor, ...]:
        """Return all windows of the lists of a source, sorted by list and dates."""
        ...

    def window_counts(self) -> dict[str, Counter[WindowOutcome]]:
        """Return how many windows of each source have which outcome; sources without windows are left out."""
        ...

    def put_windows(self, cursors: Sequence[Cursor]) -> None:
        """Store several windows and their outcomes in one transaction."""
        ...

    def forget_windows(self, cursor: Cursor) -> None:
        """Delete the windows of the cursor's list."""
        ...

    def identity(self, source: str) -> KnownIdentity | None:
        """Return the stored identity of a source; None if it is unknown."""
        ...

    def differing_identities(self) -> dict[str, KnownIdentity]:
        """Return the stored identities whose parts are not all alike, by source. All others wait for nobody."""
        ...

    def keep_identity(self, source: str, known: KnownIdentity) -> None:
        """Store the identity of a source."""
        ...

    def source_clocks(self) -> dict[str, SourceClock]:
        """Return the last known time of each source, by name."""
        ...

    def keep_source_clock(self, source: str, clock: SourceClock) -> None:
        """Store the time of a source."""
        ...

    def forget_identity(self, source: str) -> None:
        """Delete the identity of a source, and its clock."""
        ...

    # -- what is needed to make the store again ------------------------------------------------------------------

    def sources(self) -> tuple[str, ...]:
        """Return the names of the sources that have pages with records, sorted."""
        ...

    def last_pages(self, source: str = "") -> dict[str, int]:
        """Return the number of the last page with records of a source, or of each; one that has none is left out."""
        ...

    def pages_behind(self, source: str, after: int) -> int:
        """Return how many pages with records a source has after the page `after`."""
        ...

    def lost_until(self) -> int:
        """Return the number of the last page that was lost with an earlier inbox; 0 if none was lost."""
        ...

    def remove_source(self, source: str, position: int, at: int) -> int:
        """Write the removal of all records of a source, whose pages up to `position` are published.

        Return the number of the entry, which is above that of every earlier page. `at` is the second of the removal.
        """
        ...

    def mark_restored(self, since: int, at: int) -> None:
        """Write that this inbox was restored from a backup at the second `at`, and lost what arrived after `since`."""
        ...

    def restored(self) -> tuple[Restoration, ...]:
        """Return the restorations of this inbox, the first one first."""
        ...

    def removal(self, source: str, after: int) -> Removal | None:
        """Return the first removal of a source after the page `after`, or None."""
        ...

    def note(self, source: str) -> str:
        """Return the note on a source; an empty string if there is none."""
        ...

    def keep_note(self, source: str, note: str) -> None:
        """Store what the store needs to know of a source when it is made again."""
        ...

    def notes(self) -> tuple[tuple[str, str], ...]:
        """Return the notes on all sources as (source, note), in the order of their first notes."""
        ...

    def keep_sets(self, source: str, sets: Sequence[SetDescription]) -> None:
        """Store the sets of a source under our specs, with their names and descriptions. No set is ever deleted."""
        ...

    def kept_sets(self, source: str) -> tuple[SetDescription, ...]:
        """Return the stored sets of a source, sorted by spec."""
        ...

    # -- runs ----------------------------------------------------------------------------------------------------

    def start_run(self, source: str, at: int, stage: str = "harvest") -> int:
        """Begin a run of a stage at the second `at`; return its number."""
        ...

    def store_progress(self, number: int, counts: dict[str, int]) -> None:
        """Write the counts of a run so far; `end_run` replaces them."""
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
        """Write the end of a run: the second, the outcome, the counts, and the reasons of a failure."""
        ...

    def add_event(self, event: Event) -> None:
        """Add an event to the log of a run."""
        ...

    def runs(self, source: str | None, limit: int, stage: str | None = None) -> tuple[Run, ...]:
        """Return the last `limit` runs, the newest first, of one source and stage, or of all (None)."""
        ...

    def last_runs(self, source: str = "") -> tuple[Run, ...]:
        """Return the last run of each stage of a source, or of each source."""
        ...

    def last_harvests(self, without: Collection[str]) -> tuple[int, Run | None]:
        """Return of how many sources the last harvest is complete, and the last one of all; some do not count."""
        ...

    def run_totals(self) -> tuple[RunTotal, ...]:
        """Return the number of runs by source, stage and outcome, including running ones."""
        ...

    def events(self, run: int) -> Iterator[Event]:
        """Yield the events of a run, the oldest first."""
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...


class Subscriptions(Protocol):
    """The database of subscriptions to hubs (WebSub). The harvester subscribes; the gateway answers the hubs.

    A call of a hub is written only if it fits the state of the subscription: a late call changes nothing.
    """

    def of_source(self, source: str) -> tuple[Subscription, ...]:
        """Return the subscriptions of a source, including ended ones, sorted by topic."""
        ...

    def all(self) -> tuple[Subscription, ...]:
        """Return all subscriptions, sorted by source and topic."""
        ...

    def find(self, token: str) -> Subscription | None:
        """Return the subscription with this token, or None."""
        ...

    def ask(self, subscription: Subscription) -> Subscription:
        """Store a subscription before the hub is called, and return the one to request.

        If there is one to this topic at this hub that has not ended, that one is returned.
        """
        ...

    def confirm(self, token: str, lease_seconds: int, until: int) -> None:
        """Write that the hub has confirmed the subscription, with this lease, until the second `until`."""
        ...

    def deny(self, token: str, reason: str) -> None:
        """Write that the hub has denied the subscription, and why (WebSub §5.2)."""
        ...

    def end(self, source: str, topic: str, at: int) -> None:
        """Write that a subscription is to end; later calls of the hub are ignored."""
        ...

    def ended(self, token: str) -> None:
        """Write that the hub has confirmed the end of the subscription."""
        ...

    def notify(self, token: str, at: int) -> None:
        """Write that the hub of an active subscription has announced a change, at the second `at`."""
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...


class Subscribers(Protocol):
    """The database of our own hub (WebSub). The gateway stores requests; the harvester verifies them and delivers.

    Numbers of requests and subscriptions are never used again. A method with a number that is gone changes nothing.
    """

    def store_request(self, request: HubRequest, most: int, most_of_network: int) -> bool:
        """Store a request before it is answered; it replaces an earlier one of the same callback and topic.

        Return False, and store nothing, if there would be more than `most` subscriptions and requests, or more than
        `most_of_network` of one network. What is known already is never too much. A request to end an unknown
        subscription is not stored, and counts as done.
        """
        ...

    def requests(self, now: int, limit: int, after: int = 0) -> tuple[HubRequest, ...]:
        """Return at most `limit` requests that may be verified at the second `now`, the oldest first.

        Their numbers are larger than `after`.
        """
        ...

    def postpone_request(self, number: int, until: int) -> None:
        """Count a try of a request, and let the next one be at the second `until`."""
        ...

    def drop_request(self, number: int) -> None:
        """Delete a request that was not confirmed."""
        ...

    def confirm_request(self, number: int, until: int) -> None:
        """Do what a request asks for, and delete it, in one transaction: begin, renew or end a subscription.

        `until` is the end of the lease. A subscription begins with the changes since the arrival of the request; one
        that is renewed keeps its place.
        """
        ...

    def all(self) -> tuple[Subscriber, ...]:
        """Return all subscriptions, the oldest first."""
        ...

    def due(self, now: int, after: int, limit: int) -> tuple[Subscriber, ...]:
        """Return at most `limit` valid subscriptions that may be called at the second `now`, by number, after one."""
        ...

    def delivered(self, numbers: Sequence[int], until: int) -> None:
        """Write that these subscribers have accepted everything before the second `until`. It never goes back."""
        ...

    def failed(self, number: int, at: int, next_at: int, problem: str) -> None:
        """Write that a delivery failed at the second `at`, why, and when the next one may be."""
        ...

    def remove(self, number: int, reason: str = "") -> bool:
        """Delete a subscription; return whether there was one. With a reason, the subscriber is to be informed."""
        ...

    def denials(self, limit: int) -> tuple[HubDenial, ...]:
        """Return at most `limit` removed subscriptions whose subscriber was not informed, the oldest first."""
        ...

    def totals(self) -> Mapping[str, int]:
        """Return how many deliveries were `delivered`, and how many `failed`, since the file was made."""
        ...

    def denied(self, number: int) -> None:
        """Write that a subscriber was informed of the end of its subscription, as far as that was possible."""
        ...

    def expire(self, now: int) -> int:
        """Delete the subscriptions whose lease is over at the second `now`; return how many."""
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...
