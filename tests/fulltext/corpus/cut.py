"""Wrong files: copies that lack pages. Right ones: whole texts without a list of references, or of another length."""

from __future__ import annotations

from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.papers import article
from tests.fulltext.corpus.scripts import first_pages, wrong_one
from tests.fulltext.corpus.words import Subject

_LONG = 12  # pages


def _cited(subject: Subject) -> str:
    last = subject.first_page + _LONG - 1
    return f"{subject.journal} {subject.volume} ({subject.year}) {subject.first_page}-{last}"


wrong_one("copy_without_its_last_pages_of_unknown_length", pages="", on=lambda s: first_pages(  # only the text shows it
    article(s, pages=_LONG, columns=s.one_of(1, 1, 2, 2), header=lambda _: s.journal), s.one_of(5, 6, 4, 8)))  # fmt: skip


@wrong()
def copy_without_pages_within(subject: Subject) -> Case:
    """It has its references; the numbers of its pages jump."""
    paper = article(subject, pages=_LONG, header=lambda _: subject.journal)
    paper.sheets = paper.sheets[:4] + paper.sheets[subject.one_of(-4, -5, -3, -4) :]
    return Case(subject, paper.pdf())


wrong_one("copy_without_the_pages_in_its_citation", pages="", on=lambda s: first_pages(
    article(s, pages=s.page_count, header=lambda page: _cited(s) if page == 1 else ""),
    s.page_count - s.one_of(1, 2, 1, 2)))  # fmt: skip
