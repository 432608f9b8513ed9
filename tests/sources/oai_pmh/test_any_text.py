"""Whatever stands in a token or a cursor: a value of ours, and never an exception."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvester.http.urls import request_url
from harvester.sources.oai_pmh.answers import parse_list
from harvester.sources.oai_pmh.list_state import Evidence, Position, Profile, state_of, text_of
from tests.oai_pages import page, record

# What XML can carry (XML 1.0 §2.2), but for the carriage return, which every parser makes a line feed.
CHARACTERS = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
NUMBERS = st.integers(-(10**20), 10**20)
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


_FIELDS = [name for value in (Position, Evidence, Profile) for name in value.__slots__]


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from([*_FIELDS, "other"]), JSON), st.sampled_from([1, 2, "1", None]))
def test_edited_state_is_read_back_as_it_is_kept_or_refused(values: dict[str, object], version: object) -> None:
    state, sentence = state_of(json.dumps({"version": version, **values}))
    assert sentence or state_of(text_of(state)) == (state, "")
