"""Moves the records of an earlier release into blocks, a part at a time.

It can be killed at any moment, and goes on when the store is opened again; several processes may do it at once. Each
part is one transaction, which removes the records from where they were. So the file grows little.
"""

from __future__ import annotations

import json
import logging
from collections import defaultdict
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from gateway.model import Key
from gateway.store.block_merging import shares
from gateway.store.block_rows import row_of
from gateway.store.blocks import RECORDS, block_of
from gateway.store.queries import load
from gateway.store.sqlite_file import Session, SqliteFile
from gateway.store.sqlite_shelf import InSet, Shelf

SQL = load("sqlite")

log = logging.getLogger("gateway.store")

_AT_ONCE: Final = 100 * RECORDS  # records of one transaction
_MEMBERS_AT_ONCE: Final = 200_000
_SECONDS_BETWEEN_NOTES: Final = 10


def convert(file: SqliteFile, step: Callable[[str], None]) -> None:
    """Move all records that are not in blocks yet; log the progress. Raise StoreError."""
    with file.reading() as session:
        (total,) = session.one(SQL["former_count"]) or (0,)
    if not total:
        return
    log.warning("The %d records of this store are moved into blocks. This is done once, and can be stopped.", total)
    done, noted = 0, monotonic()
    while moved := _part(file, step):
        done += moved
        if monotonic() - noted > _SECONDS_BETWEEN_NOTES:
            noted = monotonic()
            log.warning("%d of %d records are in blocks.", done, total)
    _tidy(file)
    log.warning("All records are in blocks.")


def _part(file: SqliteFile, step: Callable[[str], None]) -> int:
    """Move some records of one format; return how many, 0 if there are none."""
    with file.writing() as session:
        row = session.one(SQL["former_first"])
        if row is None:
            return 0
        (prefix,) = row
        rows = session.execute(SQL["former_records"], {"prefix": prefix, "limit": _AT_ONCE}).fetchall()
        shelf = Shelf(session)
        for start, stop in shares(len(rows)):
            _block(session, shelf, prefix, rows[start:stop])
        datestamp, item = rows[-1][:2]
        session.execute(SQL["former_remove"], (prefix, datestamp, item))
        step("records moved")
    step("move committed")
    return len(rows)


def _block(session: Session, shelf: Shelf, prefix: int, rows: list[tuple[Any, ...]]) -> None:
    keys, items, contents, places = [], [], [], []
    sets: defaultdict[int, InSet] = defaultdict(InSet)
    for position, (datestamp, item, is_deleted, dictionary, digest, content, inside, departed) in enumerate(rows):
        keys.append(Key(datestamp, item))
        items.append(item)
        contents.append(session.codec.unpack(dictionary, content))
        places.append((item, prefix, datestamp, item, is_deleted, digest))
        for collection in json.loads(inside or "[]"):
            members, gone = sets[collection]
            sets[collection] = InSet(members | 1 << position, gone)
        for collection in json.loads(departed or "[]"):
            members, gone = sets[collection]
            sets[collection] = InSet(members, gone | 1 << position)
    row = shelf.put(prefix, row_of(keys, 0), block_of(contents, items))
    shelf.put_sets(prefix, row, sets)
    session.executemany(SQL["place_put"], places)


def _tidy(file: SqliteFile) -> None:
    """Remove what only the records of the earlier release needed."""
    while True:
        with file.writing() as session:
            removed = session.execute(SQL["former_members_remove"], (_MEMBERS_AT_ONCE,)).rowcount
            if not removed:
                session.execute(SQL["former_dictionaries_remove"])
        if not removed:
            return
