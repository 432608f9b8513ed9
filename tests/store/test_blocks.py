"""Blocks, told without a database: any sequence of publications, updates and compactions reads like a plain list.

The model is a list of records by key. The blocks are read through every coding, with pages that are exact and pages
that end at the edge of a block, for lists of all records and of a set, and by walks that go on across compactions.
"""

from __future__ import annotations

import gzip
import zlib
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from sys import byteorder
from typing import Any, NamedTuple

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from gateway import pieces
from gateway.model import Key
from gateway.pieces import Part, Piece
from gateway.store.block_merging import groups, merged, shares
from gateway.store.block_pages import MOST_PAGE_BYTES, PagePlan, plan
from gateway.store.block_rows import Bits, BlockRow, as_bytes, every, first_bits, from_bytes, positions_of, row_of
from gateway.store.blocks import Block, Kind, block_of, header_of, opened, pack, texts_of, unpack
from tests.rows import each_row

EVER = 2**40
ODD = block_of([b"<record><header></header></record>"], [1])
END = {Kind.RECORDS: b"</metadata></record>\n", Kind.HEADERS: b"</header>\n"}


def record_of(name: int, version: int, body: bytes = b"") -> bytes:
    """Return a record whose metadata has what ends a header and a record, and line ends."""
    head = b"<record><header><identifier>%d</identifier><x>%d</x></header>" % (name, version)
    return head + b"<metadata>\n</header>\n</record>\n" + body.hex().encode() + END[Kind.RECORDS][:-1]


class Version(NamedTuple):
    """A record of the model."""

    key: Key
    record: bytes
    is_member: bool


@dataclass
class Walk:
    """A harvester that asks for a page now and then; `begun` is the last number that there was at its beginning."""

    begun: int
    limit: int
    of_set: bool
    after: Key | None = None
    texts: list[bytes] = field(default_factory=list)


class Blocks:
    """A list in blocks, as a database would have it, and its model."""

    def __init__(self) -> None:
        self.rows: list[BlockRow] = []
        self.bodies: dict[int, Block] = {}
        self.members: dict[int, Bits] = {}
        self.model: dict[int, Version] = {}
        self.number = self.second = self.body = 0

    def publish(self, versions: dict[int, tuple[bytes, bool]]) -> None:
        """Publish records by name, with what says whether they are in the set."""
        self.second += 1
        names = sorted(versions)
        keys = [Key(self.second, self.number + place) for place in range(1, len(names) + 1)]
        self.number += len(names)
        for name in names:
            if name in self.model:
                self._supersede(self.model[name].key)
        for start, stop in shares([versions[name][0] for name in names]):
            inside = names[start:stop]
            block = block_of([versions[name][0] for name in inside], inside)
            bits = sum(versions[name][1] << place for place, name in enumerate(inside))
            self._add(row_of(keys[start:stop], block), block, bits)
        for name, key in zip(names, keys, strict=True):
            self.model[name] = Version(key, *versions[name])

    def compact(self, horizon: int) -> None:
        """Compact what is below a second."""
        for group in list(groups(self.rows, horizon)):
            former = [self.members[row.body] for row in group]
            made = merged(group, self.bodies)
            for row in group:
                self._remove(row)
            for one in made:
                self._add(one.row, one.block, one.members(former))

    def read(
        self, after: Key | None, until: int, limit: int, kind: Kind, *, is_exact: bool, of_set: bool
    ) -> tuple[list[Part], int, Key | None]:
        """Return a page: its parts, how many records they have, and the key that the next one comes after."""
        start = 0 if after is None else max(0, bisect_right([row.first for row in self.rows], after) - 1)
        rows = ((row, self.members[row.body] if of_set else every(row.size)) for row in self.rows[start:])
        page = plan(rows, after, until, limit, is_exact=is_exact)
        parts: list[Part] = []
        for portion in page.portions:
            block = self.bodies[portion.row.body]
            if portion.is_whole:
                parts.append(block.piece(kind))
            else:
                texts = texts_of(block, kind)
                parts += [texts[position] + b"\n" for position in positions_of(portion.bits)]
        return parts, page.size, page.next

    def whole(self, kind: Kind, limit: int, until: int = EVER, *, is_exact: bool, of_set: bool) -> list[bytes]:
        """Return a list that is read at once, page by page."""
        texts: list[bytes] = []
        after: Key | None = None
        while True:
            parts, size, after = self.read(after, until, limit, kind, is_exact=is_exact, of_set=of_set)
            page = decoded(parts, kind)
            assert len(page) == size
            assert size == limit or after is None or (not is_exact and abs(size - limit) <= limit // 4)
            texts += page
            if after is None:
                return texts

    def listed(self, kind: Kind, first: int = 0, until: int = EVER, *, of_set: bool = False) -> list[bytes]:
        """Return what a list should have, by key: the records with numbers up to `first`, or all if it is 0."""
        return [
            one.record if kind is Kind.RECORDS else header_of(one.record)
            for one in sorted(self.model.values(), key=lambda one: one.key)
            if one.key.datestamp <= until and (one.is_member or not of_set) and (not first or one.key.number <= first)
        ]

    def _supersede(self, key: Key) -> None:
        place = bisect_right([row.first for row in self.rows], key) - 1
        row = self.rows[place].without(key)
        if row.live:
            self.rows[place] = row
        else:
            self._remove(self.rows[place])

    def _add(self, row: BlockRow, block: Block, bits: Bits) -> None:
        self.body += 1
        self.bodies[self.body], self.members[self.body] = block, bits
        self.rows.append(row._replace(body=self.body))
        self.rows.sort(key=lambda row: row.first)

    def _remove(self, row: BlockRow) -> None:
        self.rows.remove(row)
        del self.bodies[row.body], self.members[row.body]


def decoded(parts: list[Part], kind: Kind) -> list[bytes]:
    """Return the texts of a page, which every coding must have alike."""
    text = pieces.identity(parts)
    assert gzip.decompress(pieces.gzip(parts)) == text
    assert zlib.decompress(pieces.deflate(parts)) == text
    assert zstandard.ZstdDecompressor().decompress(pieces.zstd(parts)) == text
    end = END[kind]
    return [line + end[:-1] for line in text.split(end)[:-1]]


publications = some.tuples(
    some.just("publish"),
    some.dictionaries(some.integers(0, 400), some.tuples(some.binary(max_size=40), some.booleans()), max_size=9),
    some.integers(0, 400),
    some.sampled_from((0, 0, 3, 60, 120, 260)),
)
compactions = some.tuples(some.just("compact"), some.integers(0, 3))
walks = some.tuples(some.just("walk"), some.sampled_from((1, 7, 60, 110, 250)), some.booleans())
steps = some.lists(some.one_of(publications, compactions, walks), max_size=14)


def publish(blocks: Blocks, deed: tuple[Any, ...], number: int) -> None:
    _, few, first, many = deed
    versions = {name: (record_of(name, number, body), is_member) for name, (body, is_member) in few.items()}
    for name in range(first, first + many):
        versions.setdefault(name, (record_of(name, number), name % 3 == 0))
    blocks.publish(versions)


def go_on(walk: Walk, blocks: Blocks, kind: Kind, *, is_exact: bool) -> bool:
    """Let a walk take a page. At its end, it has each record that has not changed since it began, once and in order."""
    parts, _, walk.after = blocks.read(walk.after, EVER, walk.limit, kind, is_exact=is_exact, of_set=walk.of_set)
    walk.texts += decoded(parts, kind)
    if walk.after is not None:
        return True
    assert len(set(walk.texts)) == len(walk.texts)
    unchanged = blocks.listed(kind, walk.begun, of_set=walk.of_set) if walk.begun else []
    assert [text for text in walk.texts if text in set(unchanged)] == unchanged
    return False


@pytest.mark.slow
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps, some.sampled_from(Kind), some.booleans())
def test_blocks_read_like_a_list(deeds, kind, is_exact):
    blocks, going = Blocks(), []
    for number, deed in enumerate(deeds):
        if deed[0] == "publish":
            publish(blocks, deed, number)
        elif deed[0] == "compact":
            blocks.compact(blocks.second - deed[1])
        else:
            going.append(Walk(blocks.number, deed[1], deed[2]))
        going = [walk for walk in going if go_on(walk, blocks, kind, is_exact=is_exact)]
    for of_set in (False, True):
        for until in (EVER, blocks.second // 2):
            texts = blocks.whole(kind, 40, until, is_exact=is_exact, of_set=of_set)
            assert texts == blocks.listed(kind, until=until, of_set=of_set)
    names = [unpack(blocks.bodies[row.body].items)[place] for row in blocks.rows for place in positions_of(row.live)]
    assert names == sorted(blocks.model, key=lambda name: blocks.model[name].key)


def test_small_publications_become_full_blocks():
    """10,000 publications of three records leave 400 blocks."""
    blocks = Blocks()
    for number in range(1_000):
        blocks.publish({name: (record_of(name, 1), True) for name in range(3 * number, 3 * number + 3)})
        blocks.compact(blocks.second)
    assert len(blocks.rows) <= 40 + 16
    assert blocks.whole(Kind.HEADERS, 500, is_exact=False, of_set=True) == blocks.listed(Kind.HEADERS)


def test_large_records_have_blocks_of_few_and_these_are_left_alone():
    blocks = Blocks()
    for first in range(0, 60, 20):
        blocks.publish({name: (record_of(name, 1, bytes(100_000)), True) for name in range(first, first + 20)})
    blocks.publish({99: (record_of(99, 1, bytes(3_000_000)), True)})
    assert {row.size for row in blocks.rows} <= {1, 5}
    assert list(groups(blocks.rows, blocks.second + 1)) == []
    blocks.publish({3: (record_of(3, 2), True)})
    blocks.compact(blocks.second)
    assert max(block.records.length for block in blocks.bodies.values() if len(unpack(block.items)) > 1) < 2_000_000
    assert blocks.whole(Kind.RECORDS, 7, is_exact=False, of_set=True) == blocks.listed(Kind.RECORDS)


def test_a_block_of_several_records_has_at_most_a_mebibyte_of_text():
    sizes = (524_288, 524_288, 524_287, 524_287, 2_000_000)
    records = [b"<header></header>".ljust(size, b"x") for size in sizes]
    several = [records[start:stop] for start, stop in shares(records)]
    assert [record for share in several for record in share] == records
    assert all(len(share) == 1 or block_of(share, ()).records.length <= 1_048_576 for share in several)


@each_row("members, holes, is_slow", [(1, 0, True), (1, 99, False), (10, 90, False), (10, 0, True)])
def test_a_page_is_slow_if_its_set_has_few_records_of_each_block_and_not_because_of_holes(members, holes, is_slow):
    """Otherwise a set with all records would get an own list, which is as large as the store."""
    rows = [
        BlockRow(Key(second, 0), Key(second, 99), 100, ((1 << holes) - 1) << (100 - holes), b"", second)
        for second in range(1, 9)
    ]
    page = plan(((row, (1 << members) - 1) for row in rows), None, 99, 500, is_exact=False)
    assert page.size == 8 * members
    assert page.is_slow == is_slow


def test_a_page_is_not_slow_because_it_begins_and_ends_inside_of_blocks():
    sizes = [100, 1, 1, 1, 1, 1, 1, 100]
    rows = [
        BlockRow(Key(second, 0), Key(second, size - 1), size, 0, b"", second) for second, size in enumerate(sizes, 1)
    ]
    page = plan(((row, row.live) for row in rows), Key(1, 89), 99, 20, is_exact=True)
    assert (page.size, len(page.portions)) == (20, 8)
    assert not page.is_slow


def test_a_page_has_at_most_so_many_bytes_and_at_least_one_block():
    rows = [BlockRow(Key(second, 0), Key(second, 9), 10, 0, b"", second) for second in range(1, 100)]
    page = plan(((row, row.live) for row in rows), Key(1, 4), 99, 500, is_exact=True)
    assert page.may_be_long
    lengths = dict.fromkeys(range(1, 100), MOST_PAGE_BYTES // 10)
    assert page.shortened(lengths) == PagePlan(page.portions[:10], 95, Key(10, 9))
    assert page.shortened(dict.fromkeys(lengths, MOST_PAGE_BYTES + 1)) == PagePlan(page.portions[:1], 5, Key(1, 9))
    assert page.shortened(dict.fromkeys(lengths, 0)) == page
    assert page.shortened({}) == page, "the bodies are missing; reading them says so"


@each_row("size, count, may_be_long", [(2, 32, False), (2, 33, True), (1, 1, True), (100, 5, False)])
def test_only_pages_of_many_blocks_or_of_single_records_may_be_long(size, count, may_be_long):
    rows = [BlockRow(Key(second, 0), Key(second, size - 1), size, 0, b"", second) for second in range(1, count + 1)]
    assert plan(((row, row.live) for row in rows), None, 99, 500, is_exact=False).may_be_long == may_be_long


def test_what_is_at_the_horizon_is_not_compacted():
    blocks = Blocks()
    for name in range(20):
        blocks.publish({name: (record_of(name, 1), True)})
    assert list(groups(blocks.rows, 10)) == []
    assert [len(group) for group in groups(blocks.rows, 18)] == [17]


@given(some.lists(some.integers(-(2**62), 2**62), max_size=300))
def test_packed_numbers_come_back(numbers):
    assert unpack(pack(numbers)) == numbers


@given(some.sets(some.integers(0, 200)), some.integers(0, 250))
def test_bits_are_positions(positions, few):
    bits = sum(1 << position for position in positions)
    assert list(positions_of(from_bytes(as_bytes(bits)))) == sorted(positions)
    assert list(positions_of(first_bits(bits, few))) == sorted(positions)[:few]


@given(some.sets(some.tuples(some.integers(1, 5), some.integers(1, 60)), min_size=1))
def test_a_row_knows_its_keys(keys):
    ordered = [Key(*key) for key in sorted(keys)]
    row = row_of(ordered, ODD)
    assert row.keys(range(row.size)) == ordered
    for second in range(7):
        for number in range(62):
            key = Key(second, number)
            assert row.position(key) == (ordered.index(key) if key in ordered else None)
            assert row.behind(key) == bisect_right(ordered, key)


def test_a_record_is_superseded_once():
    row = row_of([Key(5, 1), Key(5, 2)], ODD).without(Key(5, 1))
    for missing in (Key(5, 1), Key(5, 3), Key(4, 1)):
        with pytest.raises(ValueError, match="No block has the record"):
            row.without(missing)


@given(some.lists(some.binary(max_size=9_000), max_size=5))
def test_texts_and_pieces_make_one_answer(texts):
    parts = [part for text in texts for part in (text, pieces.compressed(text))]
    assert decoded(parts, Kind.RECORDS) == []
    assert pieces.identity(parts) == b"".join(text + text for text in texts)


@each_row(
    "piece",
    [
        pieces.compressed(b"some text")._replace(length=8),
        pieces.compressed(b"some text")._replace(length=10),
        pieces.compressed(b"some text")._replace(deflated=b"\xff\xff\xff"),
        Piece(b"", 1, 0, 0),
    ],
)
def test_a_damaged_piece_is_refused(piece):
    with pytest.raises(ValueError, match="A piece"):
        pieces.text_of(piece)


def test_packed_numbers_are_the_same_on_every_machine(monkeypatch):
    """A store may move to a machine with another order of bytes; what one writes, both read."""
    numbers = [1, 300, 7]
    here = pack(numbers)
    other = "big" if byteorder == "little" else "little"
    monkeypatch.setattr("gateway.store.blocks.byteorder", other)
    assert unpack(pack(numbers)) == numbers
    assert pack(numbers) != here


def test_lengths_that_are_not_those_of_the_text_are_refused():
    block = block_of([record_of(1, 1)], [1])
    with pytest.raises(ValueError, match="The lengths of its records"):
        texts_of(block._replace(lengths=pack([5])), Kind.RECORDS)


@given(some.lists(some.binary(max_size=30_000), min_size=1, max_size=6))
def test_one_record_is_read(bodies):
    records = [record_of(name, 1, body) for name, body in enumerate(bodies)]
    block = block_of(records, range(len(records)))
    assert [opened(block.records, block.lengths).record(place) for place in range(len(records))] == records


@each_row(
    "change, position",
    [
        ({"deflated": b"\xff\xff\xff"}, 0),
        ({"deflated": b""}, 0),
        ({"deflated": pieces.compressed(b"<record>").deflated}, 0),
        ({"deflated": pieces.compressed(b"<record>" * 99).deflated}, 0),
        ({"length": 34}, 0),
        ({"crc": 1}, 0),
        ({}, 1),
        ({}, -1),
    ],
)
def test_a_record_of_a_damaged_block_is_refused(change, position):
    with pytest.raises(ValueError, match=r"A piece|The lengths|It has no record"):
        opened(ODD.records._replace(**change), ODD.lengths).record(position)


@each_row("kind", Kind)
def test_a_flipped_bit_is_never_served_as_a_record(kind):
    """Most flips leave the length of the text as it was."""
    block = block_of([record_of(name, 1, b"some metadata") for name in range(10)], range(10))
    piece, sound = block.piece(kind), texts_of(block, kind)
    read = 0
    for bit in range(8 * len(piece.deflated)):
        deflated = bytearray(piece.deflated)
        deflated[bit // 8] ^= 1 << bit % 8
        damaged = piece._replace(deflated=bytes(deflated))
        block = block._replace(records=damaged) if kind is Kind.RECORDS else block._replace(headers=damaged)
        for reading in (
            lambda block=block: texts_of(block, kind),
            lambda damaged=damaged: pieces.identity([damaged]).split(END[kind])[:-1],
        ):
            with suppress(ValueError):
                assert len(reading()) == len(sound)
                assert pieces.identity([damaged]) == pieces.identity([piece])
                read += 1
    assert read < 100, "bits after the end of the text, which nobody reads"


def test_a_record_with_a_damaged_length_is_refused():
    block = block_of([record_of(1, 1), record_of(2, 1)], [1, 2])
    first, second = unpack(block.lengths)
    with pytest.raises(ValueError, match="It has not the records that it had"):
        opened(block.records, pack([first - 1, second + 1])).record(0)


def test_damaged_numbers_are_refused():
    with pytest.raises(ValueError, match="Numbers cannot be inflated"):
        unpack(b"\xff\xff\xff")
