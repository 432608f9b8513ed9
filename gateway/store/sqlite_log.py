"""The write-ahead log while many small transactions write: it is moved into the file now and then, and stays short."""

from __future__ import annotations

from typing import Final

from gateway.store.sqlite_file import SqliteFile

_BYTES_BETWEEN_CHECKPOINTS: Final = 8 * 1_048_576
_LONGEST_BYTES: Final = 128 * 1_048_576  # of what a reader with an old snapshot keeps


class WriteAheadLog:
    """The write-ahead log of a file; `is_long` while a reader keeps so much of it that work should pause."""

    def __init__(self, file: SqliteFile) -> None:
        """Take the file. Nothing is written yet."""
        self._file = file
        self._written = 0  # bytes since the last checkpoint
        self.is_long = False

    def note(self, written: int) -> None:
        """Note how many bytes were written; move the log into the file if it is time. Raise StoreError."""
        self._written += written
        if self.is_long or self._written >= _BYTES_BETWEEN_CHECKPOINTS:
            self.move()

    def move(self) -> None:
        """Move as much of the log into the file as readers allow, which also shortens the file. Raise StoreError."""
        self._written = 0
        with self._file.packing() as session:
            _, pages, moved = session.one("pragma wal_checkpoint(passive)") or (0, 0, 0)
            (page_bytes,) = session.one("pragma page_size") or (0,)
        self.is_long = (pages - moved) * page_bytes > _LONGEST_BYTES
