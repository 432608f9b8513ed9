"""OAI-PMH 2.0 §3.5: what the resumptionToken promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import BadResumptionToken
from gateway.oaipmh import token
from gateway.oaipmh.token import ListState, SetsState, open_list, open_sets, seal
from tests.rows import each_row

KEY = b"k" * 32
STATE = ListState("oai_dc", "a:b", 5, 100, None, 50, 7, 500, 1200)

SECONDS = st.integers(-(2**40), 2**40)
STATES = st.builds(
    ListState,
    st.text(max_size=10),
    st.none() | st.text(max_size=10),
    st.none() | SECONDS,
    SECONDS,
    st.none() | SECONDS,
    SECONDS,
    st.integers(0, 2**62),
    st.integers(1, 2**62),
    st.integers(1, 2**62),
)


@given(STATES)
def test_what_goes_in_comes_out_and_needs_no_escaping(state):
    text = seal("ListRecords", state, 0, KEY)
    assert open_list(text, "ListRecords", 0, KEY) == state
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
    assert text == seal("ListRecords", state, 0, KEY)


def test_a_token_of_list_sets_holds_the_last_set():
    state = SetsState("a:b", 1000, 2000)
    assert open_sets(seal("ListSets", state, 0, KEY), 0, KEY) == state


def test_every_single_changed_character_is_noticed():
    text = seal("ListRecords", STATE, 0, KEY)
    for place, was in enumerate(text):
        for now in "AB_.-~=":
            if now != was:
                with pytest.raises(BadResumptionToken):
                    open_list(text[:place] + now + text[place + 1 :], "ListRecords", 0, KEY)


SEALED = seal("ListRecords", STATE, 0, KEY)


@each_row(
    "text",
    [
        *("", "1", "1.", "1.é", "2.AAAA", "1.AAAAA", "1." + "A" * 100, "junk", "\x00"),
        *(SEALED + "=", SEALED + "A", SEALED[:-1], " " + SEALED),
        seal("ListRecords", STATE, 0, b"another key"),
        *(seal(verb, STATE, 0, KEY) for verb in ("ListIdentifiers", "ListSets", "Identify", "")),
        seal("ListRecords", SetsState("a", 1, 2), 0, KEY),  # a token of sets
    ],
)
def test_what_is_no_token_of_ours_for_this_list_is_refused(text):
    with pytest.raises(BadResumptionToken):
        open_list(text, "ListRecords", 0, KEY)


def test_a_token_is_good_until_its_last_second_and_no_longer():
    text = seal("ListRecords", STATE, 1000, KEY)
    assert open_list(text, "ListRecords", 1000, KEY) == STATE
    with pytest.raises(BadResumptionToken, match="expired"):
        open_list(text, "ListRecords", 1001, KEY)


@each_row(
    "payload",
    [
        b"{}",
        b"[]",
        b'["ListRecords",0,"oai_dc",null,5,100,null,50,7,500,"1200"]',
        b'["ListRecords",0,"oai_dc",null,5,100,null,50,7,true,1200]',
        b'["ListRecords",0,"oai_dc",null,5,100,null,50,7,500,9223372036854775808]',
        b'["ListRecords","0","oai_dc",null,5,100,null,50,7,500,1200]',
    ],
)
def test_even_a_signed_token_must_have_the_right_fields(payload):
    """The secret may be shared with something that signs other things."""
    with pytest.raises(BadResumptionToken):
        open_list(token._signed(payload, KEY), "ListRecords", 0, KEY)
