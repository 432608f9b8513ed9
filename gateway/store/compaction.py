"""Compaction: rewrites bad blocks, in small steps next to everything else. `block_merging` has the rules.

The work of a step is done outside of the lock. Inside, the step looks whether its blocks are still as they were; if
not, its work is dropped. Only blocks below the horizon are touched: no publication can add a record among them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from math import inf
from time import monotonic
from typing import Final, TypeAlias

from zlib_ng import zlib_ng

from gateway.core.errors import StoreDamaged
from gateway.core.model import Compacted
from gateway.core.pieces import Compressor, fast
from gateway.store.block_merging import Merged, contents, groups, merged
from gateway.store.block_reader import Blocks, row_from
from gateway.store.block_rows import BlockRow
from gateway.store.block_writer import BlockWriter, InSet, damaged_bodies, note_damaged
from gateway.store.blocks import Block
from gateway.store.connector import Connector, Session
from gateway.store.queries import load

SQL = load("store")

Place: TypeAlias = tuple[int, int, int]  # a format, and a key in its list
Wanted: TypeAlias = tuple[int, BlockRow, bool]  # a format, a row, and whether its block could be compressed better

_ERRORS: Final = (KeyError, ValueError, TypeError, StoreDamaged)  # of a block that is damaged, or missing
_AT_ONCE: Final = 200  # rows that are looked at
_BEGINNING: Final[Place] = (-(2**62), 0, 0)  # lists of sparse sets have negative numbers
_END: Final[Place] = (2**62, 0, 0)
_RAW: Final = -15  # wbits of raw DEFLATE
_TIGHT_LEVEL: Final = 5  # of zlib-ng: a sixth smaller than isal at level 2; a block needs 1.9 ms and not 0.7


def tight() -> Compressor:
    """Return the compressor for what is made when there is time."""
    made: Compressor = zlib_ng.compressobj(_TIGHT_LEVEL, zlib_ng.DEFLATED, _RAW)
    return made


class Compaction:
    """Compaction of one store file."""

    def __init__(self, file: Connector, step: Callable[[str], None]) -> None:
        self._file, self._step = file, step
        self._after = _BEGINNING  # where the last run with a time limit stopped

    def run(
        self,
        horizon: int,
        seconds: float = inf,
        *,
        is_thorough: bool = False,
        is_stopped: Callable[[], bool] = lambda: False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> Compacted:
        """Make bad blocks below a horizon anew; `Store.compact` has the promise.

        A run continues where the last one stopped, unless it is thorough. Raise StoreError.
        """
        run = _Run(self._file, self._step, horizon, monotonic() + seconds, is_thorough=is_thorough)
        start = _BEGINNING if is_thorough else self._after
        total = run.count() if is_thorough else 0
        for begin, stop in ((start, _END), (_BEGINNING, start)):
            for after in run.steps(begin, stop):
                progress(min(run.seen, total), total)
                if run.is_slowed or is_stopped() or monotonic() >= run.ends:
                    self._after = after
                    return run.result(is_complete=False)
        self._after = _BEGINNING
        return run.result(is_complete=True)


class _Run:
    """One run, and what it has done so far."""

    def __init__(
        self, file: Connector, step: Callable[[str], None], horizon: int, ends: float, *, is_thorough: bool
    ) -> None:
        self._file, self._step, self._horizon, self.ends = file, step, horizon, ends
        self._is_thorough = is_thorough
        self._loose: set[int] = set()  # bodies of the rows that are looked at
        self.seen = self._replaced = self._freed = 0
        with file.reading() as session:
            self._known = frozenset(damaged_bodies(session))
        self._damaged = set[int]() if is_thorough else set(self._known)  # the disk may be sound again
        self._tried = set[int]()
        self.is_slowed = file.note_written(0)  # by a reader with an old snapshot

    def result(self, *, is_complete: bool) -> Compacted:
        """Return what was done, and note which blocks are damaged."""
        damaged = self._damaged | (self._untried() if is_complete else self._known)
        if damaged != self._known:
            with self._writing() as session:
                note_damaged(session, damaged)
        return Compacted(self._replaced, self._freed, len(damaged), is_complete)

    def _untried(self) -> set[int]:
        """Return the blocks that are known to be damaged, are still there, and did not have to be made anew."""
        bodies = json.dumps(sorted(self._known - self._tried))
        return {columns[-1] for columns in self._file.rows(SQL["check_damaged"], (bodies,))}

    def count(self) -> int:
        """Return how many blocks may have to be made anew."""
        (number,) = self._file.one(SQL["blocks_loose_count"], (self._horizon,)) or (0,)
        return int(number)

    def steps(self, after: Place, stop: Place) -> Iterator[Place]:
        """Make bad blocks anew, from behind a place up to another one; yield at each step how far this is done."""
        while wanted := self._wanted(after, stop):
            done = after
            for prefix, group in self._groups(wanted):
                self._replace(prefix, group)
                done = prefix, *group[-1].first
                self.seen += len(group)
                yield done
            # The last ones may have neighbours among those that were not looked at yet.
            after = done if len(wanted) == _AT_ONCE and done > after else (wanted[-1][0], *wanted[-1][1].first)
            yield after

    def _wanted(self, after: Place, stop: Place) -> list[Wanted]:
        """Return bad blocks after a place, at most up to another one."""
        prefix, datestamp, number = after
        query = SQL["blocks_loose" if self._is_thorough else "blocks_bad"]
        where = {"prefix": prefix, "datestamp": datestamp, "number": number, "horizon": self._horizon}
        rows = self._file.rows(query, {**where, "limit": _AT_ONCE})
        return [
            (prefix, row_from(columns), not is_tight)
            for prefix, *columns, is_tight in rows
            if (prefix, *columns[:2]) <= stop
        ]

    def _groups(self, wanted: Sequence[Wanted]) -> Iterator[tuple[int, tuple[BlockRow, ...]]]:
        """Yield neighbours that should be made anew, with their format."""
        self._loose = {row.body for _, row, is_loose in wanted if is_loose and self._is_thorough}
        for prefix, rows in self._neighbours(wanted):
            yield from ((prefix, group) for group in groups(rows, self._horizon, self._loose, self._damaged))

    def _neighbours(self, wanted: Sequence[Wanted]) -> list[tuple[int, list[BlockRow]]]:
        """Return blocks in lists of those that have no other block in between, and with the one that follows."""
        neighbours: list[tuple[int, list[BlockRow]]] = []
        with self._file.reading() as session:
            session.begin()
            for prefix, row, _ in wanted:
                if not neighbours or neighbours[-1][0] != prefix or neighbours[-1][1][-1].first != row.first:
                    neighbours.append((prefix, [row]))
                columns = session.one(SQL["block_next"], (prefix, *row.first))
                if columns is not None:
                    neighbours[-1][1].append(row_from(columns))
        return neighbours

    def _replace(self, prefix: int, rows: Sequence[BlockRow]) -> None:
        """Replace neighbours, unless another process has changed one meanwhile. Damaged ones are left as they are."""
        read = self._read(prefix, rows)
        if read is None:
            return
        blocks, sets = read
        try:
            made = merged(rows, blocks, tight if self._is_thorough else fast)
        except _ERRORS:
            damaged = {row.body for row in rows if not _is_sound(row, blocks.get(row.body))}
            self._damaged |= damaged or {row.body for row in rows}
            for several in groups(rows, self._horizon, self._loose, self._damaged):
                self._replace(prefix, several)
            return
        self._step("blocks merged")
        with self._writing() as session:
            block_writer = BlockWriter(session)
            if not _is_same(block_writer, prefix, rows, sets):
                return
            for row in rows:
                block_writer.remove(prefix, row)
            self._step("blocks removed")
            for one in made:
                row = block_writer.put(prefix, one.row, one.block, is_tight=self._is_thorough)
                block_writer.put_sets(prefix, row, sets_in(one, sets))
            self._step("blocks replaced")
        self._step("compaction committed")
        written = sum(_bytes(one.block) for one in made)
        self._replaced += len(rows)
        self._freed += sum(map(_bytes, blocks.values())) - written
        self.is_slowed = self._file.note_written(written)

    def _read(self, prefix: int, rows: Sequence[BlockRow]) -> tuple[dict[int, Block], list[dict[int, InSet]]] | None:
        """Return the blocks of rows that can be read, and the sets of all; None if a row has changed."""
        blocks: dict[int, Block] = {}
        with self._file.reading() as session:
            session.begin()
            block_writer = BlockWriter(session)
            sets = [block_writer.sets_of(prefix, row) for row in rows]
            if not _is_same(block_writer, prefix, rows, sets):
                return None
            for row in rows:
                self._tried.add(row.body)
                with suppress(StoreDamaged), self._file.translated():
                    blocks[row.body] = Blocks(session).body(row.body)
            return blocks, sets

    def _writing(self) -> AbstractContextManager[Session]:
        return self._file.writing(max(0.0, self.ends - monotonic()), is_durable=False)


def _is_same(
    block_writer: BlockWriter, prefix: int, rows: Sequence[BlockRow], sets: Sequence[Mapping[int, InSet]]
) -> bool:
    if [block_writer.row(prefix, row.first) for row in rows] != list(rows):
        return False
    return [block_writer.sets_of(prefix, row) for row in rows] == sets


def _is_sound(row: BlockRow, block: Block | None) -> bool:
    try:
        return block is not None and bool(contents(row, block)) and bool(row.keys([0]))
    except _ERRORS:
        return False


def _bytes(block: Block) -> int:
    return len(block.records.deflated) + len(block.headers.deflated) + len(block.lengths) + len(block.items)


def sets_in(made: Merged, former: Sequence[Mapping[int, InSet]]) -> dict[int, InSet]:
    """Return the sets of which a new block has records, from those of the former ones."""
    empty = InSet()
    return {
        collection: InSet(
            made.members([sets.get(collection, empty).members for sets in former]),
            made.members([sets.get(collection, empty).departed for sets in former]),
        )
        for collection in sorted(set().union(*former))
    }
