"""What a row of numbers says in words."""

from __future__ import annotations

from gateway.browse.harvests import trend
from tests.rows import each_row


@each_row(
    "values, words",
    [([], "none"), ([5], "none"), ([0, 0], "none"), ([1, 2, 3, 4], "rising"), ([4, 3, 1], "falling"), ([5, 5], "even")],
)
def test_a_row_of_numbers_has_a_trend(values, words):
    assert trend(values) == words
