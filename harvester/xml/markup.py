"""The parts of a text outside comments and processing instructions, in one pass of linear time. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGINNING = re.compile(r"<!--|<\?")
_ENDS = {"<!--": "-->", "<?": "?>"}
_MOST_IN_INSTRUCTION = 2000  # characters; a notice of PHP may begin like one


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Return (start, stop) of every part outside comments and processing instructions.

    A comment or an instruction without an end counts as text.
    """
    position = place = 0
    ends = dict.fromkeys(_ENDS, 0)  # place of the next end of each kind; -1: none
    while match := _BEGINNING.search(text, place):
        kind, place = match[0], match.end()
        if 0 <= ends[kind] < place:
            ends[kind] = text.find(_ENDS[kind], place)
        is_near = kind == "<!--" or ends[kind] - place <= _MOST_IN_INSTRUCTION
        if ends[kind] >= 0 and is_near:
            yield position, match.start()
            position = place = ends[kind] + len(_ENDS[kind])
    yield position, len(text)
