"""Which blocks make a page of a list, and which of their records. Pure: rows go in, a plan comes out.

A block whose records are all on the page is served as it lies. Others are cut: where a page begins or ends inside of
one, and at the horizon. Holes, and records that are not in the set, are cut out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from gateway.core.model import Key
from gateway.store.block_rows import Bits, BlockRow, between, first_bits
from gateway.store.blocks import MOST_BYTES

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
