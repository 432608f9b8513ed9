"""Wrong files: whole volumes, other works, and what is no work at all."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.articles import thesis
from tests.fulltext.corpus.cases import Case, right, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, doi_line, head, published, references
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
def translation_into_another_language(subject: Subject) -> Case:
    """A translation is another version of the text: people decide whether it is wanted."""
    from tests.fulltext.corpus.titles import _GERMAN, _foreign  # noqa: PLC0415 - their names are those of kinds there

    title, words = _GERMAN[subject.number % len(_GERMAN)]
    note = f"Übersetzung von: {subject.title} ({subject.journal} {subject.year})"
    return Case(subject, _foreign(subject, title, words, is_spaceless=False, english=note), pages=subject.pages)


def _of_a_search(s: Subject) -> Paper:
    words = s.title.split()[:3]
    return Paper(font="Sans", header=lambda _: f"Search results for {' '.join(words)}     12/05/2021, 10:14",
                 footer=lambda page: f"https://library.test/search?q={'+'.join(words)}     {page}/3")  # fmt: skip


wrong_one("page_of_a_search", """
    # Results of a search, printed by a browser.
    12: <Results 1-20 of 1,311~Showing 20 of 1,311 results~Search results (1311)~About 1,300 results>
    each 0-12
    | 12b+10: {w.title}
    | 9+2: {w.byline} - {w.journal}, {w.year}. {w.abstract:.160} … Cite  Save  Related articles
""", on=_of_a_search)  # fmt: skip


wrong_one("landing_page_as_a_pdf", """
    # The page about the work, printed by a browser.
    9: Home > {s.journal} > Vol. {s.volume} > Article
    18b+10: {s.title}
    +6: {s.byline}¶First published: 3 May {s.year}   {doi}   Citations: 7
    9+8: PDF   Tools   Share   Export citation   Add to favorites   Track citation
    +8: Abstract¶{s.abstract}
    +8: Citing literature   Metrics   Related   Information   Recommended
    each 1-6
    | 9+6: {w.title}¶{w.byline}, {w.journal}
""", on=lambda s: Paper(font="Sans", header=lambda _: f"{s.title} | {s.journal}   5/12/21, 10:14 AM",
                        footer=lambda page: f"https://doi.org/{s.doi}   {page}/2"))  # fmt: skip


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


@wrong()
def book_with_the_title_of_the_work(subject: Subject) -> Case:
    """The record is that of an article, and nobody knows how long it is."""
    paper = Paper(footer=str, size=11, leading=1.5)
    paper.put(subject.title, 22, bold=True, gap=90)
    paper.put(subject.byline, 13, gap=20)
    for chapter in range(1, 7):
        paper.page()
        paper.put(
            subject.one_of("Chapter {}", "CHAPTER {}", "Kapitel {}", "Chapitre {}").format(chapter), 15, bold=True
        )
        while len(paper.sheets) < 9 * chapter:
            paper.put(subject.prose(8, f"book/{chapter}/{len(paper.sheets[-1].runs)}/{len(paper.sheets)}"), gap=4)
    references(paper, subject, 30)
    return Case(subject, paper.pdf())


@right()
def article_with_an_abstract_behind_its_references(subject: Subject) -> Case:
    """In another language, and half of them with the references in other letters."""
    paper = article(subject, header=lambda _: subject.journal)
    paper.put(subject.one_of("Zusammenfassung", "Resumen", "Summary", "Abstract"), 11, bold=True, gap=10)
    paper.put(subject.prose(7, "translated"))
    if subject.number % 4 < 2:
        references(paper, subject)
    return Case(subject, paper.pdf())


_TYPES_BESIDE = ("conference poster", "dataset", "software", "image", "lecture", "presentation", "video", "erratum")


def _in_one_or_two_columns(s: Subject) -> Paper:
    return article(s, columns=s.one_of(1, 2))


wrong_one("article_of_a_record_of_something_else", of=DocumentKind.ARTICLE, on=_in_one_or_two_columns, pages="",
    type=lambda s: _TYPES_BESIDE[s.number % len(_TYPES_BESIDE)])  # fmt: skip


wrong_one("article_of_a_record_of_a_thesis", of=DocumentKind.ARTICLE, on=_in_one_or_two_columns, pages="",
    type=lambda s: ("doctoralThesis", "Thesis", "Master's thesis", "Dissertation")[s.number // 2 % 4])  # fmt: skip
