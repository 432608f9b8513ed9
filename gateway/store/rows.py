"""Computes the rows that a publication changes. Pure: state goes in, rows come out; `publish` writes them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, NamedTuple, TypeAlias

from gateway.core.errors import IntentExpired
from gateway.core.model import Content, ItemChange, Key

EVERYTHING: Final = 0  # the number of the set `source`, which every record is in
EVERYTHING_SPEC: Final = "source"
SPANS: Final = (86_400, 3_600, 1)  # seconds of the tallies: a day, an hour, a second
CREATED, UPDATED, DELETED = range(3)  # kinds of lines in the log of changes

Row: TypeAlias = tuple[Any, ...]
Numbers: TypeAlias = frozenset[int]
Places: TypeAlias = tuple[Numbers, Numbers, int, int]  # sets a record is in, sets it left, prefix, datestamp
_NOWHERE: Final[Numbers] = frozenset()


class HeldRecord(NamedTuple):
    """A record in the store."""

    key: Key
    digest: bytes
    is_deleted: bool
    length: int | None = None  # of the metadata, as the log has it
    sha256: bytes | None = None


@dataclass(slots=True)
class HeldItem:
    """An item in the store; `records` are by the number of their prefix."""

    number: int
    is_new: bool = False
    is_deleted: bool = False
    sets: Numbers = frozenset()
    departed: Numbers = frozenset()
    records: dict[int, HeldRecord] = field(default_factory=dict)


class Logged(NamedTuple):
    """A line for the log of changes: `sets` are those that the item is in now, `left` those that it was in before."""

    prefix: int
    kind: int
    item: int
    length: int | None
    sha256: bytes | None
    sets: Numbers
    left: Numbers


class Added(NamedTuple):
    """A record that is written: which change of the publication it belongs to, and the sets of its item."""

    change: int
    item: int
    is_deleted: bool
    digest: bytes
    sets: Numbers
    departed: Numbers


class Regrouped(NamedTuple):
    """A record that stays as it is while the sets of its item change."""

    prefix: int
    key: Key
    sets: Numbers
    departed: Numbers


@dataclass(slots=True)
class Known:
    """The state of a source and of the names that a publication uses, before it is written."""

    source: int
    stem: str | None  # the beginning of the local identifiers of the source
    prefixes: Mapping[str, int]
    collections: Mapping[str, int]
    fulltext: Numbers  # the number of the set `fulltext`, if there is one
    held: Mapping[str, HeldItem]  # by upstream identifier
    last_item: int
    contents: Mapping[int, Sequence[Row]] = field(default_factory=dict)  # the stored files of items, by their numbers


@dataclass(slots=True)
class Rows:
    """All rows to write, table by table.

    Lists of rows have the order of the columns of the queries. `added` are by the number of their prefix, in the order
    of the publication. `superseded` are the keys of former versions, and the sets that these were in. Places that
    records leave or enter are there once, with the number of records.
    """

    items_added: list[Row] = field(default_factory=list)
    items_changed: list[Row] = field(default_factory=list)
    payloads: list[Row] = field(default_factory=list)
    superseded: defaultdict[int, list[tuple[Key, Numbers]]] = field(default_factory=lambda: defaultdict(list))
    added: defaultdict[int, list[Added]] = field(default_factory=lambda: defaultdict(list))
    regrouped: list[Regrouped] = field(default_factory=list)
    left: Counter[Places] = field(default_factory=Counter)
    entered: Counter[Places] = field(default_factory=Counter)
    withheld: list[Row] = field(default_factory=list)
    not_withheld: list[Row] = field(default_factory=list)
    lacking: list[Row] = field(default_factory=list)
    not_lacking: list[Row] = field(default_factory=list)
    resources_removed: list[Row] = field(default_factory=list)
    contents_removed: list[Row] = field(default_factory=list)
    contents_added: list[Row] = field(default_factory=list)
    cited: list[Row] = field(default_factory=list)
    changes: list[Logged] = field(default_factory=list)
    items: int = 0
    deleted: int = 0
    fulltext: int = 0

    def tallies(self) -> Iterator[Row]:
        """Yield the change of each tally: set, prefix, span, start, members, departed."""
        sums: defaultdict[Row, list[int]] = defaultdict(lambda: [0, 0])
        for sign, moves in ((-1, self.left), (1, self.entered)):
            for (sets, departed, prefix, datestamp), records in moves.items():
                for collections, place in (((EVERYTHING, *sets), 0), (departed, 1)):
                    for collection, span in product(collections, SPANS):
                        sums[collection, prefix, span, datestamp // span * span][place] += sign * records
        for key, (members, gone) in sorted(sums.items()):
            if members or gone:
                yield (*key, members, gone)


class Planner:
    """Computes the rows of one publication, change by change."""

    def __init__(self, known: Known, datestamp: int) -> None:
        self.rows = Rows()
        self._known = known
        self._datestamp = datestamp
        self._last = known.last_item
        self._numbers: dict[tuple[str, ...], Numbers] = {}

    def plan(self, number: int, change: ItemChange) -> None:
        """Compute the rows of one change, the one with this number in the publication.

        Raise IntentExpired if one of its records has a later datestamp already.
        """
        held = self._known.held.get(change.upstream) or self._new()
        sets = self._sets(change.sets)
        departed = (held.departed | held.sets) - sets
        self._item(change, held, sets, departed)
        if change.is_withheld:
            self.rows.withheld.append((held.number,))
        elif not held.is_new:
            self.rows.not_withheld.append((held.number,))
        if change.lacking is not None:
            prefix, lacks = change.lacking
            self.rows.lacking.append((held.number, self._known.source, self._known.prefixes[prefix], int(lacks)))
        elif not held.is_new:
            self.rows.not_lacking.append((held.number,))
        self.rows.payloads += [
            (held.number, self._known.prefixes[prefix], page, place, is_deleted, digest)
            for prefix, page, place, digest, is_deleted in change.payloads
        ]
        if change.contents is not None:
            if not held.is_new:
                self.rows.contents_removed.append((held.number,))
            self.rows.contents_added += content_rows(held.number, change.contents)
            self.rows.cited += [(held.number, change.cite_as)] if change.cite_as else []
        kept = self._records(number, change, held, sets, departed)
        if change.contents is not None and not held.is_new:
            before = self._known.contents.get(held.number, ())
            if list(content_rows(held.number, change.contents)) != list(before):
                self._log_other_files(held.number, kept, sets)
        if kept and (sets, departed) != (held.sets, held.departed):
            self._regroup(held, kept, sets, departed)

    def _new(self) -> HeldItem:
        self._last += 1
        return HeldItem(self._last, is_new=True)

    def _sets(self, specs: tuple[str, ...]) -> Numbers:
        numbers = self._numbers.get(specs)
        if numbers is None:
            known = self._known.collections
            numbers = self._numbers[specs] = frozenset(known[above] for spec in specs for above in ancestors(spec))
        return numbers

    def _item(self, change: ItemChange, held: HeldItem, sets: Numbers, departed: Numbers) -> None:
        rows, known, is_deleted = self.rows, self._known, change.is_deleted
        is_same = (is_deleted, sets, departed) == (held.is_deleted, held.sets, held.departed)
        if is_same and not held.is_new:
            return
        lists = listed(sets), listed(departed) if departed else None
        if held.is_new:
            is_plain = known.stem is not None and change.identifier == known.stem + change.upstream
            identifier = None if is_plain else change.identifier
            rows.items_added.append((held.number, known.source, is_deleted, change.upstream, identifier, *lists))
            rows.items += 1
        else:
            rows.items_changed.append((is_deleted, *lists, held.number))
        rows.deleted += is_deleted - held.is_deleted
        rows.fulltext += not (is_deleted or known.fulltext.isdisjoint(sets))
        rows.fulltext -= not (held.is_deleted or known.fulltext.isdisjoint(held.sets))

    def _records(
        self, place: int, change: ItemChange, held: HeldItem, sets: Numbers, departed: Numbers
    ) -> dict[int, HeldRecord]:
        """Compute the rows of the records; return the records that stay unchanged."""
        rows, number, datestamp, kept = self.rows, held.number, self._datestamp, dict(held.records)
        for name, digest, is_deleted, _, length, sha256 in change.records:
            prefix = self._known.prefixes[name]
            before = held.records.get(prefix)
            if before is not None:
                if (before.digest, before.is_deleted) == (digest, is_deleted):
                    continue
                if before.key.datestamp > datestamp:  # datestamps go forward only; with a new intent this one does too
                    raise IntentExpired(f"A later publication of {change.upstream} was faster. Nothing was written.")
                del kept[prefix]
                rows.superseded[prefix].append((before.key, held.sets))
                rows.left[held.sets, held.departed, prefix, before.key.datestamp] += 1
            rows.added[prefix].append(Added(place, number, is_deleted, digest, sets, departed))
            is_known = bool(sha256) and not is_deleted
            if before is not None:
                rows.resources_removed.append((prefix, number))
            left = held.sets - sets if before is not None and not before.is_deleted else _NOWHERE
            line = Logged(prefix, _kind(before, is_deleted), number, None, None, sets, left)
            rows.changes.append(line._replace(length=length, sha256=sha256) if is_known else line)
            rows.entered[sets, departed, prefix, datestamp] += 1
        return kept

    def _log_other_files(self, item: int, kept: dict[int, HeldRecord], sets: Numbers) -> None:
        """Log that an item has other files, for the formats whose records stay: lists of changes lead to the files."""
        self.rows.changes += [
            Logged(prefix, UPDATED, item, record.length, record.sha256, sets, _NOWHERE)
            for prefix, record in kept.items()
            if not record.is_deleted
        ]

    def _regroup(self, held: HeldItem, kept: dict[int, HeldRecord], sets: Numbers, departed: Numbers) -> None:
        # The caller should have given these records with new digests. Without them, at least the lists fit the item.
        for prefix, record in kept.items():
            self.rows.left[held.sets, held.departed, prefix, record.key.datestamp] += 1
            self.rows.entered[sets, departed, prefix, record.key.datestamp] += 1
            self.rows.regrouped.append(Regrouped(prefix, record.key, sets, departed))


def content_rows(item: int, contents: Iterable[Content]) -> Iterator[Row]:
    """Yield the rows of the files to which the DIDL of an item refers."""
    for place, (url, mime_type, size, sha256, modified, copy_url, is_supplement) in enumerate(contents):
        yield item, place, url, mime_type, size, bytes.fromhex(sha256), modified, copy_url, is_supplement


def ancestors(spec: str) -> Iterator[str]:
    """Yield the spec of a set and those of the sets above it, except `source`, which has all records."""
    while spec:
        if spec != EVERYTHING_SPEC:
            yield spec
        spec = spec.rpartition(":")[0]


def listed(numbers: Iterable[int]) -> str:
    """Return numbers as a JSON list."""
    return f"[{','.join(map(str, sorted(numbers)))}]"


def _kind(before: HeldRecord | None, is_deleted: bool) -> int:
    if is_deleted:
        return DELETED
    return CREATED if before is None or before.is_deleted else UPDATED
