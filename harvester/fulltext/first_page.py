"""The beginning of the text of a file, for the people who decide on it. Pure.

It is shown on pages and terminals, so it has no character that could do more than be read.
"""

from __future__ import annotations

import re

from gateway.xmltext import clean

MOST_BYTES = 4_000  # in UTF-8
# Controls, and characters that change the direction of a text or cannot be seen at all.
_UNSEEN = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def first_page_of(text: str) -> str:
    """Return the first 4 kB of a text: its lines that are not empty, with white space folded, and nothing unseen."""
    lines = (" ".join(_UNSEEN.sub("", line.replace("\t", " ")).split()) for line in clean(text).splitlines())
    return cut("\n".join(filter(None, lines)))


def cut(text: str) -> str:
    """Return as much of a text as fits into 4 kB, without half a character."""
    return text.encode("utf-8")[:MOST_BYTES].decode("utf-8", "ignore").rstrip()
