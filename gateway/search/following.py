"""Keeps the index in step with the store: it reads the log of changes forward from the position of the index.

An index that is missing or useless is made anew in a file beside it. That one takes its place when it is complete, so
readers never get a part of an index. The work can be killed at any moment, and continues.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from gateway.core.errors import IndexDamaged, StoreBusy
from gateway.core.instance_folder import SEARCH_INDEX
from gateway.core.waiting import locked
from gateway.search.base import Index, IndexState
from gateway.search.entries import Describe, Entry, entry_of
from gateway.search.sqlite_index import SqliteIndex, discard, mark_of
from gateway.store.base import Store, View

NAME: Final = SEARCH_INDEX
PREFIX: Final = "oai_dc"  # the format that every item has; each change of an item changes it
LINES: Final = 1000  # of the log of changes, that one step reads: a tenth of a second
_FEWEST_STALE = 10_000
_WAIT_SECONDS = 2.0  # for another process, which needs some tenths of a second for a step

log = logging.getLogger("gateway.search")

Step = Callable[[str], None]


def _pass(_name: str) -> None:
    """Do nothing between two steps; a test kills the process here."""


class _Followed(NamedTuple):
    """The result of one step in one file: whether the log has no more lines, and the state of the index after it."""

    is_complete: bool
    state: IndexState


class IndexKeeper:
    """Writes the index of an instance folder. Several processes and threads may have one each: one works at a time."""

    def __init__(self, folder: Path, describe: Describe, *, lines: int = LINES, step: Step = _pass) -> None:
        """Take the instance folder, and the function that reads a published record of `oai_dc`.

        `step` is called with the name of each step.
        """
        self._file, self._new = folder / NAME, folder / f"{NAME}.new"
        self._folder = folder
        self._describe, self._lines, self._step = describe, lines, step

    def advance(self, store: Store) -> bool:
        """Write the next changes; return whether nothing is left to do here, or another process is doing it.

        Raise StoreError, OSError.
        """
        with self._alone(0.0) as is_alone:
            return not is_alone or self._advanced(store)

    def remove(self, identifiers: Collection[str]) -> None:
        """Remove items at once, however far the index is behind. Raise IndexDamaged, StoreError, OSError."""
        with self._alone(_WAIT_SECONDS) as is_alone:
            if is_alone and self._file.exists():
                with closing(SqliteIndex(self._file)) as index:
                    index.remove(identifiers)

    def delete(self) -> None:
        """Delete the index, if there is one. Raise OSError."""
        if self._file.exists() or self._new.exists():
            with self._alone(_WAIT_SECONDS):
                discard(self._file)
                discard(self._new)

    def position(self) -> int:
        """Return the number of the last line of the log that is in the index, or in the one that is being made.

        Raise IndexDamaged, StoreError.
        """
        path = self._new if self._new.exists() else self._file
        if not path.exists():
            return 0
        with closing(SqliteIndex(path)) as index:
            return index.state().position

    @contextmanager
    def _alone(self, seconds: float) -> Iterator[bool]:
        """Hold the lock of the index inside the block; yield False if another one holds it for so many seconds."""
        with ExitStack() as held:
            try:
                held.enter_context(locked(self._folder / "locks" / "search", seconds))
            except StoreBusy:
                is_alone = False
            else:
                is_alone = True
            yield is_alone

    # -- the files -----------------------------------------------------------------------------------------------

    def _advanced(self, store: Store) -> bool:
        current = self._followed_in(store, self._file)
        if current is not None and not (current.is_complete and _is_worn(current.state)):
            return current.is_complete
        made = self._followed_in(store, self._new, create=True)
        if made is None or not made.is_complete:
            return False
        self._step("made")
        discard(self._file)
        self._step("former index deleted")
        self._new.replace(self._file)
        self._step("in its place")
        return True

    def _followed_in(self, store: Store, path: Path, *, create: bool = False) -> _Followed | None:
        """Write the next lines into a file; None if there is none. A useless one is deleted."""
        if not path.exists():
            discard(path)  # a log without its file belongs to nothing
            if not create:
                return None
        try:
            with closing(SqliteIndex(path, create=create)) as index:
                _check_store(store, index)
                self._step("opened")
                return self._followed(store, index)
        except IndexDamaged as error:
            log.warning("The search index is made anew. %s", error)
            discard(path)
            return None

    def _followed(self, store: Store, index: Index) -> _Followed:
        before = index.state()
        with store.view() as view:
            lines = view.changes(before.position, self._lines)
            dublin_core = [line for line in lines if line.metadata_prefix == PREFIX]
            entries, removed = self._read(view, {line.identifier: line.datestamp for line in dublin_core})
            horizon = view.horizon
        self._step("read")
        is_complete = len(lines) < self._lines
        if not lines and before.reached == horizon:
            return _Followed(is_complete, before)
        index.write(entries, removed, lines[-1] if lines else None, horizon if is_complete else lines[-1].datestamp)
        self._step("written")
        return _Followed(is_complete, index.state())

    def _read(self, view: View, datestamps: dict[str, int]) -> tuple[list[Entry], list[str]]:
        """Return the entries of items, by the datestamps of their lines, and the identifiers of those that are gone."""
        entries: dict[str, Entry] = {}
        newer = set()
        for identifier, record in view.records(datestamps, PREFIX):
            if record.datestamp > datestamps[identifier] and not record.is_deleted:
                newer.add(identifier)  # a later line of the log has it
            elif not record.is_deleted:
                entries[identifier] = entry_of(record.content, self._describe)
        living = [entries[identifier] for identifier in datestamps if identifier in entries]
        removed = [identifier for identifier in datestamps if identifier not in entries and identifier not in newer]
        return living, removed


def _check_store(store: Store, index: Index) -> None:
    """Raise IndexDamaged if the store lacks the line of the log of changes that the index was written up to."""
    position = index.state().position
    if not position:
        return
    with store.view() as view:
        lines = view.changes(position - 1, 1)
    if not lines or mark_of(lines[0]) != index.mark():
        raise IndexDamaged("It belongs to another store, or to a later copy of this one.")


def _is_worn(state: IndexState) -> bool:
    """Return whether most words of the index are those of former versions, so that it should be made anew."""
    return state.stale > max(state.items, _FEWEST_STALE)
