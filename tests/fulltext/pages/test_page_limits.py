"""Pages that were made to be endless are read in linear time, and real ones whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gateway.core.bibliography.identifiers import dois_in
from gateway.core.normal_forms import letters
from harvester.fulltext.pages.landing_page import MOST_DEEP, MOST_TAGS, affordable, read
from harvester.fulltext.pdf.similarity import words
from harvester.http.links import from_header
from tests.growth import is_more_than_linear
from tests.rows import each_row

PAGE = "https://journal.example.org/a"
LINK = b"<a href='x.pdf'>PDF</a>"


def test_a_page_is_read_to_where_it_has_too_many_tags() -> None:
    assert affordable(LINK * 10) == LINK * 10
    assert affordable(LINK * MOST_TAGS) == LINK * (MOST_TAGS // 2)


def test_a_page_is_read_to_where_too_many_elements_are_inside_each_other() -> None:
    assert affordable(b"<div>" * MOST_DEEP + LINK) == b"<div>" * MOST_DEEP
    beside = b"<div><p><br></div>" * 2 * MOST_DEEP + b"</p>" * MOST_DEEP + LINK
    assert affordable(beside) == beside


@pytest.mark.slow
@each_row("made", [
    lambda n: b"<a href='x.pdf'>pdf<div>" * n,  # took the square of their number
    lambda n: LINK + b"<div>" * (700 * n),
    lambda n: LINK + b"<link rel=item href=x.pdf>" * (170 * n),
    lambda n: b"<div class='" + b"a " * (1700 * n) + b"'>" + LINK * 500,
    lambda n: b"<a href='x.pdf'>pdf" + b"(" * (1700 * n) + b"</a>",
    lambda n: LINK + b"<meta name=citation_doi content='10.1234/" + b"<a" * (700 * n) + b"'>",
    lambda n: LINK + b"<ul>" + b"<li>Embargoed until 1 May 2027 <a href='y.pdf'>PDF</a></li>" * (10 * n),
])  # fmt: skip
def test_what_was_made_to_be_endless_is_read_in_linear_time(made: Callable[[int], bytes]) -> None:
    def first(body: bytes) -> None:
        assert read.__wrapped__(body, PAGE).copies[0].url == "https://journal.example.org/x.pdf"

    assert not is_more_than_linear(first, made(75), made(300))


@pytest.mark.slow
@each_row("before, repeated, times", [
    ("", "\ufdfa", 100_000), ("", "a", 2_000_000), ("a-", "\n", 200_000), ("", "a\u0301", 500_000),
])  # fmt: skip
def test_words_and_letters_of_a_text_without_end_are_found_in_linear_time(
    before: str, repeated: str, times: int
) -> None:
    for look in (words, letters):
        assert not is_more_than_linear(look, before + repeated * (times // 4), before + repeated * times)


@pytest.mark.slow
@each_row("made, look", [
    (lambda n: "10.1234/a" + "." * n, lambda text: dois_in(text) == ("10.1234/a",)),
    (lambda n: "10.1234/b " + "10.1234/" + "<a" * n, lambda text: dois_in(text)[0] == "10.1234/b"),
    (lambda n: ["<" * n, "<" + " " * n, "<x.pdf>;rel=item"], lambda header: from_header(header, PAGE)[0].rel == "item"),
])  # fmt: skip
def test_texts_and_headers_without_end_are_read_in_linear_time(made: Any, look: Any) -> None:
    assert look(made(60_000))
    assert not is_more_than_linear(look, made(15_000), made(60_000))
