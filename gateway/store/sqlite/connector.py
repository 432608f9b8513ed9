"""The connector to SQLite: a file, and what only files need."""

import sqlite3
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from gateway.store.connector import Session, Shrunk
from gateway.store.sqlite.conversion import convert
from gateway.store.sqlite.file import SqliteFile
from gateway.store.sqlite.shrinking import WriteAheadLog, shrink, vacuum

DAMAGED_VALUE: Final = sqlite3.DatabaseError


class SqliteConnector(SqliteFile):
    """The file of a database of ours; see `Connector`."""

    @cached_property
    def _log(self) -> WriteAheadLog:
        return WriteAheadLog(self)

    def note_written(self, size: int) -> bool:
        """Return whether a reader with an old snapshot keeps so much of the write-ahead log that work should pause."""
        self._log.note(size)
        return self._log.is_long

    def shrink(self, seconds: float, is_stopped: Callable[[], bool], step: Callable[[str], None]) -> Shrunk:
        """Give free pages back to the disk."""
        return shrink(self, WriteAheadLog(self), seconds, is_stopped, step)

    def vacuum(self) -> int:
        """Write the file anew (`VACUUM`). It needs its space twice more. Raise KeyboardInterrupt at the signal."""
        return vacuum(self)

    def damages(self, session: Session, *, is_whole: bool) -> Iterator[str]:
        """Yield what the check of SQLite finds."""
        for (text,) in session.execute("pragma integrity_check(10)" if is_whole else "pragma quick_check(10)"):
            if text != "ok":
                yield f"The file is damaged: {text}."

    def convert(self, step: Callable[[str], None]) -> None:
        """Move the records of an earlier release into blocks."""
        convert(self, step)
