"""What of a work stands where a document names itself: its title, its DOI or another identifier, its authors. Pure.

A score says that two texts speak of the same; it does not say that they are the same. Papers of one group share their
words, and cite each other with title and DOI. So a title counts where a document states its own (`standing.py`), an
identifier where no other work is spoken of (`stating.py`). What stands there only in part needs an author as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from harvester.verification.fronts import Front, folded, fronts
from harvester.verification.naming import Named, Page, authors_on
from harvester.verification.standing import title_on
from harvester.verification.stating import schemes_on
from harvester.verification.titles import Title, title_of

_BYLINE = 1_200  # characters from the beginning of a page in which its authors stand

# A document that is about another one, at the beginning of a line.
_NOTICES = (
    r"errat(?:um|a)\b", r"corrigend(?:um|a)\b", r"corrections?(?: to\b|[ \t]{0,3}[:.]|[ \t]{0,5}$)",
    r"retract(?:ion|ed)\b",
    r"withdraw(?:n|al)\b", r"expression of concern\b", r"addend(?:um|a)\b", r"comment(?:s|ary)? (?:on|to)\b",
    r"(?:authors?['\u2019]?s?['\u2019]? )?(?:reply|response) to\b", r"reply[ \t]{0,3}(?:[:.]|$)", r"re:",
    r"discussion (?:of|on)\b", r"remarks? on the (?:paper|article)\b", r"(?:a )?rejoinder\b", r"book reviews?\b",
    r"review(?:ed work)?s?(?: of)?[ \t]{0,3}:", r"(?:online )?supplement to\b",
    r"supporting (?:information|material)\b",

       r"supplement(?:ary|al) (?:materials?|information|data|files?|text|appendix|tables?|figures?|notes?)\b",
    r"electronic supplement\w{0,5}\b", r"(?:online|technical|web) appendix\b", r"(?:decision|rebuttal) letter\b",
    r"peer[ -]review (?:file|report|history)\b", r"review(?:er)?(?:['\u2019]?s?['\u2019]?) (?:comments?|reports?)\b",
    r"berichtigung\b", r"rezension\b", r"kommentar zu\b", r"compte rendu\b", r"errata corrige\b",
)  # fmt: skip
_OF_WHOM = r"(?:(?:publisher|author|editorial|partial|full)(?:['\u2019]?s)? )?"
_NOTICE = re.compile(rf"(?im)^[^\w\n]{{0,6}}{_OF_WHOM}(?:{'|'.join(_NOTICES)})")
_NOTICE_WITHIN = 1_500  # characters of the first page in which a notice says that it is one


class Sign(StrEnum):
    """What identifies a work on the first pages of a document: a closed list."""

    DOI = "doi"
    TITLE = "title"
    PART_OF_TITLE = "part-of-title"  # with the surname of an author
    ARXIV = "arxiv"
    PMCID = "pmcid"
    HANDLE = "handle"
    AUTHOR = "author"  # which alone identifies nothing


_DECISIVE = frozenset(Sign) - {Sign.AUTHOR}


def is_identified(signs: Iterable[str]) -> bool:
    """Tell whether one of the signs identifies a work."""
    return not _DECISIVE.isdisjoint(signs)


def signs(first: str, named: Named) -> tuple[Sign, ...]:
    """Return what of a work stands where a document names itself, of the text of its first two pages.

    A document that is about another one (an erratum, a reply) shows nothing of it, unless the work is one itself.
    """
    pages = [Page(front, tuple(authors_on(front, named.authors))) for front in fronts(first)]
    titles = [title for title in map(title_of, named.titles) if title.letters]
    if any(_is_notice(page.front, titles) for page in pages):
        return ()
    found: set[Sign] = set()
    for page in pages:
        title = title_on(page, titles, named)
        found |= {Sign(title)} if title else set()
        found |= set(map(Sign, schemes_on(page, named, titles, is_titled=title is not None)))
        if any(place < max(page.front.title_end, _BYLINE) for place in page.authors):
            found.add(Sign.AUTHOR)
    return tuple(each for each in Sign if each in found)


def _is_notice(front: Front, titles: Iterable[Title]) -> bool:
    match = _NOTICE.search(front.head[:_NOTICE_WITHIN])
    return match is not None and not any(folded(match[0]) in title.letters for title in titles)
