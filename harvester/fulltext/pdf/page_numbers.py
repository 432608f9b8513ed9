"""The numbers and running heads of the pages of a document. Pure.

A number at the top or the foot of a page may be its own, a year or a volume. Only numbers of pages grow from page to
page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

ROW = 3  # pages one after the other whose numbers are compared
_HEAD, _SHORT_LINE, _DIGITS = 3, 80, 5  # lines at the top and foot of a page, their characters; digits of a number
_NO_LETTERS = re.compile(r"[\d\W]+")


def plain(line: str) -> str:
    """Return the letters of a line: the same for a running head on all pages."""
    return _NO_LETTERS.sub("", line)


def heads_of(leaf: Sequence[str]) -> Iterator[str]:
    """Yield the lines at the top and the foot of a page that may be a running head."""
    return (line for line in (*leaf[:_HEAD], *leaf[-_HEAD:]) if len(line) <= _SHORT_LINE)


def is_numbered(leaves: Sequence[Sequence[str]], first: int) -> bool:
    """Return whether one of the first pages has its number, if this is that of the first page."""
    return any(first + place in _numbers(leaf) for place, leaf in enumerate(leaves[:ROW]))


def steps(leaves: Sequence[Sequence[str]], place: int) -> set[int]:
    """Return how much larger than its place in the file the number of every one of these pages is."""
    return set.intersection(*({number - place - at for number in _numbers(leaf)} for at, leaf in enumerate(leaves)))


def is_every_second(leaves: Sequence[Sequence[str]]) -> bool:
    """Return whether the numbers of these pages grow by two, and no page has a number between them, too."""
    numbers = list(map(_numbers, leaves))
    return any(
        all(
            own & {first + 2 * at + other for other in (-1, 0, 1)} == {first + 2 * at} for at, own in enumerate(numbers)
        )
        for first in numbers[0]
    )


def _numbers(leaf: Sequence[str]) -> set[int]:
    words = (word for line in heads_of(leaf) for word in line.split())
    return {int(word) for word in words if word.isdecimal() and len(word) <= _DIGITS}
