"""What one publication writes, inside the transaction that the store has opened for it.

First everything is read that must be known of the items, then all rows are worked out in memory, then they are written,
one statement per table: the lock is held for as short a time as possible.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from gateway.errors import StoreError
from gateway.model import ItemChange, Publication, Quarantined
from gateway.store.compression import Packed
from gateway.store.queries import load
from gateway.store.sqlite_file import Session

SQL = load("sqlite")

EVERYTHING = 0  # the number of the set `source`, which every record is in
EVERYTHING_SPEC = "source"
FULLTEXT_SPEC = "fulltext"
SPANS: Final = (86_400, 3_600, 1)  # seconds of the tallies, widest first

Place: TypeAlias = tuple[int, int, int]  # set, prefix, datestamp

CREATED, UPDATED, DELETED = range(3)  # kinds of lines in the log of changes


class HeldRecord(NamedTuple):
    """A record as it stands."""

    datestamp: int
    digest: bytes
    is_deleted: bool


@dataclass(slots=True)
class HeldItem:
    """An item as it stands; `records` by the number of their prefix."""

    number: int
    is_new: bool = False
    is_deleted: bool = False
    sets: frozenset[int] = frozenset()
    departed: frozenset[int] = frozenset()
    records: dict[int, HeldRecord] = field(default_factory=dict)


@dataclass(slots=True)
class Rows:
    """Everything that is to be written, table by table."""

    items_added: list[tuple[object, ...]] = field(default_factory=list)
    items_changed: list[tuple[object, ...]] = field(default_factory=list)
    payloads: list[tuple[object, ...]] = field(default_factory=list)
    records_removed: list[tuple[int, int, int]] = field(default_factory=list)
    records_added: list[tuple[int, int, int, bool, int, bytes, bytes]] = field(default_factory=list)
    members_removed: list[tuple[int, int, int, int]] = field(default_factory=list)
    members_put: list[tuple[int, int, int, int, bool]] = field(default_factory=list)
    changes: list[tuple[int, int, int, int]] = field(default_factory=list)
    tally: defaultdict[Place, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    counts: list[int] = field(default_factory=lambda: [0, 0, 0])


def ancestors(spec: str) -> Iterable[str]:
    """Return a set's spec and those of the sets above it, but for `source`, which is everything."""
    while spec:
        if spec != EVERYTHING_SPEC:
            yield spec
        spec = spec.rpartition(":")[0]


def write(session: Session, datestamp: int, publication: Publication, packed: Sequence[Sequence[Packed]]) -> int:
    """Write a publication whose records, change by change, are compressed in `packed`; return how many were stamped.

    Raise StoreError for a source or format that was not added, or an item that is named twice.
    """
    source, stem = _source(session, publication.source)
    if publication.changes:
        stem = stem if stem is not None else _learn_stem(session, source, publication.changes)
    writer = _Writer(session, source, stem, datestamp, publication.changes)
    for change, contents in zip(publication.changes, packed, strict=True):
        writer.change(change, contents)
    _write_rows(session, source, writer.rows)
    _write_quarantine(session, source, datestamp, publication)
    return len(writer.rows.records_added)


def _source(session: Session, name: str) -> tuple[int, str | None]:
    row = session.one(SQL["source"], (name,))
    if row is None:
        raise StoreError(f"There is no source {name!r}; it must be added before something of it is published.")
    number, stem = row
    return number, stem


def _learn_stem(session: Session, source: int, changes: Sequence[ItemChange]) -> str | None:
    for change in changes:
        if change.identifier.endswith(change.upstream):
            stem = change.identifier.removesuffix(change.upstream)
            session.execute(SQL["stem_set"], (stem, source))
            return stem
    return None


class _Writer:
    """Works out the rows of one publication."""

    def __init__(
        self, session: Session, source: int, stem: str | None, datestamp: int, changes: Sequence[ItemChange]
    ) -> None:
        self.rows = Rows()
        self._source = source
        self._stem = stem
        self._datestamp = datestamp
        self._prefixes = _prefixes(session, changes)
        self._collections = _collections(session, changes)
        self._fulltext = session.one(SQL["collection"], (FULLTEXT_SPEC,)) or ()
        self._held = _held(session, source, changes)
        (self._last,) = session.one(SQL["item_last"]) or (0,)

    def change(self, change: ItemChange, contents: Sequence[Packed]) -> None:
        """Work out the rows of one change."""
        held = self._held.get(change.upstream) or self._new()
        sets = self._sets(change.sets)
        departed = (held.departed | held.sets) - sets
        self._item(change, held, sets, departed)
        for payload in change.payloads:
            prefix, page, place, digest, is_deleted = payload
            self.rows.payloads.append((held.number, self._prefixes[prefix], page, place, is_deleted, digest))
        stamps = self._records(change, contents, held)
        before = _places(
            {prefix: record.datestamp for prefix, record in held.records.items()}, held.sets, held.departed
        )
        self._move(held.number, before, _places(stamps, sets, departed))

    def _new(self) -> HeldItem:
        self._last += 1
        return HeldItem(self._last, is_new=True)

    def _sets(self, specs: tuple[str, ...]) -> frozenset[int]:
        return frozenset(self._collections[above] for spec in specs for above in ancestors(spec))

    def _item(self, change: ItemChange, held: HeldItem, sets: frozenset[int], departed: frozenset[int]) -> None:
        upstream, identifier, is_deleted = change.upstream, change.identifier, change.is_deleted
        if held.is_new:
            whole = None if self._stem is not None and identifier == self._stem + upstream else identifier
            self.rows.items_added.append(
                (
                    held.number,
                    self._source,
                    is_deleted,
                    upstream,
                    whole,
                    _listed(sets),
                    _listed(departed) if departed else None,
                )
            )
        elif (is_deleted, sets, departed) != (held.is_deleted, held.sets, held.departed):
            self.rows.items_changed.append(
                (is_deleted, _listed(sets), _listed(departed) if departed else None, held.number)
            )
        had = not held.is_deleted and not held.sets.isdisjoint(self._fulltext)
        has = not is_deleted and not sets.isdisjoint(self._fulltext)
        changed = (held.is_new, is_deleted - held.is_deleted, has - had)
        self.rows.counts = [count + more for count, more in zip(self.rows.counts, changed, strict=True)]

    def _records(self, change: ItemChange, contents: Sequence[Packed], held: HeldItem) -> dict[int, int]:
        """Return the datestamps that the item's records have afterwards, by prefix."""
        rows, number, datestamp = self.rows, held.number, self._datestamp
        stamps = {prefix: record.datestamp for prefix, record in held.records.items()}
        for (name, digest, is_deleted, _), (dictionary, content) in zip(change.records, contents, strict=True):
            prefix = self._prefixes[name]
            before = held.records.get(prefix)
            if before is not None:
                if (before.digest, before.is_deleted) == (digest, is_deleted):
                    continue
                rows.records_removed.append((prefix, before.datestamp, number))
            rows.records_added.append((prefix, datestamp, number, is_deleted, dictionary, digest, content))
            rows.changes.append((number, prefix, datestamp, _kind(before, is_deleted)))
            stamps[prefix] = datestamp
        return stamps

    def _move(self, number: int, before: dict[Place, bool], after: dict[Place, bool]) -> None:
        rows, tally = self.rows, self.rows.tally
        for place, is_departed in before.items() - after.items():
            tally[place][is_departed] -= 1
            if place[0] != EVERYTHING and place not in after:
                rows.members_removed.append((*place, number))
        for place, is_departed in after.items() - before.items() if before else after.items():
            tally[place][is_departed] += 1
            if place[0] != EVERYTHING:
                rows.members_put.append((*place, number, is_departed))


def _places(stamps: dict[int, int], sets: Iterable[int], departed: Iterable[int]) -> dict[Place, bool]:
    """Return where an item's records stand in the lists, and whether they have left them."""
    places = {(EVERYTHING, prefix, stamp): False for prefix, stamp in stamps.items()}
    for collection in sets:
        for prefix, stamp in stamps.items():
            places[collection, prefix, stamp] = False
    for collection in departed:
        for prefix, stamp in stamps.items():
            places[collection, prefix, stamp] = True
    return places


def _kind(before: HeldRecord | None, is_deleted: bool) -> int:
    if is_deleted:
        return DELETED
    return CREATED if before is None or before.is_deleted else UPDATED


def _listed(numbers: Iterable[int]) -> str:
    return json.dumps(sorted(numbers), separators=(",", ":"))


def _set_of(text: str | None) -> frozenset[int]:
    return frozenset(json.loads(text)) if text else frozenset()


# --- what must be known before ------------------------------------------------------------------------------------


def _prefixes(session: Session, changes: Sequence[ItemChange]) -> dict[str, int]:
    exposed = {record.metadata_prefix for change in changes for record in change.records}
    upstream = {payload.metadata_prefix for change in changes for payload in change.payloads}
    known: dict[str, int] = dict(session.execute(SQL["prefixes"]))
    missing = sorted(exposed - {row[0] for row in session.execute(SQL["formats"])})
    if missing:
        raise StoreError(f"There is no format {missing[0]!r}; it must be added before records in it are published.")
    new = sorted(upstream - known.keys())
    if new:
        session.executemany(SQL["prefix_add"], [(name,) for name in new])
        known = dict(session.execute(SQL["prefixes"]))
    return known


def _collections(session: Session, changes: Sequence[ItemChange]) -> dict[str, int]:
    specs = {above for specs in {change.sets for change in changes} for spec in specs for above in ancestors(spec)}
    return add_collections(session, specs)


def add_collections(session: Session, specs: Iterable[str]) -> dict[str, int]:
    """Return the numbers of these sets; those that are missing are made."""
    wanted = json.dumps(sorted(specs))
    numbers: dict[str, int] = dict(session.execute(SQL["collections_named"], (wanted,)))
    missing = [(spec,) for spec in json.loads(wanted) if spec not in numbers]
    if missing:
        session.executemany(SQL["collection_add"], missing)
        numbers = dict(session.execute(SQL["collections_named"], (wanted,)))
    return numbers


def _held(session: Session, source: int, changes: Sequence[ItemChange]) -> dict[str, HeldItem]:
    upstreams = {change.upstream for change in changes}
    if len(upstreams) < len(changes):
        raise StoreError("A publication names an item twice.")
    held: dict[str, HeldItem] = {}
    rows = session.execute(SQL["held_items"], {"source": source, "upstreams": json.dumps(sorted(upstreams))})
    for upstream, number, is_deleted, sets, departed in rows:
        held[upstream] = HeldItem(number, False, bool(is_deleted), _set_of(sets), _set_of(departed))
    by_number = {item.number: item for item in held.values()}
    if by_number:
        for number, prefix, datestamp, digest, is_deleted in session.execute(
            SQL["held_records"], (_listed(by_number),)
        ):
            by_number[number].records[prefix] = HeldRecord(datestamp, digest, bool(is_deleted))
    return held


# --- writing ------------------------------------------------------------------------------------------------------


def _write_rows(session: Session, source: int, rows: Rows) -> None:
    session.executemany(SQL["item_add"], rows.items_added)
    session.executemany(SQL["item_change"], rows.items_changed)
    session.executemany(SQL["payload_put"], rows.payloads)
    session.executemany(SQL["record_remove"], rows.records_removed)
    session.executemany(SQL["record_add"], sorted(rows.records_added))  # in the order of the table
    session.executemany(SQL["membership_remove"], rows.members_removed)
    session.executemany(SQL["membership_put"], sorted(rows.members_put))
    session.executemany(SQL["change_add"], rows.changes)
    tallies = list(_tallies(rows.tally))
    session.executemany(SQL["tally_add"], tallies)
    session.executemany(SQL["tally_sweep"], [row[:4] for row in tallies if min(row[4:]) < 0])
    if any(rows.counts):
        session.execute(SQL["source_count"], (*rows.counts, source))


def _tallies(tally: dict[Place, list[int]]) -> Iterable[tuple[int, int, int, int, int, int]]:
    sums: defaultdict[tuple[int, int, int, int], list[int]] = defaultdict(lambda: [0, 0])
    for (collection, prefix, datestamp), (records, departed) in tally.items():
        for span in SPANS:
            sum_ = sums[collection, prefix, span, datestamp // span * span]
            sum_[0] += records
            sum_[1] += departed
    for key, (records, departed) in sorted(sums.items()):
        if records or departed:
            yield (*key, records, departed)


def _write_quarantine(session: Session, source: int, datestamp: int, publication: Publication) -> None:
    released = [(datestamp, source, prefix, identifier) for prefix, identifier in publication.released]
    session.executemany(SQL["quarantine_release"], released)
    session.executemany(SQL["quarantine_put"], [_bad(source, datestamp, bad) for bad in publication.quarantined])


def _bad(source: int, datestamp: int, bad: Quarantined) -> tuple[object, ...]:
    return source, bad.metadata_prefix, bad.identifier, bad.page, bad.slice, bad.reason, bad.at or datestamp
