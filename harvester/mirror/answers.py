"""Which short answers came from which addresses of a host: one that comes from three of them is no file but a message.

It is a memory of runs, DIR/doubtful/answers.sqlite, and may be removed: the next answers are remembered anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from harvester.mirror.memory import Memory

SHORT = 16 << 10  # bytes; what is longer is rarely a message, and every so long file would have to be remembered
MANY = 3  # addresses

_TABLE = """
CREATE TABLE IF NOT EXISTS answer (
    host TEXT, sha512 TEXT, url TEXT, identifier TEXT, PRIMARY KEY (host, sha512, url)
) WITHOUT ROWID
"""
_ADD = "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)"
_OF = "SELECT identifier FROM answer WHERE host = ? AND sha512 = ?"


class Answers:
    """The memory, opened when the first short answer comes. For one thread."""

    def __init__(self, folder: Path) -> None:
        """Take the folder where it lies."""
        self._file = folder / "answers.sqlite"
        self._memory: Memory | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def add(self, host: str, sha512: str, url: str, identifier: str) -> bool:
        """Remember an answer; tell whether it has come from many addresses."""
        memory = self._opened()
        memory.rows(_ADD, (host, sha512, url, identifier))
        return len(memory.rows(f"{_OF} LIMIT {MANY}", (host, sha512))) == MANY

    def objects(self, host: str, sha512: str) -> set[str]:
        """Return the identifiers of the objects that an answer came for."""
        return {identifier for (identifier,) in self._opened().rows(_OF, (host, sha512))}

    def _opened(self) -> Memory:
        if self._memory is None:
            self._memory = Memory(self._file, _TABLE)
        return self._memory
