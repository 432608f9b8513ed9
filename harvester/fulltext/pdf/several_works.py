"""Whether a file has another work behind the one in question, or is a book. Pure.

Scans of issues and files of whole books begin with the title page of a work, too. Another work begins behind the
references of the first one, with an abstract or an introduction, and has references of its own. Or there are several
lists of references. An abstract in another language behind the references is followed by no text. Articles that begin
on the last page of the work do not count.

Pages of short works, such as abstracts of a meeting, have other titles. These are as large as the title of the work,
and larger than the text. An article may have its title in three languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import Document
from harvester.fulltext.pdf.first_pages import PAGE_BREAK
from harvester.fulltext.pdf.similarity import letters

_FEWEST_LINES = 40  # of a work: between its beginning and its references
_BOOK, _FEWEST_CHAPTERS = 49, 3  # pages of a book (UNESCO), and chapters
_LONGEST = 60  # characters of a heading
_LISTS = 3  # of references; an appendix may have one of its own
_BEHIND, _FEWEST_YEARS = 12, 3  # lines behind such a heading, and lines with a year among them
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d[a-z]?\b")
_OTHER_TITLES = 3  # as large as the title of the work; two may be translations
_EQUAL, _LARGER = 0.03, 1.15  # of heights: those of two titles differ by less, and a title is so much larger than text
_LEAST_LETTERS, _LEAST_WORDS = 15, 4  # of a title
_INTRODUCTION = re.compile(
    r"(?:[\divx]{1,4}[.)]? ?)?(?:introduction|einleitung|einführung|introducci[oó]n|introdução|introduzione|inleiding"
    r"|введение|はじめに|引言)\W{0,3}$"
)
_NUMBER = r"(\d{1,2}|[ivx]{1,5}|one|two|three|four|five|six|seven|eight|nine|ten)"
_NAMES = r"(?:chapter|kapitel|chapitre|capítulo|capitolo|hoofdstuk|rozdział|kapitola|глава)"
_CHAPTER = re.compile(rf"{_NAMES} {_NUMBER}(?:[.:]? .{{0,50}})?[.:]?$|{_NUMBER}\.? {_NAMES}$")
_CHINESE_CHAPTER = re.compile(r"第([一二三四五六七八九十\d]{1,3})章")


def doubt_about(document: Document) -> str:
    """Return a sentence if a file has another work as well, or is a book; else an empty string."""
    if document.pages >= _BOOK:
        chapters = len(set(filter(None, map(_chapter, document.scanned))))
        if chapters >= _FEWEST_CHAPTERS:
            return f"It has {document.pages} pages with {chapters} chapters, like a book."
    if _lists_of_references(document.scanned) >= _LISTS:
        return "It has several lists of references, far from each other: it may have several works."
    if _has_another(document.scanned):
        return "Another text with an abstract or an introduction is behind its references: it may have several works."
    if len(_other_titles(document)) >= _OTHER_TITLES:
        return "Its pages have several titles in the same size: it may have several works."
    return ""


def _other_titles(document: Document) -> list[str]:
    """Return the lines on the first pages that are as large as the title, and are below it."""
    measured = list(_measured(document))
    own = next((place for place, (line, _) in enumerate(measured) if _is_own(line, document.titles)), None)
    if own is None:
        return []
    (text, _), *_ = Counter(height for _, height in measured).most_common(1)
    size = measured[own][1]
    if size < _LARGER * text:
        return []
    blocks = groupby(measured[own:], lambda pair: abs(pair[1] - size) <= _EQUAL * size)
    others = (" ".join(line for line, _ in block) for is_large, block in blocks if is_large)
    return [
        other
        for other in others
        if len(other.split()) >= _LEAST_WORDS
        and not other[0].isdigit()  # a section with a number
        and len(letters(other)) >= _LEAST_LETTERS
        and not _is_own(other, document.titles)
    ]


def _measured(document: Document) -> Iterator[tuple[str, float]]:
    """Yield the lines of the first pages with the heights of their letters, as far as they are known."""
    for page, heights in zip(document.extracted.first.split(PAGE_BREAK), document.extracted.types, strict=False):
        yield from zip(page.splitlines(), heights, strict=False)


def _is_own(line: str, titles: Sequence[str]) -> bool:
    """Return whether a line begins the title of the work, or begins with it."""
    own = letters(line)
    return len(own) >= _LEAST_LETTERS // 2 and any(title.startswith(own) or own.startswith(title) for title in titles)


def _chapter(line: str) -> str:
    """Return the number of a chapter in its heading; empty for any other line."""
    if len(line) > _LONGEST or any(dots in line for dots in ("....", ". . .")):
        return ""
    match = _CHAPTER.match(line) or _CHINESE_CHAPTER.match(line)
    return next(filter(None, match.groups()), "") if match else ""


def _lists_of_references(lines: Sequence[str]) -> int:
    """Return how many headings of references have years of works below them, and a text before them."""
    count, last = 0, 0
    for place, line in enumerate(lines):
        if place - last >= _FEWEST_LINES and headings.REFERENCES.match(line):
            years = sum(bool(_YEAR.search(below)) for below in lines[place + 1 : place + 1 + _BEHIND])
            count, last = count + (years >= _FEWEST_YEARS), place
    return count


def _has_another(lines: Sequence[str]) -> bool:
    """Return whether the beginning of a work is behind references, and the references of this work behind it."""
    references = [place for place, line in enumerate(lines) if headings.REFERENCES.match(line)]
    end = next((place for place in references if place >= _FEWEST_LINES), None)
    if end is None or references[-1] < end + _FEWEST_LINES:
        return False
    return any(
        headings.ABSTRACT.match(lines[place]) or _INTRODUCTION.match(lines[place])
        for place in range(end + 1, references[-1] - _FEWEST_LINES)
    )
