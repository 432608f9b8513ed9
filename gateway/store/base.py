"""The protocols of the store: the promises of every backend. The tests in `tests/contract/` judge each backend.

There are two databases. The *inbox* has what arrived, unchanged, and the cursor of the harvest in the same transaction;
only harvesting writes it. The *store* has what is published; only publication writes it. It reads the inbox forward
from a position that it moves in the same transaction. So both can be killed at any moment.

There is a promise about datestamps (OAI-PMH 2.0 §2.7.1). A harvester uses the `horizon` of the first answer of its last
list as its next `from`. Then it misses no version of any record, even while processes publish (a low watermark; see
`Store.intend`). Times are whole seconds since 1970, in UTC. Every method may raise StoreError.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import Final, NamedTuple, Protocol, TypeAlias

from gateway.core.model import (
    ChangeLine,
    Compacted,
    Content,
    Deletion,
    Format,
    Intent,
    ItemState,
    Key,
    Lack,
    LackCount,
    Page,
    Publication,
    Quarantined,
    Resource,
    ResourceChange,
    Selection,
    SetDescription,
    Source,
    SourceCounts,
    StoredRecord,
)
from gateway.core.pieces import Part
from gateway.core.takedowns import Takedowns
from gateway.store.base_discovery import Discovery
from gateway.store.base_inbox import Inbox, Subscribers, Subscriptions
from gateway.store.base_users import Users

__all__ = ["Discovery", "Inbox", "Subscribers", "Subscriptions", "Users"]  # what other files of the room define

# Returns, of a prefix and a record in it, the bytes between `<metadata>` and `</metadata>`, and the files to which it
# refers; None: the record is no DIDL of ours.
ReadResource: TypeAlias = Callable[[str, bytes], tuple[bytes, tuple[Content, ...] | None]]

TAKEDOWNS_FACT = "takedowns"  # the name of a fact: a JSON list of the keys of the takedowns that were applied


class View(Protocol):
    """One consistent snapshot for reading: everything that it returns is of one moment."""

    @property
    def horizon(self) -> int:
        """The second up to which every record is visible: that of the oldest open intent, else that of the clock.

        No record with a datestamp below it can appear later. It is the `responseDate` (OAI-PMH 2.0 §3.2).
        """
        ...

    def page(self, selection: Selection, after: Key | None, limit: int) -> Page:
        """Return at most `limit` records after the key `after`, by (datestamp, number), deleted ones as tombstones.

        The caller limits `until` to the horizon. An unknown prefix or set gives an empty page.
        """
        ...

    def parts(
        self, selection: Selection, after: Key | None, limit: int, *, only_headers: bool, is_exact: bool
    ) -> PageOfParts:
        """Return a page like `page`, of whole records or of their headers, as parts of an answer.

        If it is not `is_exact`, the page may be longer or shorter by a quarter: it ends where parts lie ready. A page
        below `SMALL_PAGE` is exact, and each record is a part of its own. A page whose records are very large has
        fewer of them, at least one.
        """
        ...

    def count(self, selection: Selection) -> int:
        """Return how many records the whole list has. It adds up tallies, and does not scan the records."""
        ...

    def record(self, identifier: str, metadata_prefix: str) -> StoredRecord | None:
        """Return one record, or None if this item has none in this format."""
        ...

    def records(self, identifiers: Collection[str], metadata_prefix: str) -> Iterator[tuple[str, StoredRecord]]:
        """Yield the records of many items by (datestamp, number), in a fraction of the time of as many `record`.

        Items that have none in this format are absent. Few records are in memory at a time.
        """
        ...

    def has_item(self, identifier: str) -> bool:
        """Return whether an item with this identifier has records, deleted or not."""
        ...

    def formats(self, identifier: str | None = None) -> tuple[Format, ...]:
        """Return the formats, or those in which this item has a record that is not deleted, sorted by prefix."""
        ...

    def has_set(self, spec: str) -> bool:
        """Return whether the set exists."""
        ...

    def set_named(self, spec: str) -> SetDescription | None:
        """Return one set, or None if it does not exist."""
        ...

    def sets(self, after: str | None, limit: int) -> tuple[SetDescription, ...]:
        """Return at most `limit` sets after the spec `after` (None: from the first), sorted by spec."""
        ...

    def sets_of(self, source: str) -> tuple[SetDescription, ...]:
        """Return the set of a source and all sets below it, sorted by spec."""
        ...

    def tallies(self, selection: Selection, span: int) -> tuple[tuple[int, int], ...]:
        """Return (first second, how many records) for each day, hour or second of a list that has records.

        `span` is 86400, 3600 or 1. `selection` has both bounds; they are the first seconds of such spans.
        """
        ...

    def entries(
        self, selection: Selection, limit: int, offset: int = 0, *, only_held: bool = False
    ) -> tuple[tuple[str, int], ...]:
        """Return (identifier, datestamp) of living records of a list without a set, by (datestamp, number).

        `selection` has both bounds. With `only_held`, they are of items with a file that we found or hold.
        """
        ...

    def items_of(self, upstream: str, limit: int) -> tuple[str, ...]:
        """Return the identifiers of at most `limit` items, of all sources, with this upstream identifier."""
        ...

    def items_with(self, sha256: str, limit: int) -> tuple[str, ...]:
        """Return the identifiers of at most `limit` living items that have a file with this SHA-256."""
        ...

    def earliest_datestamp(self) -> int:
        """Return a second that no datestamp is below; for an empty store, the second in which it was made."""
        ...

    def served_copy(self, sha256: str, limit: int) -> tuple[str, tuple[str, ...]] | None:
        """Return the media type of the stored copy with this SHA-256, and its first living items, at most `limit`.

        None if no published record names the copy.
        """
        ...

    def source(self, name: str) -> Source | None:
        """Return one source, or None if there is no such source; a removed one counts."""
        ...

    def sources(self) -> tuple[Source, ...]:
        """Return all sources, including removed ones, sorted by name."""
        ...

    def former_sources(self) -> tuple[tuple[Source, int], ...]:
        """Return the former addresses of sources, the oldest first.

        With each is the second before which records came from there, or from an older one.
        """
        ...

    def listed_sources(self, after: str, limit: int) -> tuple[tuple[Source, SourceCounts], ...]:
        """Return at most `limit` sources after a name, sorted by name, with the counts of their items."""
        ...

    def source_counts(self, name: str) -> SourceCounts:
        """Return the counts of the items of a source; an unknown one has none."""
        ...

    def sources_before(self, name: str, limit: int) -> tuple[str, ...]:
        """Return the names of at most `limit` sources up to a name, the last one first."""
        ...

    def biggest_sources(self, limit: int) -> tuple[tuple[Source, SourceCounts], ...]:
        """Return at most `limit` sources that were not removed, those with the most living items first."""
        ...

    def removed_sources(self) -> tuple[str, ...]:
        """Return the names of the sources that were removed."""
        ...

    def source_totals(self) -> tuple[int, int, int]:
        """Return how many sources were not removed, their living items, and those of them that have full text."""
        ...

    def friends(self, limit: int) -> tuple[str, ...]:
        """Return the addresses of at most `limit` OAI-PMH sources that are friends and not removed, sorted by name."""
        ...

    def neighbours(self, identifier: str) -> tuple[str, str]:
        """Return the identifiers of the living items before and after this one in its source.

        The order is that of the upstream identifiers, byte by byte. A part is empty if there is no such item among the
        next hundred, or this item is unknown.
        """
        ...

    def merged(self, source: str, upstream: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` identifiers of items of a source that have rows of slashes.

        Their upstream identifiers, after a slash, are `upstream` after a slash when a row of slashes counts as one.
        """
        ...

    def last_item(self) -> int:
        """Return the number of the last item; 0 if there is none. Numbers are given in order, and never again."""
        ...

    def resources(self, selection: Selection, after: int, until: int, limit: int) -> tuple[Resource, ...]:
        """Return at most `limit` living records of a list, by the numbers of their items, after `after` to `until`.

        The bounds of `selection` do not count.
        """
        ...

    def resource_ranges(self, selection: Selection, width: int) -> tuple[int, ...]:
        """Return the numbers, from 0, of the ranges of so many items that have living records of a list."""
        ...

    def contents(self, after: int, until: int) -> Iterator[tuple[int, Content]]:
        """Yield (item, file) of the files to which the DIDLs of items refer, after the number `after` to `until`.

        They are in the order of the items and of the DIDL; deleted items have none. Read them while the view is open.
        """
        ...

    def cited(self, item: int) -> str:
        """Return the DOI of the work of an item, as a URI; empty: it has none."""
        ...

    def files(self, after: int, until: int, limit: int, offset: int) -> Iterator[tuple[int, Content]]:
        """Yield (item, file) of at most `limit` files from place `offset`, one after the other, in all their items.

        These are the files whose first item has a number after `after` to `until`. Read them while the view is open.
        """
        ...

    def file_counts(self, width: int) -> tuple[tuple[int, int], ...]:
        """Return (number, how many files) of each range of so many items; numbers are from 0.

        A file counts in the range of its first item. Ranges without files are left out.
        """
        ...

    def identifiers_of(self, items: Iterable[int]) -> dict[int, str]:
        """Return the identifiers of items by their numbers."""
        ...

    def resource_changes(self, selection: Selection, after: tuple[int, int], limit: int) -> tuple[ResourceChange, ...]:
        """Return at most `limit` changes of a list by (datestamp, number), after the key `after`.

        A record that left the set is deleted in its list. A change below the horizon is the same in every later view,
        but for an item that is taken down. The caller limits `until` to what is below the horizon.
        """
        ...

    def withheld_versions(self, metadata_prefix: str) -> tuple[tuple[int, int], ...]:
        """Return (item, datestamp) of each item of which something is taken down, by the numbers of items.

        The datestamp is that of the version in this format that is served; 0: none. No other version may be shown.
        """
        ...

    def changed_ranges(self, after: int, width: int) -> frozenset[int]:
        """Return the numbers, from 0, of the ranges of so many items that have changed after a line of the log."""
        ...

    def change_days(self, selection: Selection) -> tuple[tuple[int, int], ...]:
        """Return (first second, how many changes) of each day in which a list has changes (`resource_changes`)."""
        ...

    def change_key(self, selection: Selection, place: int) -> tuple[int, int] | None:
        """Return the key (datestamp, number) of the change at a place of a list, from 0; None if it is shorter."""
        ...

    def changed_until(self, metadata_prefix: str, until: int) -> int:
        """Return the first second after the last change of a format that is not later than `until`."""
        ...

    def changes_from(self) -> int:
        """Return the first second that lists of changes can begin with: an earlier release logged less."""
        ...

    def changes(self, after: int, limit: int) -> tuple[ChangeLine, ...]:
        """Return at most `limit` lines of the log of changes, after line `after`."""
        ...

    def last_change(self) -> int:
        """Return the number of the last line of the log of changes; 0 if it has none."""
        ...


class Store(Protocol):
    """The database of what is published."""

    def view(self) -> AbstractContextManager[View]:
        """Open one snapshot. It is cheap; use it for one answer only."""
        ...

    # -- writing -------------------------------------------------------------------------------------------------

    def intend(self) -> Intent:
        """Commit an intent and return it: until `publish` or `abandon`, no horizon passes its datestamp.

        The datestamp is the clock of the store after that commit. It is never below an earlier datestamp or horizon. An
        intent expires after a minute; then any process may remove it. Raise ClockAhead if the clock has jumped ahead
        without a known reason.
        """
        ...

    def publish(self, intent: Intent, publication: Publication, ready: Callable[[], None] = lambda: None) -> int:
        """Write everything in one transaction, remove the intent, and return how many records got the datestamp.

        `ready` is called when everything is prepared, before the transaction begins; an exception in it ends this.

        Records whose stored digest and deleted flag equal the given ones stay unchanged. For every written record, the
        former one, its memberships and tallies are replaced, and the log of changes gets a line. Nothing is written and
        the intent is removed if an error is raised. These are IntentExpired (also if a record has a later datestamp
        already), PositionMoved, FilesChanged (the publication has another edition of the files) and TakedownsChanged.
        """
        ...

    def abandon(self, intent: Intent) -> None:
        """Remove an intent without publishing. If it cannot be removed within seconds, it expires."""
        ...

    def advance(self, source: str, before: int, after: int) -> None:
        """Move the position of a source without writing records. Raise PositionMoved if it is not at `before`."""
        ...

    def position(self, source: str) -> int:
        """Return the number of the last inbox page of this source that was published; 0 at first."""
        ...

    def last_position(self) -> int:
        """Return the number of the last inbox page of any source that was published; 0 at first."""
        ...

    def edition(self, source: str) -> int:
        """Return how often the known files of a source's items have changed; call it before `states`."""
        ...

    def takedowns(self) -> Takedowns:
        """Return the takedowns in force; the list is read again if it has changed.

        Raise TakedownsUnreadable if it is damaged, or lacks entries that were applied to this store.
        """
        ...

    def withheld(self, after: int, limit: int, *, only_hidden: bool = False) -> tuple[tuple[str, ItemState], ...]:
        """Return, like `items`, the items of which something is taken down; or only those that are hidden whole."""
        ...

    def compact(
        self,
        seconds: float = inf,
        *,
        is_thorough: bool = False,
        is_stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Compacted:
        """Tidy what updates and small publications have left, in steps of milliseconds; return what was done.

        It ends after so many `seconds`, or when `is_stopped`; the next call goes on. With `is_thorough`, everything is
        tidied and made as small as it can be, and damaged blocks are tried again. `progress` is called with how many
        blocks were looked at, and of how many. Raise StoreError.
        """
        ...

    def rewrite(self) -> int:
        """Write everything anew, so that the disk has all that is free; return by how many bytes the store is smaller.

        Others read meanwhile, and writers wait. It needs the space of the store twice more. Raise StoreError.
        """
        ...

    def erase_superseded(self) -> int:
        """Remove from the file all records that have newer versions. The log may have them until `settle` returns True.

        Return how many damaged parts of the file may still have some. Raise StoreError.
        """
        ...

    def unerased(self) -> int:
        """Return how many damaged parts of the file may have superseded records, as far as that is known."""
        ...

    def has_open_erasure(self) -> bool:
        """Return whether the file or the log may still have what was erased: a reader prevented `settle` so far."""
        ...

    def hasty(self) -> AbstractContextManager[None]:
        """Wait for no disk inside the block. If power fails, the last publications may be undone, whole and in order.

        The first change after the block makes all of them durable. It is for a store that nobody is served from.
        """
        ...

    def settle(self) -> bool:
        """Write the write-ahead log into the file and empty it; return False if a reader prevents that."""
        ...

    def items_with(self, sha256: str) -> tuple[int, ...]:
        """Return the numbers of the items, without deleted ones, that have a known file with these bytes."""
        ...

    def states(self, source: str, upstreams: Sequence[str]) -> dict[str, ItemState]:
        """Return the states of the items with these upstream identifiers; unknown ones are absent."""
        ...

    def items(self, source: str | None, after: int, limit: int) -> tuple[tuple[str, ItemState], ...]:
        """Return at most `limit` items as (source name, state), sorted by number, after the number `after`.

        `source` restricts them to one source; None: all.
        """
        ...

    def living(self, source: str, metadata_prefix: str, after: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` upstream identifiers of living items with a living payload in a format.

        They are those of one source after the identifier `after`, sorted by their bytes.
        """
        ...

    def item_sets(self, number: int) -> tuple[str, ...]:
        """Return the specs of the sets of item `number`, including ancestors."""
        ...

    def add_source(self, source: Source) -> None:
        """Add a source, or replace the one with the same name."""
        ...

    def add_format(self, wanted: Format) -> Format:
        """Return the format with the source and upstream prefix of `wanted`; add it if it is missing.

        `wanted.metadata_prefix` is used if it is free. It is also used if the format with that prefix has the same
        namespace and is not another format of that source. Otherwise the prefix becomes `<prefix>.<source>`. Our own
        formats have no source; one is replaced if the version is higher.
        """
        ...

    def formats_of(self, source: str) -> tuple[Format, ...]:
        """Return the formats of a source, sorted by upstream prefix."""
        ...

    def add_sets(self, sets: Iterable[SetDescription]) -> None:
        """Add sets and their missing ancestors, or change their names and descriptions."""
        ...

    def quarantined(self, source: str | None = None) -> Iterator[Quarantined]:
        """Yield the records in quarantine, the oldest first."""
        ...

    def counts(self, source: str) -> dict[str, int]:
        """Return how many `items`, `deleted`, `fulltext`, `quarantined` and `waiting` (deletions) a source has."""
        ...

    def lack_counts(self, sources: Iterable[str]) -> dict[str, tuple[LackCount, ...]]:
        """Return how many living items of each source lack something, by format and by what they lack.

        Sources of which no item lacks anything are absent.
        """
        ...

    def items_lacking(self, source: str, lack: Lack, limit: int) -> tuple[str, ...]:
        """Return the upstream identifiers of at most `limit` items of a source that lack something."""
        ...

    def standings(self) -> dict[str, tuple[int, dict[str, int]]]:
        """Return what `position` and `counts` return, for every source."""
        ...

    def waiting(self, source: str, after: tuple[str, str], limit: int) -> tuple[Deletion, ...]:
        """Return at most `limit` deletions that wait for a person, after the key `after` (prefix, identifier)."""
        ...

    def deletions_of(self, source: str, upstreams: Collection[str]) -> frozenset[Deletion]:
        """Return the deletions of these upstream identifiers that were not carried out."""
        ...

    # -- clock, facts, checks ------------------------------------------------------------------------------------

    def clock_problem(self) -> str:
        """Return a message if the clock of this machine is not accepted, else an empty string."""
        ...

    def fill_resources(self, limit: int, read: ReadResource) -> int:
        """Store what `Resource` and `contents` have of at most `limit` items that an earlier release wrote.

        Return how many items may still lack theirs; 0: none.
        """
        ...

    def believe(self) -> None:
        """Accept this machine's clock, however far it has jumped. Raise ClockAhead if only this process has it."""
        ...

    def fact(self, name: str) -> str:
        """Return a stored fact, such as the domain of the repository; an empty string if it is unknown."""
        ...

    def remember(self, name: str, value: str) -> None:
        """Store a fact; it replaces the former value."""
        ...

    def credentials(self, *, is_whole: bool = False) -> str:
        """Return a message if addresses of files have a user and a password (`is_whole`: or any in records)."""
        ...

    def changes_lost(self) -> str:
        """Return a message if the store had later changes than it has now, else an empty string."""
        ...

    def check(self, *, is_whole: bool = False) -> tuple[str, ...]:
        """Return a message for each problem of the store; empty if it is sound.

        `is_whole`: read every record, and not only a sample; name all items whose records are damaged.
        """
        ...

    def give_up_damaged(self) -> int:
        """Let records that can no longer be read count as changed: their digests are empty. Return how many these are.

        Everything is read. What is damaged and has only copies is dropped. Raise StoreError.
        """
        ...

    def close(self) -> None:
        """Close all connections to the database."""
        ...


# --- A page of a list as parts of an answer, which are joined in any content coding ----------------------------------

SMALL_PAGE: Final = 50  # a page of fewer records is exact, and has a part for each of them


class PageOfParts(NamedTuple):
    """A page: parts of an answer, which are lines; how many records they have; the key of the last one, or None.

    `next` is None at the end of the list, as in `Page`.
    """

    parts: tuple[Part, ...]
    size: int
    next: Key | None
