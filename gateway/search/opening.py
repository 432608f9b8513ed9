"""Opens the search of an instance folder for reading. This is the only module that chooses a backend of it."""

from __future__ import annotations

from pathlib import Path

from gateway.search.base import Reader
from gateway.search.following import NAME
from gateway.search.sqlite_reader import SqliteReader


def open_search(folder: Path, *, is_on: bool = True) -> Reader:
    """Return the search of an instance folder. It never fails: a search says if there is no index, or if it is off.

    It may be opened before a fork, and used by several threads.
    """
    return SqliteReader(folder / NAME, is_on=is_on)
