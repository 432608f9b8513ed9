"""Reads the records of an earlier release, which were compressed one by one (Zstandard, RFC 8878).

Most were compressed with a dictionary of what records of a format have in common. The dictionaries are in the database,
and every record names its own. The conversion of old stores needs this; nothing is written so any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import zstandard

_NONE: Final = 0  # the number that stands for "without a dictionary"


class Codec:
    """Decompresses records, in one thread at a time: shared decompressors fail at random."""

    def __init__(self, dictionary: Callable[[int], bytes]) -> None:
        """Take the function that returns the content of a dictionary by its number."""
        self._dictionary = dictionary
        self._readers: dict[int, zstandard.ZstdDecompressor] = {}

    def unpack(self, dictionary: int, content: bytes) -> bytes:
        """Return the record in `content`, which was compressed with this dictionary."""
        reader = self._readers.get(dictionary)
        if reader is None:
            reader = self._readers[dictionary] = self._reader(dictionary)
        return reader.decompress(content)

    def _reader(self, dictionary: int) -> zstandard.ZstdDecompressor:
        if dictionary == _NONE:
            return zstandard.ZstdDecompressor()
        return zstandard.ZstdDecompressor(dict_data=zstandard.ZstdCompressionDict(self._dictionary(dictionary)))
