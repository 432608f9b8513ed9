"""A document to classify: its lines in lower case, and tests of them. Pure.

The rules of `rules.py` are applied to it.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from gateway.core.model import DocumentKind
from gateway.core.normal_forms import letters
from harvester.fulltext.pdf.extraction import Extracted
from harvester.words import any_of, load

TOP, _BELOW = 12, 4  # lines above the title, and below it, in which a document names its kind
LINES, _LONGEST = 150, 200  # lines of a page, characters of a line, that are read
_LEAST_TITLE = 8  # letters
_SCANNED = 200_000  # characters in which references are looked for

SHORT = 2  # pages of what may be a preview, a poster, a cover
_LEAST_THESIS, _SHORTEST_THESIS = 15, 5  # pages: in general, and behind a page with nothing but a title
_TITLE_PAGE = 700  # characters of such a page
_LEAST_LISTED = 40  # characters of an item of a list of references; `1. Introduction` is shorter
HEADS = 2  # lines at the top of a page: a running head, and what the document calls itself
_ITEMS = 3  # of a list of references

_WORDS = load("headings")
_NUMBER = r"(?:[\divx]{1,4}[.)]? ?)?"
_ABSTRACT = re.compile(rf"(?:{any_of(_WORDS['abstract'])})(?!\w)")
_REFERENCES = re.compile(rf"{_NUMBER}(?:{any_of(_WORDS['references'])})\W{{0,3}}$")
_ITEM = re.compile(r"\[(?:1|2|3)\]|(?:1|2|3)\. ")
COVER = re.compile(any_of(_WORDS["cover"]))
# Apostrophes, quotation marks and dashes are replaced by those in the tables, and the Turkish capital I.
_SIGNS = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014\xad", "''\"\"-----") | {0x130: "i"}
_LINE_HYPHEN = re.compile("\ufffe[^\\S\f]*")  # what PDFium makes of a hyphen at the end of a line


class Facts(NamedTuple):
    """Facts about the work: titles, number of pages (0: not known), the kind that the record describes."""

    titles: tuple[str, ...] = ()
    pages: int = 0
    kind: DocumentKind = DocumentKind.UNKNOWN


class Document:
    """A document to classify: its lines in lower case, and tests of them."""

    def __init__(self, extracted: Extracted, facts: Facts) -> None:
        self.extracted, self.facts = extracted, facts
        self.pages = extracted.pages
        self.front = extracted.front or extracted.first
        self.titles = [spelled for title in facts.titles if len(spelled := letters(title)) >= _LEAST_TITLE]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of page 1, or of page 2 after the cover of a repository."""
        return lines_of(self.extracted.first[len(self.front) :] if self.has_body_behind_cover else self.front)

    @cached_property
    def first_lines(self) -> list[str]:
        """The lines of the first two pages."""
        return lines_of(self.extracted.first, 2 * LINES)

    @cached_property
    def words(self) -> int:
        """The number of words."""
        return self.extracted.word_count

    @cached_property
    def is_cover(self) -> bool:
        """Return whether page 1 is the cover of a repository, perhaps with the work below it."""
        return bool(COVER.search(" ".join(lines_of(self.front))))

    @cached_property
    def has_body_behind_cover(self) -> bool:
        """Return whether the work follows after such a cover."""
        return self.is_cover and self.pages > 1 and bool(self.extracted.first[len(self.front) :].strip())

    @cached_property
    def is_thesis_long(self) -> bool:
        """Return whether a thesis may have this number of pages; seminar papers have few, and a title page."""
        has_title_page = len(self.front.strip()) <= _TITLE_PAGE
        return self.pages >= (_SHORTEST_THESIS if has_title_page else _LEAST_THESIS)

    @cached_property
    def has_abstract(self) -> bool:
        """Return whether the heading of an abstract is on the page that names the document."""
        return any(_ABSTRACT.match(line) for line in self.lines)

    @cached_property
    def has_references(self) -> bool:
        """Return whether the document has a list of references, or a heading of one; it is read from its end."""
        listed = 0
        for line in map(str.lower, _spelled(reversed(_undivided(self.extracted.text[:_SCANNED])))):
            listed += bool(_ITEM.match(line)) and len(line) >= _LEAST_LISTED
            if listed >= _ITEMS or _REFERENCES.match(line):
                return True
        return False

    @cached_property
    def has_title(self) -> bool:
        """Return whether a title is on the first page."""
        spelled = letters(" ".join(self.lines))
        return any(title in spelled for title in self.titles)

    def opening(self) -> Iterator[tuple[str, bool]]:
        """Yield the lines at the top and just below the title, and whether each is above the end of the title."""
        is_above, left, read = True, TOP if self.titles else TOP // 2 + _BELOW, ""
        for line in self.lines:
            read += letters(line)
            yield line, is_above
            left -= 1
            if is_above and any(title in read for title in self.titles):
                is_above, left = False, _BELOW
            if left <= 0:
                return


def lines_of(text: str, most: int = LINES) -> list[str]:
    """Return the lines of a text that are not empty, in lower case, with single spaces, spaced letters joined."""
    return [line.lower() for line in spelled_lines(text, most)]


def spelled_lines(text: str, most: int = LINES) -> list[str]:
    """Return the lines of a text that are not empty, with single spaces, spaced letters and divided words joined."""
    return list(islice(_spelled(_undivided(text)), most))


def _undivided(text: str) -> list[str]:
    return _LINE_HYPHEN.sub("", text).splitlines()


def _spelled(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        parts = line[:_LONGEST].translate(_SIGNS).split()
        is_spaced = len(parts) > 4 and all(len(part) == 1 for part in parts)  # noqa: PLR2004 - e r r a t u m
        if parts:
            yield ("" if is_spaced else " ").join(parts)
