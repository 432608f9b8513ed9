"""Titles as records and services write them: without markup, in parts, and whether one identifies a work. Pure."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple
from unicodedata import lookup

from harvester.fulltext.pdf.first_pages import folded
from harvester.words import any_of, load, words_of

_MOST = 2_000  # characters of a title that are compared
LEAST_LETTERS, LEAST_WORDS = 15, 3  # a title with fewer of either is short: it is on many pages
_CJK = 0x2E80  # from this code on, a character is a syllable or a word
_WORTH = 2  # the number of letters as which such a character counts

_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
# Greek letters as TeX names them; all other commands are left out.
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau phi chi psi omega"
_LETTERS = {name: lookup(f"GREEK SMALL LETTER {name}") for name in _GREEK.split()} | {"lambda": "\u03bb"}
_COMMAND = re.compile(r"\\[A-Za-z]{1,20}\*?")
_WORD = re.compile(r"[^\W_]+")
_CUT = re.compile(r"(?:\.{3}|\u2026)\s*$")
_NUMBER = re.compile(r"(?<![^\W_])(?:\d[\d.,]{0,9}|[IVX]{1,5}|[a-z]?\d{1,4}[a-z]?)(?![^\W_])", re.ASCII)

_WORDS = load("generic_titles")
# Titles of hundreds of works. Such a title is no sign, not even with the author and the year.
_GENERIC = frozenset(map(folded, words_of(_WORDS["generic"])))
# Titles of works that appear each year, or more often; a year or a number in the title identifies one of them.
_SERIAL = re.compile(rf"(?i)\W{{0,3}}(?:{any_of(_WORDS['serial'])})")


class Title(NamedTuple):
    """A title: its text without markup, and only its letters and digits, for searches."""

    text: str
    letters: str

    @property
    def is_generic(self) -> bool:
        """Return whether hundreds of works have this title, or each volume of a series."""
        return self.letters in _GENERIC or (bool(_SERIAL.match(self.text)) and not self.numbers)

    @property
    def is_short(self) -> bool:
        """Return whether it is so short that other works may have it too."""
        return worth(self.letters) < LEAST_LETTERS or (
            len(_WORD.findall(self.text)) < LEAST_WORDS and worth(self.letters) == len(self.letters)
        )

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers and parts of a series in it, which must be equal in every spelling."""
        return frozenset(number.strip(".,").lower() for number in _NUMBER.findall(self.text))


def title_of(text: str) -> Title:
    """Return a title without entities, markup of HTML and commands of TeX; one cut short ends with an ellipsis."""
    plain = text[:_MOST]
    for _ in range(3):  # `&amp;lt;i&amp;gt;` was escaped twice
        plain, before = unescape(plain), plain
        if plain == before:
            break
    plain = _COMMAND.sub(lambda match: _LETTERS.get(match[0][1:].lower(), ""), _TAG.sub("", plain)).translate(
        {ord(sign): None for sign in "{}$"}
    )
    whole = " ".join(_CUT.sub("", plain).split()).removesuffix(" *")
    return Title(f"{whole}\u2026" if _CUT.search(plain) else whole, folded(whole))


def worth(letters: str) -> int:
    """Return how many letters a title has, where one character of Chinese, Japanese or Korean counts as two."""
    return len(letters) + sum(ord(letter) >= _CJK for letter in letters) * (_WORTH - 1)
