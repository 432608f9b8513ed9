"""ResourceSync documents (ANSI/NISO Z39.99), read as a stream: the head, then one entry after the other. Pure.

Every document of versions 0.5 to 1.1 is a sitemap with further elements; plain sitemaps are read too. Entries are
released at once, so the largest legal document (50,000 entries, 50 MB) takes no more memory than the smallest.
"""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urljoin

from gateway.core.errors import NotResourceSync, NotXml
from harvester.sources.resourcesync.bounded_parser import MOST_BYTES, MOST_DEEP, MOST_TEXT, STEP, BoundedParser, plain
from harvester.sources.resourcesync.entries import LEAST_PRIORITY, Entry, Head, Link
from harvester.sources.resourcesync.fixity import digests_of

_MOST_LINKS = 10_000  # of one entry, or of a document

# Terms of earlier versions, and of programs with errors, and the terms of the current standard.
_CAPABILITIES: Mapping[str, str] = {
    "resourcesync": "description",  # 0.9
    "capability": "capabilitylist",  # WEKO3
    "changenotification": "change-notification",
}
_RELATIONS: Mapping[str, str] = {
    "resourcesync": "up",  # 0.5
    "persistent-id": "cite-as",  # before RFC 8574
}


class Document:
    """One document. Iterate over it once to read its entries.

    `head` is known from the start. `notes` are sentences about faults of the document; their number grows meanwhile.
    """

    def __init__(self, parts: Iterable[bytes], base: str = "", most_bytes: int = MOST_BYTES) -> None:
        """Read up to the first entry. `base` is the URL of the document, for relative URLs.

        Raise NotXml, NotResourceSync or AnswerTooLarge, here and during iteration.
        """
        self._reading = _Reading(base)
        self._entries = self._read(plain(parts, most_bytes))
        first = next(self._entries, None)
        self._first = () if first is None else (first,)

    @property
    def head(self) -> Head:
        """The head of the document."""
        return self._reading.head()

    @property
    def is_of_lists(self) -> bool:
        """Return whether its entries are documents: of an index, of archives, or of a list that really is an index."""
        (first,) = self._first or (Entry(""),)
        kinds = ("resourcelist", "resourcedump", "changelist", "changedump")
        return self.head.is_index or self.head.is_archive or first.capability in kinds

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about faults of the document."""
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
    """Return the `Document` in these bytes. Raise its errors."""
    return Document((body[start : start + STEP] for start in range(0, len(body), STEP)), base, most_bytes)


class _Reading(BoundedParser):
    """The handlers of expat: they collect one entry at a time."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.notes: dict[str, None] = {}
        self._base = base
        self._level = 0
        self._entries: list[Entry] = []
        self._has_entries = False
        self._root: tuple[bool, dict[str, str], list[Link]] | None = None
        self._entry: tuple[dict[str, str], dict[str, str], list[Link]] | None = None  # texts, md, links
        self._text: list[str] | None = None
        self._room = 0  # characters that may still come
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._characters

    def taken(self) -> list[Entry]:
        taken, self._entries = self._entries, []
        return taken

    def head(self) -> Head:
        is_index, attributes, links = self._root or (False, {}, [])
        capability = attributes.get("capability", "")
        at = attributes.get("at", "")
        if not at and capability.startswith("resource"):
            at = attributes.get("modified", "")  # 0.5
        return Head(
            is_index,
            _CAPABILITIES.get(capability, capability),
            at,
            attributes.get("completed", ""),
            attributes.get("from", ""),
            attributes.get("until", ""),
            tuple(links),
        )

    # -- handlers --

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._level += 1
        if self._level > MOST_DEEP:
            raise NotXml(f"The elements of the document are nested deeper than {MOST_DEEP}.")
        name = tag.rpartition(" ")[2]
        if self._level == 1:
            self._begin(tag, name)
        elif name in ("md", "ln"):
            self._say(name, attributes)
        elif self._entry is None and name in ("url", "sitemap"):
            self._entry, self._has_entries = ({}, {}, []), True
        elif self._entry is not None and name in ("loc", "lastmod"):
            self._text, self._room = [], MOST_TEXT

    def _begin(self, tag: str, name: str) -> None:
        if name not in ("urlset", "sitemapindex"):
            raise NotResourceSync(f"This is not a ResourceSync document: its root is {tag!r}.")
        self._root = name == "sitemapindex", {}, []

    def _say(self, name: str, attributes: dict[str, str]) -> None:
        """Store the attributes of `rs:md` or `rs:ln`, of an entry or of the document."""
        assert self._root is not None
        _, values, links = self._entry or self._root
        if name == "ln":
            link = _link(attributes, self._base)
            if link is None:
                self._note("A link without an address was left out.")
            else:
                links.append(link)
            if len(links) > _MOST_LINKS:
                raise NotXml(f"The document has more than {_MOST_LINKS} links in one place.")
        elif self._entry is None and values:
            self._note("The document has several rs:md; the first one counts.")
        else:
            values.update(attributes)
        if self._entry is None and self._has_entries:
            self._note("The document has its rs:md after the first entry; it belongs before it.")

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

    def _finish(self, texts: dict[str, str], attributes: dict[str, str], links: list[Link]) -> None:
        if not texts.get("loc"):
            self._note("An entry without an address was left out.")
            return
        self._entries.append(_entry(texts, attributes, links, self._base))

    def _note(self, sentence: str) -> None:
        self.notes[sentence] = None


def _entry(texts: Mapping[str, str], attributes: Mapping[str, str], links: list[Link], base: str) -> Entry:
    capability = attributes.get("capability", "")
    return Entry(
        loc=_whole(texts["loc"], base),
        lastmod=texts.get("lastmod", ""),
        change=attributes.get("change", "").strip().lower(),
        datetime=attributes.get("datetime", ""),
        capability=_CAPABILITIES.get(capability, capability),
        at=attributes.get("at", ""),
        completed=attributes.get("completed", ""),
        from_=attributes.get("from", ""),
        until=attributes.get("until", ""),
        type=attributes.get("type", ""),
        length=_number(attributes.get("length", "")),
        digests=digests_of(attributes.get("hash", "")),
        path=attributes.get("path", ""),
        encoding=attributes.get("encoding", ""),
        links=tuple(links),
    )


def _link(attributes: Mapping[str, str], base: str) -> Link | None:
    href, rel = attributes.get("href", "").strip(), attributes.get("rel", "").strip()
    if not href or not rel:
        return None
    priority = _number(attributes.get("pri", ""))
    return Link(
        rel=_RELATIONS.get(rel, rel),
        href=_whole(href, base),
        type=attributes.get("type", ""),
        modified=attributes.get("modified", ""),
        length=_number(attributes.get("length", "")),
        digests=digests_of(attributes.get("hash", "")),
        path=attributes.get("path", ""),
        priority=priority or LEAST_PRIORITY,
        encoding=attributes.get("encoding", ""),
        profile=attributes.get("profile", ""),
    )


def _whole(reference: str, base: str) -> str:
    """Return an absolute URL as written, and a relative one resolved; an invalid one stays unchanged."""
    if not base or "://" in reference:
        return reference
    try:
        return urljoin(base, reference)
    except ValueError:
        return reference


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None  # noqa: PLR2004 - petabytes
