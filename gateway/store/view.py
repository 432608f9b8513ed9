"""Reads the SQLite store: one snapshot, from one connection, for one answer. Both scans are lists by key."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from gateway.core.model import Format, Key, Page, Selection, SetDescription, Source, SourceCounts, StoredRecord
from gateway.core.names import SOURCES
from gateway.core.pieces import Part
from gateway.store.block_reader import Blocks
from gateway.store.block_rows import Bits, PagePlan, positions_of, within
from gateway.store.blocks import Kind
from gateway.store.connector import Session
from gateway.store.queries import load
from gateway.store.resource_lists import EVER, ResourceLists
from gateway.store.rows import EVERYTHING, SPANS

SQL = load("store")

_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # no record has these, and PostgreSQL refuses them

SMALL_PAGE: Final = 50  # a page of fewer records is exact, and has a part for each of them


class PageOfParts(NamedTuple):
    """A page: parts of an answer, which are lines; how many records they have; the key of the last one, or None.

    `next` is None at the end of the list, as in `Page`.
    """

    parts: tuple[Part, ...]
    size: int
    next: Key | None


class View(ResourceLists):
    """One consistent snapshot for reading: everything that it returns is of one moment."""

    def __init__(self, session: Session, horizon: int, made_at: int, *, show_departed: bool) -> None:
        super().__init__(session, made_at)
        self._horizon = horizon
        self._shows_departed = show_departed
        self._blocks = Blocks(session)
        self.wanted: set[tuple[int, int]] = set()  # (set, format) of lists that should have blocks of their own

    @property
    def horizon(self) -> int:
        """The second up to which every record is visible: that of the oldest open intent, else that of the clock.

        No record with a datestamp below it can appear later. It is the `responseDate` (OAI-PMH 2.0 §3.2).
        """
        return self._horizon

    def page(self, selection: Selection, after: Key | None, limit: int) -> Page:
        """Return at most `limit` records after the key `after`, by (datestamp, number), deleted ones as tombstones.

        The caller limits `until` to the horizon. An unknown prefix or set gives an empty page.
        """
        place = self._place(selection)
        if place is None:
            return Page((), None)
        page, departed = self._blocks.page(place, selection, after, limit, shows_departed=self._shows_departed)
        records = (
            self._blocks.texts(portion, Kind.RECORDS, departed.get(portion.row.body, 0)) for portion in page.portions
        )
        return Page(tuple(chain.from_iterable(records)), page.next)

    def parts(
        self, selection: Selection, after: Key | None, limit: int, *, only_headers: bool, is_exact: bool
    ) -> PageOfParts:
        """Return a page like `page`, of whole records or of their headers, as parts of an answer.

        If it is not `is_exact`, the page may be longer or shorter by a quarter: it ends where parts lie ready. A page
        below `SMALL_PAGE` is exact, and each record is a part of its own. A page whose records are very large has
        fewer of them, at least one.
        """
        place = self._place(selection)
        if place is None:
            return PageOfParts((), 0, None)
        is_small = limit < SMALL_PAGE
        page, departed = self._plan(place, selection, after, limit, is_exact=is_exact or is_small)
        kind = Kind.HEADERS if only_headers else Kind.RECORDS
        page = self._blocks.shortened(page, kind)
        whole = [portion.row.body for portion in page.portions if portion.is_whole and not is_small]
        pieces = self._blocks.pieces([body for body in whole if body not in departed], kind)
        parts: list[Part] = []
        for portion in page.portions:
            body = portion.row.body
            if body in pieces:
                parts.append(pieces[body])
            else:
                parts += [text + b"\n" for text in self._blocks.texts(portion, kind, departed.get(body, 0))]
        return PageOfParts(tuple(parts), page.size, page.next)

    def _plan(
        self, place: tuple[int, int], selection: Selection, after: Key | None, limit: int, *, is_exact: bool
    ) -> tuple[PagePlan, dict[int, Bits]]:
        """Return a page and the departed records of its bodies, from the own list of a set if there is one.

        An own list lacks departed records. If these are shown, it is used where there are none.
        """
        own = None if place[0] == EVERYTHING else self._session.one(SQL["own_list_ready"], place)
        if own:
            every = EVERYTHING, own[0]
            page, _ = self._blocks.page(every, selection, after, limit, shows_departed=False, is_exact=is_exact)
            if not self._shows_departed or not self._has_departed(place, selection, after, page.next):
                self.wanted.add(place)
                return page, {}
        page, departed = self._blocks.page(
            place, selection, after, limit, shows_departed=self._shows_departed, is_exact=is_exact
        )
        is_without = not any(bits & departed.get(row.body, 0) for row, bits in page.portions)
        if page.is_slow and place[0] != EVERYTHING and is_without:
            self.wanted.add(place)
        return page, departed

    def _has_departed(self, place: tuple[int, int], selection: Selection, after: Key | None, last: Key | None) -> bool:
        """Return whether a set has departed records in the seconds of a page, which may end with the list (None)."""
        start = max(selection.from_ or 0, after.datestamp if after else 0)
        until = EVER if selection.until is None else selection.until
        stop = min(until, last.datestamp if last else until) + 1
        return self._number_of(place, start, stop, is_with=True) > self._number_of(place, start, stop, is_with=False)

    def count(self, selection: Selection) -> int:
        """Return how many records the whole list has. It adds up tallies, and does not scan the records."""
        place = self._place(selection)
        if place is None:
            return 0
        stop = EVER if selection.until is None else selection.until + 1
        return self._number_of(place, selection.from_ or 0, stop, is_with=self._shows_departed)

    def _number_of(self, place: tuple[int, int], start: int, stop: int, *, is_with: bool) -> int:
        """Return how many records a list has in the seconds up to before `stop`; `is_with`: with departed ones."""
        collection, prefix = place
        same = {"collection": collection, "prefix": prefix, "departed": int(is_with)}
        total = 0
        for span, first, last in spans(start, stop):
            (part,) = self._session.one(SQL["tally"], {**same, "span": span, "first": first, "last": last}) or (0,)
            total += part
        return total

    def record(self, identifier: str, metadata_prefix: str) -> StoredRecord | None:
        """Return one record, or None if this item has none in this format."""
        item, prefix = self._item(identifier), self._number("prefix", metadata_prefix)
        row = self._session.one(SQL["place"], {"item": item, "prefix": prefix})
        if row is None or prefix is None:
            return None
        datestamp, number, digest, is_deleted = row
        content = self._blocks.record(prefix, Key(datestamp, number))
        return StoredRecord(content, datestamp, digest, bool(is_deleted))

    def records(self, identifiers: Collection[str], metadata_prefix: str) -> Iterator[tuple[str, StoredRecord]]:
        """Yield the records of many items by (datestamp, number), in a fraction of the time of as many `record`.

        Items that have none in this format are absent. Few records are in memory at a time.
        """
        prefix = self._number("prefix", metadata_prefix)
        if prefix is None:
            return
        wanted = sorted(identifier for identifier in identifiers if not _NO_TEXT.search(identifier))
        rows = self._session.execute(SQL["places"], {"prefix": prefix, "identifiers": json.dumps(wanted)}).fetchall()
        contents = self._blocks.records(prefix, [Key(*row[:2]) for row in rows])
        for (datestamp, _, digest, is_deleted, place), content in zip(rows, contents, strict=True):
            yield wanted[place], StoredRecord(content, datestamp, digest, bool(is_deleted))

    def has_item(self, identifier: str) -> bool:
        """Return whether an item with this identifier has records, deleted or not."""
        item = self._item(identifier)
        return item is not None and self._session.one(SQL["item_exposed"], (item,)) is not None

    def formats(self, identifier: str | None = None) -> tuple[Format, ...]:
        """Return the formats, or those in which this item has a record that is not deleted, sorted by prefix."""
        if identifier is None:
            rows = self._session.execute(SQL["formats"])
        else:
            rows = self._session.execute(SQL["formats_of_item"], (self._item(identifier),))
        return tuple(Format(*row) for row in rows)

    def has_set(self, spec: str) -> bool:
        """Return whether the set exists."""
        return self._number("collection", spec) is not None

    def set_named(self, spec: str) -> SetDescription | None:
        """Return one set, or None if it does not exist."""
        row = self._session.one(SQL["collection_named"], (spec,))
        return None if row is None else SetDescription(*row)

    def sets(self, after: str | None, limit: int) -> tuple[SetDescription, ...]:
        """Return at most `limit` sets after the spec `after` (None: from the first), sorted by spec."""
        rows = self._session.execute(SQL["collections"], (after or "", limit))
        return tuple(SetDescription(*row) for row in rows)

    def sets_of(self, source: str) -> tuple[SetDescription, ...]:
        """Return the set of a source and all sets below it, sorted by spec."""
        rows = self._session.execute(SQL["collections_of"], {"spec": f"{SOURCES}:{source}"})
        return tuple(SetDescription(*row) for row in rows)

    def tallies(self, selection: Selection, span: int) -> tuple[tuple[int, int], ...]:
        """Return (first second, how many records) for each day, hour or second of a list that has records.

        `span` is 86400, 3600 or 1. `selection` has both bounds; they are the first seconds of such spans.
        """
        place = self._place(selection)
        if place is None:
            return ()
        bounds = {"span": span, "first": selection.from_, "last": selection.until}
        rows = self._session.execute(SQL["tallies"], {"collection": place[0], "prefix": place[1], **bounds})
        return tuple(rows.fetchall())

    def entries(
        self, selection: Selection, limit: int, offset: int = 0, *, only_held: bool = False
    ) -> tuple[tuple[str, int], ...]:
        """Return (identifier, datestamp) of living records of a list without a set, by (datestamp, number).

        `selection` has both bounds. With `only_held`, they are of items with a file that we found or hold.
        """
        prefix = self._number("prefix", selection.metadata_prefix)
        if prefix is None:
            return ()
        first, last = selection.from_ or 0, EVER if selection.until is None else selection.until
        return tuple(islice(self._entries(prefix, first, last, is_held=only_held), offset, offset + limit))

    def _entries(self, prefix: int, first: int, last: int, *, is_held: bool) -> Iterator[tuple[str, int]]:
        for row, _, _ in self._blocks.from_key(EVERYTHING, prefix, Key(first, 0), last):
            bits = row.live & within(row, Key(first, 0), last)
            if bits:
                numbers = self._blocks.items(row)
                items = json.dumps([numbers[position] for position in positions_of(bits)])
                wanted = {"prefix": prefix, "items": items, "held": is_held}
                yield from self._session.execute(SQL["entries"], wanted).fetchall()

    def items_of(self, upstream: str, limit: int) -> tuple[str, ...]:
        """Return the identifiers of at most `limit` items, of all sources, with this upstream identifier."""
        return self._identifiers("items_of_any_source", {"upstream": upstream, "limit": limit})

    def items_with(self, sha256: str, limit: int) -> tuple[str, ...]:
        """Return the identifiers of at most `limit` living items that have a file with this SHA-256."""
        return self._identifiers("items_with_copy", {"sha256": sha256, "limit": limit})

    def earliest_datestamp(self) -> int:
        """Return a second that no datestamp is below; for an empty store, the second in which it was made."""
        (first,) = self._session.one(SQL["earliest"]) or (None,)
        return self._made_at if first is None else first

    def served_copy(self, sha256: str, limit: int) -> tuple[str, tuple[str, ...]] | None:
        """Return the media type of the stored copy with this SHA-256, and its first living items, at most `limit`.

        None if no published record names the copy.
        """
        rows = self._session.execute(SQL["served_copy"], {"sha256": sha256, "limit": limit}).fetchall()
        return (str(rows[0][0]), tuple(dict.fromkeys(str(row[1]) for row in rows))) if rows else None

    def source(self, name: str) -> Source | None:
        """Return one source, or None if there is no such source; a removed one counts."""
        row = self._session.one(SQL["source_named"], (name,))
        return _source(row) if row else None

    def sources(self) -> tuple[Source, ...]:
        """Return all sources, including removed ones, sorted by name."""
        return tuple(map(_source, self._session.execute(SQL["sources"]).fetchall()))

    def former_sources(self) -> tuple[tuple[Source, int], ...]:
        """Return the former addresses of sources, the oldest first.

        With each is the second before which records came from there, or from an older one.
        """
        rows = self._session.execute(SQL["former_sources"])
        return tuple((Source(name, base_url, kind), until) for name, base_url, kind, until in rows)

    def listed_sources(self, after: str, limit: int) -> tuple[tuple[Source, SourceCounts], ...]:
        """Return at most `limit` sources after a name, sorted by name, with the counts of their items."""
        return self._listed("sources_listed", after, limit)

    def source_counts(self, name: str) -> SourceCounts:
        """Return the counts of the items of a source; an unknown one has none."""
        return SourceCounts(*(self._session.one(SQL["source_counts"], (name,)) or (0, 0, 0)))

    def sources_before(self, name: str, limit: int) -> tuple[str, ...]:
        """Return the names of at most `limit` sources up to a name, the last one first."""
        return tuple(row[0] for row in self._session.execute(SQL["sources_before"], (name, limit)))

    def biggest_sources(self, limit: int) -> tuple[tuple[Source, SourceCounts], ...]:
        """Return at most `limit` sources that were not removed, those with the most living items first."""
        return self._listed("sources_biggest", limit)

    def _listed(self, query: str, *parameters: object) -> tuple[tuple[Source, SourceCounts], ...]:
        rows = self._session.execute(SQL[query], parameters).fetchall()
        return tuple((_source(row[:5]), SourceCounts(*row[5:])) for row in rows)

    def removed_sources(self) -> tuple[str, ...]:
        """Return the names of the sources that were removed."""
        return tuple(name for (name,) in self._session.execute(SQL["sources_removed"]))

    def source_totals(self) -> tuple[int, int, int]:
        """Return how many sources were not removed, their living items, and those of them that have full text."""
        sources, living, fulltext = self._session.one(SQL["source_totals"]) or (0, 0, 0)
        return sources, living, fulltext

    def friends(self, limit: int) -> tuple[str, ...]:
        """Return the addresses of at most `limit` OAI-PMH sources that are friends and not removed, sorted by name."""
        return tuple(url for (url,) in self._session.execute(SQL["friends"], (limit,)))

    def neighbours(self, identifier: str) -> tuple[str, str]:
        """Return the identifiers of the living items before and after this one in its source.

        The order is that of the upstream identifiers, byte by byte. A part is empty if there is no such item among the
        next hundred, or this item is unknown.
        """
        item = self._item(identifier)
        rows = (self._session.one(SQL[query], (item,)) for query in ("item_before", "item_after"))
        before, after = ("" if row is None else str(row[0]) for row in rows)
        return before, after

    def merged(self, source: str, upstream: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` identifiers of items of a source that have rows of slashes.

        Their upstream identifiers, after a slash, are `upstream` after a slash when a row of slashes counts as one.
        """
        return self._identifiers("item_merged", {"source": source, "upstream": upstream, "limit": limit})

    def last_item(self) -> int:
        """Return the number of the last item; 0 if there is none. Numbers are given in order, and never again."""
        (last,) = self._session.one(SQL["item_last"]) or (0,)
        return int(last)


def spans(start: int, stop: int, widths: tuple[int, ...] = SPANS) -> Iterator[tuple[int, int, int]]:
    """Divide the seconds from `start` to before `stop` into days, hours and seconds: yield (width, first, last)."""
    width, *finer = widths
    first, end = -(-start // width) * width, stop // width * width
    ragged = [(start, stop)]
    if first < end:
        yield width, first, end - width
        ragged = [(start, first), (end, stop)]
    for begin, before in ragged:
        if begin < before:
            yield from spans(begin, before, tuple(finer))


def _source(row: Sequence[Any]) -> Source:
    name, base_url, kind, is_removed, is_friend = row
    return Source(name, base_url, kind, bool(is_removed), bool(is_friend))
