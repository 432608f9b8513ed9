"""Names of records, sets and formats can be undone and are legal; normal forms of texts cost linear time."""

import re
from itertools import product
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.names import (
    local_identifier,
    local_prefix,
    local_set,
    original_spec,
    upstream_identifier,
    upstream_set,
)
from gateway.core.normal_forms import letters, normalized
from gateway.pages.citations import _initials
from gateway.review.item_view import _plain
from gateway.search.words import folded
from harvester.commands.common_words import spelled
from harvester.graph.facts import _key
from tests.growth import is_more_than_linear
from tests.rows import each_row

IDENTIFIER = re.compile(r"oai:gateway\.example\.org:(?:[A-Za-z0-9\-_.!~*'();/?:@&=+$,]|%[0-9A-F]{2})+")
SPEC = re.compile(r"[A-Za-z0-9\-_.!~*'()]+(:[A-Za-z0-9\-_.!~*'()]+)*")
ANY = st.text(st.characters(codec=None), max_size=20)


@given(ANY)
def test_an_identifier_is_legal_and_can_be_undone(upstream: str) -> None:
    local = local_identifier("gateway.example.org", "laro", upstream)
    assert IDENTIFIER.fullmatch(local)
    assert upstream_identifier(local) == upstream


@given(ANY)
def test_a_set_is_legal_and_can_be_undone(upstream: str) -> None:
    local = local_set("laro", upstream)
    assert SPEC.fullmatch(local)
    assert upstream_set(local) == upstream


@each_row(
    "upstream, local",
    [("a:b", "a:b"), ("", "~"), ("a::b", "a:~:b"), ("~", "~7E"), ("é", "~C3~A9"), ("a b/c", "a~20b~2Fc")],
)
def test_what_no_set_may_have_is_escaped(upstream: str, local: str) -> None:
    assert local_set("laro", upstream) == f"source:laro:{local}"


@given(st.text(st.characters(codec=None), min_size=1, max_size=20))
def test_a_prefix_is_legal(upstream: str) -> None:
    assert SPEC.fullmatch(local_prefix(upstream))
    assert ":" not in local_prefix(upstream)


@each_row("local", ["oai:x:laro/%FF", "oai:x:laro/a%C3", "oai:x:laro/%F4%90%80%80"])
def test_an_identifier_that_is_none_of_ours_has_a_name_nobody_has(local):
    assert "\N{REPLACEMENT CHARACTER}" in upstream_identifier(local)


@each_row("local", ["source:laro:~FF", "source:laro:日", "source:laro:日~FF", "source:laro:a~C3:b"])
def test_a_set_that_is_none_of_ours_has_its_own_spec_as_its_name(local):
    assert original_spec(local) == local


@each_row(
    "form, text",
    product(
        ["NFC", "NFD", "NFKC", "NFKD"],
        ["", "abc", "caf\u00e9", "cafe\u0301 \ufb01 \u1100\u1161", "\u0301" * 30, "." * 99 + "\u00e9"],
    ),
)
def test_texts_that_people_write_are_as_unicode_says(form, text):
    assert normalized(form, text) == normalize(form, text)


def test_every_mark_is_counted():
    marks = [chr(number) for number in range(0x110000) if combining(chr(number))]
    assert [mark for mark in marks if len(normalized("NFC", "b" + mark * 40)) > 1 + 2 * 30] == []


@pytest.mark.slow
@each_row("read", [folded, _plain, letters, spelled, _key, lambda text: _initials(text, ".", " ", "-")])
def test_a_title_of_marks_takes_time_that_grows_with_its_length(read):
    quarter, whole = ("a" + "\u0301\u0327" * marks for marks in (50_000, 200_000))
    assert not is_more_than_linear(read, quarter, whole)
