"""Compaction: makes bad blocks anew, in small steps beside everything else. `block_merging` has the rules.

The work of a step is done outside of the lock. Inside, the step looks whether its blocks are still as they were; if
not, its work is dropped. Only blocks below the horizon are touched: no publication can add a record among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic
from typing import Final, TypeAlias

from gateway.errors import StoreDamaged
from gateway.store.block_merging import Merged, groups, merged
from gateway.store.block_rows import BlockRow
from gateway.store.queries import load
from gateway.store.sqlite_blocks import Blocks, row_from
from gateway.store.sqlite_file import SqliteFile
from gateway.store.sqlite_shelf import InSet, Shelf

SQL = load("sqlite")

Place: TypeAlias = tuple[int, int, int]  # a format, and a key in its list

_AT_ONCE: Final = 500  # rows that are looked at
_BEGINNING: Final[Place] = (0, 0, 0)
_END: Final[Place] = (2**62, 0, 0)


class Compaction:
    """Compaction of one store file."""

    def __init__(self, file: SqliteFile, step: Callable[[str], None]) -> None:
        """Take the file; `step` is that of `SqliteStore`."""
        self._file, self._step = file, step
        self._after = _BEGINNING  # where the last run stopped

    def run(self, horizon: int, seconds: float) -> int:
        """Make bad blocks below a horizon anew for at most so many seconds; return how many were replaced.

        A run continues where the last one stopped. Raise StoreError.
        """
        ends, replaced, start = monotonic() + seconds, 0, self._after
        for begin, stop in ((start, _END), (_BEGINNING, start)):
            after = begin
            while bad := self._bad(horizon, after, stop):
                for prefix, group in self._groups(bad, horizon):
                    if monotonic() >= ends:
                        self._after = after
                        return replaced
                    replaced += self._replace(prefix, group)
                    after = prefix, *group[-1].first
                after = bad[-1][0], *bad[-1][1].first
        self._after = _BEGINNING
        return replaced

    def _bad(self, horizon: int, after: Place, stop: Place) -> list[tuple[int, BlockRow]]:
        """Return bad blocks after a place, at most up to another one, with their formats."""
        prefix, datestamp, number = after
        bounds = {"prefix": prefix, "datestamp": datestamp, "number": number, "horizon": horizon, "limit": _AT_ONCE}
        with self._file.reading() as session:
            rows = session.execute(SQL["blocks_bad"], bounds).fetchall()
        return [(prefix, row_from(columns)) for prefix, *columns in rows if (prefix, *columns[:2]) <= stop]

    def _groups(self, bad: list[tuple[int, BlockRow]], horizon: int) -> Iterator[tuple[int, tuple[BlockRow, ...]]]:
        """Yield neighbours that should be made anew, with their format."""
        for prefix, rows in self._neighbours(bad):
            yield from ((prefix, group) for group in groups(rows, horizon))

    def _neighbours(self, bad: list[tuple[int, BlockRow]]) -> list[tuple[int, list[BlockRow]]]:
        """Return bad blocks in groups that have no other block in between."""
        found: list[tuple[int, list[BlockRow]]] = []
        following: tuple[int, ...] = ()
        with self._file.reading() as session:
            for prefix, row in bad:
                if (prefix, *row.first) == following:
                    found[-1][1].append(row)
                else:
                    found.append((prefix, [row]))
                following = (prefix, *(session.one(SQL["block_next"], (prefix, *row.first)) or ()))
        return found

    def _replace(self, prefix: int, rows: Sequence[BlockRow]) -> int:
        """Replace neighbours; return how many were replaced, 0 if another process has changed one meanwhile."""
        with self._file.reading() as session:
            session.execute("begin")
            blocks, shelf = Blocks(session), Shelf(session)
            sets = [shelf.sets_of(prefix, row) for row in rows]
            try:
                made = merged(rows, {row.body: blocks.body(row.body) for row in rows})
            except (StoreDamaged, ValueError):  # removed meanwhile, or damaged: `gateway check` says which
                return 0
        self._step("blocks merged")
        with self._file.writing() as session:
            shelf = Shelf(session)
            is_same = [shelf.row(prefix, row.first) for row in rows] == list(rows)
            if not is_same or [shelf.sets_of(prefix, row) for row in rows] != sets:
                return 0
            for row in rows:
                shelf.remove(prefix, row)
            self._step("blocks removed")
            for one in made:
                shelf.put_sets(prefix, shelf.put(prefix, one.row, one.block), _sets(one, sets))
            self._step("blocks replaced")
        self._step("compaction committed")
        return len(rows)


def _sets(made: Merged, former: Sequence[Mapping[int, InSet]]) -> dict[int, InSet]:
    """Return the sets of which a new block has records, from those of the former ones."""
    empty = InSet()
    return {
        collection: InSet(
            made.members([sets.get(collection, empty).members for sets in former]),
            made.members([sets.get(collection, empty).departed for sets in former]),
        )
        for collection in sorted(set().union(*former))
    }
