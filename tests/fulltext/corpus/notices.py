"""Wrong files: what is said about the work, by its journal, its reviewers or its readers."""

from __future__ import annotations

from gateway.core.model import DocumentKind
from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, doi_line, published
from tests.fulltext.corpus.scripts import wrong_one
from tests.fulltext.corpus.words import Subject

NOTICE, REVIEW = DocumentKind.NOTICE, DocumentKind.REVIEW


_SORRY = "The authors regret that Table 2 of the article had wrong units. The correct table is given here. The conclusions are unchanged. "
_RETRACTED = (
    "<This article has been retracted at the request of the editors, since the data could not be confirmed. ~The editors have "
    "retracted this article because of concerns about the peer review process. >"
)
_CONCERN = "The editors publish this expression of concern to alert readers that the data of this article are under investigation. "
_NOTICES = {
    "erratum": (
        "<Erratum to: {s.title}~Erratum: {s.title}~ERRATUM¶{s.title}~{s.title} (Erratum)>", _SORRY * 2 + "{s:4 erratum}",
    ),
    "corrigendum": (
        ("<Corrigendum to “{s.title}”~Author Correction: {s.title}~Publisher Correction: {s.title}~Correction¶{s.title}"
        "~Correction for {s.authors[0].family} et al., {s.title}~Corrigendum: {s.title}>"), _SORRY * 2 + "{s:5 erratum}",
    ),
    "retraction_notice": (
        "<Retraction: {s.title}~Retraction Note: {s.title}~RETRACTED: {s.title}~Notice of Retraction¶{s.title}>",
        _RETRACTED * 4 + "{s:3 why}",
    ),
    "expression_of_concern": (
        ("<Expression of Concern: {s.title}~Editorial Expression of Concern: {s.title}~Expression of concern¶{s.title}"
        "~Editorial Note of Concern: {s.title}>"), _CONCERN * 4 + "{s:2 why}",
    ),
}  # fmt: skip


def _in_another_issue(s: Subject) -> Paper:
    head_ = f"{s.journal} {s.volume + 1} ({s.year + 1}) 7\nhttps://doi.org/{s.doi[:-2]}99"
    return published(s, header=lambda _: head_)


for _name, (_label, _text) in _NOTICES.items():
    wrong_one(_name, f"""
        # One page: the label before the title of the work, its authors, its citation, and some lines.
        15b+10: {_label}
        11+6: {{s.byline}}
        9+6: <Correction to:~The original article can be found at~Original article:~Refers to> {{cite}}. {{doi}}
        +8: {_text}
    """, of=NOTICE, on=_in_another_issue)  # fmt: skip


def _about(subject: Subject, title: str, pages: int = 2) -> Paper:
    """Return a paper of strangers about the work."""
    own = subject.stranger().titled(title)
    paper = published(own)
    paper.put(title, 15, bold=True, gap=10)
    paper.put(own.byline, 11, gap=6)
    paper.put(f"In a recent paper {subject.authors[0].family} et al. [1] describe {subject.title[0].lower()}{subject.title[1:]}. "
              f"{subject.prose(6, 'about')}", gap=8)  # fmt: skip
    paper.columns(2)
    body(paper, own, pages)
    paper.put(f"[1] {subject.reference} {doi_line(subject)}", 8.5)
    return paper


@wrong(DocumentKind.NOTICE)
def comment_on_the_work(subject: Subject) -> Case:
    """Its title is that of the work with two words before it."""
    label = subject.one_of(
        "Comment on “{t}”", "Comments on: {t}", "Letter to the Editor regarding “{t}”", "Commentary on ‘{t}’"
    )
    return Case(subject, _about(subject, label.format(t=subject.title)).pdf(), pages=subject.pages)


wrong_one("reply_to_the_work", """
    # Of the authors themselves, to a comment.
    15b+10: {o.title}
    11+6: {s.byline}
    +8: We thank our colleagues for their comment on our paper [1]. {s:12 reply}
    references 6 of s
""", of=NOTICE, other=lambda s: s.another(1, s.one_of(
        "Reply to “Comment on ‘{}’”", "Response to the letter on “{}”", "Authors’ reply: {}", "Response to Comment on “{}”",
    ).format(s.title)))  # fmt: skip


wrong_one("editorial_about_the_work", """
    # It praises the work, whose DOI stands on its first page.
    16b: {o.title}
    10+5: {o.byline}
    +8: This issue has a paper of {s.byline}, “{s.title}” ({doi}). {s:9 praise}
    +5: {o:20 editorial}
""", on_own=True, on=lambda s: published(s.stranger(), header=lambda _: f"{s.journal} {s.volume} ({s.year}) 1"),
    other=lambda s: s.stranger().titled(s.one_of("In this issue", "Editorial", "Editor’s choice", "From the editors")))  # fmt: skip


@wrong()
def retracted_article_with_a_watermark(subject: Subject) -> Case:
    """The whole article, with one word across every page."""
    paper = article(subject)
    for sheet in paper.sheets:
        whole, paper.sheets = paper.sheets, [sheet]
        word = subject.one_of("RETRACTED", "RETRACTED ARTICLE", "RETRACTED", "Retracted article")
        paper.run(word, 300, 200, 60, "SansBold", turned=True)
        paper.sheets = whole
    return Case(subject, paper.pdf(), pages=subject.pages)
