"""Whether a title stands on a page as its own: whole, or in part beside an author. Pure.

It begins and ends with a line, before the abstract; so do titles in running text and in references hardly ever. What
goes on behind it may be another part of a series, or another work on the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from harvester.verification.fronts import Front, folded, is_heading
from harvester.verification.naming import Named, Page
from harvester.verification.noise import LEAST_SHARE, is_noisy_spelling
from harvester.verification.titles import Title, is_cut, is_part, title_of, worth

_CERTAIN_LETTERS = 60  # a title of as many stands for itself where an identifier of the work stands with it
_LEAST_MAIN = 20  # letters of a main title that stands without its subtitle, or with one that the record has not
_BYLINE_BEFORE, _BYLINE_BEHIND = 400, 1_200  # characters around a title in which its authors stand
_LEAST_LINE = 12  # characters of a line with which a title goes on; shorter ones are logos and marks
_NEAR = 60  # characters behind a title in which an author shows that it has ended

_MOST_NAMES = 20  # words of a line of names
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_INITIAL = re.compile(r"[IVX][. ]")
_MOST_LINES = 5  # of a title
_LINE = re.compile(r"(?m)^[^\n]{1,1000}$")

# What stands before a title in its line and is none of it.
_LABEL = re.compile(
    r"(?i)[\W_]{0,5}(?:(?:title|titre|titel|título|titolo|original (?:article|paper|research)|research (?:article|paper"
    r"|report|note)|regular (?:article|paper)|review article|article|paper|short communication|brief (?:report"
    r"|communication)|rapid communication|case report|technical (?:report|note)|working paper|preprint|open access"
    r"|full paper|chapter)[\W_]{0,5}){0,3}(?:\d{1,3}(?:\.\d{1,2})?[.:]?\s{1,5})?"
)
_MARKS = re.compile(
    r"[^\w\n]{0,6}(?:\d{1,2}|[\da-e*†‡§¶#,\u00b9\u00b2\u00b3]{0,4})[^\w\n]{0,6}"
)  # footnotes behind a title
_FOOTNOTE = re.compile(r"\d{1,2}(?!\w)")
_SUBTITLE = re.compile(r"\s{0,3}[:.?!\u2013\u2014/(|=,;-]")
# A title goes on from the line before, which ends so; in the next line, which begins so.
_GOES_ON = re.compile(
    r"(?i)(?:\b(?:a|an|and|at|by|for|from|in|into|of|on|or|the|to|with|about|between|du|de|des|la|le|les|von|der|die|das"
    r"|und|zur|zum|del|y|e|di)|[:,&/(\u201c\u201e\u00ab\u2018-])[ \t]{0,3}$"
)
_BYLINE_WORDS = frozenset(("by", "par", "von", "di", "de", "por", "van", "und", "and", "et", "y", "e"))

# The line before a title that says that it is that of another work.
_POINTS_AWAY = re.compile(
    r"(?i)\b(?:(?:related|linked|companion|accompanying|associated) (?:articles?|papers?|content|works?|publications?)"
    r"|(?:see|read) also|commentary on|comments? on|in (?:response|reply) to|refers to|part of a pair)\b[^\n]{0,60}$"
)

WHOLE, PART = "title", "part-of-title"


def title_on(page: Page, titles: Iterable[Title], named: Named) -> str | None:
    """Return whether a title stands on a page: whole, or in part beside an author."""
    ways = [_one_title(page, title, named) for title in titles if not title.is_generic]
    return WHOLE if WHOLE in ways else PART if PART in ways else None


def stands_alone(page: Page, titles: Iterable[Title]) -> bool:
    """Tell whether a long title stands on a page, whoever wrote what is below it: with an identifier that is enough."""
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
    """Return where letters stand from the beginning of a line on, that of a title, before the text."""
    for start, stop in front.spots(letters):
        if start >= front.title_end:
            break
        if _begins(front.text, start):
            yield start, stop


def _begins(text: str, start: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    before = text[max(0, line - 80) : max(0, line - 1)]
    away = _POINTS_AWAY.search(before.rpartition("\n")[2])
    return bool(_LABEL.fullmatch(text, line, start)) and not away and not _GOES_ON.search(before)


def _ends(page: Page, title: Title, stop: int) -> bool:
    """Tell whether a title ends where its letters end: with the line, a mark, or the names of its authors."""
    text = page.front.text
    end = text.find("\n", stop)
    rest = text[stop : end if end >= 0 else len(text)]
    following = text[end + 1 : end + 80] if end >= 0 else ""
    if rest[:1].isspace() and rest.strip() and is_part(rest):
        return False
    if title.letters[-1].isdigit() and rest[:1].isdigit():
        return False
    if not _MARKS.fullmatch(rest):
        return rest[:1].strip() == "" and any(0 < place - stop < _NEAR for place in page.authors)
    return not (
        rest.rstrip().endswith((":", "-", "\u2013", "\u2014", ","))
        or (_is_other_part(following, page, end) and not is_heading(following))
        or _is_continued(following, page, end)
    )


def _is_other_part(following: str, page: Page, end: int) -> bool:
    """Tell whether the next line begins with the number of a part, which is no initial of an author (`V. Matos`)."""
    is_author = any(0 < place - end <= len(following.partition("\n")[0]) for place in page.authors)
    return is_part(following) and not (is_author and _INITIAL.match(following))


def _is_continued(following: str, page: Page, end: int) -> bool:
    """Tell whether the next line goes on with a title: it begins small, and with no author."""
    word = following.partition("\n")[0].split()[:1] if len(following.partition("\n")[0]) >= _LEAST_LINE else []
    is_small = bool(word) and word[0][:1].islower() and word[0].lower() not in _BYLINE_WORDS
    return is_small and not any(0 <= place - end < _NEAR for place in page.authors)


def _suffices(page: Page, title: Title, named: Named, places: Iterable[tuple[int, int]]) -> bool:
    """Tell whether a whole title is enough: a short one needs author and year or journal, others an author if known.

    A title of any length may be that of another work, where none of the known authors is to be seen.
    """
    if not title.is_short and not named.authors:
        return True
    is_by = any(_has_byline(page, start, stop) for start, stop in places)
    return is_by and (not title.is_short or _is_dated(page.front, named))


def _has_byline(page: Page, start: int, stop: int) -> bool:
    return any(
        start - _BYLINE_BEFORE < place < stop + _BYLINE_BEHIND or (place > stop and _is_signed(page.front, place))
        for place in page.authors
    )


def _is_signed(front: Front, place: int) -> bool:
    """Tell whether a name stands in a line of names: letters are signed below their text, citations have more words."""
    if not front.is_whole:
        return False
    start, end = front.text.rfind("\n", 0, place) + 1, front.text.find("\n", place)
    line = front.text[start : end if end >= 0 else len(front.text)]
    words = [word for word in line.split() if word.lower() not in _BYLINE_WORDS]
    return len(words) <= _MOST_NAMES and not any(word[:1].islower() or word[:1].isdigit() for word in words)


def _is_dated(front: Front, named: Named) -> bool:
    """Tell whether the year or the journal of a work stands on a page."""
    has_year = not set(named.years).isdisjoint(_YEAR.findall(front.text))
    return has_year or any(
        worth(venue) >= _LEAST_MAIN // 2 and venue in front.letters for venue in map(folded, named.venues)
    )


def _stands_in_part(page: Page, title: Title, named: Named, places: list[tuple[int, int]]) -> bool:
    """Tell whether a title stands with a subtitle more or less, cut, or with errors of recognition; by its authors."""
    if not page.authors or title.is_short:
        return False
    longer = [
        (start, stop)
        for start, stop in places
        if _has_byline(page, start, stop) and _is_with_subtitle(page.front, title, stop, named)
    ]
    return bool(longer) or _has_main_title(page, title) or _is_misread(page, title)


def _is_with_subtitle(front: Front, title: Title, stop: int, named: Named) -> bool:
    """Tell whether a document's title goes on behind the one that is known, and is not that of another part."""
    rest = front.text[stop : stop + 80]
    mark = _SUBTITLE.match(rest)
    if is_cut(title.text):
        return True
    if mark is None or worth(title.letters) < _LEAST_MAIN or _is_sequel(rest[mark.end() :]):
        return False
    return _is_dated(front, named)


_SEQUEL = re.compile(
    r"(?i)\b(?:part|parts|ii+|iv|vi*|errat(?:um|a)|corrigendum|correction|reply|response|comment|addendum|revisited|further"
    r"|supplement\w{0,5}|appendix|retract\w{0,5}|follow-up|update[ds]?|new results|second|third|continued)\b"
)


def _is_sequel(subtitle: str) -> bool:
    return is_part(subtitle) or bool(_SEQUEL.search(subtitle))


def _has_main_title(page: Page, title: Title) -> bool:
    """Tell whether the main title stands without its subtitle, and an author in the very next line."""
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
    """Tell whether lines of the page spell the title with errors such as scanners make, and no other numbers."""
    front = page.front
    lines = [match.span() for match in _LINE.finditer(front.head)]
    for index, (start, _) in enumerate(lines):
        stop = start
        for _, stop in lines[index : index + _MOST_LINES]:
            if worth(folded(front.text[start:stop])) >= len(title.letters) * LEAST_SHARE:
                break
        is_title = _begins(front.text, start) and is_noisy_spelling(title, front.text[start:stop])
        if is_title and _ends(page, title, stop) and _has_byline(page, start, stop):
            return True
    return False
