"""Comments and CDATA sections, as parts of regular expressions that cost no more than linear time. Pure.

Each ends at its own end and contains no beginning of another one. So a text of beginnings without an end is scanned
once.

Python 3.11.0 to 3.11.4 (Debian 12 has 3.11.2) continue at a wrong place after a possessive repetition of a group whose
last try failed after a partial match. So no pattern of the program has one: an atomic group around a greedy one is the
same for every Python.
"""

from __future__ import annotations

import re


def _beginning_unlike(word: str) -> str:
    """Return an expression for the first character of a text that begins like `word` but continues differently."""
    first, *letters = map(re.escape, word)
    before = ("".join((first, *letters[:place])) for place in range(len(letters)))
    return "|".join(f"(?={start}[^{letter}]){first}" for start, letter in zip(before, letters, strict=True))


_COMMENT_TEXT = rf"(?>(?:[^<-]++|{_beginning_unlike('-->')}|{_beginning_unlike('<!--')})*)"
CDATA_TEXT = rf"(?>(?:[^<\]]++|{_beginning_unlike(']]>')}|{_beginning_unlike('<![CDATA[')})*)"
COMMENT = rf"<!--{_COMMENT_TEXT}-->"
CDATA = rf"<!\[CDATA\[{CDATA_TEXT}\]\]>"
