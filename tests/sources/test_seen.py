"""What has come is remembered in little room, and never mistaken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester.sources.seen import Seen, _holds
from tests.growth import peak_bytes


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
def test_it_takes_less_memory_than_a_set():
    def fill(identifiers: Seen | set[str]) -> None:
        for number in range(100_000):
            identifiers.add(f"oai:repository.example.org:{number}")
        assert len(identifiers) == 100_000

    assert peak_bytes(lambda: fill(Seen())) < peak_bytes(lambda: fill(set()))
