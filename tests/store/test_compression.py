"""Dictionaries and the codec, told without a store."""

from __future__ import annotations

import pytest
from zstandard import ZstdError

from gateway.model import Publication
from gateway.store.compression import DICTIONARY_BYTES, SAMPLES, Codec, make_dictionary

# Enough to train from, and like each other as records are.
TEXTS = [
    f"<record><metadata><title>Number {number} of {number * 7919 % 1000}</title></metadata></record>".encode()
    for number in range(SAMPLES)
]


def test_too_little_text_makes_no_dictionary():
    assert make_dictionary([]) == b""
    assert make_dictionary([b"x" * 1000]) == b""


def test_few_texts_are_their_own_dictionary():
    assert make_dictionary([b"x" * 1000, b"y" * 100]) == b"x" * 1000 + b"y" * 100
    assert len(make_dictionary([b"x" * DICTIONARY_BYTES, b"y"])) == DICTIONARY_BYTES


def test_many_texts_train_a_dictionary():
    assert make_dictionary(TEXTS).startswith(b"\x37\xa4\x30\xec"), "what zstd calls a dictionary"


def test_a_dictionary_is_made_of_records_that_differ(store, clocks, make_change):
    """Few records are their own dictionary; one that is taken a thousand times is not a thousand."""
    for names in (("a",), ("b", "c", "d")):  # the format has grown fourfold
        clocks.pass_seconds(1)
        changes = tuple(make_change(name * 2000) for name in names)
        store.publish(store.intend(), Publication("laro", changes))
    with store._file.reading() as session:
        assert session.execute("select content from dictionary order by id").fetchall()[1:] == [
            (b"".join(make_change(name * 2000).records[0].content for name in "abcd"),)
        ]


def test_texts_that_teach_nothing_are_their_own_dictionary():
    def fails(*_args, **_more):
        raise ZstdError("cannot train dict: Src size is incorrect")

    assert make_dictionary(TEXTS, fails) == b"".join(TEXTS)[:DICTIONARY_BYTES]


def test_empty_texts_are_not_trained_from():
    """python-zstandard 0.25 ends the process when it trains from 1,999 empty samples and one of 2,000 bytes."""
    assert make_dictionary([b""] * (SAMPLES - 1) + [b"x" * 2000]) == b"x" * 2000


def test_without_a_dictionary_bytes_come_back_too():
    codec = Codec({}.__getitem__)  # type: ignore[arg-type]
    assert codec.unpack(0, codec.packer("oai_dc", 0)(b"text")) == b"text"


def test_bytes_come_back_with_the_dictionary_that_packed_them():
    dictionaries = {1: make_dictionary(TEXTS), 2: make_dictionary(TEXTS[:50])}
    codec = Codec(dictionaries.__getitem__)
    old = codec.packer("oai_dc", 1)(TEXTS[0])
    new = codec.packer("oai_dc", 2)(TEXTS[0])
    again = codec.packer("oai_dc", 2)(TEXTS[1])
    reader = Codec(dictionaries.__getitem__)
    assert [reader.unpack(1, old), reader.unpack(2, new), reader.unpack(2, again)] == [TEXTS[0], TEXTS[0], TEXTS[1]]
    assert len(old) < len(TEXTS[0]) / 2


def test_a_dictionary_that_is_not_there_is_reported():
    with pytest.raises(KeyError):
        Codec({}.__getitem__).unpack(3, b"")  # type: ignore[arg-type]
