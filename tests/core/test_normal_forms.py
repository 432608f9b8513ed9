"""Texts of strangers are normalized in a time that grows with their length, and not with its square."""

from itertools import product
from unicodedata import combining, normalize

import pytest

from gateway.core.normal_forms import letters, normalized
from gateway.pages.citations import _initials
from gateway.review.item_view import _plain
from gateway.search.words import folded
from harvester.fulltext.pdf.title_words import spelled
from harvester.graph.facts import _key
from tests.growth import is_more_than_linear
from tests.rows import each_row


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
