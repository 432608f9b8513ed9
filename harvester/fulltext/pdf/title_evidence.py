"""Tests whether a title is on a page as that of the document: whole, or in part beside an author. Pure.

It begins and ends with a line, before the abstract. Titles in running text and in references hardly ever do so. A
longer title may be another part of a series, or another work on the same subject.

A title of fewer than 15 letters or three words needs an author and the year or journal. A Chinese, Japanese or Korean
character counts as two letters. All other titles need an author, if any is known. A title that hundreds of works have
(`Editorial`) never counts. A line above a title that is at least 1.3 times as large is a running head, or the title of
the work commented on. Part of a title needs an author beside it; another number or part of a series is another title.
The authors of a file of one page may be below its text, like the signature of a letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from harvester.fulltext.pdf.first_pages import Front, folded, is_heading
from harvester.fulltext.pdf.recognition_errors import LEAST_SHARE, is_noisy_spelling
from harvester.fulltext.pdf.titles import LEAST_WORDS, Title, is_cut, is_part, title_of, worth
from harvester.fulltext.pdf.work_names import Named, Page
from harvester.words import any_of, load

_CERTAIN_LETTERS = 60  # a title of this length is enough beside an identifier of the work
_LEAST_MAIN = 20  # letters of a main title without its subtitle, or with one that is not in the record
_BYLINE_BEFORE, _BYLINE_BEHIND = 400, 1_200  # characters around a title; its authors are within them
_LEAST_LINE = 12  # characters of a line with which a title goes on; shorter ones are logos and marks
_NEAR = 60  # characters after a title; an author within them shows its end

_LARGER = (
    1.3  # times as high as a title are the letters of another one that the document has; those of authors are less
)
_PROSE_WORDS = 5  # of small letters in a line of running text
_MOST_NAMES = 20  # words of a line of names
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_INITIAL = re.compile(r"[IVX][. ]")
_MOST_LINES = 5  # of a title
_LINE = re.compile(r"(?m)^[^\n]{1,1000}$")

# Words before a title in its line that are not part of it.
_LABELS = any_of(load("headings")["title_labels"])
_LABEL = re.compile(
    rf"(?i)[\W_]{{0,5}}(?:(?:{_LABELS})[\W_]{{0,5}}){{0,3}}(?:\d{{1,3}}(?:\.\d{{1,2}})?[.:]?\s{{1,5}})?"
)
_MARKS = re.compile(
    r"[^\w\n]{0,6}(?:\d{1,2}|[\da-e*†‡§¶#,\u00b9\u00b2\u00b3]{0,4})[^\w\n]{0,6}"
)  # footnotes after a title
_SUBTITLE = re.compile(r"\s{0,3}[:.?!\u2013\u2014/(|=,;-]")
# Ends of a line that a title continues, and beginnings of the line in which it continues.
_GOES_ON = re.compile(
    r"(?i)(?:\b(?:a|an|and|at|by|for|from|in|into|of|on|or|the|to|with|about|between|du|de|des|la|le|les|von|der|die|das"
    r"|und|zur|zum|del|y|e|di)|[&(\u201c\u201e\u00ab\u2018-])[ \t]{0,3}$"
)
_BYLINE_WORDS = frozenset(("by", "par", "von", "di", "de", "por", "van", "und", "and", "et", "y", "e"))

# Lines before a title that show that it is the title of another work.
_POINTS_AWAY = re.compile(
    r"(?i)\b(?:(?:related|linked|companion|accompanying|associated) (?:articles?|papers?|content|works?|publications?)"
    r"|(?:see|read) also|commentary on|comments? on|in (?:response|reply) to|refers to|part of a pair)\b[^\n]{0,60}$"
)

WHOLE, PART = "title", "part-of-title"


def title_on(page: Page, titles: Iterable[Title], named: Named) -> str | None:
    """Return whether a title is on a page: whole, or in part beside an author."""
    ways = [_one_title(page, title, named) for title in titles if not title.is_generic]
    return WHOLE if WHOLE in ways else PART if PART in ways else None


def stands_alone(page: Page, titles: Iterable[Title]) -> bool:
    """Return whether a long title is on a page, with any authors below it: enough beside an identifier."""
    return any(
        worth(title.letters) >= _CERTAIN_LETTERS
        and any(_ends(page, title, stop) for _, stop in _begun(page.front, title.letters))
        for title in titles
        if not title.is_generic
    )


def _one_title(page: Page, title: Title, named: Named) -> str | None:
    places = list(_begun(page.front, title.letters))
    if any(_ends(page, title, stop) for _, stop in places) and _suffices(page, title, named, places):
        return WHOLE
    return PART if _stands_in_part(page, title, named, places) else None


def _begun(front: Front, letters: str) -> Iterator[tuple[int, int]]:
    """Return the places of letters at the beginning of a line of a title, before the text."""
    for start, stop in front.spots(letters):
        if start >= front.title_end:
            break
        if _begins(front.text, start) and not _is_above_another(front, start, stop):
            yield start, stop


def _is_above_another(front: Front, start: int, stop: int) -> bool:
    """Return whether a larger title is below, before the text: then this is a running head, or the title discussed.

    The name of a journal is larger, too, but above.
    """
    own = front.type_of(start, stop)
    if not own:
        return False
    end = front.text.find("\n", stop)
    below = _LINE.finditer(front.text, end + 1 if end >= 0 else len(front.text), max(stop, front.title_end))
    larger = [line for line in below if front.type_of(*line.span()) >= _LARGER * own]
    return worth(folded(" ".join(line[0] for line in larger))) >= _LEAST_MAIN and any(
        len(line[0].split()) >= LEAST_WORDS for line in larger
    )


def _begins(text: str, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    before = text[max(0, line - 80) : max(0, line - 1)]
    away = _POINTS_AWAY.search(before.rpartition("\n")[2])
    return bool(_LABEL.fullmatch(text, line, start)) and not away and not _GOES_ON.search(before)


def _ends(page: Page, title: Title, stop: int) -> bool:
    """Return whether a title ends with its letters: at the end of a line, at a mark, or before the authors."""
    text = page.front.text
    end = text.find("\n", stop)
    rest = text[stop : end if end >= 0 else len(text)]
    following = text[end + 1 : end + 80] if end >= 0 else ""
    if rest.strip() and (rest[:1].isspace() or not rest[0].isalnum()) and is_part(rest):
        return False
    if title.letters[-1].isdigit() and rest[:1].isdigit():
        return False
    if not _MARKS.fullmatch(rest):
        return rest[:1].strip() == "" and any(0 < place - stop < min(_NEAR, len(rest)) for place in page.authors)
    return not (
        rest.rstrip().endswith((":", "-", "\u2013", "\u2014", ","))
        or (_is_other_part(following, page, end) and not is_heading(following))
        or _is_continued(following, page, end)
    )


def _is_other_part(following: str, page: Page, end: int) -> bool:
    """Return whether the next line begins with the number of a part, which is no initial of an author (`V. Matos`)."""
    is_author = any(0 < place - end <= len(following.partition("\n")[0]) for place in page.authors)
    return is_part(following) and not (is_author and _INITIAL.match(following))


def _is_continued(following: str, page: Page, end: int) -> bool:
    """Return whether the next line continues a title: it begins in lower case, and not with an author."""
    if _SEQUEL.match(following) and len(following.partition("\n")[0]) < _LEAST_LINE:
        return True
    word = following.partition("\n")[0].split()[:1] if len(following.partition("\n")[0]) >= _LEAST_LINE else []
    is_small = bool(word) and word[0][:1].islower() and word[0].lower() not in _BYLINE_WORDS
    return is_small and not any(0 <= place - end < _NEAR for place in page.authors)


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
        (start - _BYLINE_BEFORE < place < stop + _BYLINE_BEHIND and not _is_cited(page.front, place))
        or (place > stop and _is_signed(page.front, place))
        for place in page.authors
    )


def _is_cited(front: Front, place: int) -> bool:
    """Return whether a name is in running text, after the heading of the abstract, where other people are mentioned."""
    if place < front.title_end:
        return False
    start, end = front.text.rfind("\n", 0, place) + 1, front.text.find("\n", place)
    words = front.text[start : end if end >= 0 else len(front.text)].split()
    return sum(word[:1].islower() for word in words) >= _PROSE_WORDS


def _is_signed(front: Front, place: int) -> bool:
    """Return whether a name is in a line of names: letters have names below their text, citations have more words."""
    if not front.is_whole:
        return False
    start, end = front.text.rfind("\n", 0, place) + 1, front.text.find("\n", place)
    line = front.text[start : end if end >= 0 else len(front.text)]
    words = [word for word in line.split() if word.lower() not in _BYLINE_WORDS]
    return len(words) <= _MOST_NAMES and not any(word[:1].islower() or word[:1].isdigit() for word in words)


def _is_dated(front: Front, named: Named) -> bool:
    """Return whether the year or the journal of a work is on a page."""
    has_year = not set(named.years).isdisjoint(_YEAR.findall(front.text))
    return has_year or any(
        worth(venue) >= _LEAST_MAIN // 2 and venue in front.letters for venue in map(folded, named.venues)
    )


def _stands_in_part(page: Page, title: Title, named: Named, places: list[tuple[int, int]]) -> bool:
    """Return whether a title is near its authors: with another subtitle, cut, or with errors of recognition."""
    if not page.authors or title.is_short:
        return False
    longer = [
        (start, stop)
        for start, stop in places
        if _has_byline(page, start, stop) and _is_with_subtitle(page.front, title, stop, named)
    ]
    return bool(longer) or _has_main_title(page, title) or _is_misread(page, title)


def _is_with_subtitle(front: Front, title: Title, stop: int, named: Named) -> bool:
    """Return whether a document's title continues after the known one, and is not that of another part."""
    rest = front.text[stop : stop + 80]
    mark = _SUBTITLE.match(rest)
    if is_cut(title.text):
        return True
    if mark is None or worth(title.letters) < _LEAST_MAIN or is_part(rest) or _is_sequel(rest[mark.end() :]):
        return False
    return _is_dated(front, named)


_SEQUEL = re.compile(
    r"(?i)\b(?:part|parts|ii+|iv|vi*|errat(?:um|a)|corrigendum|correction|reply|response|comment|addendum|revisited|further"
    r"|protocol|replication|reanalysis|extension|rationale|data ?sets?|questionnaire|syllabus|proposal|pilot"
    r"|supplement\w{0,5}|appendix|retract\w{0,5}|follow-up|update[ds]?|new results|second|third|continued)\b"
)


def _is_sequel(subtitle: str) -> bool:
    return is_part(subtitle) or bool(_SEQUEL.search(subtitle))


def _has_main_title(page: Page, title: Title) -> bool:
    """Return whether the main title is without its subtitle, and an author is in the very next line."""
    main, subtitle = title.parts
    known = title_of(main)
    if not subtitle or _is_sequel(subtitle) or known.is_short or known.is_generic or worth(known.letters) < _LEAST_MAIN:
        return False
    for _, stop in _begun(page.front, known.letters):
        end = page.front.text.find("\n", stop)
        end_of_next = page.front.text.find("\n", end + 1)
        if end >= 0 and _ends(page, known, stop) and any(end < place <= end_of_next for place in page.authors):
            return True
    return False


def _is_misread(page: Page, title: Title) -> bool:
    """Return whether lines of the page spell the title with errors of scanners, and without other numbers."""
    front = page.front
    lines = [match.span() for match in _LINE.finditer(front.head)]
    for index, (start, _) in enumerate(lines):
        stop = start
        for _, stop in lines[index : index + _MOST_LINES]:
            if worth(folded(front.text[start:stop])) >= len(title.letters) * LEAST_SHARE:
                break
        is_title = (
            _begins(front.text, start)
            and not _is_above_another(front, start, stop)
            and is_noisy_spelling(title, front.text[start:stop])
        )
        if is_title and _ends(page, title, stop) and _has_byline(page, start, stop):
            return True
    return False
