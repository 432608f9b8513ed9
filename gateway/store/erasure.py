"""Erasure: makes every block anew that has superseded records, so that the file has none of them any more.

Compaction does this too, but later, and only below the horizon. A takedown wants it now. Each block is made anew alone,
in a transaction of its own, so no record of an open intent can come in between.
"""

import json
import secrets
from typing import Final

from gateway.core.model import Key
from gateway.store.block_merging import merged
from gateway.store.block_reader import Blocks
from gateway.store.block_rows import BlockRow
from gateway.store.block_writer import BlockWriter, damaged_bodies, note_damaged
from gateway.store.compaction import sets_in
from gateway.store.connector import Connector, Session
from gateway.store.damage import DAMAGE
from gateway.store.own_lists import empty, own_lists
from gateway.store.queries import load

SQL = load("store")

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
