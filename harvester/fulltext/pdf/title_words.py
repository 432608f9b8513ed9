"""The words of a text for comparison: in lower case, without accents and stop words. Pure.

Chinese, Japanese and Korean have no spaces between words, and are read as pairs of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from unicodedata import combining

from gateway.core.normal_forms import normalized
from harvester.words import load, words_of

_WORD = re.compile(r"[^\W\d_]{2,100}")
_BREAK = re.compile("(?<=[\u2e80-\u9fff\uac00-\ud7af])\\s*\n\\s*(?=[\u2e80-\u9fff\uac00-\ud7af])")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010\ufffe][^\S\n]*\n\s*(?=[^\W\d_])")
_MOST_CHARACTERS = 4_000_000  # some characters become eighteen others
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]{2,}")
_SHORT_I = "\u0438\u0306"  # a letter of its own in Russian, which stems depend on: и with a breve
_BEGINNING = 6  # letters

STOP_WORDS = frozenset(words_of(load("stop_words")))


def spelled(text: str) -> Counter[str]:
    """Return the number of each word in a text, without stop words. A word divided at the end of a line is one word."""
    spread = normalized("NFKD", text)[:_MOST_CHARACTERS].casefold().replace(_SHORT_I, "\u0439")
    if marks := "".join(filter(combining, set(spread))):
        spread = re.sub(f"[{marks}]", "", spread)
    folded = _HYPHENATED.sub("", spread)
    counts = Counter(a + b for run in _CJK.findall(_BREAK.sub("", folded)) for a, b in pairwise(run))
    counts.update(_WORD.findall(_CJK.sub(" ", folded)))
    return Counter({word: count for word, count in counts.items() if word not in STOP_WORDS})


def beginnings(title: str) -> set[str]:
    """Return the beginnings of the words of a title: `libraries` and `library` have the same."""
    return {word[:_BEGINNING] for word in spelled(title)}
