# ruff: noqa: RUF001 - lists are long, letters of other scripts
"""A short line beside the title that no form of an article explains leaves the decision to a person."""

from __future__ import annotations

import pytest

from gateway.core.model import Candidate, Outcome
from gateway.fulltext.decisions import Thresholds, rule
from harvester.fulltext.pdf.document import Facts
from harvester.fulltext.pdf.document_kinds import doubt_about, kind_of
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.record_kinds import WORKS
from harvester.fulltext.pdf.work_names import Named
from tests.fulltext.corpus.tables import HEADS, LABELS
from tests.fulltext.corpus.words import Subject
from tests.rows import each_row

TITLE = "Drainage of peat meadows in the northern lowlands"
RECORD = Named(titles=(TITLE,), authors=("Turf, Ada", "Reed, Bo"), years=("2019",), venues=("Wet Land",))
NOBODY = Named(titles=(TITLE,))
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


def doubt(*lines: str, named: Named = RECORD) -> str:
    """Return the doubt about a document with these lines before its text."""
    return doubt_about(a_document(*lines, "Abstract", BODY), Facts((TITLE,)), named)


def test_the_sentence_names_the_line_and_its_place_and_no_rule_accepts_the_file() -> None:
    above = "An unknown line is above the title: “Skriv til naboene”."
    below = "An unknown line is below the title: “Skriv til naboene”."
    assert doubt("Skriv til naboene", TITLE, "Ada Turf") == above
    assert doubt(TITLE, "Ada Turf", "Skriv til naboene", "University of Harlow") == below
    assert doubt(TITLE, "Ada Turf", "University of Harlow") == ""
    plain = Candidate(
        "https://x.example.org/a.pdf", "page", outcome=Outcome.SUCCESS, sha256="0" * 64, license="cc-by", score=0.9,
        identified_by=("title", "author"),
    )  # fmt: skip
    assert rule(plain, None, "", Thresholds(), "2026-11").verdict == "accept"
    assert rule(plain._replace(kind_doubt=above), None, "", Thresholds(), "2026-11") == ("review", above)


@each_row("line", [
    "Annals of Wet Land 12 (2019) 45–58", "Original Article", "研究论文", "Received 3 May 2019; accepted 7 June 2019",
    "https://doi.org/10.1234/wl.5", "Open Access", "WL-PUB-19-123", "Institute of Peat, University of Harlow",
    "Edited by: Tom Holm", "See Supplement 1 for more plots", "© 2019 The Authors",
])  # fmt: skip
def test_lines_that_articles_have_above_their_titles_are_known(line: str) -> None:
    assert doubt(line, TITLE, "Ada Turf, Bo Reed") == ""


@each_row("line", [
    "Ada Turf 1,*, Bo Reed 2", "Results of twelve drainage plots", "Tom Holm, Eva Dahl, MD", "T. Holm",
    "Fenland Drainage Board, Harlow, Norway", "ADA TURF, University of Harlow",
])  # fmt: skip
def test_authors_and_subtitles_below_the_title_are_known(line: str) -> None:
    assert doubt(TITLE, line, "Ada Turf, Bo Reed", "University of Harlow", "Correspondence: T. Holm") == ""


@each_row("line", [
    "Community Feedback", "Milestone M4", "보충 자료", "Resumen ejecutivo", "ملخص", "Closure by Ada Turf",
    "A commentary on Ada Turf and Bo Reed", "Lesson Plan, University of Harlow",
])  # fmt: skip
def test_a_line_with_the_form_of_a_name_is_unknown_where_nobody_has_it(line: str) -> None:
    assert "below the title" in doubt(TITLE, line, "Ada Turf, Bo Reed")
    assert "below the title" in doubt(TITLE, line, "Ada Turf, Bo Reed", named=NOBODY)


def test_a_label_that_is_part_of_the_title_or_of_the_name_of_the_journal_is_no_sign() -> None:
    title = "Peer review reports of three journals on peat"
    split = a_document("Peer review reports", "of three journals on peat", "Ada Turf", "Abstract", BODY)
    assert doubt_about(split, Facts((title,)), RECORD) == ""
    journal = RECORD._replace(venues=("Thesis Eleven",))
    assert doubt("Article in Thesis Eleven · June 2019", TITLE, "Ada Turf", named=journal) == ""
    assert doubt("Teaching notes", TITLE, "Ada Turf") != ""


def test_pages_like_slides_and_far_too_many_pages_leave_the_decision_to_a_person() -> None:
    def shaped(size: tuple[float, float] = A4, pages: int = 8, expected: int = 0, rest: str = BODY * 9) -> str:
        read = a_document(TITLE, "Ada Turf", "Abstract", BODY, pages=pages, size=size)._replace(rest=rest)
        return doubt_about(read, Facts((TITLE,), expected), RECORD)

    assert shaped((960.0, 842.0)) == "Its pages are not higher than wide, like those of slides."
    assert shaped(pages=90, rest="") == f"Its pages have {len(BODY.split()) * 2 // 90} words on average, like slides."
    assert shaped(pages=45, expected=10) == "It has 45 pages, and the work has 10."
    assert shaped(pages=40, expected=10) == shaped() == ""


def _is_accepted(number: int, above: list[str], below: list[str]) -> bool:
    """Tell whether a document is accepted for a record with authors and journal, with authors, or its title alone."""
    subject = Subject(number)
    front = "\n".join([*above, subject.title, *below, "Abstract", subject.abstract, "1 Introduction",
                       subject.prose(8, "x")])  # fmt: skip
    rest = f"{subject.prose(40, 'y')}\nReferences\n" + "\n".join(subject.references())
    read = a_document(front, second=subject.prose(12, "z"))._replace(rest=rest)
    authors = tuple(person.inverted for person in subject.authors)
    full = Named(titles=(subject.title,), authors=authors, years=(str(subject.year),), venues=(subject.journal,))
    named = (full, full._replace(venues=()), Named(titles=(subject.title,)))[number // 3 % 3]
    facts = Facts((subject.title,))
    return kind_of(read, facts) in WORKS and not doubt_about(read, facts, named)


def _lines_of_a_head(subject: Subject, form: str) -> tuple[list[str], list[str]]:
    """Return the lines above and below the title in a form of `heads.txt`."""
    words = {
        name: getattr(subject, name)
        for name in ("journal", "byline", "place", "year", "volume", "doi", "title", "pages")
    }
    above, _, below = form.partition("|")
    filled = [
        [
            line.format(family=subject.authors[0].family, count=subject.page_count, **words).replace("\\", "/")
            for line in filter(None, part.split("/"))
        ]
        for part in (above, below)
    ]
    return filled[0], filled[1]


@pytest.mark.slow
@each_row("labels", LABELS)
def test_hardly_any_label_in_any_language_is_taken_for_a_line_of_an_article(labels: str) -> None:
    accepted = []
    for number, label in enumerate(LABELS[labels]):
        subject = Subject(number)
        head = f"{subject.journal} {subject.volume} ({subject.year}) {subject.pages}"
        authors = [subject.byline, f"University of {subject.place}"]
        above, below = (([label], authors), ([head, label], authors), ([], [label, *authors]))[number % 3]
        accepted += [label] * _is_accepted(number, above, below)
    assert len(accepted) <= MOST_ACCEPTED * len(LABELS[labels]), accepted


@pytest.mark.slow
@each_row("forms", ["FORMS", "LATER"])
def test_few_heads_of_articles_have_unknown_lines(forms: str) -> None:
    places = list(enumerate(HEADS[forms]))
    refused = [form for number, form in places if not _is_accepted(number, *_lines_of_a_head(Subject(number), form))]
    assert len(refused) <= MOST_REFUSED * len(places), refused
