"""Wrong files: whole volumes, other works, and what is no work at all."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.articles import thesis
from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, doi_line, head, published
from tests.fulltext.corpus.scripts import wrong_one
from tests.fulltext.corpus.words import Subject

wrong_one("thesis_with_the_title_of_the_article", of=DocumentKind.THESIS, on=thesis,
    name=lambda s: "thesis.pdf" if s.number % 4 < 2 else "1.pdf")  # fmt: skip


def _neighbours(subject: Subject, count: int) -> list[Subject]:
    return [Subject(subject.number + 8 * place, 1) for place in range(1, count + 1)]


@wrong(DocumentKind.VOLUME)
def whole_volume_of_proceedings(subject: Subject) -> Case:
    """The work is one of many, and stands first in half of them."""
    name = f"Proceedings of the {subject.number + 9}th Conference on {subject.topic.nouns[1].capitalize()}"
    paper = Paper(header=lambda page: name if page > 2 else "", footer=str)
    paper.put(name, 24, bold=True)
    paper.put(
        f"{subject.place}, June {subject.year}\n{subject.one_of('Edited by', 'Editors:')} {subject.stranger().byline}",
        13,
        gap=20,
    )
    works = [subject, *_neighbours(subject, 7)] if subject.number % 4 < 2 else [*_neighbours(subject, 3), subject]
    paper.page()
    paper.put(subject.one_of("Table of Contents", "Contents"), 14, bold=True)
    for place, work in enumerate(works):
        paper.put(f"{work.title} {'.' * 20} {4 + 9 * place}\n{work.byline}", gap=4)
    for work in works:
        paper.page()
        head(paper, work)
        body(paper, work, len(paper.sheets) + 8)
    return Case(subject, paper.pdf(), type="conference paper", name="proceedings.pdf", pages=subject.pages)


wrong_one("other_work_that_cites_it_in_a_note", """
    # The DOI of the work stands in a footnote of the first page.
    head
    body 7
""", other=Subject.stranger, on_own=True, on=lambda s: published(s.stranger(), footer=lambda page: str(page) if page > 1 else (
        f"1 See {s.authors[0].family}, {s.journal} {s.year}, {doi_line(s)}.")))  # fmt: skip


@wrong()
def two_articles_in_one_file(subject: Subject) -> Case:
    """The work, and the article behind it in the issue."""
    paper = article(subject, header=lambda _: subject.journal)
    other = subject.one_of(subject.stranger(), subject.another(), subject.stranger(), subject.another())
    if subject.number % 4 < 2:
        paper.page()
    paper.put(other.title, 17, bold=True, gap=14)
    paper.put(other.byline, 11, gap=8)
    if subject.number % 8 < 4:
        paper.put(subject.one_of("Abstract", "Summary"), 10, bold=True, gap=10)
        paper.put(other.abstract)
    body(paper, other, len(paper.sheets) + 5, "other")
    return Case(subject, paper.pdf())


_TYPES_BESIDE = ("conference poster", "dataset", "software", "image", "lecture", "presentation", "video", "erratum")


def _in_one_or_two_columns(s: Subject) -> Paper:
    return article(s, columns=s.one_of(1, 2))


wrong_one("article_of_a_record_of_something_else", of=DocumentKind.ARTICLE, on=_in_one_or_two_columns, pages="",
    type=lambda s: _TYPES_BESIDE[s.number % len(_TYPES_BESIDE)])  # fmt: skip


wrong_one("article_of_a_record_of_a_thesis", of=DocumentKind.ARTICLE, on=_in_one_or_two_columns, pages="",
    type=lambda s: ("doctoralThesis", "Thesis", "Master's thesis", "Dissertation")[s.number // 2 % 4])  # fmt: skip
