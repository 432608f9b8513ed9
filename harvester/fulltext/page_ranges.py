"""The number of pages of a work, from a page range as services write it. Pure."""

import re

MOST = 3000  # a larger number is a mistake
_RANGE = re.compile(r"(?<![\w.-])([a-z]?)(\d{1,6}) ?(?:[-\u2010-\u2015]|--) ?([a-z]?)(\d{1,6})(?![\w-])")


def number_of_pages(text: str) -> int:
    """Return the number of pages in a range such as `123-34`, `L12-L15` or `e1-e7`; 0 for any other text."""
    match = _RANGE.search(text[:200].lower())
    if match is None or (match[3] and match[3] != match[1]):
        return 0
    _, first, _, last = match.groups()
    if len(last) < len(first):  # `1234-45` means 1234-1245
        last = first[: len(first) - len(last)] + last
    pages = int(last) - int(first) + 1
    return pages if 0 < pages <= MOST else 0
