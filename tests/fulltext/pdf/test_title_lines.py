# ruff: noqa: RUF001 - lists are long, letters of other scripts
"""A short line beside the title that no form of an article explains leaves the decision to a person."""

from __future__ import annotations

import pytest

from gateway.fulltext.decisions import Thresholds, rule
from gateway.model import Candidate, Outcome
from harvester.fulltext.pdf.document import Facts
from harvester.fulltext.pdf.document_kinds import doubt_about, kind_of
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.known_names import ends_byline
from harvester.fulltext.pdf.record_kinds import WORKS
from harvester.fulltext.pdf.work_names import Named
from tests.fulltext.corpus.tables import HEADS, LABELS
from tests.fulltext.corpus.unusual import lines_of_a_head
from tests.fulltext.corpus.words import Subject
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
RECORD = Named(titles=(TITLE,), authors=("Turf, Ada", "Reed, Bo"), years=("2019",), venues=("Wet Land",))
SENTENCE = "The water table of plot {} was measured, and it fell in summer and in autumn too."
BODY = "\n".join(SENTENCE.format(number) for number in range(30))
A4 = (595.0, 842.0)
MOST_ACCEPTED, MOST_REFUSED = 0.02, 0.1  # of labels, of heads


def a_document(*lines: str, pages: int = 8, second: str = BODY, size: tuple[float, float] = A4) -> Extracted:
    """Return what was read of a document with these lines on its first page."""
    front = "\n".join(lines)
    return Extracted(
        Outcome.SUCCESS, pages, f"{front}\f{second}", BODY * 9, "pdfium", front, (400,) * pages, (size,) * pages
    )


def doubt(*lines: str, named: Named = RECORD, pages: int = 8, title: str = TITLE) -> str:
    """Return the doubt about a document with these lines before its text."""
    return doubt_about(a_document(*lines, "Abstract", BODY, pages=pages), Facts((title,)), named)


def test_the_sentence_names_the_line_and_its_place() -> None:
    above = "An unknown line is above the title: “Skriv til naboene”."
    below = "An unknown line is below the title: “Skriv til naboene”."
    assert doubt("Skriv til naboene", TITLE, "Ada Turf") == above
    assert doubt(TITLE, "Skriv til naboene", "Ada Turf") == below
    assert doubt(TITLE, "Ada Turf", "Skriv til naboene", "University of Harlow") == below
    assert doubt(f"Skriv til naboene: {TITLE}", "Ada Turf") == above
    assert doubt(TITLE, "Ada Turf", "University of Harlow") == ""


def test_no_rule_accepts_a_file_with_a_doubt_and_the_reason_is_the_doubt() -> None:
    plain = Candidate(
        "https://x.example.org/a.pdf", "page", outcome=Outcome.SUCCESS, sha256="0" * 64, license="cc-by", score=0.9,
        identified_by=("title", "author"),
    )  # fmt: skip
    sentence = "An unknown line is above the title: “Lesbrief”."
    assert rule(plain, None, "", Thresholds(), "2026-11").verdict == "accept"
    assert rule(plain._replace(kind_doubt=sentence), None, "", Thresholds(), "2026-11") == ("review", sentence)


@each_row("line", [
    "Wet Land", "Annals of Wet Land 12 (2019) 45–58", "Original Article", "ORIGINAL RESEARCH", "Review", "Full Paper",
    "Artikel", "研究论文", "Received 3 May 2019; accepted 7 June 2019", "https://doi.org/10.1234/wl.5", "May 2019",
    "Open Access", "Ecology and Evolution", "WL-PUB-19-123", "Institute of Peat, University of Harlow", "Chapter 4",
    "Edited by: Tom Holm", "See Supplement 1 for more plots", "Bo Reed, Ada Turf", "Tom Holm and Eva Dahl",
    "© 2019 The Authors",
])  # fmt: skip
def test_lines_that_articles_have_above_their_titles_are_known(line: str) -> None:
    assert doubt(line, TITLE, "Ada Turf, Bo Reed") == ""


@each_row("line", [
    "Ada Turf", "Ada Turf 1,*, Bo Reed 2", "By Ada Turf", "Results of twelve drainage plots", "Tom Holm, Eva Dahl, MD",
    "Tom Holm", "T. Holm", "Fenland Drainage Board, Harlow, Norway",
])  # fmt: skip
def test_authors_and_subtitles_below_the_title_are_known(line: str) -> None:
    assert doubt(TITLE, line, "Ada Turf, Bo Reed", "University of Harlow", "Correspondence: T. Holm") == ""


@each_row("line", ["Community Feedback", "Milestone M4", "보충 자료", "활동지", "Resumen ejecutivo", "ملخص"])
def test_a_line_with_the_form_of_one_name_is_unknown_where_nobody_else_has_it(line: str) -> None:
    assert "below the title" in doubt(TITLE, line, "Ada Turf, Bo Reed")
    assert "below the title" in doubt(TITLE, line, "Ada Turf, Bo Reed", named=Named(titles=(TITLE,)))


def test_an_author_with_an_institution_in_one_line_is_known() -> None:
    assert doubt(TITLE, "ADA TURF, University of Harlow", "BO REED, Institute of Peat, Norway") == ""
    assert "below" in doubt(TITLE, "Lesson Plan, University of Harlow", "Ada Turf")


def test_a_name_with_an_address_is_known_where_the_record_has_no_authors() -> None:
    alone = Named(titles=(TITLE,))
    assert doubt(TITLE, "Tom Holm", "Institute of Peat", "holm@peat.example.org", named=alone) == ""
    assert "below" in doubt(TITLE, "Tom Holm", "Institute of Peat", "office@peat.example.org", named=alone)


@each_row("line", [
    "A commentary on Ada Turf and Bo Reed", "A response to Ada Turf and Bo Reed", "Discussion by Tom Holm and Eva Dahl",
    "Summary of the paper by Ada Turf and Bo Reed", "Closure by Ada Turf", "Interlibrary Loan Request 4711",
])  # fmt: skip
def test_a_line_that_names_the_authors_and_a_text_about_them_is_unknown(line: str) -> None:
    assert "below the title" in doubt(TITLE, line, "Tom Holm, Eva Dahl")
    assert "below the title" in doubt(TITLE, "Ada Turf, Bo Reed", line)


def test_names_in_chinese_and_places_behind_authors_are_known() -> None:
    chinese = Named(titles=(TITLE,), authors=("王小明",))
    assert doubt(TITLE, "王小明", "北京大学", named=chinese) == ""
    assert doubt(TITLE, "Ada Turf", "University of Harlow", "Norway") == ""
    assert doubt(TITLE, "Ada Turf", "CERN") == ""
    assert doubt(TITLE, "Ada Turf", "Tiedosto") != ""


def test_a_label_that_is_part_of_the_title_is_no_sign() -> None:
    title = "Peer review reports of three journals on peat"
    assert doubt("Peer review reports", "of three journals on peat", "Ada Turf", title=title) == ""


def test_a_label_that_is_part_of_the_name_of_the_journal_is_no_sign() -> None:
    journal = RECORD._replace(venues=("Thesis Eleven",))
    assert doubt("Article in Thesis Eleven · June 2019", TITLE, "Ada Turf", named=journal) == ""
    assert doubt("Teaching Research Quarterly 25 (2019) 339-345", TITLE, "Ada Turf") == ""
    assert doubt("Teaching notes", TITLE, "Ada Turf") != ""


def test_a_head_with_the_title_and_the_title_in_the_abstract_are_not_the_title() -> None:
    assert doubt(TITLE, "Article of the Month", TITLE, "Ada Turf") == ""
    text = a_document(TITLE, "Ada Turf", "Abstract", "Lone line", TITLE, BODY)
    assert doubt_about(text, Facts((TITLE,)), RECORD) == ""
    bare = a_document(TITLE, "Ada Turf", *[SENTENCE.format(number) for number in range(4)], "Lone line", TITLE)
    assert doubt_about(bare, Facts((TITLE,)), RECORD) == ""


def test_an_article_that_begins_below_the_end_of_another_one_is_known() -> None:
    assert doubt(*[SENTENCE.format(number) for number in range(6)], "Lone line of it", TITLE, "Ada Turf") == ""


def test_on_a_cover_only_words_of_other_documents_count() -> None:
    def behind(line: str) -> str:
        second = f"{TITLE}\nAda Turf\nAbstract\n{BODY}"
        return doubt_about(a_document("Harlow Repository", line, TITLE, second=second), Facts((TITLE,)), RECORD)

    assert behind("Deposited by the librarian") == ""
    assert behind("Lecture notes") == "An unknown line is above the title: “Lecture notes”."


def test_on_a_page_with_nothing_but_a_title_every_line_counts() -> None:
    def page(*lines: str, pages: int = 40) -> str:
        return doubt_about(a_document(TITLE, "Ada Turf", *lines, "2019", pages=pages), Facts((TITLE,)), RECORD)

    long = "Skriftlig arbeid levert til bedømmelse ved avslutningen av studiet i landskap og vann"
    assert page("Institute of Peat") == ""
    assert long[:60] in page("Institute of Peat", long)
    assert page(f"{long}, {long}, {long}", pages=11) == ""


def test_a_document_without_the_title_has_no_lines_beside_it() -> None:
    assert doubt("Anything here", "Another title of another work") == ""
    assert doubt_about(Extracted(Outcome.NO_TEXT), Facts((TITLE,)), RECORD) == ""


def test_pages_like_slides_and_far_too_many_pages_leave_the_decision_to_a_person() -> None:
    def shaped(size: tuple[float, float] = A4, pages: int = 8, expected: int = 0, rest: str = BODY * 9) -> str:
        read = a_document(TITLE, "Ada Turf", "Abstract", BODY, pages=pages, size=size)._replace(rest=rest)
        return doubt_about(read, Facts((TITLE,), expected), RECORD)

    assert shaped() == ""
    assert shaped((960.0, 842.0)) == "Its pages are not higher than wide, like those of slides."
    assert shaped(pages=90, rest="") == f"Its pages have {len(BODY.split()) * 2 // 90} words on average, like slides."
    assert shaped(pages=45, expected=10) == "It has 45 pages, and the work has 10."
    assert shaped(pages=40, expected=10) == ""


def _is_accepted(subject: Subject, lines: list[str], named: Named, pages: int = 8) -> bool:
    front = "\n".join([*lines, "Abstract", subject.abstract, "1 Introduction", subject.prose(20, "x")])
    rest = f"{subject.prose(200, 'y')}\nReferences\n" + "\n".join(subject.references())
    read = a_document(front, pages=pages, second=subject.prose(30, "z"))._replace(rest=rest)
    facts = Facts((subject.title,))
    return kind_of(read, facts) in WORKS and not doubt_about(read, facts, named)


def _records(subject: Subject) -> tuple[Named, ...]:
    """Return what a record has: authors and the journal, authors, or the title alone."""
    authors = tuple(person.inverted for person in subject.authors)
    full = Named(titles=(subject.title,), authors=authors, years=(str(subject.year),), venues=(subject.journal,))
    return full, full._replace(venues=()), Named(titles=(subject.title,))


@pytest.mark.slow
@each_row("labels", LABELS)
def test_hardly_any_label_in_any_language_is_taken_for_a_line_of_an_article(labels: str) -> None:
    accepted, total = [], 0
    for number, label in enumerate(LABELS[labels]):
        subject = Subject(number)
        head = f"{subject.journal} {subject.volume} ({subject.year}) {subject.pages}"
        below = [subject.byline, f"University of {subject.place}"]
        places = ([label, subject.title, *below], [head, label, subject.title, *below], [subject.title, label, *below])
        for named in _records(subject):
            total += 1
            accepted += [label] * _is_accepted(subject, places[number % len(places)], named)
    assert len(accepted) <= MOST_ACCEPTED * total, accepted


@pytest.mark.slow
@each_row("forms", ["FORMS", "LATER"])
def test_few_heads_of_articles_have_unknown_lines(forms: str) -> None:
    refused, total = [], 0
    for number, form in enumerate(HEADS[forms]):
        subject = Subject(number)
        above, below = lines_of_a_head(subject, form)
        for named in _records(subject):
            total += 1
            refused += [form] * (not _is_accepted(subject, [*above, subject.title, *below], named))
    assert len(refused) <= MOST_REFUSED * total, refused


@each_row("before, line, is_end", [
    ("Anna Berg, Joris Quintana and Tom", "Holm", True), ("Anna Berg, Tom", "Holm", True),
    ("Anna Berg, Joris Quintana,", "Tom Holm", True), ("Anna Berg, Ida Moe and", "Tom Holm", True),
    ("Anna Berg and Tom Holm", "Questionnaire", False), ("Anna Berg and Tom Holm", "Holm", False),
    ("Anna Berg, Tom", "Holm, Review", False), ("the water fell, and", "Holm", False), ("", "Holm", False),
])  # fmt: skip
def test_the_end_of_a_byline_is_known_behind_its_beginning(before: str, line: str, is_end: bool) -> None:
    assert ends_byline(line, before) is is_end
    if is_end:
        nobody = Named(titles=(TITLE,))
        assert doubt(TITLE, before, line, named=nobody) == doubt(before, line, TITLE, named=nobody) == ""


def test_a_label_behind_half_a_name_is_unknown() -> None:
    nobody = Named(titles=(TITLE,))
    assert doubt(TITLE, "Anna Berg, Tom", "Questionnaire", named=nobody).startswith("An unknown line is below")
