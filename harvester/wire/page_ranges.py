"""How many pages a work has, from the range of its pages or from its extent, as services and records write it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST = 3000  # more is no work of some pages, but a mistake
_RANGE = re.compile(r"(?<![\w.-])([a-z]?)(\d{1,6}) ?(?:[-\u2010-\u2015]|--) ?([a-z]?)(\d{1,6})(?![\w-])")
# What stands before a range of pages, or behind a number of them.
_MARK = r"(?:pp?\.|pages?|s\.|seiten?|p[aá]gs?\.?|páginas?|pagine|blz\.|str\.|стр\.)"
_BEHIND_MARK = re.compile(rf"(?i)(?<!\w){_MARK} ?:? ?(?=[a-z]?\d{{1,6}} ?[-\u2010-\u2015])")
_BEHIND_ISSUE = re.compile(r"(?i)(?<![\w.-])\d{1,4} ?\([^()]{1,20}\) ?[,:;] ?(?=[a-z]?\d{1,6} ?[-\u2010-\u2015])")
_EXTENT = re.compile(
    r"(?i)(?<![\w.,:/-])(\d{1,4}) ?(?:pp?\.?|pages?|s\.|seiten|páginas|págs?\.?|pagine|blz|bladzijden)(?!\w)"
)


def number_of_pages(text: str) -> int:
    """Return how many pages a range such as `123-34`, `L12-L15` or `e1-e7` has; 0 where it does not tell."""
    found = _RANGE.search(text[:200].lower())
    return _counted(found) if found else 0


def pages_stated(texts: Iterable[str]) -> int:
    """Return how many pages the first statement tells of that has a range of pages, or an extent; 0: none tells."""
    return next((pages for text in texts if (pages := _stated(text[:1000]))), 0)


def _stated(text: str) -> int:
    for mark in (_BEHIND_MARK, _BEHIND_ISSUE):
        for found in mark.finditer(text):
            if pages := number_of_pages(text[found.end() : found.end() + 40]):
                return pages
    extent = _EXTENT.search(text)
    return int(extent[1]) if extent and 0 < int(extent[1]) <= MOST else 0


def _counted(found: re.Match[str]) -> int:
    prefix, first, other, last = found.groups()
    if other and other != prefix:
        return 0
    if len(last) < len(first):  # `1234-45` means 1234-1245
        last = first[: len(first) - len(last)] + last
    pages = int(last) - int(first) + 1
    return pages if 0 < pages <= MOST else 0
