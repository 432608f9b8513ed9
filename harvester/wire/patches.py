"""Patches: what makes the bytes of a resource those of its next version (Z39.99 §14.4). Pure.

Only patches that make exact bytes are known: whether the result is the resource, its digest says. Those that work on
trees (JSON Patch, RFC 6902; XML Patch, RFC 7351) leave open how a tree is written, so no digest would ever be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from gateway.errors import UnusableRecord

RELATIONS = ("http://www.openarchives.org/rs/terms/patch", "patch")

_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@")
_BEFORE_HUNKS = (b"--- ", b"+++ ", b"diff ", b"index ")
_NO_END = b"\\ "  # the line before it has no end of line


def unified(body: bytes, patch: bytes) -> bytes:
    """Return a body with a unified diff applied. Raise UnusableRecord when it is none, or one of another body."""
    old, made, place = _lines(body), list[bytes](), 0
    for start, count, changes in _hunks(_lines(patch)):
        first = start - 1 if count else start  # where nothing is taken away, the line behind which something is added
        taken = [text for sign, text in changes if sign != b"+"]
        if first < place or old[first : first + count] != taken or len(taken) != count:
            raise UnusableRecord("The patch is one of another version.")
        made += [*old[place:first], *(text for sign, text in changes if sign != b"-")]
        place = first + count
    return b"".join((*made, *old[place:]))


def _lines(text: bytes) -> list[bytes]:
    """Return the lines with their ends; only the line feed is an end."""
    parts = text.split(b"\n")
    return [*(part + b"\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def _hunks(lines: list[bytes]) -> Iterator[tuple[int, int, list[tuple[bytes, bytes]]]]:
    """Return (first line, number of lines, changes) of every hunk."""
    hunk: tuple[int, int, list[tuple[bytes, bytes]]] | None = None
    for line in lines:
        if found := _HUNK.match(line):
            if hunk is not None:
                yield hunk
            hunk = int(found[1]), int(found[2] or 1), []
        elif hunk is None and line.startswith(_BEFORE_HUNKS):
            continue
        elif hunk is not None and line[:1] in (b" ", b"+", b"-"):
            hunk[2].append((line[:1], line[1:]))
        elif hunk is not None and hunk[2] and line.startswith(_NO_END):
            sign, text = hunk[2][-1]
            hunk[2][-1] = sign, text.removesuffix(b"\n")
        else:
            raise UnusableRecord("This is no unified diff.")
    if hunk is None:
        raise UnusableRecord("This is no unified diff.")
    yield hunk


# By media type; the first two are those that servers give files ending in .diff and .patch.
KNOWN: Mapping[str, Callable[[bytes, bytes], bytes]] = dict.fromkeys(
    ("text/x-diff", "text/x-patch", "application/x-diff", "application/x-patch"), unified
)
