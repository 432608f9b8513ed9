"""Right files that have words of wrong ones, and wrong ones for records of which little can be said."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right, wrong
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, citation, doi_line, head, plain, published, references
from tests.fulltext.corpus.words import Subject


@right()
def article_about_what_notices_are_named_after(subject: Subject) -> Case:
    """Its title has words that stand on errata, posters, reviews and supplements."""
    things = subject.topic.things[1]
    title = subject.one_of(
        f"Error correction and retraction of {things}",
        f"Supplementary information in {things}: who reads it?",
        f"Peer review of {things}: an experiment",
        f"Posters and slides in the teaching of {things}",
        f"Comments on {things} in medieval theses",
        f"Previews of coming {things}: abstract and concrete forms",
        f"A correction for small samples of {things}",
        f"Expressions of concern among {things}",
    )
    own = subject.titled(title)
    return Case(own, article(own).pdf(), pages=own.pages)


@right()
def article_that_names_its_supplement_first(subject: Subject) -> Case:
    """A line about supplementary material stands above the title, or below the abstract."""
    line = subject.one_of(
        "Supporting Information",
        "Electronic supplementary material The online version of this article contains supplementary material.",
        "Supplementary data are available online.",
        "See supplementary material: additional file 1, table S1.",
    )
    paper = published(subject)
    if subject.number % 4 < 2:
        paper.put(line, 8)
    head(paper, subject)
    paper.put(line, 8, gap=4)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_with_words_on_its_supplement_above_its_title(subject: Subject) -> Case:
    """A sentence or a link says where the supplement is to be had."""
    line = subject.one_of(
        "Supplementary material available at https://journals.test/supplements/7",
        "Supplementary Material (click here)",
        "See Supplement 1 for supporting content.",
        "Supplementary files: https://journals.test/suppl",
        "Supplementary information accompanies this paper.",
        "Supporting Information: see the online version.",
        "Electronic Supplementary Information (ESI) available. See the site of the journal.",
        "Supplemental Material can be found at: http://www.journals.test/suppl",
    )
    paper = published(subject)
    paper.put(line, 8)
    head(paper, subject)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_that_was_corrected_later(subject: Subject) -> Case:
    """A line of the first page names its correction."""
    line = subject.one_of(
        "A correction to this article is available online.",
        "An erratum to this article was published in the next issue.",
        "This article has been corrected since it was published.",
        "The original version of this article was revised: a corrigendum is available.",
    )
    paper = published(subject)
    head(paper, subject)
    paper.put(line, 8, gap=4)
    body(paper, subject, subject.page_count - 1)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_made_of_a_thesis(subject: Subject) -> Case:
    """A note says from which thesis it comes."""
    paper = published(subject)
    head(paper, subject)
    paper.put(
        subject.one_of(
            "This article is based on the doctoral dissertation of the first author.",
            "Part of this work was submitted in partial fulfilment of the requirements for the degree of PhD.",
            "From the PhD thesis of the first author, University of Harlow.",
            "The results are part of the master's thesis of the second author.",
        ),
        8, gap=4,
    )  # fmt: skip
    body(paper, subject, subject.page_count)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right()
def article_with_an_open_peer_review(subject: Subject) -> Case:
    """Its first page names the reviewers, and its last pages have their reports."""
    paper = published(subject)
    paper.put(subject.one_of("RESEARCH ARTICLE", "ORIGINAL RESEARCH"), 9)
    head(paper, subject)
    paper.put(
        subject.one_of(
            f"Open Peer Review  Reviewer Status: approved, approved. 1 {subject.stranger().authors[0].full}",
            f"Edited by: {subject.stranger().authors[0].full}  Reviewed by: {subject.stranger().authors[1].full}",
        ),
        8, gap=4,
    )  # fmt: skip
    body(paper, subject, subject.page_count - 1)
    paper.put(subject.one_of("Open Peer Review", "Decision letter and author response"), 12, bold=True, gap=12)
    paper.put(f"Reviewer Report 3 May {subject.year}. {subject.prose(8, 'report')}", gap=4)
    return Case(subject, paper.pdf())


@right()
def article_behind_a_page_of_highlights(subject: Subject) -> Case:
    """A page with the highlights and a graphical abstract, and then the article."""
    paper = Paper(footer=str)
    paper.put(subject.one_of("Graphical abstract", "Highlights"), 14, bold=True)
    paper.put(f"{subject.title}\n{subject.byline}", 12, gap=6)
    for line in subject.prose(3, "highlights").split(". "):
        paper.put(f"• {line}", gap=4)
    paper.page()
    head(paper, subject)
    body(paper, subject, subject.page_count + 2)
    return Case(subject, paper.pdf())


@right()
def article_with_a_number_instead_of_pages(subject: Subject) -> Case:
    """Crossref has the number of the article where others have pages."""
    pages = subject.one_of(
        f"e02{subject.number:02d}978", f"1122{subject.number:02d}", "S1-S9", f"{subject.number + 1:03d}001"
    )
    return Case(subject, article(subject, columns=2).pdf(), pages=pages)


@right()
def article_with_abbreviated_pages(subject: Subject) -> Case:
    """Crossref says 123-31 where 123-131 is meant."""
    last = str(subject.first_page + subject.page_count - 1)
    return Case(subject, article(subject).pdf(), pages=f"{subject.first_page}-{last[1:]}")


@right()
def article_of_many_pages(subject: Subject) -> Case:
    """A long paper, with contents after the abstract."""
    paper = Paper(footer=str)
    head(paper, subject)
    paper.put(subject.one_of("Contents", "Table of contents"), 12, bold=True, gap=8)
    for place, section in enumerate(subject.sections(), 1):
        paper.put(f"{place} {section} {'. ' * 40} {place * 8 - 6}")
    body(paper, subject, 55)
    return Case(subject, paper.pdf())


@right(None)
def whole_book_of_a_book(subject: Subject) -> Case:
    """The record is that of the book."""
    paper = Paper(footer=lambda page: str(page) if page > 4 else "", width=440, height=660)
    paper.put(subject.title, 20, bold=True, gap=120)
    paper.put(subject.byline, 13, gap=14)
    paper.put(subject.publisher, 11, gap=200)
    paper.page()
    paper.put(f"© {subject.year} {subject.byline}\nISBN 978-90-0000-0{subject.number:02d}-1\n{doi_line(subject)}", 9)
    paper.page()
    paper.put(subject.one_of("Contents", "Table of Contents"), 14, bold=True)
    for place in range(1, 9):
        paper.put(
            f"{place}  {subject.filled('{N} and {n2}', subject.random(str(place)))} {'.' * 30} {place * 14}", gap=4
        )
    for chapter in range(1, 9):
        paper.page()
        paper.put(f"Chapter {chapter}", 16, bold=True)
        for section in range(8):
            paper.put(subject.prose(24, f"book/{chapter}/{section}"), gap=6)
    references(paper, subject, 30)
    return Case(subject, paper.pdf(), type="book", name="book.pdf", abstract="none")


@right()
def chapter_of_a_chapter(subject: Subject) -> Case:
    """The record is that of the chapter; the heads have the title of the book."""
    paper = Paper(
        header=lambda page: "A Handbook of Practice" if page % 2 else subject.title,
        footer=lambda page: str(subject.first_page + page - 1),
    )
    paper.put(subject.one_of("Chapter 7", "7", "CHAPTER SEVEN", "Seven"), 12)
    head(paper, subject)
    body(paper, subject, subject.page_count)
    return Case(subject, paper.pdf(), type="book chapter", pages=subject.pages)


@right(None)
def book_review_whose_record_is_that_review(subject: Subject) -> Case:
    """The record's title names the book that is reviewed."""
    book = subject.stranger()
    review = subject.titled(subject.one_of("Review of: ", "Book review: ") + f"{book.title}, by {book.byline}")
    paper = published(review)
    paper.put(subject.one_of("BOOK REVIEWS", "Reviews"), 9)
    paper.put(review.title, 12, bold=True, gap=8)
    paper.put(subject.byline, 10, gap=5)
    paper.put(f"{book.prose(16, 'book')} {subject.prose(8, 'review')}", gap=8)
    return Case(review, paper.pdf(), pages=f"{review.first_page}-{review.first_page + 1}", abstract="none")


@right()
def article_with_a_line_about_its_download_on_every_page(subject: Subject) -> Case:
    """A platform adds who took it, and when."""
    line = subject.one_of(
        f"Downloaded from https://journals.test/doi/{subject.doi} by guest on 12 May 2021",
        "This content downloaded from 192.0.2.7 on Thu, 04 Mar 2021 11:14:09 UTC\nAll use subject to terms and conditions",
    )
    return Case(subject, article(subject, footer=lambda _: line).pdf(), pages=subject.pages)


@right()
def article_in_two_languages(subject: Subject) -> Case:
    """A summary in another language stands before the text."""
    paper = published(subject)
    head(paper, subject)
    paper.put(subject.one_of("Zusammenfassung", "Résumé"), 10, bold=True, gap=6)
    paper.put("Diese Arbeit beschreibt die Lage und ihre Folgen. Cette étude décrit la situation et ses effets.", 9.5)
    body(paper, subject, subject.page_count)
    return Case(subject, paper.pdf(), pages=subject.pages)


@right(DocumentKind.ARTICLE, "accepted")
def accepted_manuscript_that_says_so_on_every_page(subject: Subject) -> Case:
    """Two words in the head, and numbers beside the lines."""
    words = subject.one_of(
        "ACCEPTED MANUSCRIPT", "Accepted Manuscript", "Accepted author manuscript", "AUTHOR ACCEPTED MANUSCRIPT"
    )
    return Case(subject, plain(subject, header=lambda _: words, has_line_numbers=True).pdf(), pages=subject.pages)


# --- wrong ones ---------------------------------------------------------------------------------------------------


@wrong()
def other_work_for_a_title_that_many_have(subject: Subject) -> Case:
    """The record says no more than `Introduction`, and every paper has such a heading."""
    own = subject.titled(
        subject.one_of("Introduction", "Results and Discussion", "Conclusions", "Summary", "Abstract", "References")
    )
    return Case(own, article(subject.stranger()).pdf(), pages=own.pages, abstract="none")


@wrong()
def other_work_that_has_the_short_title_in_its_text(subject: Subject) -> Case:
    """The title is one word of the topic, and others write about it."""
    own = subject.titled(subject.topic.nouns[subject.number // 2 % 6].capitalize())
    return Case(own, article(subject.stranger()).pdf(), pages=own.pages, abstract="none")


@wrong(DocumentKind.NOTICE)
def withdrawal(subject: Subject) -> Case:
    """A page takes the place of the article."""
    paper = published(subject)
    paper.put(
        subject.one_of("WITHDRAWN: ", "Withdrawal notice: ", "REMOVED: ", "Withdrawn article: ") + subject.title,
        15,
        bold=True,
    )
    paper.put(subject.byline, 11, gap=6)
    paper.put(
        "This article has been withdrawn at the request of the authors. The publisher apologises for any inconvenience this may "
        "cause. The full policy on the withdrawal of articles can be found on the site of the journal, with all its conditions. "
        * 3,
        gap=10,
    )
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong(DocumentKind.NOTICE)
def erratum_at_the_end_of_another_article(subject: Subject) -> Case:
    """The page has the end of some other text before the erratum."""
    other = subject.stranger()
    paper = published(other)
    paper.put(other.prose(6, "end"))
    references(paper, other, 5)
    paper.put(subject.one_of("Erratum", "Corrigendum", "ERRATA", "Correction"), 14, bold=True, gap=14)
    paper.put(f"{subject.title}, by {subject.byline}. {citation(subject)}. {doi_line(subject)}", 10, gap=4)
    paper.put("In Table 2, the values of the second column should be divided by ten.", gap=4)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong(DocumentKind.NOTICE)
def erratum_of_several_pages(subject: Subject) -> Case:
    """A long correction, with the tables anew; nobody knows how many pages the article has."""
    label = subject.one_of("Correction to: ", "Erratum to: ", "Author Correction: ", "Corrigendum to ")
    paper = published(subject, header=lambda _: subject.journal)
    paper.put(label + subject.title, 15, bold=True)
    paper.put(subject.byline, 11, gap=6)
    body(paper, subject, 4, "correction")
    return Case(subject, paper.pdf())


@wrong()
def list_of_readings(subject: Subject) -> Case:
    """A course names the work among others."""
    paper = Paper()
    paper.put(subject.one_of("Syllabus", "Reading list", "Course outline", "Required readings"), 15, bold=True)
    paper.put(
        f"Introduction to {subject.topic.nouns[0]} and {subject.topic.nouns[1]}, {subject.place} {subject.year + 2}",
        12,
        gap=6,
    )
    for week, work in enumerate([subject, *(Subject(subject.number + 8 * place, 1) for place in range(1, 12))], 1):
        paper.put(f"Week {week}. {work.prose(1, 'week')}\n{work.reference} {doi_line(work)}", gap=8)
    return Case(subject, paper.pdf(), name="syllabus.pdf", pages=subject.pages)


@wrong()
def graphical_abstract(subject: Subject) -> Case:
    """One page with a picture, the title and some lines."""
    paper = Paper(font="Sans", width=842, height=595)
    paper.put(
        subject.one_of("Graphical Abstract", "Visual abstract", "Highlights", "Plain language summary"), 12, bold=True
    )
    paper.put(f"{subject.title}\n{subject.byline}\n{doi_line(subject)}", 14, gap=10)
    paper.put(subject.abstract + " " + subject.prose(2, "more"), gap=10)
    return Case(subject, paper.pdf(), pages=subject.pages)


@wrong()
def minutes_that_mention_the_work(subject: Subject) -> Case:
    """A committee speaks about a work of one of its members."""
    paper = Paper(footer=str)
    paper.put(
        subject.one_of("Minutes of the meeting", "Annual report of the department", "Newsletter", "Grant proposal"),
        15,
        bold=True,
    )
    paper.put(f"Department of {subject.topic.nouns[0].capitalize()} Studies, University of {subject.place}", 11, gap=6)
    paper.put(f"1. New publications: {subject.byline}: {subject.title}, {subject.journal} {subject.year}.", gap=8)
    for place in range(2, 30):
        paper.put(f"{place}. {subject.prose(4, f'minutes/{place}')}", gap=4)
    return Case(subject, paper.pdf(), pages=subject.pages)
