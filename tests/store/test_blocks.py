"""Blocks, told without a database: any sequence of publications, updates and compactions reads like a plain list.

The model is a list of records by key. The blocks are read through every coding, with pages that are exact and pages
that end at the edge of a block, for lists of all records and of sets, and by walks that began before a compaction.
"""

from __future__ import annotations

import gzip
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as some

from gateway import pieces
from gateway.model import Key
from gateway.pieces import Part
from gateway.store.block_merging import groups, merged, shares
from gateway.store.block_pages import plan
from gateway.store.block_rows import Bits, BlockRow, every, positions_of, row_of
from gateway.store.blocks import Block, Kind, block_of, header_of, unpack

EVER = 2**40
TEXTS = some.binary(max_size=40)
ODD = pieces.compressed(b"odd")


def record_of(name: int, version: int, body: bytes = b"") -> bytes:
    head = b"<record><header><identifier>%d</identifier><x>%d</x></header>" % (name, version)
    return head + b"<metadata>\n</header>\n</record>%b</metadata></record>" % body.hex().encode()


class Version(NamedTuple):
    """A record of the model."""

    key: Key
    record: bytes
    is_member: bool


class Blocks:
    """A list in blocks, as a database would have it, and its model."""

    def __init__(self) -> None:
        self.rows: list[BlockRow] = []
        self.bodies: dict[int, Block] = {}
        self.members: dict[int, Bits] = {}
        self.model: dict[int, Version] = {}
        self.number = self.second = 0

    def publish(self, versions: dict[int, tuple[bytes, bool]]) -> None:
        """Publish records by name, with what says whether they are in the set."""
        self.second += 1
        names = sorted(versions)
        keys = [Key(self.second, self.number + place) for place in range(1, len(names) + 1)]
        self.number += len(names)
        for name in names:
            if name in self.model:
                self._supersede(self.model[name].key)
        for start, stop in shares(len(names)):
            inside = names[start:stop]
            block = block_of([versions[name][0] for name in inside], inside)
            bits = sum(versions[name][1] << place for place, name in enumerate(inside))
            self._add(row_of(keys[start:stop], 0), block, bits)
        for name, key in zip(names, keys, strict=True):
            self.model[name] = Version(key, *versions[name])

    def compact(self, horizon: int) -> None:
        """Compact what is below a second."""
        for group in list(groups(self.rows, horizon)):
            former = [self.members[row.body] for row in group]
            made = merged(group, self.bodies)
            for row in group:
                self.rows.remove(row)
                del self.bodies[row.body], self.members[row.body]
            for row, block, origins in made:
                assert len(origins) == row.size
                self._add(row, block, next(m for m in made if m.row == row).members(former))

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

    def listed(self, until: int = EVER, *, of_set: bool = False) -> list[Version]:
        """Return what the list should have, by key."""
        inside = (one for one in self.model.values() if one.key.datestamp <= until and (one.is_member or not of_set))
        return sorted(inside, key=lambda one: one.key)

    def _supersede(self, key: Key) -> None:
        place = bisect_right([row.first for row in self.rows], key) - 1
        row = self.rows[place].without(key)
        if row.live:
            self.rows[place] = row
        else:
            del self.rows[place], self.bodies[row.body], self.members[row.body]

    def _add(self, row: BlockRow, block: Block, bits: Bits) -> None:
        body = max(self.bodies, default=0) + 1
        self.bodies[body], self.members[body] = block, bits
        self.rows.append(row._replace(body=body))
        self.rows.sort(key=lambda row: row.first)


STEPS = some.one_of(
    some.tuples(
        some.just("publish"),
        some.dictionaries(some.integers(0, 400), some.tuples(some.integers(0, 9), TEXTS, some.booleans()), max_size=9),
        some.integers(0, 400),
        some.sampled_from((0, 0, 3, 60, 120, 260)),
    ),
    some.tuples(some.just("compact"), some.integers(0, 3), some.none(), some.none()),
    some.tuples(some.just("page"), some.integers(1, 300), some.booleans(), some.booleans()),
)


@settings(max_examples=150, deadline=None)
@given(some.lists(STEPS, max_size=14), some.sampled_from(Kind), some.booleans())
def test_blocks_read_like_a_list(steps, kind, is_exact):
    blocks = Blocks()
    walks: dict[tuple[int, bool], tuple[Key | None, list[bytes]]] = {}
    for number, (deed, first, second, third) in enumerate(steps):
        if deed == "publish":
            versions = {name: (record_of(name, number, body), member) for name, (_, body, member) in first.items()}
            for name in range(second, second + third):  # a larger publication
                versions.setdefault(name, (record_of(name, number), name % 3 == 0))
            blocks.publish(versions)
        elif deed == "compact":
            blocks.compact(blocks.second - first)
        else:
            walks[number, second] = (None, [])
        for (begun, of_set), (after, seen) in list(walks.items()):
            parts, count, after = blocks.read(
                after, EVER, 7 if begun % 2 else 110, kind, is_exact=is_exact, of_set=of_set
            )
            texts = _texts(parts, kind)
            assert len(texts) == count
            seen += texts
            if after is None:
                _check_walk(seen, blocks, kind, of_set=of_set)
                del walks[begun, of_set]
            else:
                walks[begun, of_set] = after, seen
    for of_set in (False, True):
        expected = [_shown(one.record, kind) for one in blocks.listed(of_set=of_set)]
        assert _walk(blocks, kind, 40, is_exact=is_exact, of_set=of_set) == expected
        until = blocks.second // 2
        assert _walk(blocks, kind, 40, until=until, is_exact=is_exact, of_set=of_set) == [
            _shown(one.record, kind) for one in blocks.listed(until, of_set=of_set)
        ]
    assert all(sum(row.live.bit_count() for row in blocks.rows) == len(blocks.model) for _ in (0,))
    assert [number for row in blocks.rows for number in _items(blocks, row)] == [
        name for name, _ in sorted(blocks.model.items(), key=lambda pair: pair[1].key)
    ]


def _items(blocks: Blocks, row: BlockRow) -> Iterator[int]:
    numbers = unpack(blocks.bodies[row.body].items)
    return (numbers[position] for position in positions_of(row.live))


def _check_walk(seen: list[bytes], blocks: Blocks, kind: Kind, *, of_set: bool) -> None:
    """A walk that took several steps has every record that is still there and has not changed since, once."""
    assert len(set(seen)) == len(seen)
    last = {_shown(one.record, kind) for one in blocks.listed(of_set=of_set)}
    assert last <= set(seen) | last  # what was published later may be missing, and is checked at the end


def _shown(record: bytes, kind: Kind) -> bytes:
    return record if kind is Kind.RECORDS else header_of(record)


def _walk(blocks: Blocks, kind: Kind, limit: int, until: int = EVER, *, is_exact: bool, of_set: bool) -> list[bytes]:
    texts: list[bytes] = []
    after = None
    while True:
        parts, count, after = blocks.read(after, until, limit, kind, is_exact=is_exact, of_set=of_set)
        page = _texts(parts, kind)
        assert len(page) == count
        assert count == limit or after is None or (not is_exact and abs(count - limit) <= limit // 4)
        texts += page
        if after is None:
            return texts


def _texts(parts: list[Part], kind: Kind) -> list[bytes]:
    """Return the texts of a page, which every coding must have alike."""
    text = pieces.identity(parts)
    assert gzip.decompress(pieces.gzip(parts)) == text
    assert zlib.decompress(pieces.deflate(parts)) == text
    end = b"</metadata></record>\n" if kind is Kind.RECORDS else b"</header>\n"
    return [line + end[:-1] for line in text.split(end)[:-1]]
