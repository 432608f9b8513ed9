"""Whatever stands in a date or an address: a value of ours, and never an exception."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from harvester.http.dates import DAY, SECONDS, granularity_of, moment_of, written
from harvester.http.urls import base_url

NUMBERS = st.integers(-(10**20), 10**20)
DATES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", fullmatch=True),
)


@given(DATES)
def test_any_date_is_a_moment_that_can_be_written_or_none(text: str) -> None:
    granularity_of(text)
    moment = moment_of(text)
    if moment is not None:
        assert len(written(moment, DAY)) == len("2024-06-01")
        assert moment_of(written(moment, SECONDS)) is not None


@given(NUMBERS)
def test_any_second_can_be_written(second: int) -> None:
    assert len(written(second, SECONDS)) == len("2024-06-01T12:00:00Z")


@given(st.text("abc%&=?#/:;+é ", max_size=30))
def test_base_url_of_a_base_url_is_itself(query: str) -> None:
    once = base_url(f"http://x.org/oai?{query}")
    assert base_url(once) == once
