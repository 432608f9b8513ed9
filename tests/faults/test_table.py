"""The table of quirks holds every quirk that is known, and each says who showed it, and how an honest run ends."""

from __future__ import annotations

from tests.faults.table import Promise, all_quirks

QUIRKS = all_quirks()
# Quirks of the list that are not shown here, and where they are.
ELSEWHERE = {
    45: "broken chains of certificates: tests/http/test_credentials.py, the field `verify`",
    68: "deletions that are not told: the sweep by ListIdentifiers has tests of its own",
    75: "one repository under many base URLs: no fault of an endpoint",
}


def test_every_known_quirk_is_shown_with_its_endpoint_and_date_and_how_it_ends() -> None:
    shown = {number for quirk in QUIRKS.values() for number in quirk.numbers}
    assert shown | ELSEWHERE.keys() == set(range(1, 78))
    ends = {
        quirk.name: (quirk.promise is Promise.HONEST, bool(quirk.outcome), bool(quirk.says))
        for quirk in QUIRKS.values()
    }
    assert {name for name, (is_honest, *told) in ends.items() if told != [is_honest] * 2} == set()
