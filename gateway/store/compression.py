"""Compresses records one by one (Zstandard, RFC 8878), with a dictionary of what records of a format have in common.

The dictionaries are in the database, and every record names its own, so a newer dictionary does not change older
records. The first one is made of the first records themselves; later ones are trained when the format has grown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, TypeAlias

import zstandard

LEVEL = 3  # 13 us for two records; level 1 saves 2 us and costs 12 % of disk, level 5 doubles the time for 8 %
DICTIONARY_BYTES = 112_640  # the default of the program zstd; 64 kB cost 6 % more disk
SAMPLES = 1_000  # records to train from; with 4,000 the ratio is 0.092 instead of 0.096, in three times the time
TRAINING_SAMPLES = 500  # with fewer, the texts themselves are the better dictionary
SEGMENT_BYTES = 1_024  # `k` of the trainer; a search for the best `k` takes four times as long and gains nothing
GROWTH = 4  # after so much growth, the records of a format may look different; training takes 50 ms

_NONE = 0  # the number that stands for "without a dictionary"
_LEAST_BYTES = 1_024  # of a dictionary
_TELLING_BYTES = 64  # no record is shorter


class Trained(Protocol):
    """A dictionary of the library zstandard."""

    def as_bytes(self) -> bytes:
        """Return its content."""
        ...


Packed: TypeAlias = tuple[int, bytes]  # the number of the dictionary, and the bytes that it reads


def make_dictionary(samples: Sequence[bytes], train: Callable[..., Trained] = zstandard.train_dictionary) -> bytes:
    """Return a dictionary for texts like `samples`; empty if they have too few bytes."""
    if sum(map(len, samples)) < _LEAST_BYTES:
        return b""
    # The trainer of zstd 1.5.7 (python-zstandard 0.25) crashes if nearly all samples are empty.
    telling = [sample for sample in samples if len(sample) >= _TELLING_BYTES]
    if len(telling) >= TRAINING_SAMPLES:
        with suppress(zstandard.ZstdError):  # the samples are too similar
            return train(DICTIONARY_BYTES, telling, k=SEGMENT_BYTES, d=8, level=LEVEL).as_bytes()
    return b"".join(samples)[:DICTIONARY_BYTES]


class _Readers(dict[int, Callable[[bytes], bytes]]):
    """The decompressors by dictionary; each one is made at its first use."""

    def __init__(self, make: Callable[[int], Callable[[bytes], bytes]]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, dictionary: int) -> Callable[[bytes], bytes]:
        reader = self[dictionary] = self._make(dictionary)
        return reader


class Codec:
    """Compresses and decompresses records, in one thread at a time: shared decompressors fail at random."""

    def __init__(self, dictionary: Callable[[int], bytes]) -> None:
        """Take the function that returns the content of a dictionary by its number.

        `readers` has the decompression function of each dictionary, for reading many records.
        """
        self._dictionary = dictionary
        self.readers: Mapping[int, Callable[[bytes], bytes]] = _Readers(self._reader)
        self._writers: dict[str, tuple[int, zstandard.ZstdCompressor]] = {}

    def packer(self, prefix: str, dictionary: int) -> Callable[[bytes], bytes]:
        """Return the function that compresses with a dictionary; only the last one of each `prefix` is cached."""
        number, writer = self._writers.get(prefix, (-1, None))
        if writer is None or number != dictionary:
            writer = self._writer(dictionary)
            self._writers[prefix] = dictionary, writer
        return writer.compress

    def unpack(self, dictionary: int, content: bytes) -> bytes:
        """Return the record in `content`, which was compressed with this dictionary."""
        return self.readers[dictionary](content)

    def _writer(self, dictionary: int) -> zstandard.ZstdCompressor:
        if dictionary == _NONE:
            return zstandard.ZstdCompressor(level=LEVEL)
        known = zstandard.ZstdCompressionDict(self._dictionary(dictionary))
        known.precompute_compress(level=LEVEL)
        # The row names its dictionary, so the frame need not.
        return zstandard.ZstdCompressor(dict_data=known, level=LEVEL, write_dict_id=False)

    def _reader(self, dictionary: int) -> Callable[[bytes], bytes]:
        if dictionary == _NONE:
            return zstandard.ZstdDecompressor().decompress
        known = zstandard.ZstdCompressionDict(self._dictionary(dictionary))
        return zstandard.ZstdDecompressor(dict_data=known).decompress
