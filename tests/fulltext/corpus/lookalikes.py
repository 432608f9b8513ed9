"""Right files that have words of wrong ones, and wrong ones for records of which little can be said."""

from __future__ import annotations

from gateway.model import DocumentKind
from tests.fulltext.corpus.cases import Case, right
from tests.fulltext.corpus.layout import Paper
from tests.fulltext.corpus.papers import article, body, doi_line, head, plain, published, references
from tests.fulltext.corpus.scripts import BARE, NUMBERED, in_journal, plain_sheets, right_one, wrong_one
from tests.fulltext.corpus.words import Subject


def _titled_like_a_notice(s: Subject) -> Subject:
    return s.titled(s.one_of(
        "Error correction and retraction of {}", "Supplementary information in {}: who reads it?",
        "Peer review of {}: an experiment", "Posters and slides in the teaching of {}", "Comments on {} in medieval theses",
        "Previews of coming {}: abstract and concrete forms", "A correction for small samples of {}",
        "Expressions of concern among {}",
    ).format(s.topic.things[1]))  # fmt: skip


right_one("article_about_what_notices_are_named_after", """
    # Its title has words that stand on errata, posters, reviews and supplements.
""", own=_titled_like_a_notice, on=article)  # fmt: skip


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


right_one("article_with_words_on_its_supplement_above_its_title", """
    # A sentence or a link says where the supplement is to be had.
    8: <Supplementary material available at https://journals.test/supplements/7~Supplementary Material (click here)~See Supplement 1 for supporting content.~Supplementary files: https://journals.test/suppl~Supplementary information accompanies this paper.~Supporting Information: see the online version.~Electronic Supplementary Information (ESI) available. See the site of the journal.~Supplemental Material can be found at: http://www.journals.test/suppl>
    head
    body own-1
""")  # fmt: skip


right_one("article_that_was_corrected_later", """
    # A line of the first page names its correction.
    head
    8+4: <A correction to this article is available online.~An erratum to this article was published in the next issue.~This article has been corrected since it was published.~The original version of this article was revised: a corrigendum is available.>
    body own-1
""")  # fmt: skip


right_one("article_made_of_a_thesis", """
    # A note says from which thesis it comes.
    head
    8+4: <This article is based on the doctoral dissertation of the first author.~Part of this work was submitted in partial fulfilment of the requirements for the degree of PhD.~From the PhD thesis of the first author, University of Harlow.~The results are part of the master's thesis of the second author.>
    body own
""")  # fmt: skip


right_one("article_with_an_open_peer_review", """
    # Its first page names the reviewers, and its last pages have their reports.
    9: <RESEARCH ARTICLE~ORIGINAL RESEARCH>
    head of s
    8+4: <Open Peer Review  Reviewer Status: approved, approved. 1 {o.authors[0].full}~Edited by: {o.authors[0].full}  Reviewed by: {o.authors[1].full}>
    body own-1 of s
    12b+12: <Open Peer Review~Decision letter and author response>
    +4: Reviewer Report 3 May {s.year}. {s:8 report}
""", on_own=True, other=Subject.stranger, pages="")  # fmt: skip


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


def _number_as_pages(s: Subject) -> str:
    return s.one_of(f"e02{s.number:02d}978", f"1122{s.number:02d}", "S1-S9", f"{s.number + 1:03d}001")


def _abbreviated_pages(s: Subject) -> str:
    return f"{s.first_page}-{str(s.first_page + s.page_count - 1)[1:]}"


def _downloaded(s: Subject) -> Paper:
    line = s.one_of(
        f"Downloaded from https://journals.test/doi/{s.doi} by guest on 12 May 2021",
        "This content downloaded from 192.0.2.7 on Thu, 04 Mar 2021 11:14:09 UTC\nAll use subject to terms and conditions",
    )
    return article(s, footer=lambda _: line)


def _accepted(s: Subject) -> Paper:
    words = s.one_of(
        "ACCEPTED MANUSCRIPT", "Accepted Manuscript", "Accepted author manuscript", "AUTHOR ACCEPTED MANUSCRIPT"
    )
    return plain(s, header=lambda _: words, has_line_numbers=True)


right_one("article_with_a_number_instead_of_pages", on=lambda s: article(s, columns=2), pages=_number_as_pages)


right_one("article_with_abbreviated_pages", on=article, pages=_abbreviated_pages)  # Crossref says 123-31


right_one("article_of_many_pages", """
    # A long paper, with contents after the abstract.
    head
    12b+8: <Contents~Table of contents>
    each 1-6
    | : {n} {section} . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .  {n8}
    body 55
""", on=NUMBERED, pages="")  # fmt: skip


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


right_one("chapter_of_a_chapter", """
    # The record is that of the chapter; the heads have the title of the book.
    12: <Chapter 7~7~CHAPTER SEVEN~Seven>
    head
    body own
""", on=lambda s: Paper(header=lambda page: "A Handbook of Practice" if page % 2 else s.title,
                        footer=lambda page: str(s.first_page + page - 1)), type="book chapter")  # fmt: skip


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


right_one(
    "article_with_a_line_about_its_download_on_every_page", on=_downloaded
)  # a platform adds who took it, and when


right_one("article_in_two_languages", """
    # A summary in another language stands before the text.
    head
    10b+6: <Zusammenfassung~Résumé>
    9.5: Diese Arbeit beschreibt die Lage und ihre Folgen. Cette étude décrit la situation et ses effets.
    body own
""")  # fmt: skip


right_one("accepted_manuscript_that_says_so_on_every_page", of=DocumentKind.ARTICLE, version="accepted", on=_accepted)


_WITHDRAWN = (
    "This article has been withdrawn at the request of the authors. The publisher apologises for any inconvenience this may "
    "cause. The full policy on the withdrawal of articles can be found on the site of the journal, with all its conditions. "
)
# --- wrong ones ---------------------------------------------------------------------------------------------------


wrong_one("other_work_for_a_title_that_many_have", own=lambda s: s.titled(s.one_of(
    "Introduction", "Results and Discussion", "Conclusions", "Summary", "Abstract", "References",
)), other=Subject.stranger, on=article, abstract="none")  # fmt: skip


wrong_one("other_work_that_has_the_short_title_in_its_text", own=lambda s: s.titled(
    s.topic.nouns[s.number // 2 % 6].capitalize()), other=Subject.stranger, on=article, abstract="none")  # fmt: skip


wrong_one("withdrawal", f"""
    # A page takes the place of the article.
    15b: <WITHDRAWN: ~Withdrawal notice: ~REMOVED: ~Withdrawn article: >{{s.title}}
    11+6: {{s.byline}}
    +10: {_WITHDRAWN * 3}
""", of=DocumentKind.NOTICE)  # fmt: skip


wrong_one("erratum_at_the_end_of_another_article", """
    # The page has the end of some other text before the erratum.
    : {o:6 end}
    references 5
    14b+14: <Erratum~Corrigendum~ERRATA~Correction>
    10+4: {s.title}, by {s.byline}. {cite}. {doi}
    +4: In Table 2, the values of the second column should be divided by ten.
""", of=DocumentKind.NOTICE, other=Subject.stranger)  # fmt: skip


wrong_one("erratum_of_several_pages", """
    # A long correction, with the tables anew; nobody knows how many pages the article has.
    15b: <Correction to: ~Erratum to: ~Author Correction: ~Corrigendum to >{s.title}
    11+6: {s.byline}
    body 4 correction
""", of=DocumentKind.NOTICE, on=in_journal(header="{s.journal}"), pages="")  # fmt: skip


wrong_one("list_of_readings", """
    # A course names the work among others.
    15b: <Syllabus~Reading list~Course outline~Required readings>
    12+6: Introduction to {s.topic.nouns[0]} and {s.topic.nouns[1]}, {s.place} {year:+2}
    each 0-11
    | +8: Week {n:+1}. {w:1 week}¶{w.reference} {w_doi}
""", on=BARE, name="syllabus.pdf")  # fmt: skip


wrong_one("graphical_abstract", """
    # One page with a picture, the title and some lines.
    12b: <Graphical Abstract~Visual abstract~Highlights~Plain language summary>
    14+10: {s.title}¶{s.byline}¶{doi}
    +10: {s.abstract} {s:2 more}
""", on=plain_sheets(font="Sans", width=842, height=595))  # fmt: skip


wrong_one("minutes_that_mention_the_work", """
    # A committee speaks about a work of one of its members.
    15b: <Minutes of the meeting~Annual report of the department~Newsletter~Grant proposal>
    11+6: Department of {field} Studies, University of {s.place}
    +8: 1. New publications: {s.byline}: {s.title}, {s.journal} {s.year}.
    each 2-29
    | +4: {n}. {s:4 minutes/{n}}
""", on=NUMBERED)  # fmt: skip
