"""Recognition of pages that have the full text of an article as HTML, not only its abstract. Pure.

The figures are from 48 recorded pages. Abstracts and lists of references had at most 8,000 characters in paragraphs and
two of the sections that an article of research has. Articles had 20,000 characters, or 12,000 and all four.
"""

from __future__ import annotations

import re
from itertools import islice

from gateway.xmlio import Element
from harvester.fulltext.pages.page_tree import PageTree, around, texts, words

_MUCH = 20_000  # characters of paragraphs: an article with any sections
_SOME = 12_000  # characters, with sections
_LEAST_BODY = 3_000  # characters of an `articleBody`
_LEAST_SECTIONS = 3
_MOST_HEADINGS = 300
_MOST_PARTS = 5_000  # elements with text
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
    """Return whether a page, given as a tree and as text, has the text of an article."""
    if _ARTICLE_BODY.search(text):
        return True
    paragraphs = _texts(page, "p")
    if sum(paragraphs) >= _MUCH:
        return True
    if len(_sections(page)) < _LEAST_SECTIONS:
        return False
    return sum(paragraphs) + sum(_texts(page, "div")) >= _SOME


def _texts(page: PageTree, name: str) -> list[int]:
    """Return the lengths of the texts of elements without inner blocks, outside lists and frames."""
    held = (element for element in islice(page.elements(name), _MOST_PARTS) if not _has_blocks(element))
    return [sum(map(len, texts(element))) for element in held if around(element, *_ASIDE) is None]


def _has_blocks(tag: Element) -> bool:
    return next(tag.iterdescendants(*_BLOCKS), None) is not None


def _sections(page: PageTree) -> set[str]:
    headings = islice(page.elements("h1", "h2", "h3", "h4", "h5"), _MOST_HEADINGS)
    matches = (_SECTIONS.match(words(heading)[:_LONGEST_HEADING]) for heading in headings)
    return {match.lastgroup for match in matches if match and match.lastgroup}
