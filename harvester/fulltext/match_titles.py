"""Similarity of two titles: the same letters, misspelt words, or a title without its subtitle. Pure."""

import html
import re
from unicodedata import lookup

from rapidfuzz.distance import Levenshtein

from gateway.core.normal_forms import letters
from harvester.words import load

_MOST_CHARACTERS = 1000  # of a title
_SHORT_LETTERS, _SHORT_WORDS = 20, 3  # shorter titles need the venue, all authors and the same year
_WIDE, _WIDE_LETTERS = 0x2E80, 3  # a character from here on counts as three Latin letters
_BEGINNING_LETTERS, _BEGINNING_WORDS = 25, 4  # of a title without its subtitle
_MISSPELT = 5  # letters; a shorter word with one other letter is another word
_WORDS_A_SLIP = 5  # one word may be misspelt, and one more per five words
# Parts of words that have another meaning with another letter: nitrate and nitrite, butane and butene, sulfite and
# sulfide, lactase and lactose, phenol and phenyl, adsorption and absorption.
_TELLING = re.compile(
    r"(?P<salt>[ai]t|id)(?:e?s?|en|[io]s?)$|(?P<bond>[aeiyo]n)es?$|(?P<sugar>[ao]s)e[ns]?$|(?P<alcohol>[aoy]l)e?s?$"
    r"|(?P<russian>[аи]т|ид)[а-яё]{0,3}$|carbo(?P<group>[nx])yl|a(?P<uptake>[bd])sor"  # noqa: RUF001 - Russian
)
_CUT = 60  # letters of a title that a repository has cut
_CUT_TEXT = 200  # characters that contain such a beginning
_TAG = re.compile(r"<[^<>]{0,500}+>")
_WORD = re.compile(r"\w++")
_GREEK = "alpha beta gamma delta epsilon kappa lamda mu nu pi rho sigma tau phi chi psi omega"
_SPELLED = str.maketrans(
    {lookup(f"GREEK SMALL LETTER {name}"): name for name in _GREEK.split()} | {"&": " and ", "\u00b5": "mu"}
)
_MARKS = ":.?!\u2013\u2014-([=;"  # between a title and its subtitle
_WORDS = load("matching")
_ARTICLES = frozenset(_WORDS["articles"])
# Titles of parts that every journal and book has: they identify no work.
GENERIC = frozenset(_WORDS["generic"])
_OTHERS = frozenset(_WORDS["others"])


def plain(title: str) -> str:
    """Return a title without markup, with its entities resolved, also those that were written twice."""
    text = html.unescape(html.unescape(title[:_MOST_CHARACTERS]))
    return " ".join(_TAG.sub(" ", text).split())


def forms(title: str) -> tuple[str, ...]:
    """Return a title, and the title without the statement of responsibility that libraries append."""
    head, slash, _ = title.partition(" / ")
    return (title, head) if slash else (title,)


def _folded(title: str) -> str:
    return letters(title.lower().translate(_SPELLED))


def _words(title: str) -> list[str]:
    return [word for word in map(letters, _WORD.findall(title.lower().translate(_SPELLED))) if word not in _ARTICLES]


def similarity(ours: str, theirs: str) -> tuple[int, float]:
    """Return (tier, share of equal letters) of two titles; a share of 0 means that they differ.

    The tier is 0 for the same letters, 1 for misspelt words, 2 for a part of a title.
    """
    one, other = _folded(ours), _folded(theirs)
    if one == other:
        return 0, float(bool(one))
    if share := _misspelt(_words(ours), _words(theirs)):
        return 1, share
    return 2, _begun(ours, theirs, one, other)


def _misspelt(ours: list[str], theirs: list[str]) -> float:
    """Return the share of equal letters if only some words are misspelt, else 0."""
    if len(ours) != len(theirs) or not ours:
        return 0.0
    differing = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    if len(differing) > 1 + len(ours) // _WORDS_A_SLIP or not all(_is_slip(*pair) for pair in differing):
        return 0.0
    return 1 - len(differing) / max(sum(map(len, ours)), 1)


def _is_slip(one: str, other: str) -> bool:
    """Return whether two words differ in one letter other than the first, and their meaning does not.

    A digit and a Chinese, Japanese or Korean character have a meaning of their own, and so have some endings.
    """
    short, long = sorted((one, other), key=len)
    if len(short) < _MISSPELT or short[0] != long[0] or Levenshtein.distance(short, long) > 1:
        return False
    (slip,) = Levenshtein.editops(short, long)
    letters_there = long[slip.dest_pos] + short[slip.src_pos : slip.src_pos + (len(short) == len(long))]
    is_telling = any(sign.isdigit() for sign in one + other) or max(map(ord, letters_there)) >= _WIDE
    parts = [match.groups() for word in (one, other) if (match := _TELLING.search(word))]
    return not (is_telling or (len(parts) > 1 and parts[0] != parts[1]))


def _begun(ours: str, theirs: str, one: str, other: str) -> float:
    """Return the share of the longer title in the shorter one, if that lacks only a subtitle or was cut; else 0."""
    (short, short_text), (long, long_text) = sorted(((one, ours), (other, theirs)), key=lambda pair: len(pair[0]))
    if not long.startswith(short) or len(short) < _BEGINNING_LETTERS or len(_words(short_text)) < _BEGINNING_WORDS:
        return 0.0
    marks = (place for place, sign in enumerate(long_text[:_CUT_TEXT]) if sign in _MARKS)
    if len(short) < _CUT and not any(_folded(long_text[:place]) == short for place in marks):
        return 0.0
    rest = _words(long_text)[len(_words(short_text)) :]
    if any(word in _OTHERS or any(sign.isdigit() for sign in word) for word in rest):
        return 0.0
    return len(short) / len(long)


def is_short(title: str) -> bool:
    """Return whether a title is so short that many works may have it."""
    spelled = letters(title)
    weight = sum(_WIDE_LETTERS if ord(letter) >= _WIDE else 1 for letter in spelled)
    is_wide = weight > len(spelled)
    return weight < _SHORT_LETTERS or (not is_wide and len(_words(title)) < _SHORT_WORDS)
