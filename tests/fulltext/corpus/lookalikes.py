"""Right files that have words of wrong ones."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, plain
from tests.fulltext.corpus.scripts import right_one
from tests.fulltext.corpus.words import Subject


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


right_one("chapter_of_a_chapter", """
    # The record is that of the chapter; the heads have the title of the book.
    12: <Chapter 7~7~CHAPTER SEVEN~Seven>
    head
    body own
""", on=lambda s: Paper(header=lambda page: "A Handbook of Practice" if page % 2 else s.title,
                        footer=lambda page: str(s.first_page + page - 1)), type="book chapter")  # fmt: skip


right_one(
    "article_with_a_line_about_its_download_on_every_page", on=_downloaded
)  # a platform adds who took it, and when


right_one("accepted_manuscript_that_says_so_on_every_page", of=DocumentKind.ARTICLE, version="accepted", on=_accepted)
