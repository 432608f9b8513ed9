"""What titles and services say of works that were retracted."""

from __future__ import annotations

import pytest

from harvester.fulltext.retractions import by_title, by_update


@pytest.mark.parametrize(
    ("title", "is_retracted"),
    [
        ("RETRACTED ARTICLE: A study of hope", True),
        ("Retracted: A study of hope", True),
        ("[Retracted] A study of hope", True),
        ("Article Withdrawn: A study of hope", True),
        ("WITHDRAWN: A study of hope", True),
        ("A retracted article: what remains", False),
        ("Retracted canines: a case report", False),
        ("Retraction notice to: A study of hope", False),
        ("Removed tonsils", False),
        ("", False),
    ],
)
def test_titles_that_begin_with_it_are_those_of_retracted_works(title: str, is_retracted: bool) -> None:
    assert bool(by_title(title, "Crossref")) is is_retracted


def test_what_is_told_of_a_retraction_is_a_sentence() -> None:
    assert by_update("retraction", "Crossref", "10.1/n", "2024-05-01") == (
        "The work is retracted: Crossref names 10.1/n of 2024-05-01."
    )
    assert by_update("expression_of_concern", "Crossref") == (
        "An expression of concern was published about the work: Crossref names a notice."
    )
