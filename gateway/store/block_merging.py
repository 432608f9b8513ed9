"""Compaction: which neighbouring blocks of a list are made anew, and of what. Pure: rows and blocks go in and come out.

A block is bad if it has holes, or fewer than half of the usual records. Bad neighbours become blocks of about a hundred
records without holes. Keys stay what they are, so no token and no place of an item names anything that moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gateway.pieces import Compressor, fast
from gateway.store.block_rows import Bits, BlockRow, positions_of, row_of
from gateway.store.blocks import RECORDS, Block, Kind, block_of, texts_of, unpack

_FEW: Final = RECORDS // 2  # fewer records make a block bad; the index `block_bad` has the same number
_ENOUGH: Final = RECORDS * 3 // 4
_MANY: Final = 16  # small blocks wait until there are so many of them, or `_ENOUGH` records
_MOST: Final = 32  # blocks that are made anew at once


class Merged(NamedTuple):
    """A new block: its row (whose `body` is 0), the block, and where its records were: (index of the row, position)."""

    row: BlockRow
    block: Block
    origins: tuple[tuple[int, int], ...]

    def members(self, former: Sequence[Bits]) -> Bits:
        """Return the members of a set in this block, from those in each of the former ones."""
        bits = 0
        for position, (index, place) in enumerate(self.origins):
            bits |= (former[index] >> place & 1) << position
        return bits


def groups(rows: Iterable[BlockRow], horizon: int) -> Iterator[tuple[BlockRow, ...]]:
    """Yield the neighbours that should be made anew, of rows in order; only what is below the second `horizon`."""
    group: list[BlockRow] = []
    for row in rows:
        is_bad = row.last[0] < horizon and (row.holes or row.size < _FEW)
        if group and (not is_bad or len(group) == _MOST):
            if _is_worth(group):
                yield tuple(group)
            group = []
        if is_bad:
            group.append(row)
    if _is_worth(group):
        yield tuple(group)


def _is_worth(group: Sequence[BlockRow]) -> bool:
    live = sum(row.live.bit_count() for row in group)
    return any(row.holes for row in group) or (len(group) > 1 and (live >= _ENOUGH or len(group) >= _MANY))


def merged(
    rows: Sequence[BlockRow], blocks: Mapping[int, Block], compressor: Callable[[], Compressor] = fast
) -> tuple[Merged, ...]:
    """Return the blocks that take the place of neighbours; `blocks` are the bodies of the rows.

    Raise ValueError if a block is damaged.
    """
    origins, keys, records, items = [], [], [], []
    for index, row in enumerate(rows):
        block, positions = blocks[row.body], list(positions_of(row.live))
        texts, numbers = texts_of(block, Kind.RECORDS), unpack(block.items)
        origins += [(index, position) for position in positions]
        keys += row.keys(positions)
        records += [texts[position] for position in positions]
        items += [numbers[position] for position in positions]
    return tuple(
        Merged(
            row_of(keys[start:stop], 0),
            block_of(records[start:stop], items[start:stop], compressor),
            tuple(origins[start:stop]),
        )
        for start, stop in shares(len(records))
    )


def shares(count: int) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of the blocks for so many records: as even as they can be, about a hundred each."""
    parts = max(1, round(count / RECORDS)) if count else 0
    for part in range(parts):
        yield count * part // parts, count * (part + 1) // parts
