"""What has come is remembered in little room, and never mistaken."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester.sources.seen import Seen, _holds


@given(st.lists(st.text(max_size=20)))
def test_it_is_a_set_of_identifiers(identifiers: list[str]):
    seen, plain = Seen(), set()
    for identifier in identifiers:
        assert seen.add(identifier) is (identifier not in plain)
        plain.add(identifier)
        assert identifier in seen
    assert len(seen) == len(plain)
    assert ("another" in seen) is ("another" in plain)


def test_what_lies_across_the_border_of_two_is_none_of_them():
    bucket = b"a" * 7 + b"b" * 7 + b"b" * 7 + b"c" * 7
    assert not _holds(bucket, b"b" * 14)
    assert _holds(bucket + b"b" * 14, b"b" * 14)


@pytest.mark.unmeasured
@pytest.mark.slow
def test_a_hundred_thousand_identifiers_take_less_than_ten_megabytes():
    tracemalloc.start()
    seen = Seen()
    for number in range(100_000):
        seen.add(f"oai:repository.example.org:{number}")
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(seen) == 100_000
    assert taken < 10_000_000  # a set takes twelve
