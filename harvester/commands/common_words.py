"""Common words of a document and the metadata of a work, as Autoload compares them: a figure for `explain --compare`.

The words of both are stemmed by Porter's rules, Russian ones by Snowball's. Only those words of the document count that
are in the metadata. The score is the cosine of the angle between the two: 0 for no common word, 1 for the same words in
the same proportions. It decides nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from harvester.fulltext.pdf.title_words import spelled

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


def _stems(text: str) -> Counter[str]:
    import snowballstemmer  # type: ignore[import-untyped]  # noqa: PLC0415 - only this comparison needs it

    porter, russian = snowballstemmer.stemmer("porter"), snowballstemmer.stemmer("russian")
    stems: Counter[str] = Counter()
    for word, count in spelled(text).items():
        stems[(russian if _CYRILLIC.match(word) else porter).stemWord(word)] += count
    return stems
