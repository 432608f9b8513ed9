"""Text as words: the same function makes the words of an index and those of a query, so they always fit.

Letters are folded: case, diacritics and compatibility forms do not count. Scripts without spaces between words, such as
Chinese, become pairs of neighbouring characters, so that any part of a text can be searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from unicodedata import category

from gateway.core.normal_forms import normalized

MOST_LETTERS = 64  # of a word; the rest does not count

_WORD = re.compile(r"[^\W_]+")
# Letters that have no decomposition in Unicode, and that people type without their stroke.
_PLAIN = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
    "ĸ": "k",
})  # fmt: skip
_VOICED = "\u3099\u309a"  # marks of kana: they make another letter, not an accented one
# Han, kana, Hangul, Thai, Lao, Khmer, Burmese, and the Han of the supplementary planes.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


class Word(NamedTuple):
    """One word of a query. `is_beginning`: longer words that begin with it fit too."""

    text: str
    is_beginning: bool = False


def folded(text: str) -> str:
    """Return a text in lower case without diacritics and compatibility forms."""
    if text.isascii():
        return text.lower()
    plain = normalized("NFKD", text).casefold().translate(_PLAIN)
    kept = [letter for letter in plain if letter.isascii() or category(letter)[0] != "M" or letter in _VOICED]
    return normalized("NFC", "".join(kept))


def index_words(text: str) -> Iterator[str]:
    """Yield the words of a text as an index has them; each has only letters and digits."""
    if text.isascii():  # most texts; it takes a fifth of the time
        yield from (word[:MOST_LETTERS] for word in _WORD.findall(text.lower()))
        return
    for run, is_unspaced in _runs(text):
        if is_unspaced:
            yield from (run[place : place + 2] for place in range(len(run)))  # the last one alone, so that it is there
        else:
            yield run[:MOST_LETTERS]


def query_words(text: str) -> Iterator[Word]:
    """Yield the words that an item must have to fit a text."""
    for run, is_unspaced in _runs(text):
        if not is_unspaced:
            yield Word(run[:MOST_LETTERS])
        elif len(run) == 1:
            yield Word(run, is_beginning=True)
        else:
            yield from (Word(run[place : place + 2]) for place in range(len(run) - 1))


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    for match in _WORD.findall(folded(text)):
        if match.isascii() or not _IS_UNSPACED.search(match):
            yield match, False
        else:
            yield from ((run, bool(_IS_UNSPACED.match(run))) for run in _RUN.findall(match))
