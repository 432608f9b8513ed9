"""OAI Static Repositories: one XML document with all answers of a small repository. Pure.

The document is read part by part in one pass of expat, which stores the offsets of the records and builds no tree. Then
the records are read some at a time, like an answer of OAI-PMH (Specification for an OAI Static Repository, 2.0). So its
length takes no memory.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from xml.parsers import expat

from gateway.core.errors import AnswerTooLarge, NotStaticRepository, NotXml
from gateway.core.model import Format, Slice
from harvester.sources.oai_pmh.answers import IdentifyAnswer, opening_of, parse_formats, parse_identify, parse_records
from harvester.xml.decoding import decode, is_plain
from harvester.xml.parsing import Broken, feed_in_parts

NAMESPACE = "http://www.openarchives.org/OAI/2.0/static-repository"
_OPENING = re.compile(rb"<(?:[\w.-]+:)?Repository[\s>]")
_FORMATS_END = re.compile(rb"</(?:[\w.-]+:)?ListMetadataFormats\s*>")
_ROOT = re.compile(rb"<((?:[\w.-]+:)?Repository)[\s>]")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_STEP = 1 << 16  # bytes read at once
_MOST_DECODED = 200_000_000  # bytes of a document that is not in UTF-8
_SHOWN = 3  # identifiers in one sentence
_ANSWERS = ("Identify", "ListMetadataFormats")  # parts that are read as answers; records are cut later
_MOST_NAMESPACES, _MOST_LISTS, _MOST_FAULTS = 256, 1000, 100  # each list stores the namespaces around it
_MOST_DEEP = 256  # nested elements; the parser of records has this limit too
_MOST_NAMES = 100_000  # different names of elements and attributes, which the parser stores


class Text(Protocol):
    """A document in memory or in a file, read part by part because it may be long."""

    def __len__(self) -> int: ...

    def __getitem__(self, wanted: slice, /) -> bytes: ...

    def index(self, mark: bytes, start: int, /) -> int:
        """Return the first offset of a mark from `start` on. Raise ValueError when there is none."""
        ...


class Places:
    """The offsets of records, in order: sixteen bytes for each."""

    def __init__(self) -> None:
        self._bounds = array("q")

    def __len__(self) -> int:
        return len(self._bounds) // 2

    def add(self, start: int, stop: int) -> None:
        """Add the offsets of the next record."""
        self._bounds.extend((start, stop))

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the start of record `first` and the end of the one before `last`; (0, 0) without records."""
        bounds = self._bounds[2 * first : 2 * last]
        return (bounds[0], bounds[-1]) if bounds else (0, 0)


class Records(NamedTuple):
    """The records of one format: their metadataPrefix, the namespaces declared around them, and their offsets."""

    metadata_prefix: str
    scope: tuple[tuple[str, str], ...]
    places: Places


class Part(NamedTuple):
    """Some records of a list: their span, and their slices, in bytes of `repaired` or else of that span."""

    start: int = 0
    stop: int = 0
    slices: tuple[Slice, ...] = ()
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaticRepository:
    """One document. The offsets refer to `text`; `faults` are the rules of the specification that it breaks."""

    text: Text
    identify: IdentifyAnswer
    formats: tuple[Format, ...]
    formats_answer: bytes  # the formats as an answer of OAI-PMH
    lists: tuple[Records, ...]
    faults: tuple[str, ...]
    repairs: tuple[str, ...]

    def records(self, metadata_prefix: str) -> Records | None:
        """Return the records of a format, or None when the document has none."""
        return next((listed for listed in self.lists if listed.metadata_prefix == metadata_prefix), None)


def is_static_repository(body: bytes) -> bool:
    """Return whether these bytes look like the beginning of a Static Repository."""
    beginning = body[:4000]
    return NAMESPACE.encode() in beginning and _OPENING.search(beginning) is not None


def beginning_of(body: bytes) -> bytes | None:
    """Return the document without its records, well-formed; None when it ends before them."""
    root, end = _ROOT.search(body), _FORMATS_END.search(body)
    return body[: end.end()] + b"</" + root[1] + b">" if root and end else None


def read(body: Text, content_type: str = "") -> StaticRepository:
    """Return a whole document. One in UTF-8 is read part by part; any other is converted to UTF-8 in memory first.

    Raise NotXml when it is not well-formed, NotStaticRepository when it is something else. Raise AnswerTooLarge when it
    is too long to convert, or has too many names or levels. Raise another AnswerError when Identify or
    ListMetadataFormats cannot be read.
    """
    text, repairs = _in_utf_8(body, content_type)
    reader = _Reader(text)
    reader.read()
    parts = {name: _answer(text, reader.scope, place) for name, place in reader.parts.items()}
    if not parts.keys() >= {*_ANSWERS}:
        raise NotStaticRepository("The document has no Identify or no ListMetadataFormats.")
    identify = parse_identify(parts["Identify"])
    formats = parse_formats(parts["ListMetadataFormats"]).formats
    lists = tuple(reader.lists)
    faults = (*_faults_of(identify), *reader.faults, *_faults_between(formats, lists))
    return StaticRepository(text, identify, formats, parts["ListMetadataFormats"], lists, faults, repairs)


def _in_utf_8(body: Text, content_type: str) -> tuple[Text, tuple[str, ...]]:
    if is_plain(body[:_STEP] + b"\xff"):  # 0xff is not ASCII, so the declaration decides
        return body, ()
    if len(body) > _MOST_DECODED:
        raise AnswerTooLarge(f"The document is not in UTF-8, and has more than {_MOST_DECODED} bytes.")
    whole = body[:]
    if is_plain(whole):
        return whole, ()
    decoded, repairs, _ = decode(whole, content_type)
    return re.sub(r"\A\s*<\?xml[^>]{0,200}\?>", "", decoded).encode(), repairs


class _Reader:
    """One pass over a document that stores offsets."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.scope: tuple[tuple[str, str], ...] = ()  # of the root
        self.parts: dict[str, tuple[int, int]] = {}
        self.lists: list[Records] = []
        self.faults: list[str] = []
        self._path: list[str] = []
        self._start = 0
        self._parser = expat.ParserCreate("utf-8")  # an undeclared prefix is repaired in its record later
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close

    def read(self) -> None:
        try:
            feed_in_parts(self._parser, (self.text[at : at + _STEP] for at in range(0, len(self.text), _STEP)))
        except Broken as error:
            raise NotXml(f"The document is not XML: {error}.") from error

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition(":")[2])
        level = len(self._path)
        self._refuse_endless(level)
        if level == 1:
            self.scope = _declared(attributes)
            self._check_root(name)
        elif level == 2:  # noqa: PLR2004 - children of the root
            self._start = self._parser.CurrentByteIndex
            if self._path[-1] == "ListRecords":
                scope = (*self.scope, *_declared(attributes))
                self.lists.append(Records(attributes.get("metadataPrefix", ""), scope, Places()))
        elif level == 3 and self._path[1] == "ListRecords":  # noqa: PLR2004 - children of a list
            self._start = self._parser.CurrentByteIndex
            if self._path[-1] != "record" and len(self.faults) < _MOST_FAULTS:
                self.faults.append(f"A list contains a {self._path[-1]}.")

    def _refuse_endless(self, level: int) -> None:
        """Raise AnswerTooLarge for levels, names, namespaces or lists beyond the limits of memory."""
        if level > _MOST_DEEP:
            raise AnswerTooLarge(f"The elements of the document are nested deeper than {_MOST_DEEP}.")
        if len(self._parser.intern) > _MOST_NAMES:
            raise AnswerTooLarge(f"The document has more than {_MOST_NAMES} different names.")
        if len(self.scope) > _MOST_NAMESPACES or len(self.lists) > _MOST_LISTS:
            raise AnswerTooLarge(
                f"The document declares more than {_MOST_NAMESPACES} namespaces, or has more than {_MOST_LISTS} lists."
            )

    def _check_root(self, name: str) -> None:
        prefix, _, local = name.rpartition(":")
        namespace = dict(self.scope).get(prefix, "")
        if local != "Repository" or not namespace.startswith(NAMESPACE):
            raise NotStaticRepository(f"The root of the document is {local!r} in the namespace {namespace!r}.")

    def _close(self, _: str) -> None:
        level, name = len(self._path), self._path.pop()
        if level == 2 and name in _ANSWERS:  # noqa: PLR2004 - as above
            self.parts.setdefault(name, (self._start, self._stop()))
        elif level == 3 and self._path[1] == "ListRecords" and name == "record":  # noqa: PLR2004 - as above
            self.lists[-1].places.add(self._start, self._stop())

    def _stop(self) -> int:
        return self.text.index(b">", self._parser.CurrentByteIndex) + 1


def _declared(attributes: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the namespaces that a tag declares, by prefix."""
    names = (attribute.partition(":") for attribute in attributes)
    return tuple((prefix, attributes[name + colon + prefix]) for name, colon, prefix in names if name == "xmlns")


# --- what is not allowed ------------------------------------------------------------------------------------------


def _faults_of(identify: IdentifyAnswer) -> Iterator[str]:
    """Return the rules that Identify breaks (guideline *static repository*, §3.2)."""
    if identify.deleted_record != "no":
        yield f"deletedRecord is {identify.deleted_record!r} instead of no."
    if identify.granularity != "YYYY-MM-DD":
        yield f"The granularity is {identify.granularity!r} instead of days."
    if identify.compressions:
        yield f"It announces the compression {identify.compressions[0]!r}."
    if identify.protocol_version != "2.0":
        yield f"The protocolVersion is {identify.protocol_version!r} instead of 2.0."


def _faults_between(formats: tuple[Format, ...], lists: tuple[Records, ...]) -> Iterator[str]:
    announced = {format_.metadata_prefix for format_ in formats}
    for prefix, count in Counter(listed.metadata_prefix for listed in lists).items():
        if prefix not in announced:
            yield f"It lists records in {prefix!r}, which is not one of its formats."
        if count > 1:
            yield f"It lists records in {prefix!r} {count} times."


def oddities_in(slices: tuple[Slice, ...]) -> Iterator[str]:
    """Return the rules that records break (guideline *static repository*, §3.2).

    These records can still be read: real documents have them.
    """
    yield from _fault("are deleted, which is not allowed", (record for record in slices if record.is_deleted))
    yield from _fault("are in sets, which is not allowed", (record for record in slices if record.sets))
    yield from _fault("have no day as datestamp", (record for record in slices if not _DAY.fullmatch(record.datestamp)))
    twice = [name for name, count in Counter(record.identifier for record in slices).items() if count > 1]
    if twice:
        yield f"Identifiers occur twice: {', '.join(twice[:_SHOWN])} ({len(twice)})."


def _fault(what: str, slices: Iterable[Slice]) -> Iterator[str]:
    if concerned := list(slices):
        yield f"Records {what}: {', '.join(slice_.identifier for slice_ in concerned[:_SHOWN])} ({len(concerned)})."


# --- records ------------------------------------------------------------------------------------------------------


def cut(repository: StaticRepository, records: Records, first: int, last: int) -> Part:
    """Return these records, repaired where possible; an unusable record has a `problem`.

    Raise the errors of `parse_records`.
    """
    start, stop = records.places.span(first, last)
    if start == stop:
        return Part()
    answer = parse_records(repository.text[start:stop], dict(records.scope))
    return Part(start, stop, answer.slices, answer.repaired, answer.repairs)


def _answer(text: Text, scope: tuple[tuple[str, str], ...], place: tuple[int, int]) -> bytes:
    return opening_of(dict(scope)) + text[place[0] : place[1]] + b"</oai-pmh:OAI-PMH>"
