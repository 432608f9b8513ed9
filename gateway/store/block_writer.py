"""Writes blocks on SQLite, inside the transaction of a publication or of a step of compaction."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from gateway.core.errors import StoreDamaged
from gateway.core.model import Key
from gateway.store.block_reader import row_from
from gateway.store.block_rows import Bits, BlockRow, as_bytes, every, from_bytes, row_of
from gateway.store.blocks import Block
from gateway.store.connector import Session
from gateway.store.queries import load
from gateway.store.rows import Added, Numbers

SQL = load("store")

_DAMAGED_FACT: Final = "damaged_blocks"  # the bodies that compaction could not read, as a JSON list
NUMBER_FACT: Final = "last_number"  # the name of a fact: the last number that a record got


def damaged_bodies(session: Session) -> set[int]:
    """Return the bodies of blocks that are known to be damaged."""
    (bodies,) = session.one(SQL["fact"], (_DAMAGED_FACT,)) or ("[]",)
    return set(json.loads(bodies))


def note_damaged(session: Session, bodies: Iterable[int]) -> None:
    """Store which bodies of blocks are damaged, in the place of those that were known."""
    session.execute(SQL["remember"], (_DAMAGED_FACT, json.dumps(sorted(bodies))))


class InSet(NamedTuple):
    """The members of a set in a block, and the records that left it."""

    members: Bits = 0
    departed: Bits = 0


class BlockWriter:
    """The blocks of a store, for writing."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def supersede(self, prefix: int, keys: Iterable[Key]) -> None:
        """Note that records have newer versions. Raise StoreDamaged if one of them is not there."""
        row: BlockRow | None = None
        for key in sorted(keys, reverse=True):
            if row is None or key < row.first:
                self._keep(prefix, row)
                row = self._at(prefix, key)
            try:
                row = row.without(key)
            except ValueError as error:
                raise StoreDamaged(str(error)) from error
        self._keep(prefix, row)

    def regroup(self, prefix: int, key: Key, sets: Numbers, departed: Numbers) -> Numbers:
        """Note in which sets the item of a record is now, and which it left; return those that changed.

        Raise StoreDamaged.
        """
        row = self._at(prefix, key)
        position = row.position(key)
        if position is None:
            raise StoreDamaged(f"No block has the record {key}.")
        bit, held = 1 << position, self.sets_of(prefix, row)
        changed = set()
        for collection in {*held, *sets, *departed}:
            members, gone = held.get(collection, InSet())
            if bool(members & bit) != (collection in sets):
                changed.add(collection)
            members = members | bit if collection in sets else members & ~bit
            gone = gone | bit if collection in departed else gone & ~bit
            self.put_set(prefix, row, collection, InSet(members, gone))
        return frozenset(changed)

    def add(
        self, prefix: int, datestamp: int, added: Sequence[Added], block: Block, lines: Mapping[int, int]
    ) -> list[Key]:
        """Add a block of records that get this datestamp, and the next numbers; return their keys.

        `lines`: the lines of the log of changes that have their SHA-256, by item.
        """
        (text,) = self._session.one(SQL["fact"], (NUMBER_FACT,)) or ("0",)
        last = int(text)
        keys = [Key(datestamp, last + place) for place in range(1, len(added) + 1)]
        self._session.execute(SQL["remember"], (NUMBER_FACT, str(last + len(added))))
        row = self.put(prefix, row_of(keys, block), block)
        self._session.executemany(
            SQL["place_put"],
            [
                (one.item, prefix, *key, one.is_deleted, one.digest, lines.get(one.item))
                for one, key in sorted(zip(added, keys, strict=True))
            ],
        )
        sets: defaultdict[int, InSet] = defaultdict(InSet)
        for position, one in enumerate(added):
            for collection in one.sets:
                members, departed = sets[collection]
                sets[collection] = InSet(members | 1 << position, departed)
            for collection in one.departed:
                members, departed = sets[collection]
                sets[collection] = InSet(members, departed | 1 << position)
        self.put_sets(prefix, row, sets)
        return keys

    def put(self, prefix: int, row: BlockRow, block: Block, *, is_tight: bool = False) -> BlockRow:
        """Store a block, and return its row with the number of its body. `is_tight`: no smaller one is wanted."""
        facts = (*block.records, *block.headers, block.lengths, block.items)
        body = self._session.execute(SQL["body_add"], facts).fetchone()[0]
        holes = as_bytes(row.holes) or None
        self._session.execute(
            SQL["block_add"],
            (prefix, *row.first, *row.last, row.size, row.is_small, holes, row.runs or None, body, is_tight),
        )
        return row._replace(body=body)

    def remove(self, prefix: int, row: BlockRow) -> None:
        """Remove a block, its body, and what says of which sets it has records."""
        self._session.execute(SQL["block_remove"], (prefix, *row.first))
        self._session.execute(SQL["body_remove"], (row.body,))
        self._session.execute(SQL["members_remove"], (prefix, *row.first))

    def row(self, prefix: int, key: Key) -> BlockRow | None:
        """Return the block that begins with a key."""
        columns = self._session.one(SQL["block"], (prefix, *key))
        return None if columns is None else row_from(columns)

    def sets_of(self, prefix: int, row: BlockRow) -> dict[int, InSet]:
        """Return the sets of which a block has records, by their numbers."""
        rows = self._session.execute(SQL["members_of_block"], (prefix, *row.first)).fetchall()
        return {
            collection: InSet(every(row.size) if bits is None else from_bytes(bits), from_bytes(departed or b""))
            for collection, bits, departed in rows
        }

    def put_sets(self, prefix: int, row: BlockRow, sets: Mapping[int, InSet]) -> None:
        """Store of which sets a block has records."""
        for collection, inside in sorted(sets.items()):
            self.put_set(prefix, row, collection, inside)

    def put_set(self, prefix: int, row: BlockRow, collection: int, inside: InSet) -> None:
        """Store which records of a block are in a set, and which left it."""
        place = (collection, prefix, *row.first)
        if not any(inside):
            self._session.execute(SQL["member_remove"], place)
            return
        bits = None if inside.members == every(row.size) else as_bytes(inside.members)
        self._session.execute(SQL["member_put"], (*place, bits, as_bytes(inside.departed) or None))

    def _at(self, prefix: int, key: Key) -> BlockRow:
        where = {"prefix": prefix, "datestamp": key.datestamp, "number": key.number}
        columns = self._session.one(SQL["block_at"], where)
        if columns is None:
            raise StoreDamaged(f"No block has the record {key}.")
        return row_from(columns[:9])

    def _keep(self, prefix: int, row: BlockRow | None) -> None:
        """Store the holes of a block; a block that has nothing else is removed."""
        if row is None:
            return
        if row.live:
            self._session.execute(SQL["block_holes"], (as_bytes(row.holes), prefix, *row.first))
        else:
            self.remove(prefix, row)
