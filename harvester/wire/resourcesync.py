"""ResourceSync documents (ANSI/NISO Z39.99), read as a stream: what each is, and its entries one after the other.

Every document of versions 0.5 to 1.1 is a sitemap with further elements; plain sitemaps are read too. What is read is
let go at once, so that the largest document that may be (50,000 entries, 50 MB) costs no more memory than the smallest.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urljoin
from xml.parsers import expat

from gateway.errors import AnswerTooLarge, NotResourceSync, NotXml
from harvester.wire.entries import LEAST_PRIORITY, Entry, Head, Link
from harvester.wire.fixity import digests_of

MOST_BYTES = 200_000_000  # of one document, decompressed, unless a setting tells another number
_MOST_IN_TAG = 1_000_000  # bytes of one tag or comment: the parser reads it again whenever more of it comes
_MOST_DEEP = 20  # of elements inside each other, in each of which namespaces may be declared
_MOST_NAMES = 10_000  # different ones of elements and attributes, which the parser remembers
_MOST_LINKS = 10_000  # of one entry, or of a document
_MOST_TEXT = 100_000  # characters of one value
_STEP = 1 << 16  # bytes read at once
_GZIP, _GZIP_WINDOW = b"\x1f\x8b", 31

# Words of earlier versions, and of programs that misread the standard, for what it calls otherwise now.
_CAPABILITIES: Mapping[str, str] = {
    "resourcesync": "description",  # 0.9
    "capability": "capabilitylist",  # WEKO3
    "changenotification": "change-notification",
}
_RELATIONS: Mapping[str, str] = {"resourcesync": "up"}  # 0.5


class Document:
    """One document. Iterate over it once: its entries come as they are read.

    `head` is known from the beginning. `notes` are sentences about what was not as it should be; they grow meanwhile.
    """

    def __init__(self, parts: Iterable[bytes], base: str = "", most_bytes: int = MOST_BYTES) -> None:
        """Read as far as the first entry. `base` is the address of the document, for addresses that are not whole.

        Raise NotXml, NotResourceSync or AnswerTooLarge, here and while entries are read.
        """
        self._reading = _Reading(base)
        self._entries = self._read(_plain(parts, most_bytes))
        first = next(self._entries, None)
        self._first = () if first is None else (first,)

    @property
    def head(self) -> Head:
        """What the document says of itself."""
        return self._reading.head()

    @property
    def is_of_lists(self) -> bool:
        """Tell whether its entries are documents: those of an index, of archives, or of a list that is one in truth."""
        (first,) = self._first or (Entry(""),)
        kinds = ("resourcelist", "resourcedump", "changelist", "changedump")
        return self.head.is_index or self.head.is_archive or first.capability in kinds

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not as it should be."""
        return tuple(self._reading.notes)

    def __iter__(self) -> Iterator[Entry]:
        yield from self._first
        yield from self._entries

    def _read(self, parts: Iterable[bytes]) -> Iterator[Entry]:
        reading = self._reading
        for part in parts:
            reading.feed(part)
            yield from reading.taken()
        reading.feed(b"", is_last=True)
        yield from reading.taken()


def read(body: bytes, base: str = "", most_bytes: int = MOST_BYTES) -> Document:
    """Read a document that is at hand; see `Document`."""
    return Document((body[start : start + _STEP] for start in range(0, len(body), _STEP)), base, most_bytes)


def _plain(parts: Iterable[bytes], most_bytes: int) -> Iterator[bytes]:
    """Return the bytes in small parts, unpacked where the whole document is a gzip file, as many sitemaps are."""
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
            yield engine.decompress(part, _STEP)
            part = engine.unconsumed_tail
    except zlib.error as error:
        raise NotXml(f"The document is compressed, and damaged: {error}.") from error


class _Reading:
    """Expat's handlers: they gather one entry at a time."""

    def __init__(self, base: str) -> None:
        self.notes: dict[str, None] = {}
        self._base = base
        self._level = self._fed = 0
        self._entries: list[Entry] = []
        self._has_entries = False
        self._root: tuple[bool, dict[str, str], list[Link]] | None = None
        self._entry: tuple[dict[str, str], dict[str, str], list[Link]] | None = None  # texts, md, links
        self._text: list[str] | None = None
        self._room = 0  # characters that may still come
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_doctype
        parser.buffer_text = True
        self._parser = parser

    def feed(self, part: bytes, *, is_last: bool = False) -> None:
        self._fed += len(part)
        try:
            self._parser.Parse(part, is_last)
        except expat.ExpatError as error:
            raise NotXml(f"The document is not well-formed, or breaks off: {error}.") from error
        except (ValueError, LookupError) as error:  # an encoding that nobody knows
            raise NotXml(f"The document cannot be decoded: {error}.") from error
        if self._fed - self._parser.CurrentByteIndex > _MOST_IN_TAG:
            raise NotXml("The document has a tag or a comment without end.")
        if len(self._parser.intern) > _MOST_NAMES:
            raise NotXml(f"The document has more than {_MOST_NAMES} different names of elements and attributes.")

    def taken(self) -> list[Entry]:
        taken, self._entries = self._entries, []
        return taken

    def head(self) -> Head:
        is_index, said, links = self._root or (False, {}, [])
        capability = said.get("capability", "")
        at = said.get("at", "")
        if not at and capability.startswith("resource"):
            at = said.get("modified", "")  # 0.5
        return Head(
            is_index,
            _CAPABILITIES.get(capability, capability),
            at,
            said.get("completed", ""),
            said.get("from", ""),
            said.get("until", ""),
            tuple(links),
        )

    # -- handlers --

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._level += 1
        if self._level > _MOST_DEEP:
            raise NotXml(f"The elements of the document are nested deeper than {_MOST_DEEP}.")
        name = tag.rpartition(" ")[2]
        if self._level == 1:
            self._begin(tag, name)
        elif name in ("md", "ln"):
            self._say(name, attributes)
        elif self._entry is None and name in ("url", "sitemap"):
            self._entry, self._has_entries = ({}, {}, []), True
        elif self._entry is not None and name in ("loc", "lastmod"):
            self._text, self._room = [], _MOST_TEXT

    def _begin(self, tag: str, name: str) -> None:
        if name not in ("urlset", "sitemapindex"):
            raise NotResourceSync(f"The document is no ResourceSync document: its root is {tag!r}.")
        self._root = name == "sitemapindex", {}, []

    def _say(self, name: str, attributes: dict[str, str]) -> None:
        """Take what `rs:md` or `rs:ln` say, of an entry or of the whole document."""
        assert self._root is not None
        _, said, links = self._entry or self._root
        if name == "ln":
            link = _link(attributes, self._base)
            if link is None:
                self._note("A link that names no address was left out.")
            else:
                links.append(link)
            if len(links) > _MOST_LINKS:
                raise NotXml(f"The document has more than {_MOST_LINKS} links in one place.")
        elif self._entry is None and said:
            self._note("The document describes itself more than once; the first time counts.")
        else:
            said.update(attributes)
        if self._entry is None and self._has_entries:
            self._note("The document says what it is behind its first entry; it belongs before it.")

    def _characters(self, text: str) -> None:
        if self._text is None:
            return
        self._text.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise NotXml("The document has an address or a date without end.")

    def _end(self, tag: str) -> None:
        self._level -= 1
        name = tag.rpartition(" ")[2]
        if self._entry is None:
            return
        if self._text is not None and name in ("loc", "lastmod"):
            self._entry[0].setdefault(name, "".join(self._text).strip())
            self._text = None
        elif self._level == 1:
            self._finish(*self._entry)
            self._entry = None

    def _finish(self, texts: dict[str, str], said: dict[str, str], links: list[Link]) -> None:
        if not texts.get("loc"):
            self._note("An entry that names no address was left out.")
            return
        self._entries.append(_entry(texts, said, links, self._base))

    def _note(self, sentence: str) -> None:
        self.notes[sentence] = None


def _refuse_doctype(*_: object) -> None:
    raise NotXml("The document has a document type declaration, which could define entities without end.")


def _entry(texts: Mapping[str, str], said: Mapping[str, str], links: list[Link], base: str) -> Entry:
    capability = said.get("capability", "")
    return Entry(
        loc=_whole(texts["loc"], base),
        lastmod=texts.get("lastmod", ""),
        change=said.get("change", "").strip().lower(),
        datetime=said.get("datetime", ""),
        capability=_CAPABILITIES.get(capability, capability),
        at=said.get("at", ""),
        completed=said.get("completed", ""),
        from_=said.get("from", ""),
        until=said.get("until", ""),
        type=said.get("type", ""),
        length=_number(said.get("length", "")),
        digests=digests_of(said.get("hash", "")),
        path=said.get("path", ""),
        encoding=said.get("encoding", ""),
        links=tuple(links),
    )


def _link(said: Mapping[str, str], base: str) -> Link | None:
    href, rel = said.get("href", "").strip(), said.get("rel", "").strip()
    if not href or not rel:
        return None
    priority = _number(said.get("pri", ""))
    return Link(
        rel=_RELATIONS.get(rel, rel),
        href=_whole(href, base),
        type=said.get("type", ""),
        modified=said.get("modified", ""),
        length=_number(said.get("length", "")),
        digests=digests_of(said.get("hash", "")),
        path=said.get("path", ""),
        priority=priority or LEAST_PRIORITY,
        encoding=said.get("encoding", ""),
        profile=said.get("profile", ""),
    )


def _whole(reference: str, base: str) -> str:
    """Return an address as it is written, made whole where it is not; what cannot be is left as it is."""
    if not base or "://" in reference:
        return reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None  # noqa: PLR2004 - petabytes
