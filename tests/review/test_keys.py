"""The script of the review: small, ours, and without anything that our policy forbids."""

import re

from gateway.review.frame import review_script


def test_the_script_is_small_and_makes_no_markup_and_no_code():
    text = review_script().content.decode()
    assert len(text.encode()) <= 6_000
    assert (
        re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\(|fetch\(|\.style\b", text)
        == []
    )
