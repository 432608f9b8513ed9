"""Whatever stands in a token, a date, an address or a cursor: a value of ours, and never an exception."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester.wire.dates import DAY, SECONDS, granularity_of, moment_of, written
from harvester.wire.list_state import ListState, state_of, text_of
from harvester.wire.oai_pmh import parse_list
from harvester.wire.urls import base_url, request_url
from tests.wire.pages import page, record

# What XML can carry (XML 1.0 §2.2), but for the carriage return, which every parser makes a line feed.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
NUMBERS = st.integers(-(10**20), 10**20)
DATES = st.one_of(
    st.text(max_size=30),
    st.from_regex(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?)?", fullmatch=True),
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@given(st.text(CHARACTERS, max_size=60))
def test_token_is_sent_as_it_was_given(token: str) -> None:
    answer = parse_list(page(record(1), token=_escaped(token)).encode())
    assert answer.token is not None
    assert answer.token.text == token.strip()
    url = request_url("http://x.org/oai?a=b", "ListRecords", ("resumptionToken", answer.token.text))
    sent = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    assert sent == {"a": "b", "verb": "ListRecords"} | ({"resumptionToken": token.strip()} if token.strip() else {})


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


@given(st.text(max_size=60))
def test_any_text_is_a_state_or_means_from_the_start(text: str) -> None:
    state, sentence = state_of(text)
    assert isinstance(state, ListState)
    assert sentence or not text


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*ListState.__slots__, "other"]), JSON), st.sampled_from([1, 2, "1", None]))
def test_edited_state_is_read_back_as_it_is_kept_or_refused(values: dict[str, object], version: object) -> None:
    state, sentence = state_of(json.dumps({"version": version, **values}))
    assert sentence or state_of(text_of(state)) == (state, "")


@given(st.text("abc%&=?#/:;+é ", max_size=30))
def test_base_url_of_a_base_url_is_itself(query: str) -> None:
    once = base_url(f"http://x.org/oai?{query}")
    assert base_url(once) == once
