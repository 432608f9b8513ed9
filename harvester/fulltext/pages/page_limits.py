"""Limits on the read part of a page, so that an endless page takes little time too. Pure."""

from __future__ import annotations

import re

# The largest recorded page has 3,232 tags; 20,000 are read in two seconds, and 200,000 took half a minute.
MOST_TAGS = 20_000
# The depth of elements inside each other. A parser that keeps them all takes the square of their number.
MOST_DEEP = 400

# In bytes: the largest recorded page has less than half of them, and a parser takes forty times as much memory.
MOST_BYTES = 5_000_000

_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*|[!?])")
# Elements that have no end, or need none: they nest nothing.
_FLAT = frozenset(
    b"area base br col colgroup dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr "
    b"track wbr ! ?".split()
)


def affordable(body: bytes) -> bytes:
    """Return a page up to the limit of bytes, tags or nested tags; most pages are returned whole."""
    body = body[:MOST_BYTES]
    depth = 0
    for number, tag in enumerate(_TAG.finditer(body)):
        if tag[2].lower() not in _FLAT:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
        if number >= MOST_TAGS or depth > MOST_DEEP:
            return body[: tag.start()]
    return body
