"""A document of any length on its way: a file without a name that is read by places, as bytes at hand would be."""

from __future__ import annotations

import os
import zlib
from hashlib import sha256
from typing import Self

from gateway.errors import ConnectionFailed
from harvester.nameless import NamelessFile
from harvester.wire.http import Fetched

MOST_BYTES = 2_000_000_000  # decompressed; what is called small by its standard has some thousand records
_GZIP, _GZIP_WINDOW = b"\x1f\x8b", 31
_STEP = 1 << 16  # bytes decompressed at once
_WINDOW = 256  # bytes read at once while a mark is looked for
_TAKEN = (200, 206)


class Spool:
    """Takes the body of an answer, and then gives parts of it. Use it in a `with` block: its file is gone behind that.

    It raises AnswerTooLarge for more bytes than there may be, and StoreUnwritable when there is no room for them.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Take how many bytes there may be."""
        self._most = most_bytes
        self._engine: zlib._Decompress | None = None

    def __enter__(self) -> Self:
        self._file = NamelessFile("the document", self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def digest(self) -> str:
        """The SHA-256 of what came."""
        return self._hash.hexdigest()

    # -- what comes --

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Ask for the whole of it."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Take it from its beginning, once more when it broke off; what is no document is left in its answer."""
        self._begin_anew()
        return answer.status in _TAKEN

    def write(self, part: bytes) -> None:
        """Take the next bytes. Raise ConnectionFailed when what is compressed is damaged."""
        if self._file.size == 0 and self._engine is None and part.startswith(_GZIP):
            self._engine = zlib.decompressobj(_GZIP_WINDOW)  # a file that was compressed, and is served as plain
        if self._engine is None:
            self._put(part)
            return
        try:
            while part:
                self._put(self._engine.decompress(part, _STEP))
                part = self._engine.unconsumed_tail
        except zlib.error as error:
            raise ConnectionFailed(f"The document is compressed, and damaged: {error}.") from error

    def _put(self, part: bytes) -> None:
        self._file.put(part)
        self._hash.update(part)

    def _begin_anew(self) -> None:
        self._file.clear()
        self._hash = sha256()
        self._engine = None

    # -- what is here --

    def __len__(self) -> int:
        return self._file.size

    def __getitem__(self, wanted: slice, /) -> bytes:
        start, stop, _ = wanted.indices(self._file.size)
        return os.pread(self._file.file.fileno(), max(0, stop - start), start)

    def index(self, mark: bytes, start: int, /) -> int:
        """Return where one byte is found first. Raise ValueError when it does not come any more."""
        while part := self[start : start + _WINDOW]:
            if (place := part.find(mark)) >= 0:
                return start + place
            start += len(part)
        raise ValueError(mark)
