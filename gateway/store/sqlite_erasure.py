"""Erasure: makes every block anew that has superseded records, so that the file has none of them any more.

Compaction does this too, but later, and only below the horizon. A takedown wants it now. Each block is made anew alone,
in a transaction of its own, so no record of an open intent can come in between.
"""

from __future__ import annotations

from gateway.errors import StoreDamaged
from gateway.model import Key
from gateway.store.block_merging import merged
from gateway.store.queries import load
from gateway.store.sqlite_blocks import Blocks
from gateway.store.sqlite_compaction import sets_in
from gateway.store.sqlite_file import SqliteFile
from gateway.store.sqlite_shelf import Shelf

SQL = load("sqlite")


def erase_superseded(file: SqliteFile) -> None:
    """Make the blocks with superseded records anew; those that are damaged stay. Raise StoreError."""
    with file.reading() as session:
        places = session.execute(SQL["blocks_with_holes"]).fetchall()
    for prefix, *key in places:
        _make_anew(file, prefix, Key(*key))


def _make_anew(file: SqliteFile, prefix: int, key: Key) -> None:
    with file.writing() as session:
        shelf = Shelf(session)
        row = shelf.row(prefix, key)
        if row is None or not row.holes:  # compaction was faster
            return
        try:
            made = merged([row], {row.body: Blocks(session).body(row.body)})
        except (StoreDamaged, ValueError):
            return
        sets = shelf.sets_of(prefix, row)
        shelf.remove(prefix, row)
        for one in made:
            shelf.put_sets(prefix, shelf.put(prefix, one.row, one.block), sets_in(one, [sets]))
