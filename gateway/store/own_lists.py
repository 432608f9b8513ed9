"""Own lists: the records of a sparse set that somebody harvests, once more, in blocks of their own with the same keys.

A set that has few records of each block is slow to read: each block is inflated for one record of it. The first slow
page notes that the set is wanted. Compaction then makes its own list, a part at a time, and publication keeps it up.
A list that nobody has asked for in a month is dropped. Tokens name keys, so they go on when a list comes or goes.
Own lists lack departed records. While these are shown, only pages without any are read from an own list, or want one.

The blocks of a part are read and made outside of the lock. Inside, it is compared whether the set still has the keys
that the part has; if not, the part is dropped, and made again. What lies under a key never changes.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from gateway.core.errors import StoreDamaged
from gateway.core.model import Key
from gateway.store.block_merging import shares
from gateway.store.block_reader import Blocks
from gateway.store.block_rows import BlockRow, positions_of, row_of, within
from gateway.store.block_writer import BlockWriter
from gateway.store.blocks import RECORDS, Block, Kind, block_of, texts_of, unpack
from gateway.store.connector import Connector, Session
from gateway.store.queries import load
from gateway.store.rows import Added, Numbers

SQL = load("store")

Member: TypeAlias = tuple[Key, int, bytes]  # a record: its key, the number of its item, and its content

UNUSED_DAYS: Final = 30  # after which a list is dropped
_DAY: Final = 86_400
_BLOCKS_AT_ONCE: Final = 200  # that a part inflates, in a tenth of a second, outside of the lock
_RECORDS_AT_ONCE: Final = 4 * RECORDS  # of a part, so that the lock is held for few milliseconds
_EVER: Final = 2**62
_DAMAGE: Final = (StoreDamaged, ValueError, TypeError)


class OwnList(NamedTuple):
    """A list of a set in one format. Its blocks have its number, which is negative, in place of that of a format.

    It has the records up to the key `until`, and is complete if it `is_ready`. `wanted_on` is the day of its last use.
    """

    number: int
    collection: int
    prefix: int
    until: Key
    is_ready: bool
    wanted_on: int


def own_lists(session: Session) -> list[OwnList]:
    """Return all own lists."""
    return [
        OwnList(number, collection, prefix, Key(datestamp, last), bool(is_ready), wanted_on)
        for number, collection, prefix, datestamp, last, is_ready, wanted_on in session.execute(SQL["own_lists"])
    ]


def today() -> int:
    """Return the number of this day since 1970."""
    return int(time.time()) // _DAY


def want(session: Session, collection: int, prefix: int, day: int) -> None:
    """Note that somebody harvests a set."""
    session.execute(SQL["own_list_want"], {"collection": collection, "prefix": prefix, "day": day})


class Upkeep:
    """Keeps the own lists up while a publication is written."""

    def __init__(self, session: Session) -> None:
        self._session, self._lists = session, own_lists(session)

    def supersede(self, prefix: int, superseded: Iterable[tuple[Key, Numbers]]) -> None:
        """Note that records have newer versions, each of which was in these sets. Raise StoreDamaged."""
        former = list(superseded)
        for one in self._lists:
            if one.prefix == prefix:
                keys = [key for key, sets in former if one.collection in sets and (one.is_ready or key <= one.until)]
                BlockWriter(self._session).supersede(one.number, keys)

    def add(self, prefix: int, added: Sequence[tuple[Key, Added]], content_of: Callable[[Added], bytes]) -> None:
        """Add those new records that are in the sets of complete lists."""
        for one in self._lists:
            if one.prefix == prefix and one.is_ready:
                inside = ((key, record) for key, record in added if one.collection in record.sets)
                records = [(key, record.item, content_of(record)) for key, record in inside]
                for row, block in _blocks(records):
                    BlockWriter(self._session).put(one.number, row, block)

    def regroup(self, prefix: int, collections: Iterable[int]) -> None:
        """Empty the lists of sets that a record joins or leaves while it stays as it is; they are made again."""
        changed = set(collections)
        self._lists = [
            empty(self._session, one) if one.prefix == prefix and one.collection in changed else one
            for one in self._lists
        ]


def empty(session: Session, one: OwnList) -> OwnList:
    """Remove the blocks of an own list, which compaction makes again; return the empty list."""
    emptied = one._replace(until=Key(0, 0), is_ready=False)
    for query in ("own_list_bodies_remove", "own_list_blocks_remove"):
        session.execute(SQL[query], (one.number,))
    session.execute(SQL["own_list_grow"], (*emptied.until, emptied.is_ready, one.number))
    return emptied


def drop(session: Session, one: OwnList) -> None:
    """Remove an own list."""
    empty(session, one)
    session.execute(SQL["own_list_remove"], (one.number,))


def make(file: Connector, horizon: Callable[[], int], goes_on: Callable[[], bool], step: Callable[[str], None]) -> int:
    """Make the lists that are wanted, and drop those that are not, while `goes_on` says so; return how many blocks.

    It can be stopped and killed at any moment, and goes on later. A list that needs a damaged block is dropped: its set
    is served without it. Raise StoreError.
    """
    made = 0
    with file.reading() as session:
        lists = own_lists(session)
    for one in lists:
        is_wanted = one.wanted_on >= today() - UNUSED_DAYS
        try:
            if is_wanted:
                made += _grown(file, one, horizon, goes_on, step)
        except _DAMAGE:
            is_wanted = False
        if not is_wanted:
            with file.writing() as session:
                drop(session, one)
    return made


class _Part(NamedTuple):
    """The next blocks of a list, the keys of their records, up to which key these are all, and the list with them."""

    blocks: list[tuple[BlockRow, Block]]
    keys: list[Key]
    until: Key
    grown: OwnList


def _grown(
    file: Connector, one: OwnList, horizon: Callable[[], int], goes_on: Callable[[], bool], step: Callable[[str], None]
) -> int:
    """Let a list grow until it is complete, a part at a time; return how many blocks were made."""
    made = 0
    while not one.is_ready and goes_on():
        below = horizon()
        with file.reading() as session:
            session.begin()
            part = _part(session, one, below)
        step("own list read")
        with file.writing(is_durable=False) as session:
            current = next((other for other in own_lists(session) if other.number == one.number), None)
            if current is None or current.is_ready:
                break
            if not _is_same(session, current, one, part):
                one = current
                continue
            for row, block in part.blocks:
                BlockWriter(session).put(one.number, row, block)
            one = part.grown
            session.execute(SQL["own_list_grow"], (*one.until, one.is_ready, one.number))
            made += len(part.blocks)
            step("own list grown")
        step("growth committed")
    return made


def _is_same(session: Session, current: OwnList, former: OwnList, part: _Part) -> bool:
    """Return whether a list ends where it did when a part was read, and the part is still what follows.

    Records that have newer versions may have been erased meanwhile, so they must not get into the file again.
    """
    if current._replace(wanted_on=former.wanted_on) != former:
        return False
    places = _places(session, current, part.until.datestamp)
    return [key for row, positions in places for key in row.keys(positions) if key <= part.until] == part.keys


def _part(session: Session, one: OwnList, horizon: int) -> _Part:
    """Return the next records below the horizon in blocks; when there are no more, all others: the list is complete.

    Raise StoreDamaged, and ValueError or TypeError for a damaged block.
    """
    records: list[Member] = []
    for count, members in enumerate(_members(session, one, horizon - 1), 1):
        records += members
        if count == _BLOCKS_AT_ONCE or len(records) >= _RECORDS_AT_ONCE:
            until = records[-1][0]
            return _Part(_blocks(records), _keys_of(records), until, one._replace(until=until))
    grown = one._replace(until=records[-1][0] if records else one.until, is_ready=True)
    blocks = _blocks(records)
    # Above the horizon, records of an earlier second may still come in between: each second has blocks of its own.
    above = [record for members in _members(session, grown, _EVER) for record in members]
    for _, second in groupby(above, key=lambda record: record[0].datestamp):
        blocks += _blocks(list(second))
    return _Part(blocks, _keys_of(records + above), Key(_EVER, 0), grown)


def _places(session: Session, one: OwnList, last: int) -> Iterator[tuple[BlockRow, list[int]]]:
    """Yield the blocks that have members of the set after those that the list has, and where; up to a second."""
    for row, members, _ in Blocks(session).from_key(one.collection, one.prefix, one.until, last):
        if positions := list(positions_of(row.live & members & within(row, one.until, last))):
            yield row, positions


def _members(session: Session, one: OwnList, last: int) -> Iterator[list[Member]]:
    """Yield the members of the set after those that the list has, up to a second: those of each block that has some."""
    blocks = Blocks(session)
    for row, positions in _places(session, one, last):
        block = blocks.body(row.body)
        texts, items = texts_of(block, Kind.RECORDS), unpack(block.items)
        yield [
            (key, items[position], texts[position])
            for position, key in zip(positions, row.keys(positions), strict=True)
        ]


def _keys_of(records: Iterable[Member]) -> list[Key]:
    return [key for key, *_ in records]


def _blocks(records: Sequence[Member]) -> list[tuple[BlockRow, Block]]:
    """Return records in blocks of a list."""
    made = []
    for start, stop in shares([content for *_, content in records]):
        keys, items, contents = zip(*records[start:stop], strict=True)
        block = block_of(contents, items)
        made.append((row_of(keys, block), block))
    return made
