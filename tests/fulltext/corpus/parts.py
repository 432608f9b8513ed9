"""Wrong files: parts of the work and what accompanies it."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import body, citation, doi_line, head, references
from tests.fulltext.corpus.pdf import Sheet
from tests.fulltext.corpus.scripts import wrong_one
from tests.fulltext.corpus.words import Subject


@wrong()
def abstract_of_a_meeting_with_named_parts(subject: Subject) -> Case:
    """Title, authors, and an abstract that looks like a very short article."""
    names = subject.one_of(
        ("Background", "Methods", "Results", "Conclusions"), ("Objective", "Design", "Findings", "Conclusion"),
        ("Purpose", "Approach", "Findings", "Practical implications"), ("Aims", "Methods", "Results", "Discussion"),
    )  # fmt: skip
    paper = Paper(size=13, leading=1.6, header=lambda page: subject.journal if page == 1 else "")
    paper.put(subject.title, 15, bold=True, gap=6)
    paper.put(f"{subject.byline}\nUniversity of {subject.place}", 11, gap=4)
    for name in names:
        paper.put(f"{name}: {subject.prose(5, name)}", gap=3)
    references(paper, subject, subject.one_of(3, 4))
    return Case(subject, paper.pdf())


@wrong(DocumentKind.SUPPLEMENT)
def supplement_made_like_an_article(subject: Subject) -> Case:
    """It has the title, the authors, an abstract, sections and references, and the citation of its article."""
    label = subject.one_of("Supporting Information", "Supplementary Material", "Supporting Information for",
                           "SUPPLEMENTARY INFORMATION", "SI Appendix", "Supplemental Material")  # fmt: skip
    top = subject.one_of(citation(subject), subject.journal, f"{citation(subject)}\n{doi_line(subject)}", "")
    paper = Paper(
        header=lambda page: top if page == 1 else "",
        footer=subject.one_of(str, lambda page: f"S{page}", str),  # type: ignore[arg-type]
    )
    paper.put(label, 12)
    head(paper, subject)
    body(paper, subject, subject.page_count, "supplement")
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong(DocumentKind.POSTER)
def poster_of_an_article(subject: Subject) -> Case:
    """One large sheet, with the title and authors of the article."""
    from tests.fulltext.corpus.articles import poster  # noqa: PLC0415 - its name is that of a kind there

    paper = poster(subject)
    if subject.number % 4 < 2:
        paper.put(doi_line(subject), gap=6)
    return Case(subject, paper.pdf(), pages=subject.pages)


wrong_one("scan_without_text", on=lambda s: Paper(sheets=[Sheet(is_image=True) for _ in range(s.page_count)]))


@wrong()
def chapter_of_the_book(subject: Subject) -> Case:
    """One chapter of a monograph; its head has the title of the book."""
    own = subject.another(2, f"{subject.topic.nouns[4].capitalize()} before {subject.year - 40}")
    paper = Paper(header=lambda page: subject.title if page % 2 else own.title, footer=lambda page: str(120 + page))
    paper.put("Chapter 5", 12)
    paper.put(own.title, 17, bold=True, gap=6)
    body(paper, subject, 11, "chapter")
    return Case(subject, paper.pdf(), type="book", pages="")
