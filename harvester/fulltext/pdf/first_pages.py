"""The pages that name a document: the beginning of its first page, and of the second one after a cover page. Pure.

A document names itself before its abstract and its text. After that it also names other works: references, lists of
contents, articles that a publisher recommends on its cover pages.

Text after `References` or a publisher's recommendations does not count.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from harvester.words import any_of, load

PAGE_BREAK = "\f"
# A document names itself within these characters from its beginning; on unseen papers
# titles begin before 1,100.
_MOST_CHARACTERS = 8_000
_MOST_BEFORE_TITLE = 3_000
_LINE_NUMBER = re.compile(r"[ \t]{0,5}(\d{1,4})(?:[ \t]{1,5}|$)")
_FEWEST_NUMBERS = 10  # lines that are numbered one after the other
_COVER_WORDS = 150  # with fewer the second page is read too

# Letters without decomposition, and their usual spelling in other alphabets.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"})
# Letters of Arabic and Persian that are written for each other, and the line that stretches words.
_ARABIC = str.maketrans("\u06cc\u0649\u06a9\u0629\u06c0", "\u064a\u064a\u0643\u0647\u0647", "\u0640")
# Persian letters as fonts of XePersian name them in PDFs: yeh, gaf, keheh.
_XEPERSIAN = str.maketrans("\u036c\u037d\u037a\u0377", "\u064a\u06af\u0643\u0643")

_WORDS = load("headings")
_NUMBER = r"(?:[\divx]{1,4}\.?[ \t]{1,5})?"
# Headings after which other works are named; alone on their line, perhaps numbered.
_REFERENCES = re.compile(rf"(?im)^[ \t]{{0,20}}{_NUMBER}(?:{any_of(_WORDS['references'])})[ \t:.]{{0,5}}\r?$")
_RECOMMENDED = re.compile(rf"(?im)^\W{{0,5}}(?:{any_of(load('other_works')['recommended'])})\b")
_END = r"(?:[ \t]{0,5}\r?$|[ \t]{0,3}[.:\uff1a\u2014\u2013-]|】)"
_ABSTRACT = re.compile(rf"(?im)^[ \t【\[]{{0,20}}(?:{any_of(_WORDS['abstract'])}){_END}")
_INTRODUCTION = re.compile(rf"(?im)^[ \t]{{0,20}}{_NUMBER}(?:{any_of(_WORDS['introduction'])})[ \t.:]{{0,3}}$")
# Lines with which the text or the list of contents begins after the title.
_BEGINNINGS = "|".join(any_of(_WORDS[name]) for name in ("abstract", "introduction", "contents"))
_BODY = re.compile(rf"(?im)^[ \t【\[]{{0,20}}{_NUMBER}(?:{_BEGINNINGS}){_END}")
_COVER = re.compile(any_of(_WORDS["cover"]))


@lru_cache(maxsize=1 << 14)
def _folded(character: str) -> str:
    spread = unicodedata.normalize("NFKD", character.translate(_XEPERSIAN)).casefold()
    return "".join(filter(str.isalnum, spread.translate(_PLAIN).translate(_ARABIC)))


def folded(text: str) -> str:
    """Return only the letters and digits of a text, in lower case, without accents and ligatures."""
    return "".join(map(_folded, text))


class Front(NamedTuple):
    """A page that names its document: its text before references, where its title must have begun, and its letters.

    `places` has the place of each of the letters in the text.
    """

    text: str
    title_end: int
    letters: str
    places: tuple[int, ...]

    @property
    def head(self) -> str:
        """The text before the abstract: title, authors, and lines of the journal."""
        return self.text[: self.title_end]

    @property
    def has_abstract_or_introduction(self) -> bool:
        """Return whether the page has one of them as a heading: an article begins here."""
        return bool(_ABSTRACT.search(self.text) or _INTRODUCTION.search(self.text))

    @property
    def has_abstract_and_introduction(self) -> bool:
        """Return whether the page has both as headings: a whole article begins here."""
        match = _ABSTRACT.search(self.text)
        return match is not None and _INTRODUCTION.search(self.text, match.end()) is not None

    def spots(self, wanted: str) -> Iterator[tuple[int, int]]:
        """Return (start, stop) of each occurrence of letters in the text."""
        at = self.letters.find(wanted) if wanted else -1
        while at >= 0:
            yield self.places[at], self.places[at + len(wanted) - 1] + 1
            at = self.letters.find(wanted, at + 1)


@lru_cache(maxsize=4)  # the signs and the score read the same pages
def fronts(first: str) -> tuple[Front, ...]:
    """Return the pages that name a document, from the text of its first pages: one, or two if the first is a cover."""
    texts = [page.replace("\r\n", "\n").replace("\r", "\n") for page in first.split(PAGE_BREAK) if page.strip()][:2]
    pages = list(map(without_line_numbers, texts))
    is_cover = bool(pages) and (len(pages[0].split()) < _COVER_WORDS or bool(_COVER.search(pages[0].lower())))
    return tuple(map(_front, pages if is_cover else pages[:1]))


def without_line_numbers(page: str) -> str:
    """Return a page without line numbers, as manuscripts have them."""
    lines = page.split("\n")
    numbers = [int(match[1]) if (match := _LINE_NUMBER.match(line)) else -1 for line in lines]
    following = [
        number for number, after in pairwise(filter(lambda number: number >= 0, numbers)) if after == number + 1
    ]
    if len(following) < _FEWEST_NUMBERS:
        return page
    is_counted = {*following, *(number + 1 for number in following)}
    pairs = zip(lines, numbers, strict=True)
    return "\n".join(_LINE_NUMBER.sub("", line) if number in is_counted else line for line, number in pairs)


def _references(page: str) -> re.Match[str] | None:
    """Return the heading of the references; `literature` in lower case ends a title or a sentence."""
    return next((match for match in _REFERENCES.finditer(page) if not match[0].strip()[0].islower()), None)


def _front(page: str) -> Front:
    text = page[:_MOST_CHARACTERS]
    if match := _references(text):
        text = text[: match.start()]
    if match := _RECOMMENDED.search(text):
        text = text[: match.start()]
    pairs = [(letter, place) for place, character in enumerate(text) for letter in _folded(character)]
    letters, places = zip(*pairs, strict=True) if pairs else ((), ())
    return Front(text, _title_end(text), "".join(letters), places)


def _title_end(text: str) -> int:
    """Return the place before which a title must begin: the abstract or the introduction."""
    match = _BODY.search(text)
    return min(match.start() if match else len(text), _MOST_BEFORE_TITLE)
