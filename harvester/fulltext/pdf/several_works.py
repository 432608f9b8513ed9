"""Whether a file has another work behind the one in question, or is a book. Pure.

Scans of issues and files of whole books begin with the title page of a work, too. Another work begins behind the
references of the first one, with an abstract or an introduction, and has references of its own. An abstract in another
language behind the references is followed by no text. Articles that begin on the last page of the work do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import Document

_FEWEST_LINES = 40  # of a work: between its beginning and its references
_BOOK, _FEWEST_CHAPTERS = 49, 3  # pages of a book (UNESCO), and chapters
_LONGEST = 60  # characters of a heading
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
    if _has_another(document.scanned):
        return "Another text with an abstract or an introduction is behind its references: it may have several works."
    return ""


def _chapter(line: str) -> str:
    """Return the number of a chapter in its heading; empty for any other line."""
    if len(line) > _LONGEST or any(dots in line for dots in ("....", ". . .")):
        return ""
    match = _CHAPTER.match(line) or _CHINESE_CHAPTER.match(line)
    return next(filter(None, match.groups()), "") if match else ""


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
