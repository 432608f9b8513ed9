"""Three ways to parse: with libxml2 strictly, or with recovery as the last resort, and with expat for byte offsets.

None fetches or expands. Expat without namespaces is used when a search for tags alone cannot find the offsets, and when
a declaration of a namespace is wrong: expat accepts that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.parsers import expat

from lxml import etree

from gateway.core.errors import AnswerTooLarge
from gateway.core.xmlio import hardened_parser, memory_of

MOST_MEMORY = 320 << 20  # of a document and its tree; with the program and its results, 512 MiB
_CONTAINER, _VALUE = 600, 100  # bytes of memory for an object or a list of JSON, and for each value in it
ELEMENT = 320  # bytes of memory for an element that also has a Python object


def strict(data: bytes) -> etree._Element:
    """Return the root of well-formed UTF-8 `data`, with texts of any length. Raise XMLSyntaxError for other data.

    Raise AnswerTooLarge when its tree would take more memory than there is for one document.
    """
    refuse_heavy(data)
    return etree.fromstring(data, hardened_parser())


def refuse_heavy(data: bytes, element: int = ELEMENT) -> None:
    """Raise AnswerTooLarge when a document would take too much memory; `element` is the bytes for each element."""
    needed = memory_of(data, element)
    if needed > MOST_MEMORY:
        raise AnswerTooLarge(
            f"The document of {len(data)} bytes needs about {needed >> 20} MiB of memory to be read, "
            f"more than the {MOST_MEMORY >> 20} MiB that one document may take."
        )


def refuse_heavy_json(body: bytes) -> None:
    """Raise AnswerTooLarge when a JSON document would take more memory than there is for one."""
    needed = 3 * len(body) + _CONTAINER * (body.count(b"{") + body.count(b"[")) + _VALUE * body.count(b",")
    if needed > MOST_MEMORY:
        raise AnswerTooLarge(
            f"The JSON document of {len(body)} bytes needs about {needed >> 20} MiB of memory to be read, "
            f"more than the {MOST_MEMORY >> 20} MiB that one document may take."
        )


def lenient(data: bytes) -> tuple[etree._Element | None, tuple[str, ...]]:
    """Return the tree that libxml2 recovers from `data` (None: nothing), and its first three messages."""
    parser = hardened_parser(recover=True, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        return None, (error.msg or "",)
    return root, tuple(f"{entry.message} (line {entry.line})" for entry in parser.error_log[:3])


# --- Byte offsets of the elements of a document: one pass of expat, without namespaces --------------------------------

# One start tag. A greater-than sign is legal inside quotes, so a search for the first one is not enough.
TAG = re.compile(rb"<[^\s/>]+(?:\s+[^\s=/>]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")

_STEP = 1 << 20  # bytes read at once
_MOST_IN_TAG = 16_000_000  # bytes of one tag or comment: the parser reads it again with each new part

# Elements whose child is foreign XML: its namespaces are repaired there and not above.
CONTAINERS = frozenset(("metadata", "about", "description", "setDescription"))


class Broken(Exception):
    """The bytes are not well-formed XML (XML 1.0 §2.1); the text is that of expat."""


class Element(NamedTuple):
    """One element: `start` at its `<`, `inner` after its start tag, `stop` after its end, in bytes."""

    name: str
    start: int
    inner: int
    stop: int
    children: tuple[Element, ...]

    @property
    def local(self) -> str:
        """The name without its prefix."""
        return self.name.rpartition(":")[2]

    def named(self, local: str) -> tuple[Element, ...]:
        """Return the children of this local name."""
        return tuple(child for child in self.children if child.local == local)


class _Outliner:
    """Builds the outline of the first levels; deeper ones are foreign XML."""

    def __init__(self, data: bytes, depth: int) -> None:
        self.data = data
        self.depth = depth
        self.open: list[tuple[str, int, list[Element]]] = [("", 0, [])]
        self.level = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def root(self) -> Element:
        """Parse everything and return the root element."""
        feed(self.parser, self.data)
        return self.open[0][2][0]

    def _start(self, name: str, _: object) -> None:
        self.level += 1
        if self.level <= self.depth:
            self.open.append((name, self.parser.CurrentByteIndex, []))

    def _end(self, _: str) -> None:
        if self.level <= self.depth:
            name, start, children = self.open.pop()
            at = self.parser.CurrentByteIndex
            inner = tag_end(self.data, start)
            is_empty = at in (start, inner) and self.data[inner - 2 : inner] == b"/>"
            stop = inner if is_empty else self.data.index(b">", at) + 1
            self.open[-1][2].append(Element(name, start, inner, stop, tuple(children)))
        self.level -= 1


def outline(data: bytes, depth: int) -> Element:
    """Return the elements of the first `depth` levels of a UTF-8 document. Raise Broken when it is not well-formed."""
    return _Outliner(data, depth).root()


def feed(parser: expat.XMLParserType, data: bytes) -> None:
    """Parse all of `data` with expat. Raise Broken as `feed_in_parts` does."""
    feed_in_parts(parser, (data,))


def feed_in_parts(parser: expat.XMLParserType, parts: Iterable[bytes]) -> None:
    """Parse a document part by part with expat. Raise Broken when it is not well-formed or has a document type."""
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        fed = 0
        for part in parts:
            for start in range(0, len(part), _STEP):
                step = part[start : start + _STEP]
                parser.Parse(step, False)
                fed += len(step)
                if fed - parser.CurrentByteIndex > _MOST_IN_TAG:
                    raise Broken("it has a tag or a comment without end")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise Broken(str(error)) from error
    except (ValueError, LookupError) as error:  # an unknown encoding, or one with other offsets
        raise Broken(f"it cannot be decoded: {error}") from error


def _refuse_doctype(*_: object) -> None:
    raise Broken("it has a document type declaration, which could define entities without end")


def tag_end(data: bytes, start: int) -> int:
    """Return the offset after the start tag at `start`. Raise Broken when there is none."""
    match = TAG.match(data, start)
    if match is None:
        raise Broken(f"there is no start tag at byte {start}")
    return match.end()
