"""Blocks, told without a database: what is packed, planned and merged. Their lists: `test_blocks_at_random`."""

import gzip
import zlib
from bisect import bisect_right
from contextlib import suppress
from sys import byteorder

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as some

from gateway.core import pieces
from gateway.core.model import Key
from gateway.core.pieces import Part, Piece
from gateway.store.block_merging import groups, shares
from gateway.store.block_rows import (
    MOST_PAGE_BYTES,
    BlockRow,
    PagePlan,
    as_bytes,
    first_bits,
    from_bytes,
    plan,
    positions_of,
    row_of,
)
from gateway.store.blocks import Kind, block_of, opened, pack, texts_of, unpack
from tests.rows import each_row

ODD = block_of([b"<record><header></header></record>"], [1])
END = {Kind.RECORDS: b"</metadata></record>\n", Kind.HEADERS: b"</header>\n"}


def record_of(name: int, version: int, body: bytes = b"") -> bytes:
    """Return a record whose metadata has what ends a header and a record, and line ends."""
    head = b"<record><header><identifier>%d</identifier><x>%d</x></header>" % (name, version)
    return head + b"<metadata>\n</header>\n</record>\n" + body.hex().encode() + END[Kind.RECORDS][:-1]


def decoded(parts: list[Part], kind: Kind) -> list[bytes]:
    """Return the texts of a page, which every coding must have alike."""
    text = pieces.identity(parts)
    assert gzip.decompress(pieces.gzip(parts)) == text
    assert zlib.decompress(pieces.deflate(parts)) == text
    assert zstandard.ZstdDecompressor().decompress(pieces.zstd(parts)) == text
    end = END[kind]
    return [line + end[:-1] for line in text.split(end)[:-1]]


def rows_of(sizes: list[int], count: int) -> list[BlockRow]:
    """Return the rows of a list into which records of these sizes were published, each time in another second."""
    rows = []
    for second in range(1, count + 1):
        records = [b"<record><header></header></record>".ljust(size, b"x") for size in sizes]
        for start, stop in shares(records):
            keys = [Key(second, place) for place in range(start, stop)]
            rows.append(row_of(keys, block_of(records[start:stop], range(start, stop))))
    return rows


def test_large_records_have_blocks_of_few_and_these_are_left_alone():
    rows = rows_of([200_000] * 20, 3) + rows_of([3_000_000], 4)[3:]
    assert {row.size for row in rows} == {1, 5}
    assert list(groups(rows, 9)) == []


def test_what_is_at_the_horizon_is_not_compacted():
    rows = rows_of([100], 20)
    assert list(groups(rows, 10)) == []
    assert [len(group) for group in groups(rows, 18)] == [17]


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


@given(some.lists(some.integers(-(2**61), 2**61), max_size=300))
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
