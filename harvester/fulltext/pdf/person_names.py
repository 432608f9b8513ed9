"""Names of people as in records and services: their surnames, and common names of two lists. Pure.

Records write `Family, Given`, `Given Family`, `FAMILY G.`, several names in one statement, with and without accents, in
Latin and Cyrillic letters. Services give the family name, and some of them given names. Where both sides have given
names or initials, these must agree.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import chain, repeat
from typing import NamedTuple

from gateway.core.normal_forms import normalized
from harvester.words import any_of, load

_MOST_NAMES = 200
_MOST_CHARACTERS = 300  # of one name
_LEAST_LETTERS = 2  # of a family name
_WORD = re.compile(r"\w++")
_INITIALS = re.compile(r"\s[A-Z]{1,2}\.?$")
_ARE_INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,4}")
_WORDS = load("person_names")
_BETWEEN = re.compile(rf";|\s(?:{any_of(_WORDS['between'])})\s")
_PARTICLES = frozenset(_WORDS["particles"])
_LATIN = str.maketrans(_WORDS["latin"])
_FIRST_CYRILLIC, _LAST_CYRILLIC = "\u0400", "\u04ff"
# Given names: letters that may replace each other, and words that are initials.
_FIRSTS = str.maketrans({"k": "c", "y": "i", "j": "i"})
_SOFT = "i"  # what is left of a name of which nothing is
_VOWELS = frozenset("aeiouy")
_MOST_INITIALS, _MOST_CONSONANTS = 2, 3  # letters of a word that is initials
_LEAST_STEM = 3  # letters
_FIRST_WIDE, _MOST_WIDE = "\u2e80", 2  # from here on letters are words; so many of them a family name has
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))
# Common forms of Cyrillic letters and of their transliterations, so that all of these agree.
_CYRILLIC, _TRANSLITERATED = str.maketrans(_WORDS["cyrillic"]), _WORDS["transliterated"]


class Name(NamedTuple):
    """One name: the words of its family name, and all of its words, folded. `family` is empty if not known."""

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


def surname(author: str) -> str:
    """Return the surname of an author as records write it: `Atatüre, M.`, `M. Atatüre`, `Atatüre M`."""
    name = author.partition(",")[0].strip() if "," in author else author
    parts = name.split()
    if "," in author or len(parts) < 2:  # noqa: PLR2004 - one word is the surname
        return name
    given = [part for part in parts if not _ARE_INITIALS.fullmatch(part)]
    return given[-1] if given else parts[0]


def spellings(name: str) -> tuple[str, ...]:
    """Return a surname as written, and with its umlauts as two letters if it has any."""
    written = name.lower().replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")
    return (name,) if written == name.lower() else (name, written)


def share(
    names: Iterable[Name], families: Iterable[str], *, of_all: bool = False, given_names: Iterable[str] = ()
) -> str:
    """Return the first of these family names that is one of the names, or an empty string.

    `given_names` belong to the family names; an entry is empty if it is not known.
    `of_all`: only if each of the family names is among the names, and there are as many names.
    """
    held, wanted = tuple(names), tuple(families)[:_MOST_NAMES]
    people = zip(wanted, chain(given_names, repeat("")), strict=False)
    common = [
        family
        for family, given in people
        if any(_is_of(name, family) and _may_be_given(name, family, given) for name in held)
    ]
    if of_all and not (len(common) == len(wanted) == len(held)):
        return ""
    return next(iter(common), "")


def _is_of(name: Name, family: str) -> bool:
    wanted = _words(family)
    if not any(len(name) >= _LEAST_LETTERS or not name.isascii() for name in wanted):
        return False
    if _agree(name, wanted) or _begins_with(name, family):
        return True
    if _is_cyrillic(name.words) is _is_cyrillic(wanted):
        return False
    bare = Name(frozenset(map(_bare, name.family)), frozenset(map(_bare, name.words)))
    return _agree(bare, frozenset(map(_bare, wanted)))


def _agree(name: Name, wanted: frozenset[str]) -> bool:
    return (wanted <= name.family or name.family <= wanted) if name.family else wanted <= name.words


def _may_be_given(name: Name, family: str, given: str) -> bool:
    """Return whether a name has one of these given names, or an initial of one, or none is known."""
    ours = name.words - (name.family or _words(family))
    theirs = _spelled(given)  # `Le` and `Van` are given names too
    pairs = ((one, other) for one in ours for other in theirs)  # compared in one script, or in Cyrillic and Latin
    alike = [(one, other) for one, other in pairs if (min(one) >= _FIRST_WIDE) is (min(other) >= _FIRST_WIDE)]
    return not alike or any(_is_alike(one, other) for one, other in alike)


def _is_alike(one: str, other: str) -> bool:
    """Return whether two given names may be one: an initial, a short form or another spelling of it."""
    if min(one) >= _FIRST_WIDE:
        return one in other or other in one
    if _is_cyrillic((one,)) is not _is_cyrillic((other,)):
        one, other = _bare(one) or _SOFT, _bare(other) or _SOFT
    initials = [_initials(name) for name in (one, other)]
    if any(initials):
        firsts, seconds = (set(initials_ or word[0]) for initials_, word in zip(initials, (one, other), strict=True))
        return bool(
            {second.translate(_FIRSTS) for second in firsts} & {second.translate(_FIRSTS) for second in seconds}
        )
    return _is_same(one.translate(_FIRSTS), other.translate(_FIRSTS)) or _bare(one) == _bare(other)


def _initials(word: str) -> str:
    """Return the initials of a word that consists of initials (`a`, `am`, `khj`), or an empty string."""
    is_short = len(word) <= _MOST_INITIALS or (len(word) <= _MOST_CONSONANTS and not set(word) & _VOWELS)
    return word if is_short else ""


def _is_same(one: str, other: str) -> bool:
    """Return whether the shorter name, without its last letter, begins the longer one."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or (len(short) > _LEAST_STEM and long.startswith(short[:-1]))


def _begins_with(name: Name, family: str) -> bool:
    """Return whether a name without spaces, as in China and Korea, begins with a family name."""
    spelled = normalized("NFC", family)
    if name.family or not 1 <= len(spelled) <= _MOST_WIDE or min(spelled) < _FIRST_WIDE:
        return False
    return any(word.startswith(wanted) for wanted in _words(family) for word in name.words)


def _words(text: str) -> frozenset[str]:
    """Return the words of a name without accents, umlauts, initials' stops and particles."""
    spelled = _spelled(text)
    return spelled - _PARTICLES or spelled


def _spelled(text: str) -> frozenset[str]:
    """Return the words of a name without accents, umlauts and initials' stops."""
    spread = unicodedata.normalize("NFKD", text[:_MOST_CHARACTERS].casefold().translate(_LATIN))
    folded = (
        "".join(letter for letter in spread if not unicodedata.combining(letter)).replace("'", "").replace("\u2019", "")
    )
    for two, one in _UMLAUTS:
        folded = folded.replace(two, one)
    return frozenset(_WORD.findall(folded))


def _is_cyrillic(words: Collection[str]) -> bool:
    return any(_FIRST_CYRILLIC <= letter <= _LAST_CYRILLIC for word in words for letter in word)


def _bare(word: str) -> str:
    """Return the part of a word that is the same in every transliteration."""
    if _is_cyrillic(frozenset((word,))):
        return word.translate(_CYRILLIC)
    for several, one in _TRANSLITERATED:
        word = word.replace(several, one)
    return word
