"""Find the signs of a work where a document names itself: title, DOI or another identifier, authors. Pure.

A high score shows that two texts have the same subject; it does not show that they are the same work. Papers of one
group share their words, and cite each other with title and DOI. So a title counts only where a document states its own
title (`title_evidence.py`), and an identifier only where no other work is cited (`identifier_evidence.py`).
"""

import re

from gateway.fulltext.search_result import Sign
from harvester.fulltext.pdf.first_pages import Front, folded, fronts
from harvester.fulltext.pdf.identifier_evidence import schemes_on, states_another_doi
from harvester.fulltext.pdf.title_evidence import stands_alone, title_on
from harvester.fulltext.pdf.titles import Title, title_of
from harvester.fulltext.pdf.work_names import Named, Page, authors_on
from harvester.words import any_of, load

_BYLINE = 1_200  # characters from the beginning of a page; its authors are named within them

# A document that is about another one, at the beginning of a line.
_WORDS = load("other_works")
_LABEL_END = rf"(?:[ \t]{{0,3}}(?:[:\])|.,*\u2013\u2014-]|$)|[ \t]{{1,3}}(?:{any_of(_WORDS['after_notice'])})\b)"
_OF_WHOM = rf"(?:(?:{any_of(_WORDS['whose'])})(?:['\u2019]?s)? )?"
_NOTICE = re.compile(rf"(?im)^[^\w\n]{{0,6}}{_OF_WHOM}(?:{any_of(_WORDS['notices'], {'end': _LABEL_END})})")
SUPPLEMENT = re.compile(rf"(?im)^[^\w\n]{{0,6}}(?:{any_of(_WORDS['supplements'])})(?P<rest>[^\n]{{0,200}})")
# An article states where its supplement is available: in a sentence, or as a mark alone on its line.
_IS_HAD = re.compile(rf"(?i){any_of(_WORDS['available'])}")
_IS_LED_TO = re.compile(rf"(?i)^(?:{any_of(_WORDS['leads_to_supplement'])})")
_REVIEWS = re.compile(rf"(?i){any_of(_WORDS['reviews'])}")
_NOTICE_WITHIN = 1_500  # characters of the first page; a notice is marked as one within them


_STATED = frozenset((Sign.DOI, Sign.PMCID, Sign.HANDLE))  # news and interviews state those of the work, too
_IDENTIFIERS = _STATED | {Sign.ARXIV}


def signs(first: str, named: Named) -> tuple[Sign, ...]:
    """Return the signs of a work in the text of the first two pages, where a document names itself.

    A document about another one (an erratum, a reply) has no signs of it, unless the work is such a document itself.
    Nor has a document without the title and without an abstract: news, an interview.
    """
    pages = [Page(front, tuple(authors_on(front, named.authors))) for front in fronts(first)]
    titles = [title for title in map(title_of, named.titles) if title.letters]
    if any(_is_notice(page.front, titles) for page in pages):
        return ()
    signs: set[Sign] = set()
    for page in pages:
        has_title = title_on(page, titles, named)
        signs |= {Sign.TITLE} if has_title else set()
        is_titled = has_title or stands_alone(page, titles)
        signs |= set(map(Sign, schemes_on(page, named, titles, is_titled=is_titled)))
        if any(place < max(page.front.title_end, _BYLINE) for place in page.authors):
            signs.add(Sign.AUTHOR)
    is_titled = Sign.TITLE in signs
    if not is_titled and not any(page.front.has_abstract_or_introduction for page in pages):
        signs -= _STATED
    if is_titled and not signs & _IDENTIFIERS and states_another_doi(pages, named.dois):
        signs.add(Sign.ANOTHER_DOI)
    return tuple(sign for sign in Sign if sign in signs)


def _is_notice(front: Front, titles: list[Title]) -> bool:
    head = front.head[:_NOTICE_WITHIN]
    is_whole = front.has_abstract_and_introduction
    supplements = (match for match in SUPPLEMENT.finditer(head) if not _is_of_an_article(match, is_whole=is_whole))
    match = next((match for match in (_NOTICE.search(head), *supplements) if match), None)
    return match is not None and not any(_is_such(title, match[0]) for title in titles)


def _is_such(title: Title, heading: str) -> bool:
    """Return whether a heading is about the work itself: it is part of its title, or both say `review`."""
    is_review = bool(_REVIEWS.match(heading.lstrip()) and _REVIEWS.match(title.text))
    return is_review or folded(heading) in title.letters


def _is_of_an_article(match: re.Match[str], *, is_whole: bool) -> bool:
    """Return whether a line about a supplement is of the article: it names the place, or the article follows."""
    rest = match["rest"].strip()
    return bool(_IS_HAD.search(rest)) or (is_whole and (not rest or bool(_IS_LED_TO.match(rest))))
