"""Pages that were made to be endless are read in linear time, and real ones whole."""

from collections.abc import Callable

import pytest

from harvester.fulltext.pages.landing_page import MOST_DEEP, MOST_TAGS, affordable, read
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


@pytest.mark.unmeasured
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

    assert not is_more_than_linear(first, made(40), made(160))
