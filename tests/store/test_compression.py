"""The records of an earlier release come back, told without a store."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
import zstandard

from gateway.errors import StoreDamaged
from gateway.store.compression import Codec
from gateway.store.sqlite_file import Session

# Like each other, as records are.
TEXTS = [
    f"<record><metadata><title>Number {number} of {number * 7919 % 1000}</title></metadata></record>".encode()
    for number in range(50)
]
DICTIONARIES = {1: b"".join(TEXTS), 2: b"".join(TEXTS[:20])}


def packed(text: bytes, dictionary: int) -> bytes:
    """Return a record as the earlier release compressed it."""
    known = zstandard.ZstdCompressionDict(DICTIONARIES[dictionary])
    return zstandard.ZstdCompressor(dict_data=known, level=3, write_dict_id=False).compress(text)


def test_without_a_dictionary_bytes_come_back():
    codec = Codec(DICTIONARIES.__getitem__)
    assert codec.unpack(0, zstandard.ZstdCompressor(level=3).compress(b"text")) == b"text"


def test_bytes_come_back_with_the_dictionary_that_packed_them():
    codec = Codec(DICTIONARIES.__getitem__)
    for dictionary in (1, 2, 1):
        assert codec.unpack(dictionary, packed(TEXTS[0], dictionary)) == TEXTS[0]


def test_a_dictionary_that_is_not_there_is_reported():
    with pytest.raises(KeyError):
        Codec(DICTIONARIES.__getitem__).unpack(3, b"")


def test_a_dictionary_that_a_database_lacks_is_named():
    with closing(sqlite3.connect(":memory:")) as connection:
        session = Session(connection, "select 1 where ? < 0")
        with pytest.raises(StoreDamaged, match="The dictionary 3"):
            session.codec.unpack(3, b"")
