"""Names of people as records and services write them: whether two lists have one in common. Pure.

Records write `Family, Given`, `Given Family`, `FAMILY G.`, several names in one statement, with and without accents, in
Latin and Cyrillic letters. Services give the family name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

_MOST_NAMES = 200
_MOST_CHARACTERS = 300  # of one name
_LEAST_LETTERS = 2  # of a family name
_WORD = re.compile(r"\w++")
_INITIALS = re.compile(r"\s[A-Z]{1,2}\.?$")
_BETWEEN = re.compile(r";|\s(?:and|und|et|y|&)\s")
_PARTICLES = frozenset(
    """
    al af av bin da dal das de del della den der di do dos du e el ibn la las le les los mc st ten ter the van vom von y
    zu zum zur jr sr dr prof
    """.split()  # noqa: SIM905 - words are read as words
)
_LATIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i", "ħ": "h", "ŋ": "n"}
)
_FIRST_CYRILLIC, _LAST_CYRILLIC = "\u0400", "\u04ff"
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))
# What is left of Cyrillic letters, and of what transliterations make of them, so that all of these agree.
_CYRILLIC = str.maketrans(
    dict(zip("абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґў", [*"abvgdeez", "z", "", "", *"klmnoprstufhccss", "", "", "",
    *"eua", "", "", "e", "g", "u"], strict=True))
)  # fmt: skip
_TRANSLITERATED = (
    ("shch", "s"), ("sch", "s"), ("zh", "z"), ("kh", "h"), ("ch", "c"), ("sh", "s"), ("ts", "c"), ("tz", "c"),
    ("yu", "u"), ("iu", "u"), ("ju", "u"), ("ya", "a"), ("ia", "a"), ("ja", "a"), ("ye", "e"), ("je", "e"),
    ("ks", "x"), ("w", "v"), ("y", ""), ("j", ""), ("i", ""),
)  # fmt: skip


class Name(NamedTuple):
    """One name: the words of its family name, and all of its words, folded. `family` is empty where nothing says it."""

    family: frozenset[str]
    words: frozenset[str]


def names_of(people: Iterable[str]) -> tuple[Name, ...]:
    """Return the names in the statements of a record."""
    texts = [part for text in people for part in _BETWEEN.split(text[: _MOST_NAMES * _MOST_CHARACTERS])]
    names = (_name(text[:_MOST_CHARACTERS]) for text in texts[:_MOST_NAMES])
    return tuple(name for name in names if name.words)


def _name(text: str) -> Name:
    head, _, rest = text.partition(",")
    is_inverted = bool(rest) and "," not in rest and not _INITIALS.search(head)  # `Smith J, Jones K` are two names
    return Name(_words(head) if is_inverted else frozenset(), _words(text))


def share(names: Iterable[Name], families: Iterable[str], *, of_all: bool = False) -> str:
    """Return the first of these family names that is one of the names, or an empty string.

    `of_all`: only where each of the family names is, and there are as many names.
    """
    held, wanted = tuple(names), tuple(families)[:_MOST_NAMES]
    common = [family for family in wanted if any(_is_of(name, family) for name in held)]
    if of_all and not (len(common) == len(wanted) == len(held)):
        return ""
    return next(iter(common), "")


def _is_of(name: Name, family: str) -> bool:
    wanted = _words(family)
    if not any(len(each) >= _LEAST_LETTERS or not each.isascii() for each in wanted):
        return False
    if _agree(name, wanted):
        return True
    if _is_cyrillic(name.words) is _is_cyrillic(wanted):
        return False
    bare = Name(frozenset(map(_bare, name.family)), frozenset(map(_bare, name.words)))
    return _agree(bare, frozenset(map(_bare, wanted)))


def _agree(name: Name, wanted: frozenset[str]) -> bool:
    return (wanted <= name.family or name.family <= wanted) if name.family else wanted <= name.words


def _words(text: str) -> frozenset[str]:
    """Return the words of a name without accents, umlauts, initials' stops and particles."""
    spread = unicodedata.normalize("NFKD", text[:_MOST_CHARACTERS].casefold().translate(_LATIN))
    folded = "".join(each for each in spread if not unicodedata.combining(each)).replace("'", "").replace("\u2019", "")
    for two, one in _UMLAUTS:
        folded = folded.replace(two, one)
    spelled = frozenset(_WORD.findall(folded))
    return spelled - _PARTICLES or spelled


def _is_cyrillic(words: frozenset[str]) -> bool:
    return any(_FIRST_CYRILLIC <= letter <= _LAST_CYRILLIC for word in words for letter in word)


def _bare(word: str) -> str:
    """Return what is left of a word in every transliteration."""
    if _is_cyrillic(frozenset((word,))):
        return word.translate(_CYRILLIC)
    for several, one in _TRANSLITERATED:
        word = word.replace(several, one)
    return word
