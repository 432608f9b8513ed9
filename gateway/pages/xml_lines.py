"""XML as people read it: one element a line, indented. It is text for a page, and never parsed or sent as XML. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PIECE = re.compile(r"<[^<>]*>|[^<>]+|[<>]")
_DEEPEST = 20
_NOT_ELEMENTS = ("<?", "<!")


def xml_lines(text: str, most: int) -> tuple[str, bool]:
    """Return the first lines of well-formed XML, at most `most` characters, and whether there are more."""
    lines: list[str] = []
    length = 0
    for line in _lines(text):
        length += len(line) + 1
        if length > most and lines:
            return "\n".join(lines), True
        lines.append(line[:most])
    return "\n".join(lines), False


def _lines(text: str) -> Iterator[str]:
    """Yield the lines: an element that has only text is one line."""
    depth, line, is_open = 0, "", False
    for piece in _PIECE.findall(text):
        if not piece.strip():
            continue
        if piece.startswith("</"):
            depth -= 1
            if is_open:
                line += piece
            else:
                yield from _indented(line, depth + 1)
                line = piece
            yield from _indented(line, depth)
            line, is_open = "", False
        elif piece.startswith("<") and len(piece) > 1:
            yield from _indented(line, depth - is_open)
            line, is_open = piece, not piece.endswith("/>") and not piece.startswith(_NOT_ELEMENTS)
            depth += is_open
        else:
            line += " ".join(piece.split())
    yield from _indented(line, depth - is_open)


def _indented(line: str, depth: int) -> Iterator[str]:
    if line:
        yield "  " * min(max(depth, 0), _DEEPEST) + line
