"""Common words of a document and the metadata of a work: the score of Autoload. Pure.

The words of both are in lower case, without stop words, and stemmed by Porter's rules, Russian ones by Snowball's.
Chinese, Japanese and Korean have no spaces between words, and are read as pairs of characters. Only those words of the
document count that are in the metadata. The score is the cosine of the angle between the two: 0 for no common word, 1
for the same words in the same proportions. Words of one letter are left out: labels of figures have them (`p h y t o`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt
from threading import Lock
from typing import NamedTuple

import snowballstemmer  # type: ignore[import-untyped]

from gateway.core.normal_forms import normalized
from harvester.words import load, words_of

_WORD = re.compile(r"[^\W\d_]{2,}")
_BREAK = re.compile("(?<=[\u2e80-\u9fff\uac00-\ud7af])\\s*\n\\s*(?=[\u2e80-\u9fff\uac00-\ud7af])")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010\ufffe][^\S\n]*\n\s*(?=[^\W\d_])")
# Some characters become eighteen others, and a text without spaces is one word: neither may take minutes.
_MOST_CHARACTERS = 4_000_000
_LONGEST_WORD = 100
_KEPT = 3  # letters at the beginning of a word that its stem keeps, of a shorter stem all but the last one
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]{2,}")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_SHORT_I = "\u0438\u0306"  # a letter of its own in Russian, which its stems depend on: и with a breve

STOP_WORDS = frozenset(words_of(load("stop_words")))


def words(text: str, among: Iterable[str] | None = None) -> Counter[str]:
    """Return the number of each stem in a text, or only of stems `among` these and others that begin like them."""
    begin = None if among is None else {stem[: min(_KEPT, len(stem) - 1) or 1] for stem in among}
    stems: Counter[str] = Counter()
    for word, count in spelled(text).items():
        if begin is None or not begin.isdisjoint(word[:length] for length in range(1, _KEPT + 1)):
            stems[_stem(word)] += count
    return stems


def spelled(text: str) -> Counter[str]:
    """Return the number of each word in a text, without stop words. A word divided at the end of a line is one word."""
    spread = normalized("NFKD", text)[:_MOST_CHARACTERS]
    if _SHORT_I in spread.lower():
        spread = spread.lower().replace(_SHORT_I, "\u0439")
    if marks := "".join(filter(unicodedata.combining, set(spread))):
        spread = re.sub(f"[{marks}]", "", spread)
    folded = _HYPHENATED.sub("", spread.casefold())
    counts: Counter[str] = Counter()
    if _CJK.search(folded):
        counts.update(a + b for run in _CJK.findall(_BREAK.sub("", folded)) for a, b in pairwise(run))
        folded = _CJK.sub(" ", folded)
    counts.update(_WORD.findall(folded))
    return Counter(
        {word: count for word, count in counts.items() if word not in STOP_WORDS and len(word) <= _LONGEST_WORD}
    )


@cache
def _stemmer(name: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(name)


_STEMMING = Lock()  # a stemmer stores its present word: two threads in one would get wrong stems, or none


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    with _STEMMING:
        return str(_stemmer("russian" if _CYRILLIC.match(word) else "porter").stemWord(word))


class Compared(NamedTuple):
    """The similarity of two texts: the cosine, the share of the metadata's words in the document, and their number."""

    score: float
    covered: float
    stems: int


def compared(metadata: Iterable[str], text: str) -> Compared:
    """Return the similarity of the texts of the metadata and the text of a document, over the metadata's words.

    The cosine alone is high by chance if the metadata has few words and one of them is common (`Science before
    science`). So the result also has the number of these words in the document. No other words of it are stemmed.
    """
    wanted = words("\n".join(metadata))
    document = words(text, wanted)
    shared = sum(count * document[stem] for stem, count in wanted.items())
    if not shared:
        return Compared(0.0, 0.0, len(wanted))
    own = sqrt(sum(count**2 for count in wanted.values()))
    cosine = shared / (own * sqrt(sum(document[stem] ** 2 for stem in wanted)))
    return Compared(round(cosine, 3), round(sum(stem in document for stem in wanted) / len(wanted), 3), len(wanted))
