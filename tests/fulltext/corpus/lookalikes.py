"""Right files that have words of wrong ones, and wrong ones for records of which little can be said."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, doi_line, head, plain, published, references
from tests.fulltext.corpus.scripts import right_one, wrong_one
from tests.fulltext.corpus.words import Subject


@right()
def article_that_names_its_supplement_first(subject: Subject) -> Case:
    """A line about supplementary material stands above the title, or below the abstract."""
    line = subject.one_of(
        "Supporting Information",
        "Electronic supplementary material The online version of this article contains supplementary material.",
        "Supplementary data are available online.",
        "See supplementary material: additional file 1, table S1.",
    )
    paper = published(subject)
    if subject.number % 4 < 2:
        paper.put(line, 8)
    head(paper, subject)
    paper.put(line, 8, gap=4)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)


def _number_as_pages(s: Subject) -> str:
    return s.one_of(f"e02{s.number:02d}978", f"1122{s.number:02d}", "S1-S9", f"{s.number + 1:03d}001")


def _abbreviated_pages(s: Subject) -> str:
    return f"{s.first_page}-{str(s.first_page + s.page_count - 1)[1:]}"


def _downloaded(s: Subject) -> Paper:
    line = s.one_of(
        f"Downloaded from https://journals.test/doi/{s.doi} by guest on 12 May 2021",
        "This content downloaded from 192.0.2.7 on Thu, 04 Mar 2021 11:14:09 UTC\nAll use subject to terms and conditions",
    )
    return article(s, footer=lambda _: line)


def _accepted(s: Subject) -> Paper:
    words = s.one_of(
        "ACCEPTED MANUSCRIPT", "Accepted Manuscript", "Accepted author manuscript", "AUTHOR ACCEPTED MANUSCRIPT"
    )
    return plain(s, header=lambda _: words, has_line_numbers=True)


right_one("article_with_a_number_instead_of_pages", on=lambda s: article(s, columns=2), pages=_number_as_pages)


right_one("article_with_abbreviated_pages", on=article, pages=_abbreviated_pages)  # Crossref says 123-31


@right(None)
def whole_book_of_a_book(subject: Subject) -> Case:
    """The record is that of the book."""
    paper = Paper(footer=lambda page: str(page) if page > 4 else "", width=440, height=660)
    paper.put(subject.title, 20, bold=True, gap=120)
    paper.put(subject.byline, 13, gap=14)
    paper.put(subject.publisher, 11, gap=200)
    paper.page()
    paper.put(f"© {subject.year} {subject.byline}\nISBN 978-90-0000-0{subject.number:02d}-1\n{doi_line(subject)}", 9)
    paper.page()
    paper.put(subject.one_of("Contents", "Table of Contents"), 14, bold=True)
    for place in range(1, 9):
        paper.put(
            f"{place}  {subject.filled('{N} and {n2}', subject.random(str(place)))} {'.' * 30} {place * 14}", gap=4
        )
    for chapter in range(1, 9):
        paper.page()
        paper.put(f"Chapter {chapter}", 16, bold=True)
        for section in range(8):
            paper.put(subject.prose(24, f"book/{chapter}/{section}"), gap=6)
    references(paper, subject, 30)
    return Case(subject, paper.pdf(), type="book", name="book.pdf", abstract="none")


right_one("chapter_of_a_chapter", """
    # The record is that of the chapter; the heads have the title of the book.
    12: <Chapter 7~7~CHAPTER SEVEN~Seven>
    head
    body own
""", on=lambda s: Paper(header=lambda page: "A Handbook of Practice" if page % 2 else s.title,
                        footer=lambda page: str(s.first_page + page - 1)), type="book chapter")  # fmt: skip


@right(None)
def book_review_whose_record_is_that_review(subject: Subject) -> Case:
    """The record's title names the book that is reviewed."""
    book = subject.stranger()
    review = subject.titled(subject.one_of("Review of: ", "Book review: ") + f"{book.title}, by {book.byline}")
    paper = published(review)
    paper.put(subject.one_of("BOOK REVIEWS", "Reviews"), 9)
    paper.put(review.title, 12, bold=True, gap=8)
    paper.put(subject.byline, 10, gap=5)
    paper.put(f"{book.prose(16, 'book')} {subject.prose(8, 'review')}", gap=8)
    return Case(review, paper.pdf(), pages=f"{review.first_page}-{review.first_page + 1}", abstract="none")


right_one(
    "article_with_a_line_about_its_download_on_every_page", on=_downloaded
)  # a platform adds who took it, and when


right_one("accepted_manuscript_that_says_so_on_every_page", of=DocumentKind.ARTICLE, version="accepted", on=_accepted)


# --- wrong ones ---------------------------------------------------------------------------------------------------


wrong_one("other_work_that_has_the_short_title_in_its_text", own=lambda s: s.titled(
    s.topic.nouns[s.number // 2 % 6].capitalize()), other=Subject.stranger, on=article, abstract="none")  # fmt: skip
