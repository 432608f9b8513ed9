"""Whether a page is the article itself: its text as HTML, and not only its abstract. Pure.

The figures are from 48 recorded pages: abstracts and lists of references had at most 8,000 characters in paragraphs and
two of the sections that an article of research has; articles had 20,000 characters, or 12,000 and all four.
"""

from __future__ import annotations

import re
from itertools import islice

from bs4 import Tag

from harvester.wire.page_tree import PageTree

_MUCH = 20_000  # characters of paragraphs: an article, whatever its sections are called
_SOME = 12_000  # characters, with sections
_LEAST_BODY = 3_000  # characters of an `articleBody`
_LEAST_SECTIONS = 3
_MOST_HEADINGS = 300
_MOST_PARTS = 5_000  # elements that hold text
_LONGEST_HEADING = 60
_BLOCKS = ("p", "div")
_ASIDE = ("li", "nav", "footer", "aside", "header")
_SECTIONS = re.compile(
    r"(?i)^[\W\d]{0,12}(?:[ivx]{1,4}\.\s{1,3})?(?:(?P<beginning>introduc|introdu[cç]|background|einleitung)"
    r"|(?P<methods>(?:materials?|methods?|experimental|m[eé]todos?|methodik|methoden|m[eé]thodes?|patients)\b)"
    r"|(?P<results>results?\b|findings\b|ergebnisse|resultados|r[eé]sultats)"
    r"|(?P<end>discussion|conclusions?\b|diskussion|fazit|schluss|conclusi[oó]n|discusi[oó]n|discuss[aã]o|conclus[aã]o))"
)
_ARTICLE_BODY = re.compile(rf"\"articleBody\"\s{{0,9}}:\s{{0,9}}\"[^\"]{{{_LEAST_BODY}}}")


def is_article_page(page: PageTree, text: str) -> bool:
    """Tell whether a page, given as a tree and as text, holds the text of an article."""
    if _ARTICLE_BODY.search(text):
        return True
    paragraphs = _texts(page, "p")
    if sum(paragraphs) >= _MUCH:
        return True
    if len(_sections(page)) < _LEAST_SECTIONS:
        return False
    return sum(paragraphs) + sum(_texts(page, "div")) >= _SOME


def _texts(page: PageTree, name: str) -> list[int]:
    """Return the lengths of the texts of those elements that hold no others, and stand in no list or frame."""
    held = (each for each in islice(page.elements(name), _MOST_PARTS) if not _has_blocks(each))
    return [len(each.get_text()) for each in held if each.find_parent(_ASIDE) is None]


def _has_blocks(tag: Tag) -> bool:
    return any(isinstance(each, Tag) and each.name in _BLOCKS for each in tag.descendants)


def _sections(page: PageTree) -> set[str]:
    headings = islice(page.elements_of(("h1", "h2", "h3", "h4", "h5")), _MOST_HEADINGS)
    found = (_SECTIONS.match(each.get_text(" ", strip=True)[:_LONGEST_HEADING]) for each in headings)
    return {match.lastgroup for match in found if match and match.lastgroup}
