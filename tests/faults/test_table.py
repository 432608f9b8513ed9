"""The table of quirks holds every quirk that is known, and each says who showed it."""

from __future__ import annotations

import re

import pytest

from tests.faults.table import Promise, Quirk, all_quirks

QUIRKS = all_quirks()
# Quirks of the list that are not shown here, and where they are.
ELSEWHERE = {
    45: "broken chains of certificates: tests/web/test_credentials.py, the field `verify`",
    68: "deletions that are not told: the sweep by ListIdentifiers has tests of its own",
    75: "one repository under many base URLs: no fault of an endpoint",
}


def test_every_known_quirk_is_shown() -> None:
    shown = {number for each in QUIRKS.values() for number in each.numbers}
    assert shown | ELSEWHERE.keys() == set(range(1, 78))


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda each: each.name)
def test_quirk_names_its_endpoint_and_where_that_is_told(quirk: Quirk) -> None:
    """By an issue, a commit, a version or a date."""
    assert re.search(r"#\d|\b[0-9a-f]{7,8}\b|\b20\d\d|\d\.\d", quirk.endpoint)


def test_nothing_is_lost_without_a_word_but_for_want_of_something() -> None:
    assert [each.name for each in QUIRKS.values() if each.is_silent and not each.awaits] == []


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda each: each.name)
def test_honest_end_is_told_exactly(quirk: Quirk) -> None:
    is_honest = quirk.promise is Promise.HONEST
    assert is_honest == bool(quirk.outcome) == bool(quirk.says)
