"""Wrong files: parts of the work and what accompanies it."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, citation, doi_line, head, references
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


@wrong()
def readme_of_the_data(subject: Subject) -> Case:
    """It describes the files of a data set."""
    paper = Paper(font="Sans")
    paper.put(
        subject.one_of("README", "Data from: ", "README.txt", "Dataset documentation for: ") + f"\n{subject.title}",
        13,
        bold=True,
    )
    paper.put(f"This data set belongs to the article: {subject.reference} {doi_line(subject)}", gap=8)
    paper.put(
        f"GENERAL INFORMATION\nPrincipal investigator: {subject.authors[0].full}, University of {subject.place}", gap=8
    )
    paper.put("FILE OVERVIEW", bold=True, gap=8)
    for place, thing in enumerate(subject.topic.things):
        paper.put(f"{place + 1}. {thing}.csv: one row for each of the {thing}. Columns: id, {', '.join(subject.topic.nouns[place:place + 4])}. "
                  f"Missing values are coded as NA. {subject.prose(2, f'file/{place}')}", gap=4)  # fmt: skip
    return Case(subject, paper.pdf(), name=subject.one_of("README.pdf", "data_description.pdf"), pages=subject.pages)


@wrong()
def second_part_of_the_work(subject: Subject) -> Case:
    """Its title has the same words and another number."""
    base = subject.title.partition(":")[0]
    first, second = subject.one_of((f"{base}. Part I", f"{base}. Part II"), (f"{base} I: methods", f"{base} II: results"),
                                   (f"{base}, part 1", f"{base}, part 2"), (f"{base} (I)", f"{base} (II)"))  # fmt: skip
    other = subject.another(1, second)
    return Case(subject.titled(first), article(other).pdf(), pages=subject.pages)


@wrong(DocumentKind.POSTER)
def poster_of_an_article(subject: Subject) -> Case:
    """One large sheet, with the title and authors of the article."""
    from tests.fulltext.corpus.articles import poster  # noqa: PLC0415 - its name is that of a kind there

    paper = poster(subject)
    if subject.number % 4 < 2:
        paper.put(doi_line(subject), gap=6)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong(DocumentKind.POSTER)
def slides_of_a_talk(subject: Subject) -> Case:
    """Many landscape pages with few words."""
    width, height = subject.one_of((960, 540), (720, 540))
    paper = Paper(width=width, height=height, font="Sans", size=18, footer=str)
    paper.put(subject.title, 32, bold=True, gap=60)
    paper.put(f"{subject.byline}\nUniversity of {subject.place}, {subject.year}", 18, gap=20)
    for place in range(22):
        paper.page()
        paper.put(subject.sections()[place % 6] if place < 20 else "Thank you! Questions?", 28, bold=True)
        for line in subject.prose(3, f"slide/{place}").split(". "):
            paper.put(f"• {line}", gap=10)
    return Case(subject, paper.pdf(), name=subject.one_of("slides.pdf", "download.pdf"), pages=subject.pages)


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
