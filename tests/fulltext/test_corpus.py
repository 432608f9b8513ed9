"""Every kind of file is offered as the full text of a work: rules accept the right ones, and no other one ever.

`python -m tests.fulltext.corpus` prints the figures kind by kind.
"""

from __future__ import annotations

import pytest

from harvester.fulltext.pdf.reader import _read
from tests.fulltext.corpus import kinds
from tests.fulltext.corpus.cases import Kind
from tests.fulltext.corpus.offering import Offer, Result, as_expected, results
from tests.fulltext.corpus.words import Subject

# Rules were developed on the even works up to 7, and looked at with all up to 7; those from 8 on came afterwards.
WORKS = {"developed": (0, 2), "held back": (1, 3), "later": (8, 9, 10, 11)}
MOST_REFUSED = 0.05
FEWEST_AS_EXPECTED = {"kind": 0.85, "version": 0.95}


def test_there_are_kinds_enough() -> None:
    all_kinds = kinds()
    assert len({kind.name for kind in all_kinds}) == len(all_kinds)
    assert sum(kind.is_right for kind in all_kinds) >= 25
    assert sum(not kind.is_right for kind in all_kinds) >= 35


@pytest.mark.slow
@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)
def test_a_file_is_a_pdf_with_the_text_that_it_was_given(kind: Kind) -> None:
    """A file without text on purpose has pages at least; the same work has the same file."""
    case, again, other = (kind.make(Subject(number)) for number in (0, 0, 1))
    assert case.file == again.file
    assert case.file != other.file or "scan" in kind.name
    text = _read("pdfium", case.file)
    letters = [character for character in f"{text['first']}{text['rest']}" if character.isalpha()]
    assert len(letters) > 500 or kind.name == "scan without text"
    assert "\ufffd" not in str(text["first"])


def _bad(all_results: list[Result], *, is_right: bool) -> list[str]:
    bad = [result for result in all_results if result.kind.is_right is is_right and not result.is_as_it_should_be]
    return [
        f"{result.kind.name} {result.number}, {result.offer}: {result.reason or result.candidate.outcome}"
        for result in bad
    ]


@pytest.mark.slow
@pytest.mark.parametrize("half", WORKS)
def test_rules_accept_no_wrong_file_and_refuse_few_right_ones(half: str) -> None:
    all_results = list(results(kinds(), WORKS[half]))
    assert _bad(all_results, is_right=False) == []
    refused = _bad(all_results, is_right=True)
    offered = sum(result.kind.is_right for result in all_results)
    assert len(refused) <= MOST_REFUSED * offered, refused
    assert {result.offer for result in all_results} == set(Offer)
    for name, least in FEWEST_AS_EXPECTED.items():
        right, total, wrong = as_expected(all_results, name)
        assert right >= least * total, wrong


@pytest.mark.slow
def test_of_a_kind_in_eight_rules_accept_no_wrong_file_and_refuse_few_right_ones() -> None:
    """A share that an everyday run has the time for, of a work that each run takes from those that came later."""
    share = [kind for place, kind in enumerate(kinds()) if place % 8 == 5]
    all_results = list(results(share, (9,)))
    assert _bad(all_results, is_right=False) == []
    assert len(_bad(all_results, is_right=True)) <= 2 * MOST_REFUSED * sum(
        result.kind.is_right for result in all_results
    )
