"""What a record says beside what its file says."""

from random import Random

from gateway.core.model import Statement, Work
from gateway.review.item_view import Part, Row, in_any_order, in_order, rows_of

PAGE = """Journal of Reef Science 12 (2024) 45-67
Thermal Tolerance of Reef-Building Corals in the Red Sea
Ada Okafor 1,* and Märta Lindqvist 2
1 University of the Sea; 2 Institute of Corals
https://doi.org/10.5555/reef.1. Received 3 May 2023
Abstract. Marine heatwaves strike reefs every second summer."""


def work(**texts: str) -> Work:
    return Work(tuple(Statement(element, text) for element, text in texts.items()))


def row(rows: tuple[Row, ...], name: str) -> Row:
    return next(row for row in rows if row.name == name)


def test_names_in_another_order_do_not_differ_and_a_missing_one_does():
    record, file = in_any_order("Okafor, Ada; Lindqvist, Marta; Stranger, Max", PAGE)
    assert record == (Part("Okafor, Ada; Lindqvist, Marta;"), Part("Stranger, Max", True))
    assert "Okafor" in file[0].text
    assert not any(part.differs for part in file)


def test_a_year_or_a_doi_differs_only_if_the_file_has_another_one():
    rows = rows_of(work(title="x", date="2024-05-03", identifier="doi:10.5555/REEF.1"), None, PAGE)
    assert not row(rows, "year").differs
    assert row(rows, "doi").file == (Part("10.5555/reef.1"),)
    assert not row(rows, "doi").differs
    rows = rows_of(work(title="x", date="2019", identifier="https://doi.org/10.5555/other"), None, PAGE)
    assert row(rows, "year").record == (Part("2019", True),)
    assert row(rows, "doi").differs
    rows = rows_of(work(title="x"), None, PAGE)
    assert not row(rows, "year").differs


def test_no_word_is_lost_or_repeated_whatever_the_texts():
    random = Random(18)
    for _ in range(300):
        title = " ".join(random.choices(["a", "b", "c", "d,", ".", "\u2013", "E"], k=random.randint(0, 12)))
        text = " ".join(random.choices(["a", "b", "c", "d", "e", "f", ";", "X"], k=random.randint(0, 60)))
        for compared in (in_order, in_any_order):
            record, file = compared(title, text)
            assert " ".join(part.text for part in record) == title
            assert " ".join(part.text for part in file) in text
            if file:
                assert len(" ".join(part.text for part in file).split()) <= 1.5 * len(title.split()) + 2


def test_a_long_page_and_a_long_title_are_compared_at_once():
    record, _ = in_order("word " * 5000, "word other " * 2000)
    assert len(record[0].text.split()) <= 80
