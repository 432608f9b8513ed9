"""Pages that were made to be endless are read in a moment, and real ones whole."""

from __future__ import annotations

import time

import pytest

from harvester.fulltext.identifiers import dois_in
from harvester.fulltext.pages.landing_page import read
from harvester.fulltext.pages.page_limits import MOST_DEEP, MOST_TAGS, affordable
from harvester.fulltext.pdf.similarity import letters, words
from harvester.http.links import from_header
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
@each_row(
    "body",
    [
        b"<a href='x.pdf'>pdf<div>" * 300,  # took the square of their number
        LINK + b"<div>" * 200_000,
        LINK + b"<link rel=item href=x.pdf>" * 50_000,
        b"<div class='" + b"a " * 500_000 + b"'>" + LINK * 500,
        b"<a href='x.pdf'>pdf" + b"(" * 500_000 + b"</a>",
        LINK + b"<meta name=citation_doi content='10.1234/" + b"<a" * 200_000 + b"'>",
    ],
)
def test_what_was_made_to_be_endless_costs_a_moment(body: bytes) -> None:
    began = time.process_time()
    assert read.__wrapped__(body, PAGE).copies[0].url == "https://journal.example.org/x.pdf"
    assert time.process_time() - began < 40


@pytest.mark.slow
@each_row("text", ["\ufdfa" * 500_000, "a" * 2_000_000, "a-" + "\n" * 200_000, "a\u0301" * 500_000])
def test_a_document_that_was_made_to_be_endless_costs_a_moment(text: str) -> None:
    began = time.process_time()
    words(text)
    letters(text)
    assert time.process_time() - began < 60


def test_texts_and_headers_without_end_cost_a_moment() -> None:
    began = time.process_time()
    assert dois_in("10.1234/a" + "." * 500_000) == ("10.1234/a",)
    assert dois_in("10.1234/b " + "10.1234/" + "<a" * 100_000)[0] == "10.1234/b"
    assert from_header(["<" * 60_000, "<" + " " * 60_000, "<x.pdf>;rel=item"], PAGE)[0].rel == "item"
    assert time.process_time() - began < 40
