"""The table of quirks holds every quirk that is known, and each says who showed it."""

from __future__ import annotations

import re

import pytest

from tests.faults.table import Promise, Quirk, all_quirks

QUIRKS = all_quirks()
# Quirks of the list that are not shown here, and where they are.
ELSEWHERE = {
    45: "broken chains of certificates: tests/http/test_credentials.py, the field `verify`",
    68: "deletions that are not told: the sweep by ListIdentifiers has tests of its own",
    75: "one repository under many base URLs: no fault of an endpoint",
}


def test_every_known_quirk_is_shown() -> None:
    shown = {number for quirk in QUIRKS.values() for number in quirk.numbers}
    assert shown | ELSEWHERE.keys() == set(range(1, 78))


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda quirk: quirk.name)
def test_quirk_names_its_endpoint_and_the_date_at_which_that_was_seen_or_read(quirk: Quirk) -> None:
    assert re.search(r"\w[^)]*\b20\d\d\b", quirk.endpoint)


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda quirk: quirk.name)
def test_honest_end_is_told_exactly(quirk: Quirk) -> None:
    is_honest = quirk.promise is Promise.HONEST
    assert is_honest == bool(quirk.outcome) == bool(quirk.says)
