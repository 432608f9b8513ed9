"""Tests whether lines spell a title with errors of recognition: wrong letters, split words. Pure.

A different word may show a different work: `inter` and `intra`, `male` and `female`, a part `I` and a part `II`. So
only letters of similar form may replace each other, ligatures may be missing, and all numbers must agree.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from harvester.fulltext.pdf.first_pages import folded
from harvester.fulltext.pdf.titles import Title, numbers_of, worth

LEAST_SHARE, _MOST_SHARE = 0.85, 1.2  # share of the letters of a title in its lines: ligatures may be missing
LEAST_LETTERS = 25  # of a title in which errors are allowed
_NOISY_SHARE = 3  # at most every third word may be misspelt
_LEAST_PAIRS = 0.6  # of the pairs of letters in common; with fewer, no words are compared
_MOST_WORD = 40

_WORD = re.compile(r"[^\W_]+")
_HYPHEN = re.compile(r"[-\u00ad\u2010\ufffe][ \t]{0,5}\n\s{0,5}")
_FORMS = (("rn", "m"), ("cl", "d"), ("vv", "w"))
_LETTERS = str.maketrans("1ij0ce5h89qyn", "lllooosbbggvu")
_LIGATURES = re.compile("ff[il]?|f[il]")


def _formed(letters: str) -> str:
    """Return letters with similar forms made equal."""
    for two, one in _FORMS:
        letters = letters.replace(two, one)
    return letters.translate(_LETTERS)


def _words(text: str) -> list[str]:
    return [word for word in (folded(match)[:_MOST_WORD] for match in _WORD.findall(_HYPHEN.sub("", text))) if word]


def is_noisy_spelling(title: Title, block: str) -> bool:
    """Return whether a block of lines is this title with errors of recognition, or without some symbols."""
    letters = folded(block)
    size = len(title.letters)
    if worth(title.letters) < LEAST_LETTERS or not LEAST_SHARE * size <= len(letters) <= _MOST_SHARE * size:
        return False
    if not _have_pairs_in_common(title.letters, letters) or title.numbers != numbers_of(block):
        return False
    wanted, here = _words(title.text), _words(block)
    wrong = 0
    for kind, first, last, start, stop in SequenceMatcher(None, wanted, here, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        excuse = _excused("".join(wanted[first:last]), "".join(here[start:stop]), is_end=stop == len(here))
        if excuse is None:
            return False
        wrong += excuse
    return wrong <= max(1, len(wanted) // _NOISY_SHARE)


def _have_pairs_in_common(one: str, other: str) -> bool:
    pairs = {one[at : at + 2] for at in range(len(one) - 1)}
    others = {other[at : at + 2] for at in range(len(other) - 1)}
    return len(pairs & others) >= _LEAST_PAIRS * len(pairs)


def _excused(wanted: str, here: str, *, is_end: bool) -> int | None:
    """Return the number of misspelt words, 0 for the same letters; None: another word."""
    if wanted == here:
        return 0
    if not wanted:  # the mark of a footnote
        return 0 if is_end and worth(here) == 1 else None
    if not here:  # a symbol that is missing in the font
        return 1 if len(wanted) == 1 and not wanted.isdigit() else None
    if _LIGATURES.sub("", wanted) == here:
        return 0
    return 1 if _formed(wanted) == _formed(here) else None
