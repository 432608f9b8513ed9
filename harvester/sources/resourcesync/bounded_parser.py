"""Bytes of a hostile document for expat: decompressed, in small parts, and within limits of time and memory. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from xml.parsers import expat

from gateway.core.errors import AnswerTooLarge, NotXml

MOST_BYTES = 200_000_000  # of one document, decompressed; the default
MOST_DEEP = 20  # levels of elements, each of which may declare namespaces
MOST_TEXT = 100_000  # characters of one value
STEP = 1 << 16  # bytes read at once
_MOST_IN_TAG = 1_000_000  # bytes of one tag or comment: the parser reads it again with each new part
_MOST_NAMES = 10_000  # different names of elements and attributes, which the parser stores
_GZIP, _GZIP_WINDOW = b"\x1f\x8b", 31


class BoundedParser:
    """An expat parser of namespaces, for handlers that a subclass sets. A document type declaration is refused."""

    def __init__(self) -> None:
        """Make the parser. A name is its namespace, a space, and the local name."""
        self.has_doctype = False
        self._fed = 0
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.buffer_text = True
        self.parser = parser

    def feed(self, part: bytes, *, is_last: bool = False) -> None:
        """Take the next bytes. Raise NotXml when they are not well-formed, or exceed a limit."""
        self._fed += len(part)
        try:
            self.parser.Parse(part, is_last)
        except expat.ExpatError as error:
            raise NotXml(f"The document is not well-formed, or truncated: {error}.") from error
        except (ValueError, LookupError) as error:  # an unknown encoding
            raise NotXml(f"The document cannot be decoded: {error}.") from error
        if self._fed - self.parser.CurrentByteIndex > _MOST_IN_TAG:
            raise NotXml("The document has a tag or a comment without end.")
        if len(self.parser.intern) > _MOST_NAMES:
            raise NotXml(f"The document has more than {_MOST_NAMES} different names of elements and attributes.")

    def _refuse_doctype(self, *_: object) -> None:
        self.has_doctype = True
        raise NotXml("The document has a document type declaration, which could define entities without end.")


def plain(parts: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield the bytes in small parts, decompressed if the document is a gzip file, as many sitemaps are.

    Raise AnswerTooLarge for more bytes, and NotXml for a damaged file.
    """
    engine = None
    size = 0
    for number, part in enumerate(parts):
        if number == 0 and part.startswith(_GZIP):
            engine = zlib.decompressobj(_GZIP_WINDOW)
        for piece in _inflated(engine, part) if engine else (part,):
            size += len(piece)
            if size > most_bytes:
                raise AnswerTooLarge(f"The document has more than {most_bytes} bytes.")
            yield piece


def _inflated(engine: zlib._Decompress, part: bytes) -> Iterator[bytes]:
    try:
        while part:
            yield engine.decompress(part, STEP)
            part = engine.unconsumed_tail
    except zlib.error as error:
        raise NotXml(f"The compressed document is damaged: {error}.") from error
