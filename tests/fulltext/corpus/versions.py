"""Right files: manuscripts and preprints, each with the words by which it says so."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import body, doi_line, head, plain
from tests.fulltext.corpus.words import Subject


@right(DocumentKind.PREPRINT, "submitted")
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


@right(DocumentKind.PREPRINT, "submitted")
def preprint_with_a_banner(subject: Subject) -> Case:
    """Every page has a banner and numbered lines."""
    server = subject.one_of("bioRxiv", "medRxiv")
    banner = (
        f"{server} preprint doi: https://doi.org/10.1101/{subject.year}.04.11.{600000 + subject.number}; this version posted "
        f"April 12, {subject.year}. The copyright holder for this preprint\n(which was not certified by peer review) is "
        "the author/funder, who has granted a license to display the preprint in perpetuity. It is made\n"
        "available under a CC-BY 4.0 International license."
    )
    paper = plain(subject, header=lambda _: banner, has_line_numbers=True)
    return Case(subject, paper.pdf(), name=f"{subject.year}.04.11.{600000 + subject.number}v1.full.pdf")


@right(DocumentKind.PREPRINT, "submitted")
def preprint_of_another_server(subject: Subject) -> Case:
    """A cover of the server, and the manuscript."""
    paper = Paper(footer=str, leading=1.5)
    paper.put(subject.one_of("PREPRINT", "Research Article (Preprint)"), 12, bold=True)
    paper.put(subject.title, 18, bold=True, gap=20)
    paper.put(subject.byline, 11, gap=10)
    paper.put(f"Posted Date: April 12th, {subject.year}", 10, gap=14)
    paper.put(f"DOI: https://doi.org/10.21999/rs.3.rs-{5000 + subject.number}/v1", 10, gap=4)
    paper.put(
        subject.one_of(
            "This is a preprint and has not been peer reviewed by a journal.",
            "Preprints are preliminary reports that have not undergone peer review.",
        ),
        10, gap=4,
    )  # fmt: skip
    paper.page()
    head(paper, subject)
    body(paper, subject, subject.page_count + 3)
    return Case(subject, paper.pdf(), name="v1.pdf")


@right(DocumentKind.ARTICLE, "accepted")
def accepted_manuscript_with_the_publishers_statement(subject: Subject) -> Case:
    """The statement tells where the version of record is."""
    statement = subject.one_of(
        f"This is an Accepted Manuscript of an article published by {subject.publisher} in {subject.journal} on 3 May "
        f"{subject.year}, available online: {doi_line(subject)}",
        f"This is the peer reviewed version of the following article: {subject.reference} which has been published in "
        f"final form at {doi_line(subject)}. This article may be used for non-commercial purposes.",
        f"© {subject.year}. This manuscript version is made available under the CC-BY 4.0 license. The final published "
        f"version is available at {doi_line(subject)}",
        f"This is a post-peer-review, pre-copyedit version of an article published in {subject.journal}. The final "
        f"authenticated version is available online at: {doi_line(subject)}",
    )
    paper = Paper(footer=str, leading=1.6, size=11)
    paper.put(statement, 9)
    head(paper, subject)
    body(paper, subject, subject.page_count + 3)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right(DocumentKind.ARTICLE, "accepted")
def author_manuscript_of_a_funder(subject: Subject) -> Case:
    """The funder's archive adds a head and a side to every page."""
    side = f"{subject.journal}. Author manuscript; available in PMC {subject.year + 1} May 01."
    paper = Paper(
        header=lambda page: (
            f"HHS Public Access\nAuthor manuscript\n{side}"
            if page == 1
            else f"{subject.authors[0].family} et al.   Page {page}"
        ),
        footer=lambda _: side,
        leading=1.5,
    )
    paper.put(f"Published in final edited form as:\n{subject.journal}. {subject.year} May; {subject.volume}(2): {subject.pages}.\n"
              f"doi:{subject.doi}.", 9)  # fmt: skip
    head(paper, subject)
    body(paper, subject, subject.page_count + 5)
    for sheet in paper.sheets:
        whole, paper.sheets = paper.sheets, [sheet]
        for place in (200, 400, 600):
            paper.run("Author Manuscript", 20, place, 9, turned=True)
        paper.sheets = whole
    return Case(subject, paper.pdf(), name="nihms-1411.pdf", pages=subject.pages)


@right(DocumentKind.ARTICLE, "accepted")
def article_in_press(subject: Subject) -> Case:
    """The publisher puts a page before the manuscript that was accepted."""
    paper = Paper(header=lambda page: f"Journal Pre-proof{'' if page > 1 else chr(10)}", footer=str, leading=1.6)
    paper.put(subject.title, 15, gap=20)
    paper.put(subject.byline, 11, gap=6)
    paper.put(f"PII: S0000-{subject.number:04d}(21)00311-7\nDOI: https://doi.org/{subject.doi}\nTo appear in: {subject.journal}",
              10, gap=10)  # fmt: skip
    paper.put(
        "This is a PDF file of an article that has undergone enhancements after acceptance, such as the addition of a "
        "cover page and metadata, but it is not yet the definitive version of record.",
        9, gap=10,
    )  # fmt: skip
    paper.page()
    head(paper, subject)
    body(paper, subject, subject.page_count + 4)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right(DocumentKind.PREPRINT, "submitted")
def working_paper_of_a_series(subject: Subject) -> Case:
    """The series has a cover and asks not to cite."""
    paper = Paper(footer=lambda page: str(page - 1) if page > 1 else "", leading=1.6)
    paper.put(f"{subject.place.upper()} WORKING PAPER SERIES", 14, bold=True)
    paper.put(subject.title, 18, bold=True, gap=60)
    paper.put(subject.byline, 12, gap=20)
    paper.put(
        f"Working Paper {30000 + subject.number}\nhttp://www.wps.test/papers/w{30000 + subject.number}", 11, gap=20
    )
    paper.put(
        subject.one_of(
            "Working papers are circulated for discussion and comment purposes. They have not been peer-reviewed.",
            "Preliminary draft. Please do not cite without permission of the authors.",
        ),
        9, gap=60,
    )  # fmt: skip
    paper.page()
    head(paper, subject)
    body(paper, subject, subject.page_count + 6)
    return Case(subject, paper.pdf(), type="working paper", name=f"w{30000 + subject.number}.pdf")


@right(DocumentKind.PREPRINT, "submitted")
def manuscript_with_numbered_lines(subject: Subject) -> Case:
    """As it was sent to the journal, with the title page that journals ask for."""
    paper = Paper(footer=str, leading=2.0, size=11, has_line_numbers=True)
    paper.put(f"Manuscript submitted to {subject.journal}", 10)
    head(paper, subject)
    body(paper, subject, subject.page_count + 6)
    return Case(subject, paper.pdf(), name="manuscript.pdf")
