"""The script of the review: small, ours, and without anything that our policy forbids."""

from __future__ import annotations

import re

from gateway.review.script import review_script
from tests.page_house import House, parsed
from tests.review_house import browser, signed_in


def test_the_script_is_small_and_makes_no_markup_and_no_code():
    text = review_script().content.decode()
    assert len(text.encode()) <= 6_000
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|fetch\(|\.style\b", text)
        == []
    )


def test_the_script_is_served_for_ever_under_a_name_that_changes_with_it(house: House):
    page = signed_in(house.app, house.desk.folder).get("/review").text
    (address,) = parsed(page).xpath("//script/@src")
    assert re.fullmatch(r"/assets/review-[0-9a-f]{16}\.js", address)
    answer = browser(house.app).get(address)
    assert answer.status_code == 200
    assert answer.content_type == "text/javascript; charset=UTF-8"
    assert "immutable" in answer.headers["Cache-Control"]


def test_the_page_to_sign_in_has_no_script(house: House):
    signed_in(house.app, house.desk.folder)
    assert parsed(browser(house.app).get("/review/login").text).xpath("//script") == []
