"""Where a text is neither comment nor processing instruction, found in one pass however the text is made. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGINNING = re.compile(r"<!--|<\?")
_ENDS = {"<!--": "-->", "<?": "?>"}
_MOST_IN_INSTRUCTION = 2000  # characters; a notice of PHP may begin like one


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the (start, stop) of every part outside comments and processing instructions; one without end is none."""
    position = place = 0
    ends = dict.fromkeys(_ENDS, 0)  # where the next end of each kind stands; -1: there is none any more
    while found := _BEGINNING.search(text, place):
        kind, place = found[0], found.end()
        if 0 <= ends[kind] < place:
            ends[kind] = text.find(_ENDS[kind], place)
        is_near = kind == "<!--" or ends[kind] - place <= _MOST_IN_INSTRUCTION
        if ends[kind] >= 0 and is_near:
            yield position, found.start()
            position = place = ends[kind] + len(_ENDS[kind])
    yield position, len(text)
