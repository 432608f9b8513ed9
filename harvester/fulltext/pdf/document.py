"""A document to classify: its lines in lower case, and tests of them. Pure.

`first_lines.py` and `page_shapes.py` find out its kind from it; `document_kinds.py` calls them in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from gateway.core.model import DocumentKind
from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.extraction import Extracted
from harvester.fulltext.pdf.similarity import letters

TOP, _BELOW = 12, 4  # lines above the title, and below it, in which a document names its kind
LINES, _LONGEST = 150, 200  # lines of a page, characters of a line, that are read
_LINES_OF_LEAF = 400  # lines of a page, if all pages are read
_LEAST_TITLE = 8  # letters
_HEAD = 3  # lines of a page that may be its running head or foot
_LEAST_LISTED = 40  # characters of a line of a list of references whose numbers sections may have too
_INSERTED = 2  # pages that a copy may have more or less than the range of its citation
_CONTENTS = 5  # lines of contents
_SCANNED = 200_000  # characters in which works and figures are counted

SHORT = 2  # pages of what may be a preview, a poster, a cover
_LEAST_THESIS, _SHORTEST_THESIS = 15, 5  # pages: in general, and behind a page with nothing but a title
_TITLE_PAGE = 700  # characters of such a page
FEW_WORDS = 300  # words that a page of an article has at least
LONGEST_ISSUE, LONGEST_NOTICE = 15, 8  # pages
FEWEST_PHRASES = 3  # of pages of the web, or of flyers

# The pages of an article in a citation.
_PAGE_RANGE = re.compile(r"(?<![\w./-])(\d{2,6}) ?- ?(\d{1,6})(?![\w/-])")
# Apostrophes, quotation marks and dashes are replaced by those in the tables, and the Turkish capital I.
_SIGNS = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014", "''\"\"----") | {0x130: "i"}


class Facts(NamedTuple):
    """Facts about the work: titles, number of pages (0: not known), share of its words in the text."""

    titles: tuple[str, ...] = ()
    pages: int = 0
    covered: float = 1.0
    kind: DocumentKind = DocumentKind.UNKNOWN  # that the record describes


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
    def scanned(self) -> list[str]:
        """The lines of the text, or of the beginning of a very long one."""
        return lines_of(self.extracted.text[:_SCANNED], _SCANNED)

    @cached_property
    def leaves(self) -> list[list[str]]:
        """The lines of each page that was read."""
        texts = [*self.extracted.first.split("\f"), *(self.extracted.rest.split("\f") if self.extracted.rest else ())]
        return [lines_of(text, _LINES_OF_LEAF) for text in texts]

    @cached_property
    def is_cover(self) -> bool:
        """Return whether page 1 is the cover of a repository, perhaps with the work below it."""
        return bool(headings.COVER.search(" ".join(lines_of(self.front))))

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
        return any(headings.ABSTRACT.match(line) for line in self.lines)

    @cached_property
    def has_introduction(self) -> bool:
        """Return whether the heading of an introduction is on the first two pages."""
        return any(headings.INTRODUCTION.match(line) for line in self.first_lines)

    @cached_property
    def has_references(self) -> bool:
        """Return whether the document has a list of references, or a heading of one."""
        listed = sum(
            line.startswith(("[1]", "[2]", "[3]"))
            or (line.startswith(("1. ", "2. ", "3. ")) and len(line) >= _LEAST_LISTED)  # `1. Introduction` is shorter
            for line in self.scanned
        )
        return listed >= 3 or any(headings.REFERENCES.match(line) for line in self.scanned)  # noqa: PLR2004 - items

    @cached_property
    def has_title(self) -> bool:
        """Return whether a title is on the first page, and not in a list of contents."""
        spelled = letters(" ".join(self.lines))
        return any(title in spelled for title in self.titles) and not self.has_contents

    @cached_property
    def has_contents(self) -> bool:
        """Return whether there is a table of contents on the first two pages."""
        lines = self.first_lines
        is_headed = any(headings.CONTENTS.match(line) for line in lines)
        return is_headed and contents_in(lines) >= _CONTENTS

    @cached_property
    def is_paged_as_cited(self) -> bool:
        """Return whether the pages have the numbers that the citation at the top of the first one gives.

        Articles in a journal have them. A supplement counts its own pages, and its figures as S1, S2 and so on.
        """
        if any(headings.OF_SUPPLEMENT.match(line) for line in self.scanned):
            return False
        second = lines_of(self.extracted.first[len(self.front) :], LINES)
        heads = [word for line in (*second[:_HEAD], *second[-_HEAD:]) for word in (line.split()[0], line.split()[-1])]
        ranges = (match for line in self.lines[:TOP] for match in _PAGE_RANGE.finditer(line))
        return any(self._is_length(match[1], match[2]) and str(int(match[1]) + 1) in heads for match in ranges)

    def _is_length(self, first: str, last: str) -> bool:
        """Return whether a range is as long as the document, and begins after its own page numbers."""
        whole = first[: max(0, len(first) - len(last))] + last  # 123-31
        return abs(int(whole) - int(first) + 1 - self.pages) <= _INSERTED and int(first) > self.pages

    def opening(self) -> Iterator[tuple[str, bool]]:
        """Yield the lines around the title, without its own, and whether each is above it."""
        is_above, left = True, TOP if self.titles else TOP // 2 + _BELOW
        for line in self.lines:
            spelled = letters(line)
            if not spelled:
                continue
            if self.is_of_title(spelled, is_above=is_above):
                is_above, left = False, min(left, _BELOW)
                continue
            yield line, is_above
            left -= 1
            if any(title in spelled for title in self.titles):
                is_above, left = False, min(left, _BELOW)
            if left <= 0:
                return

    def is_of_title(self, spelled: str, *, is_above: bool) -> bool:
        """Return whether the letters of a line are those of a title or of a part of one."""
        for title in self.titles:
            if spelled.startswith(title) or title.startswith(spelled) or (spelled in title and not is_above):
                return True
            if spelled in title and len(spelled) >= 2 * _LEAST_TITLE:
                return True
        return False


def contents_in(lines: Iterable[str]) -> int:
    """Return how many lines are words that end with the number of a page."""
    return sum(bool(headings.CONTENTS_LINE.search(line)) and any(map(str.isalpha, line)) for line in lines)


def lines_of(text: str, most: int = LINES) -> list[str]:
    """Return the lines of a text that are not empty, in lower case, with single spaces, spaced letters joined."""
    return [line.lower() for line in spelled_lines(text, most)]


def spelled_lines(text: str, most: int = LINES) -> list[str]:
    """Return the lines of a text that are not empty, with single spaces, spaced letters joined."""
    plain = text.translate(_SIGNS)
    return list(islice(_some(" ".join(line[:_LONGEST].split()) for line in plain.splitlines()), most))


def _some(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        parts = line.split(" ")
        is_spaced = len(parts) > 4 and all(len(part) == 1 for part in parts)  # noqa: PLR2004 - e r r a t u m
        if line:
            yield "".join(parts) if is_spaced else line
