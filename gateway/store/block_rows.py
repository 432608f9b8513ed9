"""The narrow row of a block: which keys it has, and which of its records are still there. Pure.

A key is (datestamp, number); the number is given at publication, and never changes. A block of one publication has
numbers in a row. A compacted block has *runs* of them. When a record gets a newer version, its place in the block
becomes a *hole*: a bit. The block itself stays as it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.model import Key
from gateway.store.blocks import MOST_BYTES, Block, pack, unpack

Bits = int  # bit n stands for the record at position n


class Run(NamedTuple):
    """Records of one datestamp whose numbers follow each other; `position` is that of the first one in its block."""

    position: int
    datestamp: int
    number: int


class BlockRow(NamedTuple):
    """A block of a list. `holes` are its superseded records; `runs` is empty if the keys are one run.

    `body` is the number under which the block itself is stored. `is_small`: it has few
    records, and few bytes, so it should become part of another one.
    """

    first: Key
    last: Key
    size: int
    holes: Bits
    runs: bytes
    body: int
    is_small: bool = False

    @property
    def live(self) -> Bits:
        """The records that are not holes."""
        return every(self.size) & ~self.holes

    def without(self, key: Key) -> BlockRow:
        """Return the row after the record with a key was superseded.

        Raise ValueError if the block has no such key, and StoreDamaged if its keys cannot be read.
        """
        position = self.position(key)
        if position is None or not self.live >> position & 1:
            raise ValueError(f"No block has the record {key}.")
        return self._replace(holes=self.holes | 1 << position)

    def position(self, key: Key) -> int | None:
        """Return the position of a key; None if the block has no such key. Raise StoreDamaged."""
        position = self.behind(key) - 1
        return position if position >= 0 and self.keys([position])[0] == key else None

    def behind(self, key: Key) -> int:
        """Return the position behind all keys up to this one: 0 if all keys are greater. Raise StoreDamaged."""
        if key >= self.last:  # so it is where a page has ended; the runs need not be unpacked
            return self.size
        runs = self._runs()
        place = bisect_right([(run.datestamp, run.number) for run in runs], tuple(key)) - 1
        if place < 0:
            return 0
        run = runs[place]
        end = runs[place + 1].position if place + 1 < len(runs) else self.size
        if run.datestamp < key[0]:
            return end
        return min(end, run.position + key[1] - run.number + 1)

    def keys(self, positions: Iterable[int]) -> list[Key]:
        """Return the keys at these positions. Raise StoreDamaged."""
        runs = self._runs()
        starts = [run.position for run in runs]
        keys = []
        for position in positions:
            run = runs[bisect_right(starts, position) - 1]
            keys.append(Key(run.datestamp, run.number + position - run.position))
        return keys

    def _runs(self) -> Sequence[Run]:
        if not self.runs:
            return (Run(0, *self.first),)
        try:
            numbers = unpack(self.runs)
        except ValueError as error:
            raise StoreDamaged(f"The keys of the block {self.body} are damaged: {error}") from error
        third = len(numbers) // 3
        return list(map(Run, numbers[:third], numbers[third : 2 * third], numbers[2 * third :]))


def row_of(keys: Sequence[Key], block: Block) -> BlockRow:
    """Return the row of a block with these keys, in their order; it has no number of a body yet."""
    runs: list[Run] = []
    for position, (datestamp, number) in enumerate(keys):
        last = runs[-1] if runs else Run(0, -1, 0)
        if (datestamp, number - position) != (last.datestamp, last.number - last.position):
            runs.append(Run(position, datestamp, number))
    packed = pack(number for column in zip(*runs, strict=True) for number in column) if len(runs) > 1 else b""
    return BlockRow(keys[0], keys[-1], len(keys), 0, packed, 0, block.is_small)


def every(count: int) -> Bits:
    """Return the bits of all positions of a block."""
    return (1 << count) - 1


def between(start: int, stop: int) -> Bits:
    """Return the bits of the positions from `start` to before `stop`."""
    return every(stop) & ~every(start)


def positions_of(bits: Bits) -> Iterator[int]:
    """Yield the positions of bits."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def first_bits(bits: Bits, count: int) -> Bits:
    """Return the lowest `count` of some bits."""
    kept = 0
    for _ in range(min(count, bits.bit_count())):
        lowest = bits & -bits
        kept |= lowest
        bits ^= lowest
    return kept


def as_bytes(bits: Bits) -> bytes:
    """Return bits as bytes, the lowest first; no bits are no bytes."""
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little")


def from_bytes(stored: bytes) -> Bits:
    """Return bits that were stored as bytes."""
    return int.from_bytes(stored, "little")


# --- Which blocks make a page of a list: those that are all on it are served as they lie, others are cut -------------

_LAST: Final = 2**63 - 1  # no record of a second has a greater number
_SLACK: Final = 4  # a page is longer or shorter than asked for by at most a quarter
MOST_PAGE_BYTES: Final = 32 * 1_048_576  # of text; it is in memory, and nobody else is answered while it is made
_MANY: Final = 5  # blocks of a page
_SPARSE: Final = 4  # times as many records as the page takes


class Portion(NamedTuple):
    """The records of a block that are on a page. `is_whole`: all of the block."""

    row: BlockRow
    bits: Bits

    @property
    def is_whole(self) -> bool:
        """Whether the page has all records of the block, so that it is served as it lies."""
        return self.bits.bit_count() == self.row.size


class PagePlan(NamedTuple):
    """A page: its portions in order, how many records they have, and the last key; None: the list ends here."""

    portions: tuple[Portion, ...]
    size: int
    next: Key | None

    @property
    def is_slow(self) -> bool:
        """Whether the page takes few records of many blocks; holes do not count, because compaction removes them.

        Nor do the first and the last block count: the page may begin or end inside of them.
        """
        inner = self.portions[1:-1]
        live = sum(row.live.bit_count() for row, _ in inner)
        return len(self.portions) >= _MANY and live > _SPARSE * sum(bits.bit_count() for _, bits in inner)

    @property
    def may_be_long(self) -> bool:
        """Whether the page may have too many bytes: a block has at most `MOST_BYTES`, unless it has one record."""
        has_single = any(row.size == 1 for row, _ in self.portions)
        return has_single or len(self.portions) * MOST_BYTES > MOST_PAGE_BYTES

    def shortened(self, lengths: Mapping[int, int]) -> PagePlan:
        """Return the first portions of the page, as many as have at most `MOST_PAGE_BYTES`, and at least one.

        `lengths` are those of the texts of bodies. Of a block that is cut, a part is counted.
        """
        total = 0
        for place, (row, bits) in enumerate(self.portions):
            total += lengths.get(row.body, 0) * bits.bit_count() // row.size
            if place and total > MOST_PAGE_BYTES:
                portions = list(self.portions[:place])
                return _page(portions, sum(bits.bit_count() for _, bits in portions), has_more=True)
        return self


def plan(
    rows: Iterable[tuple[BlockRow, Bits]], after: Key | None, until: int, limit: int, *, is_exact: bool
) -> PagePlan:
    """Return the page of a list after the key `after`, with records up to the second `until`.

    `rows` are the blocks of the list with the members of its set. They begin with the block that may have the key, and
    are read as far as needed. The page has `limit` records, at least 1. If it is not `is_exact`, it ends at the edge of
    a block that is near, at most a quarter of the limit away.
    """
    portions: list[Portion] = []
    size = 0
    for row, members in rows:
        bits = row.live & members & within(row, after, until)
        more = bits.bit_count()
        if not more:
            continue
        below, above = limit - size, size + more - limit  # how far the edges of this block are from the limit
        if not is_exact and below < above and below <= limit // _SLACK:
            below = 0
        if below <= 0:
            return _page(portions, size, has_more=True)
        if above > 0 and (is_exact or above > limit // _SLACK):
            return _page([*portions, Portion(row, first_bits(bits, below))], limit, has_more=True)
        portions.append(Portion(row, bits))
        size += more
    return _page(portions, size, has_more=False)


def within(row: BlockRow, after: Key | None, until: int) -> Bits:
    """Return the positions of a block that are after a key, and not later than a second."""
    start = 0 if after is None or after < row.first else row.behind(after)
    stop = row.size if row.last[0] <= until else row.behind(Key(until, _LAST))
    return between(start, max(start, stop))


def _page(portions: list[Portion], size: int, *, has_more: bool) -> PagePlan:
    if not has_more:
        return PagePlan(tuple(portions), size, None)
    row, bits = portions[-1]
    position = bits.bit_length() - 1
    last = row.last if position == row.size - 1 else row.keys([position])[0]
    return PagePlan(tuple(portions), size, last)
