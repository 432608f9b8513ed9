"""The narrow door to the store: what every backend promises. `contract/` tests run over each of them.

Two databases stand behind it. The *inbox* keeps what arrived, exactly, with the cursor of the harvest in the same
transaction; only harvesting writes it. The *store* keeps what is published; only publication writes it, reading the
inbox forward from a position that it moves in the same transaction. So either may be killed at any moment.

The promise about datestamps: a harvester that uses the `horizon` of its last list's first answer as its next `from`
misses no version of any record, however many processes publish meanwhile (a low watermark; see `Store.intend`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from gateway.model import (
    ChangeLine,
    Deletion,
    Format,
    Intent,
    ItemState,
    Key,
    Page,
    Publication,
    Quarantined,
    Selection,
    SetDescription,
    Source,
    StoredRecord,
)
from gateway.store.base_inbox import Inbox, Subscriptions
from gateway.takedowns import Takedowns

__all__ = ["OBEYED_FACT", "Inbox", "Store", "Subscriptions", "View"]

OBEYED_FACT = "takedowns"  # of a store: JSON list of the keys of the takedowns that it has obeyed


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
        """Tell whether an item with this identifier has records here, deleted or not."""
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
        before. An intent lives a minute; then the next process that notices removes it. Raise ClockAhead when the clock
        has jumped ahead and nothing explains it.
        """
        ...

    def publish(self, intent: Intent, publication: Publication, ready: Callable[[], None] = lambda: None) -> int:
        """Write everything in one transaction, remove the intent, and return how many records got the datestamp.

        `ready` is called when all is prepared, before the transaction begins; what it raises ends the publication.

        Records whose stored digest and flag equal the given ones are left alone. Every record written gets its old
        place removed, its memberships, tallies and a line of the log of changes. Raise IntentExpired (also when a
        record already carries a later datestamp), PositionMoved, or FilesChanged when the publication names another
        edition than the source's or another revision of the takedowns than the one in force, with nothing written;
        the intent is gone then.
        """
        ...

    def abandon(self, intent: Intent) -> None:
        """Remove an intent without publishing. One that cannot be removed within seconds expires by itself."""
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

    def takedowns(self) -> Takedowns:
        """Return the takedowns in force; read again when the list has changed.

        Raise TakedownsUnreadable when it is damaged, or lacks entries that this store has obeyed.
        """
        ...

    def withheld(self, after: int, limit: int, *, only_hidden: bool = False) -> tuple[tuple[str, ItemState], ...]:
        """Return, like `items`, those of which something is taken down; or only those that are hidden as a whole."""
        ...

    def settle(self) -> bool:
        """Write the log back into the file and empty it; False: a reader is in the way."""
        ...

    def items_with(self, sha256: str) -> tuple[int, ...]:
        """Return the numbers of the items, deleted ones left out, of which a file with these bytes is known."""
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

    def formats_of(self, source: str) -> tuple[Format, ...]:
        """Return under which prefix each format of a source is exposed, by upstream prefix."""
        ...

    def add_sets(self, sets: Iterable[SetDescription]) -> None:
        """Add sets, or change their names and descriptions. Ancestors that are missing are made."""
        ...

    def quarantined(self, source: str | None = None) -> Iterator[Quarantined]:
        """Return what lies in quarantine now, oldest first."""
        ...

    def counts(self, source: str) -> dict[str, int]:
        """Return how many `items`, `deleted` ones, ones with `fulltext`, `quarantined` records, `waiting` deletions."""
        ...

    def waiting(self, source: str, after: tuple[str, str], limit: int) -> tuple[Deletion, ...]:
        """Return at most `limit` of the deletions that wait for a person, by prefix and identifier, after `after`."""
        ...

    def deletions_of(self, source: str, upstreams: Collection[str]) -> frozenset[Deletion]:
        """Return the deletions of these upstream identifiers that were not carried out."""
        ...

    # -- the house -----------------------------------------------------------------------------------------------

    def clock_problem(self) -> str:
        """Return in a sentence why the clock of this machine is not believed; empty when it is."""
        ...

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
