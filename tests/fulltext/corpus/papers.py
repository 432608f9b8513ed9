"""The parts that papers are made of: heads with title, authors and abstract, bodies, references."""

from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.words import Subject

_AFTER_FIRST = 2


def doi_line(subject: Subject) -> str:
    """Return the DOI as publishers print it."""
    return subject.one_of(
        f"https://doi.org/{subject.doi}",
        f"DOI: {subject.doi}",
        f"doi:{subject.doi}",
        f"http://dx.doi.org/{subject.doi}",
    )


def citation(subject: Subject) -> str:
    """Return the journal, volume and pages as publishers print them."""
    return subject.one_of(
        f"{subject.journal} {subject.volume} ({subject.year}) {subject.pages}",
        f"{subject.journal}, Vol. {subject.volume}, No. 2, {subject.year}, pp. {subject.pages}",
    )


def published(subject: Subject, **more: object) -> Paper:
    """Return an empty paper with the running heads of a journal."""
    names = subject.authors[0].family + " et al."

    def header(page: int) -> str:
        first = f"{citation(subject)}\n{doi_line(subject)}"
        later = subject.one_of(
            f"{names}    {subject.journal} {subject.volume} ({subject.year})", f"{names} / {subject.title}"
        )
        return first if page < _AFTER_FIRST else later

    def footer(page: int) -> str:
        copyright_ = f"© {subject.year} The Authors. Published by {subject.publisher}."
        return f"{subject.first_page + page - 1}" + (f"   {copyright_}" if page < _AFTER_FIRST else "")

    last = subject.number % 4 > 1
    return Paper(**{"header": header, "footer": footer, "writes_heads_last": last, **more})  # type: ignore[arg-type]


def head(paper: Paper, subject: Subject, title: str = "", **style: object) -> None:
    """Set the title, the authors, where they work, and the abstract."""
    paper.put(title or subject.title, **{"size": 17.0, "bold": True, "gap": 14.0, **style})  # type: ignore[arg-type]
    paper.put(subject.byline, 11, gap=8)
    paper.put(f"University of {subject.place}, Department of {subject.topic.nouns[0].capitalize()} Studies", 8.5, gap=3)
    summary(paper, subject)


def summary(paper: Paper, subject: Subject) -> None:
    """Set the abstract and the keywords."""
    paper.put(subject.one_of("Abstract", "ABSTRACT", "Summary", "Abstract."), 10, bold=True, gap=10)
    paper.put(subject.abstract, 9.5)
    words = ", ".join((*subject.topic.nouns[:3], subject.topic.things[0]))
    paper.put(f"{subject.one_of('Keywords', 'Key words')}: {words}", 9, gap=5)


def body(paper: Paper, subject: Subject, pages: int, purpose: str = "body") -> None:
    """Set sections until there are so many pages, and then the references."""
    sections = subject.sections()
    place = 0
    while len(paper.sheets) < pages or not place:
        if place % 2 == 0:
            paper.put(f"{place // 2 + 1}  {sections[place // 2 % len(sections)]}", 11, bold=True, gap=8)
        paper.put(subject.prose(5, f"{purpose}/{place}"), gap=3)
        place += 1
    references(paper, subject)


def references(paper: Paper, subject: Subject, count: int = 12) -> None:
    """Set what the work cites."""
    paper.put(subject.one_of("References", "REFERENCES", "Literature cited", "Bibliography"), 11, bold=True, gap=8)
    for number, reference in enumerate(subject.references(count), 1):
        paper.put(f"[{number}] {reference}", 8.5, gap=2)


def article(subject: Subject, title: str = "", columns: int = 1, pages: int = 0, **more: object) -> Paper:
    """Return an article as a journal publishes it."""
    paper = published(subject, **more)
    head(paper, subject, title)
    paper.columns(columns)
    body(paper, subject, pages or subject.page_count - 1)
    return paper


def plain(subject: Subject, pages: int = 0, **more: object) -> Paper:
    """Return a manuscript: no running heads, only numbers of pages."""
    paper = Paper(**{"footer": str, "leading": 1.6, "size": 11.0, **more})  # type: ignore[arg-type]
    head(paper, subject)
    body(paper, subject, pages or subject.page_count + 3)
    return paper
