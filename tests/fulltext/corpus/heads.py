"""Files whose first lines have the title of a work, as a head or in a list: of other works, and of the work itself."""

from __future__ import annotations

from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import body, citation, doi_line, head, published, references, summary
from tests.fulltext.corpus.scripts import wrong_one
from tests.fulltext.corpus.words import Subject


def _below(subject: Subject, other: Subject, *lines: str) -> Paper:
    """Return another article below these lines, which are set small."""
    paper = published(other, header=lambda page: "" if page == 1 else other.title)
    for line in lines:
        paper.put(line, 9)
    head(paper, other)
    body(paper, other, subject.page_count)
    return paper


wrong_one("other_work_below_a_head_with_the_title",  # the head of the page is still that of the article before
    on_own=True, on=lambda s: _below(s, s.stranger(), s.title))  # fmt: skip


wrong_one("other_work_of_the_same_authors_below_a_head_with_the_title", on_own=True, on=lambda s: _below(
    s, s.another(), *s.one_of((s.title,), (s.title, s.byline), (s.title, citation(s)))))  # fmt: skip


wrong_one("other_work_below_what_is_in_the_issue", on_own=True, on=lambda s: _below(  # the work is one of other articles
    s, s.stranger(), s.one_of("Inside", "Also published", "Highlighted articles", "From the archive"), s.title, s.byline,
    Subject(s.number + 16, 1).title))  # fmt: skip


wrong_one("note_below_the_title_of_what_it_is_about", pages="{s.first_page}-{first_page:+8}", on=lambda s: _below(
    s, s.stranger(), s.title, s.one_of(f"{s.byline}, {citation(s)}", f"{s.byline}. {doi_line(s)}")))  # fmt: skip


@right()
def article_whose_authors_are_set_larger_than_its_title(subject: Subject) -> Case:
    """As small journals have it; the journal stands above in the largest type."""
    paper = Paper(footer=str)
    paper.put(subject.journal.upper(), 24, bold=True)
    paper.put(subject.title, 11, bold=True, gap=10)
    paper.put(subject.byline, 13, gap=6)
    summary(paper, subject)
    while len(paper.sheets) < subject.page_count:
        paper.put(subject.prose(6, f"larger/{len(paper.sheets)}/{len(paper.sheets[-1].runs)}"), gap=4)
    references(paper, subject)
    return Case(subject, paper.pdf(), pages=subject.pages)
