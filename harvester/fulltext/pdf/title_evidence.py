"""Tests whether a title is on a page as that of the document. Pure.

It begins and ends with a line, before the abstract. Titles in running text and in references hardly ever do so. A
longer title may be another part of a series, or another work on the same subject.

A title of fewer than 15 letters or three words needs an author and the year or journal. A Chinese, Japanese or Korean
character counts as two letters. All other titles need an author, if any is known. A title that hundreds of works have
(`Editorial`) never counts. Another number or part of a series in its line is another title.
"""

import re
from collections.abc import Iterable, Iterator

from harvester.fulltext.pdf.first_pages import Front, folded
from harvester.fulltext.pdf.titles import Title, is_part, worth
from harvester.fulltext.pdf.work_names import Named, Page
from harvester.words import any_of, load

_CERTAIN_LETTERS = 60  # a title of this length is enough beside an identifier of the work
_LEAST_VENUE = 10  # letters of the name of a journal
_BYLINE_BEFORE, _BYLINE_BEHIND = 400, 1_200  # characters around a title; its authors are within them
_NEAR = 60  # characters after a title; an author within them shows its end

_PROSE_WORDS = 5  # of small letters in a line of running text
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")

# Words before a title in its line that are not part of it.
_LABELS = any_of(load("headings")["title_labels"])
_LABEL = re.compile(
    rf"(?i)[\W_]{{0,5}}(?:(?:{_LABELS})[\W_]{{0,5}}){{0,3}}(?:\d{{1,3}}(?:\.\d{{1,2}})?[.:]?\s{{1,5}})?"
)
# footnotes after a title
_MARKS = re.compile(r"[^\w\n]{0,6}(?:\d{1,2}|[\da-e*†‡§¶#,\u00b9\u00b2\u00b3]{0,4})[^\w\n]{0,6}")


def title_on(page: Page, titles: Iterable[Title], named: Named) -> bool:
    """Return whether a title is on a page as that of its document."""
    return any(_one_title(page, title, named) for title in titles if not title.is_generic)


def stands_alone(page: Page, titles: Iterable[Title]) -> bool:
    """Return whether a long title is on a page, with any authors below it: enough beside an identifier."""
    return any(
        worth(title.letters) >= _CERTAIN_LETTERS
        and any(_ends(page, title, stop) for _, stop in _begun(page.front, title.letters))
        for title in titles
        if not title.is_generic
    )


def _one_title(page: Page, title: Title, named: Named) -> bool:
    places = list(_begun(page.front, title.letters))
    return any(_ends(page, title, stop) for _, stop in places) and _suffices(page, title, named, places)


def _begun(front: Front, letters: str) -> Iterator[tuple[int, int]]:
    """Return the places of letters at the beginning of a line of a title, before the text."""
    for start, stop in front.spots(letters):
        if start >= front.title_end:
            break
        if _begins(front.text, start):
            yield start, stop


def _begins(text: str, start: int) -> bool:
    return bool(_LABEL.fullmatch(text, text.rfind("\n", 0, start) + 1, start))


def _ends(page: Page, title: Title, stop: int) -> bool:
    """Return whether a title ends with its letters: at the end of a line, at a mark, or before the authors."""
    text = page.front.text
    end = text.find("\n", stop)
    rest = text[stop : end if end >= 0 else len(text)]
    if rest.strip(" .*") not in ("", "1") and not rest[0].isalnum() and is_part(rest):  # 1: a footnote
        return False
    if title.letters[-1].isdigit() and rest[:1].isdigit():
        return False
    if not _MARKS.fullmatch(rest):
        return rest[:1].strip() == "" and any(0 < place - stop < min(_NEAR, len(rest)) for place in page.authors)
    return not rest.rstrip().endswith((":", "-", "\u2013", "\u2014", ","))


def _suffices(page: Page, title: Title, named: Named, places: Iterable[tuple[int, int]]) -> bool:
    """Return whether a whole title is enough: a short one needs author and year or journal, others an author if known.

    A title of any length may be that of another work if none of the known authors is found.
    """
    if not title.is_short and not named.authors:
        return True
    is_by = any(_has_byline(page, start, stop) for start, stop in places)
    return is_by and (not title.is_short or _is_dated(page.front, named))


def _has_byline(page: Page, start: int, stop: int) -> bool:
    return any(
        start - _BYLINE_BEFORE < place < stop + _BYLINE_BEHIND and not _is_cited(page.front, place)
        for place in page.authors
    )


def _is_cited(front: Front, place: int) -> bool:
    """Return whether a name is in running text, after the heading of the abstract, where other people are mentioned."""
    if place < front.title_end:
        return False
    start, end = front.text.rfind("\n", 0, place) + 1, front.text.find("\n", place)
    words = front.text[start : end if end >= 0 else len(front.text)].split()
    return sum(word[:1].islower() for word in words) >= _PROSE_WORDS


def _is_dated(front: Front, named: Named) -> bool:
    """Return whether the year or the journal of a work is on a page."""
    has_year = not set(named.years).isdisjoint(_YEAR.findall(front.text))
    return has_year or any(
        worth(venue) >= _LEAST_VENUE and venue in front.letters for venue in map(folded, named.venues)
    )
