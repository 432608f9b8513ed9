"""Short answers by host: the same answer from three addresses of a host is a message, not a file.

They are in DIR/doubtful/answers.sqlite, which may be removed: later runs then store their answers again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

from gateway.store.queries import load_file
from harvester.mirror.databases import CacheDatabase

CACHE = "answers.sqlite"
SHORT = 16 << 10  # bytes; longer answers are rarely messages, and storing all of them would be costly
MANY = 3  # addresses

_ALL = -1
_SQL = load_file(Path(__file__).with_name("repeated_answers.sql"))
_SCHEMA = Path(__file__).with_name("repeated_answers_schema.sql").read_text("utf-8")


class Answers:
    """The stored answers. The first short answer opens the database. For one thread; raises StoreUnwritable."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / CACHE
        self._memory: CacheDatabase | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def add(self, host: str, sha512: str, url: str, identifier: str) -> bool:
        """Store an answer; return whether three addresses have sent it."""
        memory = self._opened()
        memory.rows(_SQL["answer_put"], (host, sha512, url, identifier))
        return len(memory.rows(_SQL["identifiers"], (host, sha512, MANY))) == MANY

    def objects(self, host: str, sha512: str) -> set[str]:
        """Return the identifiers of the objects whose files got this answer."""
        return {identifier for (identifier,) in self._opened().rows(_SQL["identifiers"], (host, sha512, _ALL))}

    def _opened(self) -> CacheDatabase:
        if self._memory is None:
            self._memory = CacheDatabase(self._file, _SCHEMA)
        return self._memory
