"""A ResourceSync document as it is written, right or wrong: a stream of entries with all elements and attributes. Pure.

The destination's own reader (`harvester.sources.resourcesync.documents`) repairs faults; this one keeps them. Both have
the same limits of time and memory.
"""

import codecs
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from gateway.core.errors import NotXml
from gateway.core.xmltext import SITEMAP
from harvester.sources.resourcesync.bounded_parser import MOST_DEEP, MOST_TEXT, BoundedParser, plain

TERMS = "http://www.openarchives.org/rs/terms/"
ROOTS = (f"{SITEMAP} urlset", f"{SITEMAP} sitemapindex")
_UTF_16 = (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)
_MOST_STRAYS = 100
_MOST_CHILDREN = 10_000  # of one entry, or of the root besides entries

# Names as they are written here: the elements of both namespaces, with the usual prefix. Others stay as they are.
_OF_SITEMAPS = ("loc", "lastmod", "changefreq", "priority")
_NAMES = {
    **{f"{SITEMAP} {name}": name for name in (*_OF_SITEMAPS, "url", "sitemap")},
    f"{TERMS} md": "rs:md",
    f"{TERMS} ln": "rs:ln",
}
_ENTRIES = ("url", "sitemap")
_SIMPLE = frozenset((*_OF_SITEMAPS, "rs:md", "rs:ln"))  # elements without children

Attributes: TypeAlias = dict[str, str]


class Node(NamedTuple):
    """An element: its name, its attributes, and its text."""

    name: str
    attributes: Attributes
    text: str


class Top(NamedTuple):
    """An element of the root that is no entry; `is_late`: it is after the first entry."""

    name: str
    attributes: Attributes
    is_late: bool


Entry: TypeAlias = tuple[str, list[Node]]  # `url` or `sitemap`, and its children


class Reading(BoundedParser):
    """One document. Iterate over it once; `root`, `encoding` and `tops` are complete at the end.

    At the first entry, `root` is known, and `tops` has at least what is before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = self.encoding = ""
        self.tops: list[Top] = []
        self.texts: list[str] = []  # texts where only elements are
        self.nested: list[str] = []  # sentences on elements in elements that have no children
        self._level = self._room = 0
        self._entries: list[Entry] = []
        self._kind = self._top = ""  # of the open entry, and the open element of the root
        self._has_entries = False
        self._children: list[Node] = []
        self._open: tuple[str, Attributes] | None = None
        self._text: list[str] = []
        parser = self.parser
        parser.XmlDeclHandler = self._declare
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters

    def entries(self, parts: Iterable[bytes], most_bytes: int) -> Iterator[Entry]:
        """Yield the entries. Raise NotXml, and AnswerTooLarge for more bytes."""
        for part in plain(parts, most_bytes):
            if part[:2] in _UTF_16 and not self.encoding:
                self.encoding = "UTF-16"
            self.feed(part)
            if self._entries:
                entries, self._entries = self._entries, []
                yield from entries
        self.feed(b"", is_last=True)
        yield from self._entries

    # -- handlers --

    def _declare(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self.encoding = self.encoding or encoding or ""

    def _start(self, tag: str, attributes: Attributes) -> None:
        self._level = level = self._level + 1
        if level == 3:  # noqa: PLR2004 - a child of an entry
            self._open, self._text, self._room = (_NAMES.get(tag, tag), attributes), [], MOST_TEXT
            if self._top in _SIMPLE:
                self._stray(tag, self._top)
        elif level == 2:  # noqa: PLR2004 - a child of the root
            name = self._top = _NAMES.get(tag, tag)
            if name in _ENTRIES:
                self._kind, self._children, self._has_entries = name, [], True
            elif len(self.tops) < _MOST_CHILDREN:
                self._kind = ""
                self.tops.append(Top(name, attributes, self._has_entries))
            else:
                raise NotXml(f"The document has more than {_MOST_CHILDREN} elements besides its entries.")
        elif level == 1:
            self.root = tag
        elif level > MOST_DEEP:
            raise NotXml(f"The elements of the document are nested deeper than {MOST_DEEP}.")
        elif level == 4 and self._kind and self._open is not None and self._open[0] in _SIMPLE:  # noqa: PLR2004
            self._stray(tag, self._open[0])

    def _stray(self, tag: str, parent: str) -> None:
        """Note an element in an element that has none."""
        if len(self.nested) < _MOST_STRAYS:
            self.nested.append(f"{parent} has an element {tag.rpartition(' ')[2][:100]!r}.")

    def _characters(self, text: str) -> None:
        if self._level != 3:  # noqa: PLR2004 - the text of a child of an entry
            is_outside = self._level == 1 or (self._level == 2 and self._kind)  # noqa: PLR2004
            if is_outside and len(self.texts) < _MOST_STRAYS and not text.isspace():
                self.texts.append(text.strip()[:100])
            return
        self._text.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise NotXml("The document has an address or a date without end.")

    def _end(self, _tag: str) -> None:
        self._level = level = self._level - 1
        if level == 2 and self._kind:  # noqa: PLR2004 - in an entry
            assert self._open is not None
            if len(self._children) >= _MOST_CHILDREN:
                raise NotXml(f"An entry has more than {_MOST_CHILDREN} elements.")
            self._children.append(Node(*self._open, "".join(self._text)))
        elif level == 1 and self._kind:
            self._entries.append((self._kind, self._children))
            self._kind = ""
