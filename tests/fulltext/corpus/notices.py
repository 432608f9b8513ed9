"""Wrong files: what is said about the work, by its journal, its reviewers or its readers."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, citation, doi_line, head, published, references
from tests.fulltext.corpus.words import Subject


def _notice(subject: Subject, label: str, text: str) -> Paper:
    """Return a notice of one page: its label before the title of the work."""
    own = f"{subject.doi[:-2]}99"
    paper = published(
        subject,
        header=lambda _: f"{subject.journal} {subject.volume + 1} ({subject.year + 1}) 7\nhttps://doi.org/{own}",
    )
    heading = label.format(t=subject.title, a=subject.authors[0].family)
    paper.put(heading, 15, bold=True, gap=10)
    paper.put(subject.byline, 11, gap=6)
    paper.put(f"{subject.one_of('Correction to:', 'The original article can be found at', 'Original article:', 'Refers to')} "
              f"{citation(subject)}. {doi_line(subject)}", 9, gap=6)  # fmt: skip
    paper.put(text, gap=8)
    return paper


_SORRY = "The authors regret that Table 2 of the article had wrong units. The correct table is given here. The conclusions are unchanged. "


@wrong(DocumentKind.NOTICE)
def erratum(subject: Subject) -> Case:
    """It repeats title and authors, and has some lines."""
    label = subject.one_of("Erratum to: {t}", "Erratum: {t}", "ERRATUM\n{t}", "{t} (Erratum)")
    return Case(subject, _notice(subject, label, _SORRY * 2 + subject.prose(4, "erratum")).pdf(), pages=subject.pages)


@wrong(DocumentKind.NOTICE)
def corrigendum(subject: Subject) -> Case:
    """As an erratum, under other names."""
    label = subject.one_of(
        "Corrigendum to “{t}”", "Author Correction: {t}", "Publisher Correction: {t}", "Correction\n{t}",
        "Correction for {a} et al., {t}", "Corrigendum: {t}",
    )  # fmt: skip
    return Case(subject, _notice(subject, label, _SORRY * 2 + subject.prose(5, "erratum")).pdf(), pages=subject.pages)


@wrong(DocumentKind.NOTICE)
def retraction_notice(subject: Subject) -> Case:
    """It tells why the work was retracted."""
    label = subject.one_of("Retraction: {t}", "Retraction Note: {t}", "RETRACTED: {t}", "Notice of Retraction\n{t}")
    text = subject.one_of(
        "This article has been retracted at the request of the editors, since the data could not be confirmed. ",
        "The editors have retracted this article because of concerns about the peer review process. ",
    )
    return Case(subject, _notice(subject, label, text * 4 + subject.prose(3, "why")).pdf(), pages=subject.pages)


@wrong(DocumentKind.NOTICE)
def expression_of_concern(subject: Subject) -> Case:
    """It warns of the work."""
    label = subject.one_of("Expression of Concern: {t}", "Editorial Expression of Concern: {t}", "Expression of concern\n{t}",
                           "Editorial Note of Concern: {t}")  # fmt: skip
    text = "The editors publish this expression of concern to alert readers that the data of this article are under investigation. "
    return Case(subject, _notice(subject, label, text * 4 + subject.prose(2, "why")).pdf(), pages=subject.pages)


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


@wrong(DocumentKind.NOTICE)
def reply_to_the_work(subject: Subject) -> Case:
    """Of the authors themselves, to a comment."""
    label = subject.one_of("Reply to “Comment on ‘{t}’”", "Response to the letter on “{t}”", "Authors’ reply: {t}",
                           "Response to Comment on “{t}”")  # fmt: skip
    own = subject.another(1, label.format(t=subject.title))
    paper = published(own)
    paper.put(own.title, 15, bold=True, gap=10)
    paper.put(subject.byline, 11, gap=6)
    paper.put(f"We thank our colleagues for their comment on our paper [1]. {subject.prose(12, 'reply')}", gap=8)
    references(paper, subject, 6)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong()
def editorial_about_the_work(subject: Subject) -> Case:
    """It praises the work, whose DOI stands on its first page."""
    own = subject.stranger().titled(subject.one_of("In this issue", "Editorial", "Editor’s choice", "From the editors"))
    paper = published(own, header=lambda _: f"{subject.journal} {subject.volume} ({subject.year}) 1")
    paper.put(own.title, 16, bold=True)
    paper.put(own.byline, 10, gap=5)
    paper.put(
        f"This issue has a paper of {subject.byline}, “{subject.title}” ({doi_line(subject)}). {subject.prose(9, 'praise')}",
        gap=8,
    )
    paper.put(own.prose(20, "editorial"), gap=5)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong()
def review_of_the_book(subject: Subject) -> Case:
    """The title of the book stands at the head, with its price."""
    own = subject.stranger()
    paper = published(own)
    paper.put(subject.one_of("BOOK REVIEW", "Book Reviews", "Reviews", "Rezensionen"), 9)
    paper.put(f"{subject.byline}, {subject.title}. {subject.place}: {subject.publisher}, {subject.year}. "
              f"{180 + subject.number} pp. ISBN 978-90-0000-0{subject.number:02d}-1. € 49.95", 11, bold=True, gap=8)  # fmt: skip
    paper.put(f"This book is welcome. {subject.prose(8, 'book')}", gap=8)
    paper.put(own.prose(14, "review"), gap=4)
    paper.put(f"Reviewed by {own.authors[0].full}, University of {own.place}", 9, gap=8)
    return Case(subject, paper.pdf(), type="book", abstract="none")


@wrong(DocumentKind.REVIEW)
def peer_review_file(subject: Subject) -> Case:
    """The reports of the reviewers and the answers to them."""
    paper = Paper(footer=str)
    paper.put(
        subject.one_of("Peer Review File", "Reviewers’ Comments", "TRANSPARENT PEER REVIEW FILE", "Review History"),
        16,
        bold=True,
    )
    paper.put(f"Manuscript Title: {subject.title}", 11, gap=10)
    paper.put(f"Corresponding author: {subject.authors[0].full}", 10, gap=4)
    for number in (1, 2, 3):
        paper.put(f"Reviewer #{number} (Remarks to the Author):", 11, bold=True, gap=10)
        paper.put(f"The authors present an interesting study. {subject.prose(12, f'review/{number}')}", gap=4)
        paper.put("We thank the reviewer for this comment. We have changed the text on page 3.", gap=4)
    name = subject.one_of("peer_review_file.pdf", "41467_2021_MOESM2_ESM.pdf", "review-history.pdf", "download.pdf")
    return Case(subject, paper.pdf(), name=name, pages=subject.pages)


@wrong(DocumentKind.REVIEW)
def decision_letter(subject: Subject) -> Case:
    """The editor writes to the authors."""
    paper = Paper()
    paper.put(
        subject.one_of("Decision letter", "EDITORIAL DECISION", "Decision Letter", "Editor's decision"), 14, bold=True
    )
    paper.put(f"Article: {subject.title}\n{doi_line(subject)}", 10, gap=8)
    paper.put(f"Dear Dr {subject.authors[0].family},\nThank you for submitting your work entitled “{subject.title}” for "
              f"consideration by {subject.journal}. Your article has been reviewed by two peer reviewers.", gap=8)  # fmt: skip
    paper.put(f"Essential revisions: {subject.prose(14, 'revisions')}", gap=6)
    paper.put("Yours sincerely,\nThe editors", gap=8)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong(DocumentKind.REVIEW)
def response_of_the_authors(subject: Subject) -> Case:
    """The answers to the reviewers, point by point."""
    paper = Paper(footer=str)
    paper.put(
        subject.one_of("Author response", "Response to Reviewers", "Authors’ response to reviewers", "Response Letter"),
        14,
        bold=True,
    )
    paper.put(f"{subject.title}\n{subject.byline}", 11, gap=8)
    for number in range(1, 9):
        paper.put(f"Comment {number}: {subject.prose(2, f'comment/{number}')}", gap=6)
        paper.put(f"Response: We agree with the reviewer. {subject.prose(3, f'response/{number}')}", gap=3)
    return Case(subject, paper.pdf(), pages=subject.pages)


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


@wrong()
def press_release(subject: Subject) -> Case:
    """A university tells of the work."""
    paper = Paper(font="Sans")
    paper.put(subject.one_of("PRESS RELEASE", "For immediate release", "News release", "Media contact"), 12, bold=True)
    paper.put(
        f"New findings about {subject.topic.things[0]} at the University of {subject.place}", 16, bold=True, gap=8
    )
    paper.put(f"{subject.place}, 3 May {subject.year}. {subject.prose(12, 'press')}", gap=8)
    paper.put(
        f"Publication: {subject.byline}: {subject.title}. {subject.journal} {subject.year}. {doi_line(subject)}", gap=10
    )
    paper.put(
        f"Contact: press office, University of {subject.place}, press@{subject.place.lower().replace('ø', 'o')}.test",
        gap=6,
    )
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong()
def flyer_of_a_book(subject: Subject) -> Case:
    """The publisher sells the book by one page."""
    paper = Paper(font="Sans")
    paper.put(subject.publisher, 12, bold=True)
    paper.put(subject.title, 22, bold=True, gap=14)
    paper.put(subject.byline, 13, gap=6)
    paper.put(
        f"{subject.year}, {200 + subject.number} pages, paperback. ISBN 978-90-0000-0{subject.number:02d}-1. {doi_line(subject)}",
        gap=8,
    )
    paper.put(f"About the book. {subject.abstract} {subject.prose(4, 'flyer')}", gap=8)
    paper.put(subject.one_of("Order now at a discount of 20 %", "Order form: please send me __ copies", "Order your copy today",
                             "How to order: use the code SAVE20"), 12, gap=14)  # fmt: skip
    return Case(subject, paper.pdf(), type="book", name="flyer.pdf")


@wrong()
def interview_with_an_author(subject: Subject) -> Case:
    """It has the DOI, the name and the words of the work, and not its title."""
    name = subject.authors[0]
    paper = Paper(header=lambda page: doi_line(subject) if page == 1 and subject.number % 4 < 2 else "", footer=str)
    title = subject.one_of("Three questions for {}", "{} in conversation", "A visit to {}", "{} answers our readers")
    paper.put(title.format(name.full), 18, bold=True)
    for place in range(subject.one_of(6, 9, 20, 24)):
        paper.put(f"{subject.prose(1, f'question/{place}')[:-1]}?", bold=True, gap=6)
        paper.put(subject.prose(4, f"answer/{place}"), gap=2)
    paper.put(f"{doi_line(subject)}", 9, gap=8)
    references(paper, subject, 4)
    return Case(subject, paper.pdf())


@wrong()
def document_whose_label_is_last_in_the_file(subject: Subject) -> Case:
    """The label is at the top of the first page all the same."""
    label = subject.one_of("Peer review report", "Supplementary Information", "Study protocol", "Press release",
                           "Erratum", "Teaching notes")  # fmt: skip
    paper = Paper(header=lambda page: label if page == 1 else "", footer=str, writes_heads_last=True)
    head(paper, subject)
    body(paper, subject, 6)
    return Case(subject, paper.pdf())
