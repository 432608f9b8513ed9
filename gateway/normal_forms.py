"""Normal forms of Unicode, for texts of strangers.

`unicodedata.normalize` sorts the marks on a letter. The time grows with the square of their number: a title of 400 kB
takes minutes, and the process does nothing else meanwhile.
"""

from __future__ import annotations

import re
from typing import Final, Literal
from unicodedata import combining, normalize

_MOST_MARKS: Final = 30  # on a letter: UAX #15 §13, Stream-Safe Text Format
_POSSIBLE: Final = re.compile(rf"[^\w\s]{{{_MOST_MARKS + 1},}}")  # no mark is a letter, a digit or a space


def normalized(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return a text in a normal form of Unicode; no letter keeps more than 30 marks."""
    return text if text.isascii() else normalize(form, _POSSIBLE.sub(_bounded, text))


def _bounded(signs: re.Match[str]) -> str:
    kept, marks = [], 0
    for sign in signs[0]:
        marks = marks + 1 if combining(sign) else 0
        if marks <= _MOST_MARKS:
            kept.append(sign)
    return "".join(kept)
