"""Find the signs of a work where a document names itself: title, DOI or another identifier, authors. Pure.

A high score shows that two texts have the same subject; it does not show that they are the same work. Papers of one
group share their words, and cite each other with title and DOI. So a title counts only where a document states its own
title (`title_evidence.py`), and an identifier only where no other work is cited (`identifier_evidence.py`). A part of
either needs an author as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gateway.fulltext.search_result import Sign
from harvester.fulltext.pdf.first_pages import Front, folded, fronts
from harvester.fulltext.pdf.identifier_evidence import schemes_on, states_another_doi
from harvester.fulltext.pdf.title_evidence import stands_alone, title_on
from harvester.fulltext.pdf.titles import Title, title_of
from harvester.fulltext.pdf.work_names import Named, Page, authors_on

_BYLINE = 1_200  # characters from the beginning of a page; its authors are named within them

# A document that is about another one, at the beginning of a line.
_LABEL_END = (
    r"(?:[ \t]{0,3}(?:[:\])|.,*\u2013\u2014-]|$)"
    r"|[ \t]{1,3}(?:articles?|papers?|note|notice|statement|publication|preprint|of|to|for|by)\b)"
)
_NOTICES = (
    r"errat(?:um|a)\b", r"corrigend(?:um|a)\b", r"corrections?(?: to\b|[ \t]{0,3}[:.]|[ \t]{0,5}$)",
    rf"retract(?:ion|ed){_LABEL_END}", rf"withdraw(?:n|al){_LABEL_END}",
    r"expression of concern\b", r"addend(?:um|a)\b", r"comment(?:s|ary)? (?:on|to)\b",
    r"(?:authors?['\u2019]?s?['\u2019]? )?(?:reply|response) to\b", r"reply[ \t]{0,3}(?:[:.]|$)", r"re:",
    r"discussion (?:of|on)\b", r"remarks? on the (?:paper|article)\b", r"(?:a )?rejoinder\b", r"book reviews?\b",
    r"review(?:ed work)?s?(?: of)?[ \t]{0,3}:", r"(?:decision|rebuttal) letter\b",
    r"peer[ -]review (?:file|report|history)\b", r"review(?:er)?(?:['\u2019]?s?['\u2019]?) (?:comments?|reports?)\b",
    r"berichtigung\b", r"rezension\b", r"kommentar zu\b", r"compte rendu\b", r"errata corrige\b",
)  # fmt: skip
_OF_WHOM = r"(?:(?:publisher|author|editorial|partial|full)(?:['\u2019]?s)? )?"
_NOTICE = re.compile(rf"(?im)^[^\w\n]{{0,6}}{_OF_WHOM}(?:{'|'.join(_NOTICES)})")
_SUPPLEMENTS = (
    r"(?:online )?supplement to\b", r"supporting (?:information|material)\b",
    r"supplement(?:ary|al) (?:materials?|information|data|files?|text|appendix|tables?|figures?|notes?)\b",
    r"electronic supplement\w{0,5}\b", r"(?:online|technical|web) appendix\b",
)  # fmt: skip
SUPPLEMENT = re.compile(rf"(?im)^[^\w\n]{{0,6}}(?:{'|'.join(_SUPPLEMENTS)})(?P<rest>[^\n]{{0,200}})")
# An article states where its supplement is available: in a sentence, or as a mark alone on its line.
_IS_HAD = re.compile(
    r"(?i)(?:\b(?:is|are) (?:available|provided|published|online|free)|\bavailable (?:online|free|at|from|on|in|for)\b"
    r"|\bcan be (?:found|accessed|obtained|downloaded)|\bthis article (?:contains|has)\b"
    r"|\bonline version (?:of|contains)\b)"
)
# Words that lead to the supplement. A DOI does not count: a supplement may name that of its article.
_IS_LED_TO = re.compile(
    r"(?i)^(?:[\s:,.;(-]{0,5}(?:see\b|click here|https?://(?!(?:dx\.)?doi\.org)|www\.)|[^\n]{0,40}\bis given via\b"
    r"|\s{0,3}accompan(?:y|ies) th(?:is|e) (?:paper|article)\b|(?:information)?\s{0,3}\(?e?si\)?[\s:-]{0,3}available\b)"
)
_REVIEWS = re.compile(r"(?i)(?:book )?reviews?\b|rezension|compte rendu")
_NOTICE_WITHIN = 1_500  # characters of the first page; a notice is marked as one within them


_STATED = frozenset((Sign.DOI, Sign.PMCID, Sign.HANDLE))  # news and interviews state those of the work, too
_IDENTIFIERS = _STATED | {Sign.ARXIV}


def signs(first: str, named: Named, types: Sequence[tuple[float, ...]] = ()) -> tuple[Sign, ...]:
    """Return the signs of a work in the text of the first two pages, where a document names itself.

    A document about another one (an erratum, a reply) has no signs of it, unless the work is such a document itself.
    Nor has a document without the title and without an abstract: news, an interview.
    `types` are the heights of the lines of these pages, as far as they are known.
    """
    pages = [Page(front, tuple(authors_on(front, named.authors))) for front in fronts(first, types)]
    titles = [title for title in map(title_of, named.titles) if title.letters]
    if any(_is_notice(page.front, titles) for page in pages):
        return ()
    signs: set[Sign] = set()
    for page in pages:
        title = title_on(page, titles, named)
        signs |= {Sign(title)} if title else set()
        is_titled = title is not None or stands_alone(page, titles)
        signs |= set(map(Sign, schemes_on(page, named, titles, is_titled=is_titled)))
        if any(place < max(page.front.title_end, _BYLINE) for place in page.authors):
            signs.add(Sign.AUTHOR)
    is_titled = bool(signs & {Sign.TITLE, Sign.PART_OF_TITLE})
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
