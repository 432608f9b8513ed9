"""Makes the blocks of a publication before its transaction begins, so that the lock is free during the compression."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from gateway.core.model import ItemChange
from gateway.store.block_merging import shares
from gateway.store.blocks import Block, block_of, pack
from gateway.store.rows import Added


class Chunk(NamedTuple):
    """A block of a publication: the numbers of its changes, in the order of its records. It has no items yet."""

    changes: tuple[int, ...]
    block: Block


Packed: TypeAlias = dict[str, list[Chunk]]  # by metadataPrefix


def packed(changes: Sequence[ItemChange]) -> Packed:
    """Return the records of a publication in blocks, by format.

    Records are sorted by the sets of their items. So many blocks have records of one set only, and are served whole in
    its list.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(range(len(changes)), key=lambda number: changes[number].sets):
        for record in changes[number].records:
            numbers[record.metadata_prefix].append(number)
    return {prefix: list(_chunks(prefix, several, changes)) for prefix, several in numbers.items()}


def blocks_of(
    made: Packed, prefix: str, added: Sequence[Added], changes: Sequence[ItemChange]
) -> Iterator[tuple[list[Added], Block]]:
    """Yield the blocks of the records that are written, with what is known of these.

    Usually these are all, and their blocks are made. If some records have not changed, blocks are made anew.
    """
    by_change = {one.change: one for one in added}
    chunks = made[prefix]
    wanted = [number for chunk in chunks for number in chunk.changes if number in by_change]
    if len(wanted) < sum(len(chunk.changes) for chunk in chunks):
        chunks = list(_chunks(prefix, wanted, changes))
    for chunk in chunks:
        several = [by_change[number] for number in chunk.changes]
        yield several, chunk.block._replace(items=pack(one.item for one in several))


def _chunks(prefix: str, numbers: Sequence[int], changes: Sequence[ItemChange]) -> Iterator[Chunk]:
    contents = [content_of(changes[number], prefix) for number in numbers]
    for start, stop in shares(contents):
        yield Chunk(tuple(numbers[start:stop]), block_of(contents[start:stop], ()))


def content_of(change: ItemChange, prefix: str) -> bytes:
    """Return the record of a change in a format."""
    return next(record.content for record in change.records if record.metadata_prefix == prefix)
