"""Whether a document is the whole work, or a copy that lacks pages. Pure.

A copy may be cut by a server, by a sample, or by a transfer. It has the title, the authors and the words of the work,
and no word says that it is cut. There are two signs. It has fewer pages or words than a work of the stated length. Or
nothing shows that its text ends: no list of references, no thanks, and no last page that is not full.

The length is stated by the citation on the first page, by the record, or by a service. A manuscript may have fewer
pages than the published work if it has as many words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from harvester.fulltext.pdf import headings
from harvester.fulltext.pdf.document import TOP, Document
from harvester.fulltext.pdf.page_numbers import ROW, heads_of, is_every_second, is_numbered, plain, steps

_LACKING = 2  # pages that a copy may have less than the stated number: blank pages, advertisements
_FEWEST_WORDS, _LEAST_PAGES = 130, 4  # words for each stated page, of works with so many pages
_DENSE = 250  # words for each stated page of a manuscript, or of a copy in another layout, with fewer pages
_SHORTEST = 2  # pages; a copy with so few is judged by its kind
_BEHIND = 12  # lines behind a heading of references in which the years of works stand
_FEWEST_YEARS, _FEWEST_LISTED = 2, 3  # lines with the year of a work; items of a list of references
_APART = 8  # lines of one item of such a list
_FEWEST_NAMES = 3  # words with a mark behind them: names and initials in a reference
# Shares of the words of other pages. The last page is not full, half empty, or nearly empty; all others are similar.
_FULL, _HALF, _EMPTY, _UNIFORM = 0.8, 0.6, 0.3, 0.7
_CONTENTS, _DOTS = 5, ("....", ". . . ")  # lines of contents on a page, and what they have before the number
_NO_END = "It has neither references nor another end: it may lack pages."

_FIRST_YEAR, _LAST_YEAR = 1500, 2100  # a range of numbers between them may be one of years
_LONGEST = 200  # pages of an article

_RANGE = re.compile(r"(?<![\w./-])(\d{1,6}) ?- ?(\d{1,6})(?![\w/-])")
_CITED = re.compile(r"\bpp?\.? ?\d|\bpages? \d|\d ?\(\d{1,4}\)|\bvol\b|\b(?:19|20)\d\d\b|\bs\. \d|\bstr\. \d")
_MARKER = re.compile(r"[\[(]?\d{1,3}[\]).] ")
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d[a-z]?\b")
_ITEM = re.compile(r"[\[(]?(\d{1,3})[\]).]{0,2} ?(?=\D)(?=.{25})")
_ENDS = re.compile(r"[.!?:;\u2026\u3002\uff01\uff1f][\"'\u00bb\u201d\u2019)\]\d,\u2013 -]{0,12}$")


class Length(NamedTuple):
    """The number of pages of a work, 0 if it is not known, and whether the pages of the document have these numbers."""

    pages: int = 0
    is_numbered: bool = False


def doubt_about(document: Document) -> str:
    """Return a sentence if a document may lack pages of the work; else an empty string."""
    leaves = document.leaves
    length = length_of(document, leaves)
    pages = document.pages - document.has_body_behind_cover
    return (
        _of_pages(document, pages, length)
        or _of_words(document, length)
        or _of_numbers(leaves)
        or _of_end(document, leaves, length)
    )


def length_of(document: Document, leaves: Sequence[Sequence[str]]) -> Length:
    """Return the length of the work: by the citation at the top of the first page, else by the record or a service."""
    lines = (line for line in document.lines[:TOP] if _CITED.search(line) and not _MARKER.match(line))
    for match in (match for line in lines for match in _RANGE.finditer(line)):
        if count := _count(*match.groups()):
            return Length(count, is_numbered=is_numbered(leaves, int(match[1])))
    return Length(document.facts.pages)


def _count(first: str, last: str) -> int:
    """Return the number of pages in a range; 0 if it is no range of pages."""
    if len(last) < len(first):  # 123-31
        last = first[: len(first) - len(last)] + last
    count = int(last) - int(first) + 1
    is_years = len(first) == len(last) == len("1999") and _FIRST_YEAR < int(first) < _LAST_YEAR
    return count if 1 < count < _LONGEST and not is_years else 0


def _of_numbers(leaves: Sequence[Sequence[str]]) -> str:
    """Return a sentence if the numbers of the last pages show that pages before them are missing."""
    if len(leaves) > ROW and is_every_second(leaves[-ROW - 1 :]):
        return "The numbers of its pages show that every second page is missing."
    if len(leaves) < 2 * ROW:
        return ""
    first, last = steps(leaves[:ROW], 0), steps(leaves[-ROW:], len(leaves) - ROW)
    if not first or not last or min(last) - max(first) <= _LACKING:
        return ""
    return f"The numbers of its pages show that {min(last) - max(first)} pages are missing."


def _of_pages(document: Document, pages: int, length: Length) -> str:
    """Return a sentence if a document has fewer pages than the work, and is not another layout with all its words."""
    if pages + _LACKING >= length.pages:
        return ""
    is_dense = document.extracted.word_count >= _DENSE * length.pages
    return (
        ""
        if is_dense and not length.is_numbered
        else f"It has {document.pages} pages, and the work has {length.pages}."
    )


def _of_words(document: Document, length: Length) -> str:
    words = document.extracted.word_count
    if length.pages < _LEAST_PAGES or words >= _FEWEST_WORDS * length.pages:
        return ""
    return f"It has {words} words, and the work has {length.pages} pages."


def _of_end(document: Document, leaves: Sequence[Sequence[str]], length: Length) -> str:
    """Return a sentence if a document of several pages has no end."""
    is_whole = length.is_numbered and document.pages >= length.pages
    if is_whole or document.pages <= _SHORTEST or len(leaves) < document.pages:
        return ""
    lines = [line for leaf in leaves for line in leaf]
    behind = [line for leaf in leaves[1:] for line in leaf]
    has_end = _has_references(behind) or _has_closing(lines) or _has_list(behind) or _is_last(leaves)
    return "" if has_end else _NO_END


def _has_references(lines: Sequence[str]) -> bool:
    """Return whether there is a heading of references, and it is late or has works with years below it."""
    for place, line in enumerate(lines):
        if headings.REFERENCES.match(line):
            years = sum(bool(_YEAR.search(below)) for below in lines[place + 1 : place + 1 + _BEHIND])
            if years >= _FEWEST_YEARS or place > len(lines) // 2:
                return True
    return False


def _has_closing(lines: Sequence[str]) -> bool:
    """Return whether thanks, funding or the like have a heading in the second half."""
    return any(map(headings.CLOSING.match, lines[len(lines) // 2 :]))


def _has_list(lines: Sequence[str]) -> bool:
    """Return whether items of a list that have years are one after the other: references without a known heading."""
    count, last, place = 0, 0, -_APART
    for number, line in enumerate(lines):
        match = _ITEM.match(line)
        if match is None or not _is_reference(list(islice(lines, number, number + 3))):
            continue
        is_next = int(match[1]) == last + 1 and number - place <= _APART
        count = count + 1 if is_next else 1
        last, place = int(match[1]), number
        if count >= _FEWEST_LISTED:
            return True
    return False


def _is_reference(lines: Sequence[str]) -> bool:
    """Return whether lines begin with the reference to a work: words and names, and a year."""
    names = sum(word[:-1].isalpha() and word[-1] in ".,:;" for line in lines[:2] for word in line.split())
    return names >= _FEWEST_NAMES and any(map(_YEAR.search, lines))


def _is_last(leaves: Sequence[Sequence[str]]) -> bool:
    """Return whether the last page has less text than all others but the first, and ends with a sentence.

    Pages with figures have few words, too; so the page with the fewest words is compared.
    """
    *others, last = (sum(len(line.split()) for line in leaf) for leaf in leaves)
    fewest = min(others[1:])
    if sum(any(dots in line for dots in _DOTS) for line in leaves[-1]) >= _CONTENTS or last > _FULL * fewest:
        return False
    own = list(_own_lines(leaves))
    is_uniform = fewest >= _UNIFORM * max(others[1:])  # no page is one of figures
    is_half = last <= (_HALF if is_uniform else _EMPTY) * fewest
    return is_half or (bool(own) and bool(_ENDS.search(own[-1])))


def _own_lines(leaves: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of the last page that are no running heads and no numbers of pages."""
    heads = {plain(line) for leaf in leaves[:-1] for line in heads_of(leaf)}
    return (line for line in leaves[-1] if plain(line) and plain(line) not in heads)
