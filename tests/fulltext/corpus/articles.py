"""Right files: articles as publishers and repositories hand them out."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import citation, doi_line, published, references
from tests.fulltext.corpus.scripts import right_one
from tests.fulltext.corpus.words import Subject


def _of_one_page(s: Subject) -> Paper:
    head_ = f"{citation(s).replace(s.pages, str(s.first_page))}\n{doi_line(s)}"
    return published(s, size=8.5, header=lambda _: head_)


right_one("letter_of_one_page", """
    # It begins and ends on one page, and Crossref says so.
    9: <LETTER TO THE EDITOR~Correspondence~Letter~CORRESPONDENCE>
    14b+8: {s.title}
    columns 2
    +4: {s:17 letter}
    9+6: {s.byline}
    references 5
""", on=_of_one_page, own=lambda s: s.titled(s.one_of("On ", "More on ", "A remark on ", "Again: ") + s.title.lower()),
    pages="{s.first_page}")  # fmt: skip


def thesis(subject: Subject) -> Paper:
    """Return a thesis: a title page, a declaration, contents, and many pages."""
    paper = Paper(footer=lambda page: str(page) if page > 1 else "", size=11, leading=1.6)
    paper.put(f"University of {subject.place}", 14)
    paper.put(subject.title, 20, bold=True, gap=80)
    paper.put(subject.authors[0].full, 14, gap=30)
    paper.put(
        subject.one_of(
            "A thesis submitted in partial fulfilment of the requirements for the degree of Doctor of Philosophy",
            "Dissertation zur Erlangung des akademischen Grades Doktor der Philosophie",
            "Thesis submitted for the degree of Doctor of Philosophy",
            "A dissertation presented to the Faculty in candidacy for the degree of Master of Science",
        ),
        12, gap=60,
    )  # fmt: skip
    paper.put(f"Supervisor: Prof. {subject.authors[-1].full}", 11, gap=20)
    paper.put(f"{subject.year}", 12, gap=20)
    paper.page()
    paper.put("Declaration", 14, bold=True)
    paper.put("I declare that this thesis is my own work and was not submitted for another degree.", gap=6)
    paper.put("Acknowledgements", 14, bold=True, gap=20)
    paper.put(subject.prose(3, "thanks"))
    paper.page()
    paper.put("Abstract", 14, bold=True)
    paper.put(subject.abstract)
    for chapter in range(1, 6):
        paper.page()
        paper.put(f"Chapter {chapter}", 16, bold=True)
        for section in range(9):
            paper.put(f"{chapter}.{section + 1} {subject.sections()[section % 6]}", 12, bold=True, gap=8)
            paper.put(subject.prose(22, f"thesis/{chapter}/{section}"), gap=3)
    references(paper, subject, 30)
    return paper


right_one("thesis_of_a_thesis", of=DocumentKind.THESIS, on=thesis, type="doctoralThesis", name="thesis.pdf", pages="")


def poster(subject: Subject) -> Paper:
    """Return a poster: one large sheet in three columns."""
    paper = Paper(width=1684, height=1190, font="Sans", size=17)
    paper.page()
    paper.put(subject.title, 44, bold=True)
    paper.put(subject.byline, 24, gap=8)
    paper.put(
        subject.one_of(f"University of {subject.place}", f"Annual Meeting, {subject.place} {subject.year}"), 18, gap=4
    )
    paper.space(16)
    paper.columns(3)
    for place, section in enumerate(("Background", "Aims", "Methods", "Results", "Conclusions", "Contact")):
        paper.put(section, 24, bold=True, gap=12)
        paper.put(subject.prose(4, f"poster/{place}"))
    return paper


right_one(
    "poster_of_a_poster", of=DocumentKind.POSTER, on=poster, type="conference poster", name="poster.pdf", pages=""
)


@right()
def old_article_with_noise_of_a_scan(subject: Subject) -> Case:
    """The recognised text has wrong letters, also in the title."""
    random = subject.random("noise")
    swaps = {"i": "l", "e": "c", "m": "rn", "o": "0", "h": "b", "u": "ii", "I": "l", "S": "5", "f": "t"}

    def noisy(text: str, share: float) -> str:
        return "".join(swaps[c] if c in swaps and random.random() < share else c for c in text)

    paper = Paper(header=lambda _: noisy(f"{subject.journal} {subject.year}", 0.05))
    paper.put(noisy(subject.title.upper(), 0) if subject.number % 4 < 2 else noisy(subject.title, 0.04), 15, gap=6)
    paper.put(f"By {noisy(subject.byline, 0.02)}", 11, gap=6)
    while len(paper.sheets) < subject.page_count:
        paper.put(noisy(subject.prose(6, f"scan/{len(paper.sheets)}/{len(paper.sheets[-1].runs)}"), 0.03), gap=4)
    for sheet in paper.sheets:
        sheet.is_image = True
    return Case(subject, paper.pdf(), pages=subject.pages)


right_one("article_without_abstract_and_with_a_narrow_text", """
    # An essay: its title, its author, and prose; the citation stands at its foot.
    11: {s.byline}
    15b+8: {s.title}
    space 14
    body 8
""", on=lambda s: Paper(footer=lambda page: citation(s) if page == 1 else str(page), width=480, height=680), abstract="none")  # fmt: skip
