"""Every kind of file is offered as the full text of a work: rules accept the right ones, and no other one ever.

`python -m tests.fulltext.corpus` prints the figures kind by kind.
"""

from __future__ import annotations

import pytest

from tests.fulltext.corpus import kinds
from tests.fulltext.corpus.offering import Offer, Result, as_expected, results

pytestmark = pytest.mark.usefixtures("quick_reader")

# Rules were developed on the even works up to 7, and looked at with all up to 7; those from 8 on came afterwards.
WORKS = (0, 1, 2, 3, 8, 9, 10, 11)
MOST_REFUSED = 0.05
FEWEST_AS_EXPECTED = {"kind": 0.85, "version": 0.95}


def _bad(all_results: list[Result], *, is_right: bool) -> list[str]:
    bad = [result for result in all_results if result.kind.is_right is is_right and not result.is_as_it_should_be]
    return [
        f"{result.kind.name} {result.number}, {result.offer}: {result.reason or result.candidate.outcome}"
        for result in bad
    ]


@pytest.mark.slow
@pytest.mark.unmeasured
@pytest.mark.share(one_in=8)
@pytest.mark.parametrize("number", WORKS)
def test_rules_accept_no_wrong_file_and_refuse_few_right_ones(number: int) -> None:
    all_results = list(results(kinds(), (number,)))
    assert _bad(all_results, is_right=False) == []
    refused = _bad(all_results, is_right=True)
    offered = sum(result.kind.is_right for result in all_results)
    assert len(refused) <= MOST_REFUSED * offered, refused
    assert {result.offer for result in all_results} == set(Offer)
    for name, least in FEWEST_AS_EXPECTED.items():
        right, total, wrong = as_expected(all_results, name)
        assert right >= least * total, wrong
