"""Judge the lines beside the title: one that no form of an article explains may be the label of another document. Pure.

The labels of supplements, reviews, theses and texts for the public are countless, and in all languages. The lines
around the title of an article are few: its journal, identifiers, dates, section, authors, and where they work
(`known_lines.py`). So any other short line above the title, or between the title and the authors, is unknown, and a
person decides. On a page with nothing but a title, as theses have, this is true for all lines.

Lines in the same place that are long, or have words of the title, are subtitles, titles in other languages, or text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from harvester.fulltext.pdf import headings, known_lines
from harvester.fulltext.pdf.around_title import around_title, body_of, first_pages_of, page_of_title
from harvester.fulltext.pdf.document import Document, spelled_lines
from harvester.fulltext.pdf.evidence import SUPPLEMENT
from harvester.fulltext.pdf.first_pages import folded
from harvester.fulltext.pdf.known_names import (
    ends_byline,
    has_word_of_a_document,
    is_affiliation,
    is_byline,
    is_country,
    is_list_of_names,
)
from harvester.fulltext.pdf.page_numbers import ROW, heads_of, plain, steps
from harvester.fulltext.pdf.person_names import spellings, surname
from harvester.fulltext.pdf.similarity import letters
from harvester.fulltext.pdf.work_names import Named

_ABOVE, _BELOW = 10, 8  # lines above the title, and below it
_SHORT_WORDS, _SHORT = 6, 60  # words and characters of a label
_LONG_WORDS = 12  # words of a line that may have an alarming word
_LEAST_SHARED = 6  # letters of a word that a subtitle has from its title
_PROSE, _PROSE_WORDS = 55, 6  # characters of a line of text, and its words of small letters
_LEAST_LETTERS = 3
_WORD_BEHIND, _LONE_WORD = 5, 10  # letters of a word alone in its line, and no place: directly behind authors, later
_CJK = 0x2E80
_TITLE_PAGE_WORDS, _TITLE_PAGE_PAGES = 150, 12  # at most these words, at least these pages
_LONG = 20  # pages of a document whose long lines above the title count, too
_SHOWN = 80  # characters of a line in a sentence


class Unknown(NamedTuple):
    """A line that nothing explains, and whether it is above the title."""

    line: str
    is_above: bool


class Names(NamedTuple):
    """The names of a work in letters: titles, surnames of its authors, journals and publishers.

    `journals` are those that the record or a service names; `venues` has those that the document cites, too.
    """

    titles: tuple[str, ...]
    surnames: frozenset[str]
    venues: tuple[str, ...]
    text: str  # of the first pages
    journals: tuple[str, ...] = ()


def doubt_about(document: Document, named: Named) -> str:
    """Return a sentence if a line beside the title is unknown; empty if all are known, or the title is not there."""
    unknown = unknown_line(document, named)
    if unknown is None:
        return ""
    place = "above" if unknown.is_above else "below"
    return f"An unknown line is {place} the title: \u201c{unknown.line[:_SHOWN].strip()}\u201d."


def unknown_line(document: Document, named: Named) -> Unknown | None:
    """Return the first line beside the title that nothing explains; None: there is none, or the title is not there.

    On a page before the one with the title and the abstract, a cover, only words of other documents count.
    """
    pages = first_pages_of(document.extracted.first)
    names = _names(document, named, [line for lines in pages for line in lines])
    own = page_of_title(pages, document.titles)
    if own is None:
        return None
    covers = (line for lines in pages[:own] for line in lines[: 2 * _ABOVE] if _is_of_another(line, names))
    if cover := next(covers, None):
        return Unknown(cover, is_above=True)
    is_page, is_long = not own and _is_title_page(document), document.pages >= _LONG
    around = around_title(pages[own], names.titles)
    assert around is not None
    above = around.above if is_page else around.above[-_ABOVE:]
    for line in _unknown_above(above, names, is_strict=is_page or is_long):
        if _is_alarming(line, names) or not is_journal(line, document):
            return Unknown(line, is_above=True)
    unknown = next(_unknown_below(around.below, names, is_page=is_page), None)
    return Unknown(unknown, is_above=False) if unknown else None


def _unknown_above(lines: Sequence[str], names: Names, *, is_strict: bool) -> Iterator[str]:
    """Yield the unknown lines above a title."""
    for before, line in pairwise(("", *lines)):
        is_known = _is_known(line, names, is_strict=is_strict) or _ends_byline(line, before, names)
        if not is_known and not _is_of_text(line, lines):
            yield line


def _unknown_below(lines: Sequence[str], names: Names, *, is_page: bool) -> Iterator[str]:
    """Yield the unknown lines below a title, before the abstract and the text."""
    has_byline = is_next = False
    for before, line in pairwise(("", *(lines if is_page else lines[: min(_BELOW, body_of(lines))]))):
        if _is_prose(line) and not is_page:
            return
        if _ends_byline(line, before, names):
            continue
        is_known = _is_known(line, names, is_strict=is_page) or _is_below_title(line, names, has_byline=has_byline)
        is_label = is_page or not has_byline or _is_alarming(line, names) or _is_plain_label(line, is_next=is_next)
        if is_label and not is_known:
            yield line
        is_next = is_byline(line, names.surnames) or _is_people(line, names)
        has_byline = has_byline or is_next


def _ends_byline(line: str, before: str, names: Names) -> bool:
    return ends_byline(line, before) and not _is_alarming(line, names)


def _names(document: Document, named: Named, lines: Sequence[str]) -> Names:
    surnames = {folded(spelling) for author in named.authors for spelling in spellings(surname(author))}
    venues = [folded(venue) for venue in named.venues]
    # The name of a journal is also in its citation: `Annals of Slopes 12 (2011) 1-9`.
    venues += [folded(_before_digits(line)) for line in lines if known_lines.CITATION.search(line.lower())]
    return Names(
        tuple(document.titles),
        frozenset(filter(None, surnames)),
        tuple(name for name in venues if len(name) > _LEAST_LETTERS),
        document.extracted.first,
        tuple(map(letters, named.venues)),
    )


def _before_digits(line: str) -> str:
    return line[: next((place for place, sign in enumerate(line) if sign.isdigit()), len(line))]


def _is_title_page(document: Document) -> bool:
    """Return whether a long document has a page with nothing but a title."""
    lines = spelled_lines(document.front)
    page = " ".join(lines)
    has_text = body_of(lines) < len(lines) or known_lines.CITATION.search(page.lower())
    return document.pages >= _TITLE_PAGE_PAGES and _words(page) <= _TITLE_PAGE_WORDS and not has_text


def _is_below_title(line: str, names: Names, *, has_byline: bool) -> bool:
    """Return whether a line below a title is its subtitle, or has the authors."""
    if _is_of_another(line, names):
        return False
    is_more = has_byline and "," in line and is_list_of_names(line)
    author, _, place = line.partition(", ")
    is_with_place = is_byline(author, names.surnames) and is_affiliation(place)
    return is_more or is_with_place or _is_people(line, names)


def _is_people(line: str, names: Names) -> bool:
    """Return whether a line has names: several, or one whose last word stands elsewhere, too, and only as a name."""
    if not is_list_of_names(line):
        return False
    last = line.rstrip("*†‡§¶,.0123456789 ").split()[-1]
    is_repeated = len(last) >= _LEAST_LETTERS and names.text.count(last) > 1 and last.lower() not in names.text.split()
    return is_list_of_names(line, 2) or is_repeated or _has_address(last, names)


def _has_address(surname_: str, names: Names) -> bool:
    """Return whether an e-mail address on the first pages has a name: that of a person, and of no label."""
    spelled = surname_.lower()
    addresses = (word.partition("@")[0] for word in names.text.lower().split() if "@" in word)
    return len(spelled) >= _LEAST_LETTERS and any(spelled in address for address in addresses)


def _is_known(line: str, names: Names, *, is_strict: bool = False) -> bool:
    """Return whether a line may be beside the title of an article."""
    if _is_named(line, names):
        return True
    if SUPPLEMENT.match(line) or known_lines.POINTS.match(line.lower()):  # evidence.py decides on supplements
        return True
    if _is_of_another(line, names, most=10 * _LONG_WORDS if is_strict else _LONG_WORDS):
        return False
    if (
        known_lines.TRANSLATED.match(line.lower())
        or _is_of_journal(line, names)
        or _has_form(line)
        or is_byline(line, names.surnames)
        or is_affiliation(line)
    ):
        return True
    if is_list_of_names(line, 2) or _is_subtitle(line, names):
        return True
    return not is_strict and not _is_short(line)


def _is_of_another(line: str, names: Names, most: int = _LONG_WORDS) -> bool:
    """Return whether a line with at most some words has one of another document, and is not a name of the work."""
    return _words(line) <= most and _is_alarming(line, names) and not _is_named(line, names)


def _has_alarming_word(line: str) -> bool:
    return any(pattern.search(line.lower()) for pattern in known_lines.ALARMING)


def _is_alarming(line: str, names: Names) -> bool:
    matches = (pattern.search(line.lower()) for pattern in known_lines.ALARMING)
    own = (*names.titles, *names.journals)
    return any(not any(letters(match[0]) in name for name in own) for match in matches if match)


def _is_named(line: str, names: Names) -> bool:
    """Return whether a line is part of the title, or the name of a journal or publisher."""
    own = letters(line)
    is_of_title = len(own) >= _LEAST_SHARED and any(own in title for title in names.titles)
    return is_of_title or folded(line) in names.venues


def _is_of_journal(line: str, names: Names) -> bool:
    """Return whether a line has the name of a journal or publisher, or a part of it."""
    spelled = folded(line)
    return any((venue in spelled and len(spelled) <= 2 * len(venue)) or spelled in venue for venue in names.venues)


@lru_cache(maxsize=1 << 12)
def _has_form(line: str) -> bool:
    """Return whether a line has a form of `known_lines`: a label, a field, a journal, a citation, dates, numbers."""
    lower = line.lower()
    tables = (known_lines.STARTS.match, known_lines.JOURNAL.search, known_lines.CITATION.search)
    if any(fits(lower) for fits in tables) or known_lines.NUMBERED.match(line) or "@" in line:
        return True
    if all(known_lines.LABEL.match(part) or known_lines.FIELD.match(part) for part in lower.split(" - ")):
        return True
    rest = known_lines.PARTS.sub("", lower)
    return sum(map(str.isalpha, rest)) < _LEAST_LETTERS or bool(headings.SUPPLEMENT.match(lower))


def _is_subtitle(line: str, names: Names) -> bool:
    """Return whether a line has a longer word of the title, like a subtitle or a translated title."""
    words = (letters(word) for word in line.split())
    return any(len(word) >= _LEAST_SHARED and word in title for word in words for title in names.titles)


def _is_short(line: str) -> bool:
    return _words(line) <= _SHORT_WORDS and len(line) <= _SHORT


def _is_plain_label(line: str, *, is_next: bool) -> bool:
    """Return whether a line behind the authors is a label: `Policy brief`, and not `Norges Bank`.

    It is short and has words of small letters, or one that names a document, or no capitals at all. `is_next`: it is
    directly behind the authors, where a single word is no place.
    """
    if not _is_short(line):
        return False
    words = [word.rpartition("'")[2] for word in line.split() if word.replace("'", "").isalpha()]
    if len(words) == 1 and len(line.split()) == 1 and line[0].isupper():
        is_long = len(line) >= (_WORD_BEHIND if is_next else _LONE_WORD)
        return is_long and not line.isupper() and not is_country(line)
    is_title_case = is_next and len(words) == len(line.split()) and not line.isupper()
    is_small = any(word[0].islower() and len(word) > _LEAST_LETTERS for word in words[1:])
    is_uncased = not any(map(str.isupper, line)) and not any(map(str.islower, line))
    return (
        is_title_case
        or is_small
        or is_uncased
        or has_word_of_a_document(line)
        or bool(headings.ABSTRACT.match(line.lower()))
    )


def _is_prose(line: str) -> bool:
    small = sum(word[0].islower() for word in line.split())
    return len(line) >= _PROSE and small >= _PROSE_WORDS and not _has_alarming_word(line)


def _is_of_text(line: str, lines: Sequence[str]) -> bool:
    """Return whether a line is one of many lines of text: an article begins below the end of another one."""
    return sum(map(_is_prose, lines)) >= _LEAST_LETTERS and not _has_alarming_word(line)


def _words(line: str) -> int:
    """Return the number of words; two characters of Chinese, Japanese or Korean are one."""
    return max(len(line.split()), sum(ord(letter) >= _CJK for letter in line) // 2)


# --- Whether a line above the title is the name of a journal that the record lacks. Pure -----------------------------

_MOST_WORDS, _FEWEST_LETTERS = 7, 4  # of the name of a journal
_READ = 6  # pages whose running heads are read
_FEWEST_HEADS = 2  # of later pages
_BEFORE, _BEHIND = 2, 12  # characters beside the name in a reference
_AFTER_TITLE = re.compile(r"(?:[.,;:!?\u201d\"')]|\bin)\s$")
_VOLUME = re.compile(r"[.,;:]?\s?(?:vol\.?\s?|bd\.?\s?|jg\.?\s?|t\.\s?|\()?\d{1,4}\b")


def is_journal(line: str, document: Document) -> bool:
    """Return whether a line is the name of a journal, by the references or the pages of the document."""
    name = " ".join(line.lower().split())
    if len(name.split()) > _MOST_WORDS or sum(map(str.isalpha, name)) < _FEWEST_LETTERS:
        return False
    return _is_cited(name, document) or _is_running_head(name, document)


def _is_cited(name: str, document: Document) -> bool:
    text = " ".join(document.extracted.text.lower().split())
    at = text.find(name)
    while at >= 0:
        stop = at + len(name)
        if _AFTER_TITLE.search(text[max(0, at - _BEFORE - 1) : at]) and _VOLUME.match(text[stop : stop + _BEHIND]):
            return True
        at = text.find(name, stop)
    return False


def _is_running_head(name: str, document: Document) -> bool:
    leaves = document.leaves[:_READ]
    heads = sum(plain(name) in {plain(line) for line in heads_of(leaf)} for leaf in leaves[1:])
    if heads < _FEWEST_HEADS or len(leaves) <= ROW:
        return False
    return any(step > document.pages for step in steps(leaves[1 : ROW + 1], 1))
