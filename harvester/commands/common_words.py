"""Common words of a document and the metadata of a work, as Autoload compares them: a figure for `explain --compare`.

The words of both are stemmed by Porter's rules, Russian ones by Snowball's. Only those words of the document count that
are in the metadata. Chinese, Japanese and Korean are read as pairs of characters. The score is the cosine of the angle
between the two: 0 for no common word, 1 for the same words in the same proportions. It decides nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from math import sqrt
from typing import NamedTuple
from unicodedata import combining

from gateway.core.normal_forms import normalized
from harvester.words import load, words_of

_WORD = re.compile(r"[^\W\d_]{2,100}")
_BREAK = re.compile("(?<=[\u2e80-\u9fff\uac00-\ud7af])\\s*\n\\s*(?=[\u2e80-\u9fff\uac00-\ud7af])")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010\ufffe][^\S\n]*\n\s*(?=[^\W\d_])")
_MOST_CHARACTERS = 4_000_000  # some characters become eighteen others
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]{2,}")
_SHORT_I = "\u0438\u0306"  # a letter of its own in Russian, which stems depend on: и with a breve

_STOP_WORDS = frozenset(words_of(load("stop_words")))
_CYRILLIC = re.compile("[\u0400-\u04ff]")


class Compared(NamedTuple):
    """The similarity of two texts: the cosine, and the share of the metadata's words that are in the document."""

    score: float
    covered: float


def compared(metadata: Iterable[str], text: str) -> Compared:
    """Return the similarity of the texts of the metadata and the text of a document, over the metadata's words."""
    wanted, document = _stems("\n".join(metadata)), _stems(text)
    shared = sum(count * document[stem] for stem, count in wanted.items())
    if not shared:
        return Compared(0.0, 0.0)
    lengths = sqrt(sum(count**2 for count in wanted.values()) * sum(document[stem] ** 2 for stem in wanted))
    return Compared(round(shared / lengths, 3), round(sum(stem in document for stem in wanted) / len(wanted), 3))


def spelled(text: str) -> Counter[str]:
    """Return the number of each word in a text, without stop words. A word divided at the end of a line is one word."""
    spread = normalized("NFKD", text)[:_MOST_CHARACTERS].casefold().replace(_SHORT_I, "\u0439")
    if marks := "".join(filter(combining, set(spread))):
        spread = re.sub(f"[{marks}]", "", spread)
    folded = _HYPHENATED.sub("", spread)
    counts = Counter(a + b for run in _CJK.findall(_BREAK.sub("", folded)) for a, b in pairwise(run))
    counts.update(_WORD.findall(_CJK.sub(" ", folded)))
    return Counter({word: count for word, count in counts.items() if word not in _STOP_WORDS})


def _stems(text: str) -> Counter[str]:
    import snowballstemmer  # type: ignore[import-untyped]  # noqa: PLC0415 - only this comparison needs it

    porter, russian = snowballstemmer.stemmer("porter"), snowballstemmer.stemmer("russian")
    stems: Counter[str] = Counter()
    for word, count in spelled(text).items():
        stems[(russian if _CYRILLIC.match(word) else porter).stemWord(word)] += count
    return stems
