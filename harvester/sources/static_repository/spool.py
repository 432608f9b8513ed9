"""A document of any length in a temporary file without a name, which is read by offsets like bytes."""

from __future__ import annotations

import os
import zlib
from hashlib import sha256
from typing import Self

from gateway.core.errors import ConnectionFailed
from harvester.http.messages import Fetched
from harvester.runtime.temporary_files import AnonymousFile

MOST_BYTES = 2_000_000_000  # decompressed; the standard means repositories of a few thousand records
_GZIP, _GZIP_WINDOW = b"\x1f\x8b", 31
_STEP = 1 << 16  # bytes decompressed at once
_WINDOW = 256  # bytes read at once in a search for a mark
_TAKEN = (200, 206)


class Spool:
    """A `Sink` for the body of an answer that then returns parts of it. The file is removed after the `with` block.

    It raises AnswerTooLarge for more than `most_bytes` bytes, and StoreUnwritable when the disk is full.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._engine: zlib._Decompress | None = None

    def __enter__(self) -> Self:
        self._file = AnonymousFile("the document", self._most)
        self._begin_anew()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def digest(self) -> str:
        """The SHA-256 of the received bytes, in hexadecimal."""
        return self._hash.hexdigest()

    # -- what comes --

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return no headers: the whole document is requested."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Return True for a 200 or 206 and start again from an empty file; else False: the body stays in the answer."""
        self._begin_anew()
        return answer.status in _TAKEN

    def write(self, part: bytes) -> None:
        """Write the next bytes, decompressed. Raise ConnectionFailed when the compressed form is damaged."""
        if self._file.size == 0 and self._engine is None and part.startswith(_GZIP):
            self._engine = zlib.decompressobj(_GZIP_WINDOW)  # a compressed file that is served without Content-Encoding
        if self._engine is None:
            self._put(part)
            return
        try:
            while part:
                self._put(self._engine.decompress(part, _STEP))
                part = self._engine.unconsumed_tail
        except zlib.error as error:
            raise ConnectionFailed(f"The compressed document is damaged: {error}.") from error

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
        """Return the first offset of one byte from `start` on. Raise ValueError when there is none."""
        while part := self[start : start + _WINDOW]:
            if (place := part.find(mark)) >= 0:
                return start + place
            start += len(part)
        raise ValueError(mark)
