"""Finds damaged blocks, and the items whose records are in them.

The records of a block are those whose keys lie in its range, because the blocks of a list never overlap. So the items
are known even if nothing of a block can be read.

Erasure makes every block anew that has superseded records, so that the file has none of them any more. Compaction does
this too, but later, and only below the horizon. A takedown wants it now. Each block is made anew alone, in a
transaction of its own, so no record of an open intent can come in between.
"""

import json
import secrets
from typing import Final

from gateway.core.errors import StoreDamaged
from gateway.core.model import Key
from gateway.core.pieces import checksums, inflated
from gateway.store.block_merging import contents, merged
from gateway.store.block_reader import Blocks, row_from
from gateway.store.block_rows import BlockRow, positions_of
from gateway.store.block_writer import BlockWriter, damaged_bodies, note_damaged
from gateway.store.blocks import headers_in
from gateway.store.compaction import sets_in
from gateway.store.connecting import DRIVER_ERRORS
from gateway.store.connector import Connector, Session
from gateway.store.own_lists import empty, own_lists
from gateway.store.queries import load

SQL = load("store")

# A value of a wrong type, or a chain of pages that leads nowhere, is damage too.
_MOST_RECORDS: Final = 100_000  # of a block; a damaged number may be as large as it can be
DAMAGE: Final = (StoreDamaged, ValueError, TypeError, OverflowError, *DRIVER_ERRORS)


def has_count(row: BlockRow) -> bool:
    """Return whether a block may have so many records; other numbers are damaged."""
    return 0 < row.size <= _MOST_RECORDS


def problem_of_row(row: BlockRow) -> str:
    """Return what is wrong with the keys of a block; an empty string if they are sound."""
    if not has_count(row):
        return "The number of its records is wrong."
    try:
        ends = row.keys([0, row.size - 1])
    except DAMAGE:
        return "Its keys cannot be read."
    return "" if ends == [row.first, row.last] else "Its keys are not those that it should have."


def problem_of(session: Session, row: BlockRow) -> str:
    """Return what is wrong with a block; an empty string if it is sound. All of it is read."""
    if problem := problem_of_row(row):
        return problem
    try:
        block = Blocks(session).body(row.body)
        contents(row, block)
        text = inflated(block.headers)
    except (StoreDamaged, ValueError) as error:
        return str(error)
    except DAMAGE:
        return "A value of it is not what was written."
    if checksums(text) != block.headers[2:] or len(headers_in(text)) != row.size:
        return "It has not the headers that it had."
    return ""


def strays_in(session: Session, prefix: int, row: BlockRow) -> int:
    """Return how many records of a sound block of a format are not those of their items. Raise StoreDamaged."""
    positions, items = list(positions_of(row.live)), Blocks(session).items(row)
    wanted = json.dumps([items[position] for position in positions])
    places = {item: Key(*key) for item, *key in session.execute(SQL["check_keys"], {"items": wanted, "prefix": prefix})}
    return sum(places.get(items[position]) != key for position, key in zip(positions, row.keys(positions), strict=True))


def items_in(session: Session, prefix: int, row: BlockRow) -> list[int]:
    """Return the numbers of the items whose records are in a block of a format."""
    return [item for (item,) in session.execute(SQL["items_between"], (prefix, *row.first, *row.last))]


def give_up(file: Connector) -> int:
    """Let the records of damaged blocks count as changed; return how many these are.

    Those of blocks whose keys are damaged do not: they cannot be superseded. Every block is read. Damaged lists of
    sparse sets are emptied: they are copies. Raise StoreError.
    """
    with file.reading() as session:
        session.begin()
        rows = [(prefix, row_from(columns)) for prefix, *columns in session.execute(SQL["check_rows"])]
        damaged = [(prefix, row) for prefix, row in rows if problem_of(session, row)]
    if not damaged:
        return 0
    lists = {prefix for prefix, _ in damaged}
    with file.writing() as session:
        for one in own_lists(session):
            if one.number in lists:
                empty(session, one)
        places = [(prefix, *row.first, *row.last) for prefix, row in damaged if prefix > 0 and not problem_of_row(row)]
        return session.executemany(SQL["places_forget"], places).rowcount if places else 0


# --- Erasure ----------------------------------------------------

OPEN_FACT: Final = "open_erasure"  # not empty: the log may still have what was erased; another value for each erasure


def erase_superseded(file: Connector) -> int:
    """Make the blocks with superseded records anew; those that are damaged stay.

    Return how many stay, and note them, so that the check of the store names them. It is noted before that the log may
    have what is erased; compaction may have moved it there already. Raise StoreError.
    """
    with file.writing() as session:
        session.execute(SQL["remember"], (OPEN_FACT, secrets.token_hex(8)))
        places = session.execute(SQL["blocks_with_holes"]).fetchall()
    damaged = {body for prefix, *key in places if (body := _make_anew(file, prefix, Key(*key))) is not None}
    if damaged:
        with file.writing() as session:
            note_damaged(session, damaged_bodies(session) | damaged)
    return len(damaged)


def finish_erasure(file: Connector) -> bool:
    """Move the log into the file and empty it, which finishes erasures; return False if a reader prevents that.

    One that begins meanwhile stays open. Raise StoreError.
    """
    with file.reading() as session:
        (before,) = session.one(SQL["fact"], (OPEN_FACT,)) or ("",)
    if not file.finish_erasure():
        return False
    if before:
        with file.writing() as session:
            if session.one(SQL["fact"], (OPEN_FACT,)) == (before,):
                session.execute(SQL["remember"], (OPEN_FACT, ""))
    return True


def damaged_with_superseded(session: Session) -> int:
    """Return how many blocks that are known to be damaged have superseded records."""
    (number,) = session.one(SQL["blocks_unerased"], (json.dumps(sorted(damaged_bodies(session))),)) or (0,)
    return int(number)


def _make_anew(file: Connector, prefix: int, key: Key) -> int | None:
    """Make a block anew; return the number of its body if it is damaged and stays."""
    with file.writing() as session:
        block_writer = BlockWriter(session)
        row = block_writer.row(prefix, key)
        if row is None or not row.holes:  # compaction was faster
            return None
        try:
            made = merged([row], {row.body: Blocks(session).body(row.body)})
        except DAMAGE:
            return _without_copy(session, prefix, row)
        sets = block_writer.sets_of(prefix, row)
        block_writer.remove(prefix, row)
        for one in made:
            block_writer.put_sets(prefix, block_writer.put(prefix, one.row, one.block), sets_in(one, [sets]))
        return None


def _without_copy(session: Session, prefix: int, row: BlockRow) -> int | None:
    """Empty the list of a damaged block if it is a copy; else return the number of the body, which stays."""
    copies = [one for one in own_lists(session) if one.number == prefix]
    for one in copies:
        empty(session, one)
    return None if copies else row.body
