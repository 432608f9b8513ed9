"""Files with lines beside the title that no table has: wrong ones with other labels, right ones of many publishers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.fulltext.corpus.cases import Case, right, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import body, references, summary
from tests.fulltext.corpus.scripts import wrong_one
from tests.fulltext.corpus.tables import HEADS, LABELS
from tests.fulltext.corpus.words import Subject

_FONTS = (12.0, 9.0, 15.0)  # of labels


def _label(subject: Subject, labels: Sequence[str], turn: int) -> str:
    """Return a label for a work: of the half that it belongs to. Each place beside the title has other ones."""
    own = labels[subject.number % 2 :: 2]
    return own[(subject.number // 2 + 31 * turn) % len(own)]


def _short(subject: Subject, above: str, below: str) -> Paper:
    """Return a document with the title, authors and words of the work, and a label."""
    paper = Paper(footer=str)
    size = _FONTS[subject.number % len(_FONTS)]
    if above:
        paper.put(above, size)
    paper.put(subject.title, 17, bold=True, gap=10)
    if below:
        paper.put(below, size, gap=4)
    paper.put(subject.byline, 11, gap=6)
    if subject.number % 4 < 2:
        summary(paper, subject)
    body(paper, subject, subject.page_count - 1, "other")
    return paper


wrong_one("document_with_another_label_above_the_title", on=lambda s: _short(s, _label(s, LABELS["SHORT"], 0), ""))


wrong_one("document_with_another_label_below_the_title", on=lambda s: _short(s, "", _label(s, LABELS["SHORT"], 1)))


@wrong()
def thesis_with_another_heading(subject: Subject) -> Case:
    """A title page and many pages; the record is that of an article."""
    paper = Paper(footer=str, size=11, leading=1.6)
    label = _label(subject, LABELS["LONG"], 0)
    paper.put(label if subject.number % 4 < 2 else f"University of {subject.place}", 13, centred=True)
    paper.put(subject.title, 20, bold=True, gap=90, centred=True)
    paper.put(subject.authors[0].full, 13, gap=30, centred=True)
    paper.put(f"{subject.place} {subject.year}" if subject.number % 4 < 2 else label, 12, gap=60, centred=True)
    paper.page()
    for chapter in range(1, 5):
        paper.put(f"{chapter} {subject.sections()[chapter - 1]}", 15, bold=True)
        paper.put(subject.prose(120, f"thesis/{chapter}"))
        paper.page()
    references(paper, subject, 20)
    return Case(subject, paper.pdf(), pages=subject.pages)


wrong_one("report_of_a_project_with_an_abstract", on=lambda s: _short(s, _label(s, LABELS["LONG"], 1), ""))


def lines_of_a_head(subject: Subject, form: str) -> tuple[list[str], list[str]]:
    """Return the lines above and below the title in a form of `heads.txt`."""

    def lines(part: str) -> Iterator[str]:
        for line in filter(None, part.split("/")):
            yield line.format(
                journal=subject.journal, byline=subject.byline, place=subject.place, year=subject.year,
                volume=subject.volume, doi=subject.doi, family=subject.authors[0].family, title=subject.title,
                pages=subject.pages, count=subject.page_count,
            ).replace("\\", "/")  # fmt: skip

    above, _, below = form.partition("|")
    return list(lines(above)), list(lines(below))


@right(None)
def article_with_the_head_of_another_publisher(subject: Subject) -> Case:
    """Journals, series, servers and templates have other lines around their titles."""
    paper = Paper(footer=lambda page: str(subject.first_page + page - 1))
    above, below = lines_of_a_head(subject, _label(subject, HEADS["FORMS"], 0))
    for line in above:
        paper.put(line, 9)
    paper.put(subject.title, 17, bold=True, gap=10)
    for line in below:
        paper.put(line, 10, gap=2)
    summary(paper, subject)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)
