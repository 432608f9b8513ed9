"""Right files: manuscripts and preprints, each with the words by which it says so."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import body, head
from tests.fulltext.corpus.scripts import plain_sheets, right_one
from tests.fulltext.corpus.words import Subject

PREPRINT = DocumentKind.PREPRINT


@right(PREPRINT, "submitted")
def preprint_with_a_stamp(subject: Subject) -> Case:
    """The stamp stands at the left edge, from below to above."""
    paper = Paper(footer=str)
    head(paper, subject)
    paper.columns(subject.one_of(1, 2))
    body(paper, subject, subject.page_count)
    stamp = f"arXiv:{subject.year % 100:02d}04.{10000 + subject.number:05d}v2  [physics.soc-ph]  12 Apr {subject.year}"
    first, sheet = paper.sheets[0], paper.sheets
    paper.sheets = [first]
    paper.run(stamp, 30, 250, 18, turned=True)
    paper.sheets = sheet
    return Case(subject, paper.pdf(), name=f"{subject.year % 100:02d}04.{10000 + subject.number:05d}v2.pdf")


right_one("article_in_press", """
    # The publisher puts a page before the manuscript that was accepted.
    15+20: {s.title}
    11+6: {s.byline}
    10+10: PII: S0000-{s.number:04d}(21)00311-7¶DOI: https://doi.org/{s.doi}¶To appear in: {s.journal}
    9+10: This is a PDF file of an article that has undergone enhancements after acceptance, such as the addition of a cover page and metadata, but it is not yet the definitive version of record.
    page
    head
    body own+4
""", of=DocumentKind.ARTICLE, version="accepted",
    on=plain_sheets(header=lambda page: f"Journal Pre-proof{'' if page > 1 else chr(10)}", footer=str, leading=1.6))  # fmt: skip


right_one("working_paper_of_a_series", """
    # The series has a cover and asks not to cite.
    14b: {TOWN} WORKING PAPER SERIES
    18b+60: {s.title}
    12+20: {s.byline}
    11+20: Working Paper {number:+30000}¶http://www.wps.test/papers/w{number:+30000}
    9+60: <Working papers are circulated for discussion and comment purposes. They have not been peer-reviewed.~Preliminary draft. Please do not cite without permission of the authors.>
    page
    head
    body own+6
""", of=PREPRINT, version="submitted", on=plain_sheets(footer=lambda page: str(page - 1) if page > 1 else "", leading=1.6),
    type="working paper", name="w{number:+30000}.pdf", pages="")  # fmt: skip
