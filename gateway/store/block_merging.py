"""Compaction: which neighbouring blocks of a list are made anew, and of what. Pure: rows and blocks go in and come out.

A block is bad if it has holes, or fewer than half of the usual records. Bad neighbours become blocks of about a hundred
records without holes. Keys stay what they are, so no token and no place of an item names anything that moves.

A block is made anew because it has new holes, or once because it was small. So no block is made again and again: small
ones at the end of a list wait for more. Small ones in the middle join the next block.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gateway.core.pieces import Compressor, checksums, fast, inflated
from gateway.store.block_rows import Bits, BlockRow, positions_of, row_of
from gateway.store.blocks import MOST_BYTES, RECORDS, Block, block_of, records_in, unpack

_FEW: Final = RECORDS // 2
_ENOUGH: Final = RECORDS * 4 // 5  # with three quarters, 10,000 publications of 3 records leave more than 400 blocks
_MANY: Final = 16  # small blocks wait until there are so many of them, or `_ENOUGH` records
_MOST: Final = 32  # blocks that are made anew at once
_MOST_RECORDS: Final = 4 * RECORDS  # the same, so that the lock is held for few milliseconds


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


def groups(
    rows: Iterable[BlockRow], horizon: int, loose: Container[int] = (), damaged: Container[int] = ()
) -> Iterator[tuple[BlockRow, ...]]:
    """Yield the neighbours that should be made anew, of rows in order; only what is below the second `horizon`.

    `loose` are the bodies that should be compressed better, `damaged` those that cannot be read.
    """
    group: list[BlockRow] = []
    for row in rows:
        if row.last[0] >= horizon:
            break  # what comes before may get more neighbours
        if row.body in damaged:
            if _is_worth(group, loose):
                yield tuple(group)
            group = []
        elif row.holes or row.is_small or row.body in loose:
            group.append(row)
            if len(group) == _MOST or _live(group) >= _MOST_RECORDS:
                yield tuple(group)
                group = []
        elif group:
            yield tuple(group) if _live(group) >= _FEW else (*group, row)
            group = []
    if _is_worth(group, loose):
        yield tuple(group)


def _is_worth(group: Sequence[BlockRow], loose: Container[int]) -> bool:
    """Return whether blocks are made anew although more neighbours may come."""
    if any(row.holes or (not row.is_small and row.body in loose) for row in group):
        return True
    return len(group) > 1 and (_live(group) >= _ENOUGH or len(group) >= _MANY)


def _live(group: Sequence[BlockRow]) -> int:
    return sum(row.live.bit_count() for row in group)


def merged(
    rows: Sequence[BlockRow], blocks: Mapping[int, Block], compressor: Callable[[], Compressor] = fast
) -> tuple[Merged, ...]:
    """Return the blocks that take the place of neighbours; `blocks` are the bodies of the rows.

    Raise ValueError if a block is damaged.
    """
    origins, keys, records, items = [], [], [], []
    for index, row in enumerate(rows):
        positions = list(positions_of(row.live))
        texts, numbers = contents(row, blocks[row.body])
        origins += [(index, position) for position in positions]
        keys += row.keys(positions)
        records += [texts[position] for position in positions]
        items += [numbers[position] for position in positions]
    made = []
    for start, stop in shares(records):
        block = block_of(records[start:stop], items[start:stop], compressor)
        made.append(Merged(row_of(keys[start:stop], block), block, tuple(origins[start:stop])))
    return tuple(made)


def contents(row: BlockRow, block: Block) -> tuple[list[bytes], list[int]]:
    """Return the records of a block, and the numbers of their items. Raise ValueError if the block is damaged.

    The checksums are compared: what is damaged must not get new ones.
    """
    text = inflated(block.records)
    texts, items = records_in(text, block.lengths), unpack(block.items)
    if checksums(text) != block.records[2:]:
        raise ValueError("It has not the records that it had.")
    if {len(texts), len(items)} != {row.size} or sum(map(len, texts)) + row.size != len(text):
        raise ValueError(f"It has not the {row.size} records that it should have.")
    return texts, items


def shares(records: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of the blocks for records: as even as they can be, about a hundred each; fewer large ones."""
    count = len(records)
    parts = max(1, round(count / RECORDS)) if count else 0
    for part in range(parts):
        yield from _bounded(records, count * part // parts, count * (part + 1) // parts)


def _bounded(records: Sequence[bytes], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield halves of a block, until each has few bytes, or one record."""
    newlines = stop - start
    if stop - start == 1 or sum(map(len, records[start:stop])) + newlines <= MOST_BYTES:
        yield start, stop
    else:
        middle = (start + stop) // 2
        yield from _bounded(records, start, middle)
        yield from _bounded(records, middle, stop)
