"""The last sentences of a run say whether anything is missing, and with what that was compared."""

from __future__ import annotations

from gateway.model import Cursor, RawPage
from harvester.harvest.completeness import Proof, proved
from harvester.sources import Compared, ListEnd, Step
from tests.rows import each_row

PAGE = RawPage("x", "ListRecords", "http://x.org/oai", 0, 200, (), b"", "oai_dc")


def _ended(received: int, announced: tuple[int | None, int | None], compared: Compared | None) -> Step:
    return Step(PAGE, (), Cursor("x", "oai_dc"), received, announced, ListEnd.PROPER, compared=compared)


@each_row(
    "compared, words",
    [
        ([Compared.WHOLE, Compared.WHOLE], "with all that ListIdentifiers names."),
        ([Compared.WHOLE, Compared.PART], "at most four answers of ListIdentifiers; `harvester source"),
        (
            [Compared.WHOLE, Compared.CHANGES],
            "with what ListIdentifiers names of the dates asked for; `harvester source",
        ),
        ([Compared.PART, Compared.NOTHING], "with the counts alone, because ListIdentifiers gives no names."),
        ([None, Compared.WHOLE], "with all that ListIdentifiers names."),
    ],
)
def test_the_least_comparison_of_any_list_is_reported(compared: list[Compared | None], words: str) -> None:
    proof = Proof()
    for comparison in compared:
        proof.end(_ended(5, (5, 5), comparison), 5)
    sentence = proved("x", {}, proof, is_complete=True)
    assert sentence.startswith("Nothing is missing. The records were compared ")
    assert words in sentence


@each_row(
    "compared, words",
    [
        (Compared.PART, "The records were compared with at most four answers of ListIdentifiers;"),
        (Compared.NOTHING, "Only the ends of its lists say so: it announces no counts, and ListIdentifiers gives no"),
    ],
)
def test_counts_that_were_not_announced_are_no_comparison(compared: Compared, words: str) -> None:
    proof = Proof()
    proof.end(_ended(5, (None, None), compared), 5)
    assert proved("x", {}, proof, is_complete=True).startswith(f"Nothing is missing. {words}")


def test_more_than_four_lists_are_compared_with_one_answer_each() -> None:
    proof = Proof(lists=5)
    proof.end(_ended(5, (None, None), Compared.PART), 5)
    assert "compared with one answer of ListIdentifiers for each list; `harvester" in proved(
        "x", {}, proof, is_complete=True
    )


def test_of_lists_in_windows_the_ends_of_these_are_reported() -> None:
    proof = Proof()
    window = _ended(5, (None, None), None)
    proof.end(window._replace(cursor=Cursor("x", "oai_dc", window="2020-01-01T00:00:00Z/2020-12-31T23:59:59Z")), 5)
    proof.end(_ended(0, (None, None), Compared.PART), 0)
    assert "four answers of ListIdentifiers, and with what it names at the end of each window; `harvester" in proved(
        "x", {}, proof, is_complete=True
    )


def test_of_kinds_that_have_no_other_list_no_comparison_is_reported() -> None:
    assert proved("x", {}, Proof(), is_complete=True) == "Nothing is missing."


def test_where_something_is_missing_no_comparison_is_reported() -> None:
    proof = Proof(compared=Compared.WHOLE)
    assert proved("x", {}, proof, is_complete=False) == "It is not shown that nothing is missing."
    assert proved("x", {"missing": 2}, proof, is_complete=False) == "What could not be fetched is missing."


def test_announced_numbers_are_added_up_and_lists_without_one_count_with_what_came() -> None:
    proof = Proof()
    proof.end(_ended(5, (None, None), None), 5)
    assert proof.counts == {}
    proof.end(_ended(60, (71, 60), None), 60)
    assert proof.counts == {"announced": 76}


def test_of_a_list_that_went_on_what_came_before_is_not_announced_again() -> None:
    proof = Proof()
    proof.end(_ended(60, (60, 60), None), 20)
    assert proof.counts == {"announced": 20}
