"""The number of pages of a work, from a page range or an extent as services and records write it. Pure."""

import re
from collections.abc import Iterable

from harvester.words import any_of, load

MOST = 3000  # a larger number is a mistake
_RANGE = re.compile(r"(?<![\w.-])([a-z]?)(\d{1,6}) ?(?:[-\u2010-\u2015]|--) ?([a-z]?)(\d{1,6})(?![\w-])")
_WORDS = load("page_numbers")
_BEHIND_MARK = re.compile(rf"(?i)(?<!\w)(?:{any_of(_WORDS['before'])}) ?:? ?(?=[a-z]?\d{{1,6}} ?[-\u2010-\u2015])")
_BEHIND_ISSUE = re.compile(r"(?i)(?<![\w.-])\d{1,4} ?\([^()]{1,20}\) ?[,:;] ?(?=[a-z]?\d{1,6} ?[-\u2010-\u2015])")
_EXTENT = re.compile(rf"(?i)(?<![\w.,:/-])(\d{{1,4}}) ?(?:{any_of(_WORDS['after'])})(?!\w)")


def number_of_pages(text: str) -> int:
    """Return the number of pages in a range such as `123-34`, `L12-L15` or `e1-e7`; 0 for any other text."""
    match = _RANGE.search(text[:200].lower())
    return _counted(match) if match else 0


def pages_stated(texts: Iterable[str]) -> int:
    """Return the number of pages in the first text with a page range or an extent; 0: none."""
    return next((pages for text in texts if (pages := _stated(text[:1000]))), 0)


def _stated(text: str) -> int:
    for mark in (_BEHIND_MARK, _BEHIND_ISSUE):
        for match in mark.finditer(text):
            if pages := number_of_pages(text[match.end() : match.end() + 40]):
                return pages
    extent = _EXTENT.search(text)
    return int(extent[1]) if extent and 0 < int(extent[1]) <= MOST else 0


def _counted(match: re.Match[str]) -> int:
    prefix, first, other, last = match.groups()
    if other and other != prefix:
        return 0
    if len(last) < len(first):  # `1234-45` means 1234-1245
        last = first[: len(first) - len(last)] + last
    pages = int(last) - int(first) + 1
    return pages if 0 < pages <= MOST else 0
