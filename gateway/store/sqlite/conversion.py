"""Moves the records of an earlier release into blocks, a part at a time, when the store is opened.

It can be killed at any moment, and goes on when the store is opened again; several processes may do it at once. Each
part is one transaction, which removes the records from where they were. So the file grows little. At the end, the
tables of the earlier release are removed; a store without them is converted.

A damaged record gets a block of its own without a body. So it keeps its place in lists, where harvesters get an error
and come back, until `gateway rebuild` has made it again. More than 1,000 of them stop the conversion.
"""

import json
import logging
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from itertools import groupby
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, NamedTuple

from zstandard import ZstdCompressionDict, ZstdDecompressor, ZstdError

from gateway.core import conversion_progress
from gateway.core.errors import StoreBusy, StoreDamaged, StoreUnwritable
from gateway.core.model import Key
from gateway.store.block_merging import shares
from gateway.store.block_rows import BlockRow, row_of
from gateway.store.block_writer import BlockWriter, InSet, damaged_bodies, note_damaged
from gateway.store.blocks import RECORDS, block_of, header_of
from gateway.store.queries import load
from gateway.store.sqlite.file import UPGRADE_UNWRITABLE, Session, SqliteFile

SQL = {**load("store"), **load("sqlite/store")}

log = logging.getLogger("gateway.store")

_AT_ONCE: Final = 100 * RECORDS  # records of one transaction
_MOST_BYTES: Final = 32_000_000  # of the compressed records of one transaction; few records are so large
_MEMBERS_AT_ONCE: Final = 200_000
_SECONDS_BETWEEN_NOTES: Final = 10.0
_PATIENCE_SECONDS: Final = 1.0  # for what need not be done now
# What the disk needs: for the log of SQLite, and for the tables of the blocks before the old ones go.
_LEAST_NEEDED_BYTES: Final = 32 * 1_048_576  # the changes of some transactions, in a store that is hardly larger
_MOST_NEEDED_BYTES: Final = 256 * 1_048_576
_WITHOUT_DICTIONARY: Final = 0  # the number that stands for that
_CONTENT: Final = 5  # the column of a record's bytes
# Of a damaged record. A flipped bit may change the type of a value, or announce a text that is longer than any memory.
_DAMAGE: Final = (StoreDamaged, ZstdError, ValueError, TypeError, OverflowError, MemoryError)
_PLACEHOLDER: Final = b"<record><header></header></record>"  # is never stored
_MOST_DAMAGED: Final = 1_000  # records; more are so if a dictionary is missing, and a backup is better then
_REPAIR: Final = (
    "Restore the store with `gateway restore`, or make it again with `gateway rebuild --from-inbox --anew`."
)
_TOO_MANY: Final = f"More than %d records of %s are damaged. {_REPAIR}"
_NO_SETS: Final = f"The sets of the item %d are damaged. {_REPAIR}"
_DAMAGED: Final = (
    "All records are in blocks, but so many were damaged before: %d. Harvesters get the status 503 where these are. "
    "`gateway check` names them, and `gateway rebuild` makes them again."
)


def is_due(path: Path) -> bool:
    """Return whether a file has records of an earlier release; False if it cannot be read. Nothing is changed."""
    if not path.is_file():
        return False
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        if connection.execute(SQL["former_schema"]).fetchone() is not None:
            return True
        if connection.execute(SQL["former_tables"]).fetchone() is not None:
            return connection.execute(SQL["former_first"]).fetchone() is not None
    return False


class Pace(NamedTuple):
    """How many records and places in sets one transaction has, and the clock of the notes about the progress."""

    records: int = _AT_ONCE
    members: int = _MEMBERS_AT_ONCE
    clock: Callable[[], float] = monotonic


def convert(file: SqliteFile, step: Callable[[str], None], pace: Pace | None = None) -> None:
    """Move all records that are not in blocks yet; log the progress, and how many records are damaged.

    Raise StoreDamaged if these are very many.
    Raise StoreUnwritable if there are such records and the file cannot be written, and another StoreError.
    """
    with file.reading() as session:
        session.begin()  # one snapshot: another process may be dropping the tables
        if session.one(SQL["former_tables"]) is None:
            return
        is_empty = session.one(SQL["former_first"]) is None
        total, done = (session.one(SQL[query]) or (0,) for query in ("former_total", "former_moved"))
    pace = pace or Pace()
    if not is_empty:
        _check_disk(file.path)
    if is_empty:  # a new store, or one whose conversion was killed at its end
        with suppress(StoreBusy, StoreUnwritable):  # the next process does it
            _tidy(file, step, pace, _PATIENCE_SECONDS)
        return
    try:
        _move_all(file, step, pace, _Notes(total[0], done[0], pace.clock))
        _tidy(file, step, pace)
    except StoreUnwritable as error:
        raise StoreUnwritable(UPGRADE_UNWRITABLE.format(error)) from error


class _Notes:
    """Shows how far the conversion is, or logs it now and then, with the time that is left."""

    def __init__(self, total: int, done: int, clock: Callable[[], float]) -> None:
        self._total, self._done, self._clock = total, done, clock
        self._begun, self._noted, self._before = clock(), clock(), done
        log.warning(
            "%d of %d records of the store are moved into blocks now. This is done once; it can be stopped, and goes "
            "on when the store is opened again.",
            total - done,
            total,
        )
        conversion_progress.show(done, total)

    def moved(self, count: int) -> None:
        """Note that so many further records are in blocks."""
        self._done += count
        if not conversion_progress.show(self._done, self._total):
            return
        now = self._clock()
        if now - self._noted >= _SECONDS_BETWEEN_NOTES:
            self._noted = now
            left = (self._total - self._done) * (now - self._begun) / (self._done - self._before)
            log.warning("%d of %d records are in blocks. The rest takes about %d s.", self._done, self._total, left)


def _check_disk(path: Path) -> None:
    """Raise StoreUnwritable if the disk has too little space for the conversion."""
    needed = min(max(path.stat().st_size, _LEAST_NEEDED_BYTES), _MOST_NEEDED_BYTES)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        megabytes = [-(-number // 1_000_000) for number in (needed, free)]
        sentence = "{} cannot be converted: this needs {} MB of free disk, and there are {} MB."
        raise StoreUnwritable(UPGRADE_UNWRITABLE.format(sentence.format(path, *megabytes)))


def _move_all(file: SqliteFile, step: Callable[[str], None], pace: Pace, notes: _Notes) -> None:
    while moved := _part(file, step, pace):
        notes.moved(moved)
        _shorten_log(file)
    with file.reading() as session:
        damaged = len(damaged_bodies(session))
    if damaged:
        log.error(_DAMAGED, damaged)
        conversion_progress.note_damaged(damaged)
    else:
        log.warning("All records are in blocks.")


def _part(file: SqliteFile, step: Callable[[str], None], pace: Pace) -> int:
    """Move some records of one format; return how many, 0 if there are none. Raise StoreDamaged."""
    with file.writing() as session:
        # Another process may have finished the conversion meanwhile.
        row = session.one(SQL["former_first"]) if session.one(SQL["former_tables"]) else None
        if row is None:
            return 0
        (prefix,) = row
        with closing(session.execute(SQL["former_records"], {"prefix": prefix, "limit": pace.records})) as cursor:
            rows = _within(cursor, _MOST_BYTES)  # of a damaged row, the query makes the content a blob
        damaged = _move(session, prefix, rows)
        if damaged:
            damaged |= damaged_bodies(session)
            note_damaged(session, damaged)
        if len(damaged) > _MOST_DAMAGED:
            raise StoreDamaged(_TOO_MANY % (_MOST_DAMAGED, file.path))
        datestamp, item = rows[-1][:2]
        step("records copied")
        session.execute(SQL["former_remove"], (prefix, datestamp, item))
        step("records moved")
    step("move committed")
    return len(rows)


def _move(session: Session, prefix: int, rows: Iterable[tuple[Any, ...]]) -> set[int]:
    """Put records of a format into blocks; return the bodies of damaged ones, which are missing."""
    block_writer, damaged = BlockWriter(session), set[int]()
    codec = _Codec(session)
    contents = ((row, _content(codec, row)) for row in rows)
    for is_sound, several in groupby(contents, key=lambda pair: pair[1] is not None):
        pairs = list(several)
        if is_sound:
            records = [content or b"" for _, content in pairs]
            for start, stop in shares(records):
                _block(session, block_writer, prefix, [row for row, _ in pairs[start:stop]], records[start:stop])
            continue
        for (datestamp, item, is_deleted, dictionary, _, content, *sets), _ in pairs:
            # Without a digest, the record counts as changed whenever its item is published again.
            row = (datestamp, item, is_deleted, dictionary, b"", content, *sets)
            body = _block(session, block_writer, prefix, [row], [_PLACEHOLDER]).body
            session.execute(SQL["body_remove"], (body,))
            damaged.add(body)
    return damaged


def _within(records: Iterable[tuple[Any, ...]], most_bytes: int) -> list[tuple[Any, ...]]:
    """Return the first records, until they have so many bytes; at least one."""
    rows, size = [], 0
    for record in records:
        rows.append(record)
        size += len(record[_CONTENT])
        if size >= most_bytes:
            break
    return rows


class _Codec:
    """Decompresses records, which were compressed one by one (Zstandard, RFC 8878), in one thread."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._readers: dict[int, ZstdDecompressor] = {_WITHOUT_DICTIONARY: ZstdDecompressor()}

    def unpack(self, dictionary: int, content: bytes) -> bytes:
        """Return the record in `content`, which was compressed with this dictionary. Raise StoreDamaged."""
        if dictionary not in self._readers:
            row = self._session.one(SQL["dictionary"], (dictionary,))
            if row is None:
                raise StoreDamaged(f"The dictionary {dictionary}, with which records are compressed, is missing.")
            self._readers[dictionary] = ZstdDecompressor(dict_data=ZstdCompressionDict(bytes(row[0])))
        return self._readers[dictionary].decompress(content)


def _content(codec: _Codec, row: tuple[Any, ...]) -> bytes | None:
    """Return a record; None if it is damaged, or its dictionary is missing."""
    dictionary, content = row[3], row[_CONTENT]
    try:
        record = codec.unpack(dictionary, content)
        header_of(record)
    except _DAMAGE:
        return None
    return record


def _block(
    session: Session, block_writer: BlockWriter, prefix: int, rows: Sequence[tuple[Any, ...]], contents: Sequence[bytes]
) -> BlockRow:
    """Store records as a block, with their places; return its row."""
    keys, items, places = [], [], []
    sets: defaultdict[int, InSet] = defaultdict(InSet)
    for position, (datestamp, item, is_deleted, _, digest, _, inside, departed) in enumerate(rows):
        keys.append(Key(datestamp, item))
        items.append(item)
        places.append((item, prefix, datestamp, item, is_deleted, digest, None))
        for collection in _sets(item, inside):
            members, gone = sets[collection]
            sets[collection] = InSet(members | 1 << position, gone)
        for collection in _sets(item, departed):
            members, gone = sets[collection]
            sets[collection] = InSet(members, gone | 1 << position)
    block = block_of(contents, items)
    row = block_writer.put(prefix, row_of(keys, block), block)
    block_writer.put_sets(prefix, row, sets)
    session.executemany(SQL["place_put"], places)
    return row


def _sets(item: int, stored: str | None) -> list[int]:
    """Return the numbers of sets of an item. Raise StoreDamaged."""
    try:
        return list(map(int, json.loads(stored or "[]")))
    except (ValueError, TypeError) as error:
        raise StoreDamaged(_NO_SETS % item) from error


def _tidy(file: SqliteFile, step: Callable[[str], None], pace: Pace, at_most_seconds: float = inf) -> None:
    """Remove the tables that only the earlier release needed; a large one in parts, because of the log of SQLite."""
    removed = pace.members
    while removed:
        with file.writing(at_most_seconds) as session:
            is_there = session.one(SQL["former_tables"]) is not None
            removed = session.execute(SQL["former_members_remove"], (pace.members,)).rowcount if is_there else 0
            step("former members removed")
            if not removed:
                for query in ("former_records_drop", "former_members_drop", "former_dictionaries_drop"):
                    session.execute(SQL[query])
                    step("former table removed")
        step("removal committed")
        _shorten_log(file)


def _shorten_log(file: SqliteFile) -> None:
    """Empty the write-ahead log if it is half as long as the file; wait for a reader of an old state, like a backup."""
    is_noted = False
    log_file = file.path.with_name(f"{file.path.name}-wal")
    most = file.path.stat().st_size // 2
    while log_file.exists() and log_file.stat().st_size > most and not file.finish_erasure():
        if not is_noted:
            is_noted = True
            log.warning("Another process reads the store as it was. Waiting until it has finished, to save disk.")
