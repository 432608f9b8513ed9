"""Right files: articles as publishers and repositories hand them out."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, citation, doi_line, head, plain, published, references
from tests.fulltext.corpus.words import Subject

SCHOOL = "Harlow Institutional Repository"


@right(version="published")
def publishers_article(subject: Subject) -> Case:
    """The DOI stands in the head of the first page."""
    return Case(subject, article(subject).pdf(), pages=subject.pages)


@right(version="published")
def article_in_two_columns(subject: Subject) -> Case:
    """Its words are divided at line ends."""
    return Case(subject, article(subject, columns=2, hyphenates=True, size=9.0).pdf(), pages=subject.pages)


def covered_by(subject: Subject, *lines: str) -> Paper:
    """Return an article behind a page with these lines."""
    paper = published(subject)
    paper.sheets.clear()
    heads, paper.header, paper.footer = (paper.header, paper.footer), lambda _: "", lambda _: ""
    for line in lines:
        paper.put(line, 11, gap=10)
    paper.header, paper.footer = heads
    paper.page()
    head(paper, subject)
    body(paper, subject, subject.page_count)
    return paper


@right()
def article_behind_the_cover_of_a_repository(subject: Subject) -> Case:
    """The cover names the work, its terms, and its address."""
    paper = covered_by(
        subject,
        SCHOOL,
        f"{subject.byline} ({subject.year}) {subject.title}. {subject.journal}, {subject.volume}. pp. {subject.pages}.",
        subject.one_of("Published version", "Version of record", "Link to published version", "Official URL"),
        doi_line(subject),
        "Downloaded from: https://eprints.harlow.test/id/eprint/4711/",
        subject.one_of(
            "Usage guidelines: Please refer to the usage guidelines of the repository or contact the library.",
            "Copyright and reuse: this item is made available under the terms chosen by its authors.",
        ),
    )
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_behind_the_cover_of_an_archive_of_journals(subject: Subject) -> Case:
    """The cover says who uses it, and under which terms."""
    paper = covered_by(
        subject,
        subject.title,
        f"Author(s): {subject.byline}",
        f"Source: {subject.journal}, Vol. {subject.volume}, No. 2 (Jun., {subject.year}), pp. {subject.pages}",
        f"Published by: {subject.publisher}",
        "Stable URL: https://archive.journals.test/stable/4117301",
        "Accessed: 04-03-2021 11:14 UTC",
        "This archive is a service that helps scholars and students to use a wide range of content. Your use of it "
        "indicates your acceptance of the Terms & Conditions of Use.",
    )
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_behind_the_cover_of_a_national_archive(subject: Subject) -> Case:
    """The cover is in two languages and says how to cite."""
    paper = covered_by(
        subject,
        subject.title,
        subject.byline,
        "To cite this version:",
        f"{subject.byline}. {subject.title}. {subject.journal}, {subject.year}, {subject.volume}, pp.{subject.pages}. "
        f"⟨{subject.doi}⟩. ⟨nat-0{subject.number}27113⟩",
        f"NAT Id: nat-0{subject.number}27113   https://nat.archive.test/nat-0{subject.number}27113v1",
        f"Submitted on 3 Mar {subject.year + 1}",
        "This is a multi-disciplinary open access archive for the deposit and dissemination of scientific research "
        "documents, whether they are published or not. L'archive ouverte pluridisciplinaire est destinée au dépôt et "
        "à la diffusion de documents scientifiques de niveau recherche, publiés ou non.",
    )
    return Case(subject, paper.pdf(), name="document", pages=subject.pages)


@right()
def article_behind_the_cover_of_a_network(subject: Subject) -> Case:
    """The cover counts who cites and reads."""
    paper = covered_by(
        subject,
        "See discussions, stats, and author profiles for this publication at: https://network.test/publication/3311",
        subject.title,
        f"Article in {subject.journal} · June {subject.year}",
        f"{doi_line(subject)}",
        f"CITATIONS {7 + subject.number}   READS {120 + subject.number}",
        f"{len(subject.authors)} authors, including: {subject.authors[0].full}, University of {subject.place}",
        "All content following this page was uploaded by the first author. The user has requested enhancement of the "
        "downloaded file.",
    )
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def letter_of_one_page(subject: Subject) -> Case:
    """It begins and ends on one page, and Crossref says so."""
    short = subject.titled(subject.one_of("On ", "More on ", "A remark on ", "Again: ") + subject.title.lower())
    head_ = f"{citation(short).replace(short.pages, str(short.first_page))}\n{doi_line(short)}"
    paper = published(short, size=8.5, header=lambda _: head_)
    paper.put(subject.one_of("LETTER TO THE EDITOR", "Correspondence", "Letter", "CORRESPONDENCE"), 9)
    paper.put(short.title, 14, bold=True, gap=8)
    paper.columns(2)
    paper.put(short.prose(17, "letter"), gap=4)
    paper.put(short.byline, 9, gap=6)
    references(paper, short, 5)
    return Case(short, paper.pdf(), pages=str(short.first_page))


@right()
def paper_in_proceedings(subject: Subject) -> Case:
    """Its foot names the proceedings that it stands in."""
    name = f"Proceedings of the {subject.number + 9}th Conference on {subject.topic.nouns[1].capitalize()}"
    paper = published(
        subject,
        header=subject.one_of(lambda _: "", lambda page: name if page % 2 else subject.byline),
        footer=lambda page: f"{name}, pages {subject.pages}" if page == 1 else str(subject.first_page + page - 1),
    )
    head(paper, subject)
    paper.columns(2)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), type="conference paper", pages=subject.pages)


@right()
def report_of_an_institute(subject: Subject) -> Case:
    """A cover page, a table of contents, and then the text."""
    paper = Paper(footer=lambda page: str(page) if page > 2 else "", size=11)
    paper.put(f"Institute for {subject.topic.nouns[3].capitalize()}", 12)
    paper.put(f"Working Report {subject.year}/{subject.number:02d}", 12, gap=4)
    paper.put(subject.title, 22, bold=True, gap=120)
    paper.put(subject.byline, 13, gap=12)
    paper.put(f"{subject.place}, {subject.year}", 11, gap=200)
    paper.page()
    paper.put("Contents", 14, bold=True)
    for place, section in enumerate(subject.sections(), 1):
        paper.put(f"{place}  {section} {'.' * 60} {place * 3}", gap=3)
    paper.page()
    paper.put("Summary", 14, bold=True)
    paper.put(subject.abstract, gap=6)
    body(paper, subject, 12)
    return Case(subject, paper.pdf(), type="report", name="report.pdf")


@right(DocumentKind.THESIS)
def thesis_of_a_thesis(subject: Subject) -> Case:
    """The record is that of the thesis."""
    return Case(subject, thesis(subject).pdf(), type="doctoralThesis", name="thesis.pdf")


def thesis(subject: Subject) -> Paper:
    """Return a thesis: a title page, a declaration, contents, and many pages."""
    paper = Paper(footer=lambda page: str(page) if page > 1 else "", size=11, leading=1.6)
    paper.put(f"University of {subject.place}", 14, centred=True)
    paper.put(subject.title, 20, bold=True, gap=80, centred=True)
    paper.put(subject.authors[0].full, 14, gap=30, centred=True)
    paper.put(
        subject.one_of(
            "A thesis submitted in partial fulfilment of the requirements for the degree of Doctor of Philosophy",
            "Dissertation zur Erlangung des akademischen Grades Doktor der Philosophie",
            "Thesis submitted for the degree of Doctor of Philosophy",
            "A dissertation presented to the Faculty in candidacy for the degree of Master of Science",
        ),
        12, gap=60, centred=True,
    )  # fmt: skip
    paper.put(f"Supervisor: Prof. {subject.authors[-1].full}", 11, gap=20, centred=True)
    paper.put(f"{subject.year}", 12, gap=20, centred=True)
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


@right(DocumentKind.POSTER)
def poster_of_a_poster(subject: Subject) -> Case:
    """The record is that of the poster."""
    return Case(subject, poster(subject).pdf(), type="conference poster", name="poster.pdf")


@right()
def article_that_begins_below_the_end_of_another(subject: Subject) -> Case:
    """The file has the last lines of the paper before it."""
    other = subject.stranger()
    paper = published(subject, header=lambda _: f"{subject.journal}, Vol. {subject.volume}")
    paper.put(other.prose(4, "end"))
    references(paper, other, 4)
    paper.space(20)
    head(paper, subject)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def review_article(subject: Subject) -> Case:
    """A review of the literature is no peer review."""
    review = subject.titled(
        subject.title.partition(":")[0] + subject.one_of(": a systematic review", ": a review of the literature")
    )
    paper = published(review)
    paper.put(subject.one_of("REVIEW ARTICLE", "Review", "REVIEW", "Systematic Review"), 9)
    head(paper, review)
    body(paper, review, review.page_count)
    return Case(review, paper.pdf(), pages=review.pages)


@right(None)
def reply_whose_record_is_that_reply(subject: Subject) -> Case:
    """The record's own title says that it answers another work."""
    other = subject.stranger()
    reply = subject.titled(
        subject.one_of("Reply to ", "Comment on ", "A response to ", "Comments on ") + f"“{other.title}”"
    )
    paper = published(reply)
    head(paper, reply)
    body(paper, reply, 2)
    return Case(reply, paper.pdf(), pages=f"{reply.first_page}-{reply.first_page + 1}")


@right(DocumentKind.NOTICE)
def erratum_whose_record_is_that_erratum(subject: Subject) -> Case:
    """The record's own title says that it corrects another work."""
    erratum = subject.titled(
        subject.one_of("Erratum to: ", "Correction to: ", "Corrigendum to: ", "Correction: ") + subject.title
    )
    paper = published(erratum)
    paper.put(erratum.title, 15, bold=True, gap=10)
    paper.put(erratum.byline, 11, gap=6)
    paper.put(
        f"In the original publication of this article, the values in Table 2 were given for all {subject.topic.things[0]} "
        f"together. The correct values are given below. {subject.prose(9, 'erratum')}",
        gap=8,
    )
    return Case(erratum, paper.pdf(), pages=str(erratum.first_page))


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


@right()
def article_without_abstract_and_with_a_narrow_text(subject: Subject) -> Case:
    """An essay: its title, its author, and prose; the citation stands at its foot."""
    paper = Paper(footer=lambda page: f"{citation(subject)}" if page == 1 else str(page), width=480, height=680)
    paper.put(subject.byline, 11)
    paper.put(subject.title, 15, bold=True, gap=8)
    paper.space(14)
    body(paper, subject, 8)
    return Case(subject, paper.pdf(), pages=subject.pages, abstract="none")


@right()
def article_with_a_record_in_another_order(subject: Subject) -> Case:
    """The record has the subtitle after a full stop, and the file on a line of its own."""
    main, sub = subject.title.partition(":")[0], f"A study of {subject.topic.adjectives[3]} {subject.topic.things[2]}"
    paper = published(subject)
    paper.put(main, 18, bold=True, gap=10)
    paper.put(sub, 13, gap=4)
    paper.put(subject.byline, 10, gap=8)
    paper.put(subject.abstract, 9.5, gap=8)
    body(paper, subject, subject.page_count)
    return Case(
        subject,
        paper.pdf(),
        title=f"{main}{subject.one_of('. ', ' : ', ' - ', '; ')}{sub.lower()}",
        pages=subject.pages,
    )


@right()
def article_whose_record_has_no_authors(subject: Subject) -> Case:
    """Only its title and year are known."""
    return Case(subject, plain(subject).pdf(), pages=subject.pages, type="")
