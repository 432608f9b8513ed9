"""Find the lines above and below the title of a document, on the page that names it. Pure.

The title may be in one line or in several, and may begin or end within a line. A later title counts more than a running
head above it; the title in the text counts least.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import spelled_lines
from harvester.fulltext.pdf.first_pages import PAGE_BREAK, is_heading, without_line_numbers
from harvester.fulltext.pdf.similarity import letters

_WITHIN = 60  # lines of a page in which a title is looked for
_SHORT = 60  # characters of the first line of an abstract that may be a label
_SENTENCE_WORDS = 3  # of an abstract behind its heading
_FULL_WORDS = 8  # of a full line
# `Summary of the paper by Holm` is the heading of a text about the article.
_OF_ANOTHER = re.compile(r"(?:of (?:the |an? )?(?:paper|article|book|work|thesis)|by) ")


class Around(NamedTuple):
    """The lines above and below a title."""

    above: Sequence[str]
    below: Sequence[str]


class Place(NamedTuple):
    """The lines of a title, and how many letters its first line has before it, and its last line until its end."""

    start: int
    stop: int
    before: int
    until: int


def first_pages_of(first: str) -> list[list[str]]:
    """Return the lines of the first two pages of a text."""
    return [spelled_lines(without_line_numbers(page), _WITHIN) for page in first.split(PAGE_BREAK)[:2]]


def page_of_title(pages: Sequence[Sequence[str]], titles: Sequence[str]) -> int | None:
    """Return the number of the page with a title and the abstract, else of the first one with a title."""
    with_title = [number for number, lines in enumerate(pages) if around_title(lines, titles)]
    with_both = [number for number in with_title if body_of(pages[number]) < len(pages[number])]
    return next(iter((*with_both, *with_title)), None)


def around_title(lines: Sequence[str], titles: Sequence[str]) -> Around | None:
    """Return the lines around a title; None if it is not on the page. Words in its own lines count as lines.

    A title that begins a line counts more than one behind other words, and a later one more than a running head.
    """
    spelled = [letters(line) for line in lines]
    for title in titles:
        places = list(_places(spelled, title))
        if places:
            own = {number for place in places for number in range(place.start, place.stop)}
            place = _own_place(places, min(body_of(lines), _text(lines)))
            above = [line for number, line in enumerate(lines[: place.start]) if number not in own]
            label, rest = (
                _split(lines[place.start], place.before)[0].rstrip(" :-"),
                _split(lines[place.stop - 1], place.until)[1],
            )
            return Around([*above, *filter(letters, (label,))], [*filter(letters, (rest,)), *lines[place.stop :]])
    return None


def body_of(lines: Sequence[str]) -> int:
    """Return the number of the line with which the abstract or the text begins."""
    headed = (number for number, line in enumerate(lines) if is_heading(line) or _is_abstract(line.lower()))
    return next(headed, len(lines))


def _is_abstract(lower: str) -> bool:
    """Return whether a line is the heading of an abstract, or begins one: `Abstract. We show`, not `Summary for`."""
    match = headings.ABSTRACT.match(lower)
    if match is None:
        return False
    rest = lower[match.end() :].strip()
    if _OF_ANOTHER.match(rest):
        return False
    is_sentence = rest.endswith(".") and len(rest.split()) > _SENTENCE_WORDS
    return not rest or rest[0] in ".:-|" or len(lower) > _SHORT or is_sentence


def _own_place(places: Sequence[Place], body: int) -> Place:
    """Return the last place before the text where a title begins a line, else the first place."""
    headings_ = [place for place in places if place.start < body and not place.before]
    lines = [place for place in places if not place.before]
    return next(iter((*headings_[::-1], *lines, *places)))


def _text(lines: Sequence[str]) -> int:
    """Return the number of the line with which text of several full lines begins."""
    is_full = [len(line.split()) >= _FULL_WORDS for line in lines]
    return next((number for number in range(len(lines)) if all(is_full[number : number + 3])), len(lines))


def _places(spelled: Sequence[str], title: str) -> Iterator[Place]:
    """Yield the places of a title in the letters of lines."""
    joined, starts = "".join(spelled), [0, *accumulate(map(len, spelled))]
    at = joined.find(title)
    while at >= 0:
        start, last = bisect(starts, at) - 1, bisect(starts, at + len(title) - 1) - 1
        yield Place(start, last + 1, at - starts[start], at + len(title) - starts[last])
        at = joined.find(title, at + len(title))


def _split(line: str, count: int) -> tuple[str, str]:
    """Return the text of a line with its first letters, of this count, and the rest."""
    seen = 0
    for place, sign in enumerate(line):
        if seen >= count:
            return line[:place], line[place:]
        seen += len(letters(sign))
    return line, ""
