"""From the bytes of an answer to a trusted tree, in steps from strict to lenient. Pure.

1. The bytes unchanged. Nearly every answer ends here.
2. In the right encoding, without text around the document, and cleaned (`repair`).
3. With repaired namespaces (`namespaces`).
4. Record by record (`recovery`): readable records are read; each other one goes through libxml2's recovery by itself.

Each step parses strictly again, and each repair is noted in a sentence. A truncated answer is never repaired: it is
refused and requested again.

A large page of ListRecords is read record by record, and records are released after they are cut. This works if it is
well-formed UTF-8 with one record after the other. Any other page of this size would need more memory than one document
may take, and is refused.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, cast

from lxml import etree

from gateway.core.errors import AnswerTooLarge, NoContent, NotOaiPmh, NotXml
from gateway.core.model import Slice
from gateway.core.xmlio import Element, memory_of, name_of, pull_parser
from gateway.core.xmltext import OAI_PMH
from harvester.words import any_of, load
from harvester.xml import namespaces, recovery
from harvester.xml.decoding import decode, is_plain
from harvester.xml.parsing import ELEMENT, MOST_MEMORY, Broken, strict
from harvester.xml.repair import cleaned, resolved
from harvester.xml.slices import LIST_VERBS, Cutter, cut, local, named

VERBS = "GetRecord|Identify|ListIdentifiers|ListMetadataFormats|ListRecords|ListSets"
# The root element outside comments: in 1.x it is the verb.
_ROOT = re.compile(
    r"<(?P<prefix>(?:[\w.-]+:)?)(?P<name>OAI-PMH(?=[\s/>])"
    rf"|(?:{VERBS})(?=\s[^<>]{{0,2000}}openarchives\.org/OAI/1\.[01]/))"
)
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
# Allowed before the root of a document that is parsed unchanged: anything except a document type, whose entities could
# grow without end.
_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?(?>(?:\s|<\?.{0,2000}?\?>|<!--.*?-->)*)<[A-Za-z_]", re.DOTALL)
_COPIES, _TAG, _REFERENCE = 12, 350, 100  # bytes of memory for each byte of an answer, each `<` and each `&`
# Possibly a start tag with very many attributes; each step of the repair makes one or two objects for each.
_LONG_TAG = re.compile(rb"<[^<]{2000,}+")
_ATTRIBUTE = 1_300  # bytes of memory for each attribute of such a tag
_QUOTED = 120  # characters of a foreign answer that a sentence quotes
_STEP = 1 << 16  # bytes read at once
_MOST_BEFORE = 10_000  # elements around the records
_MOST_HELD = 100_000_000  # bytes of memory for one record in progress, and for the text after the last one
_MOST_RECORDS = 150_000  # of one answer; their headers alone take 100 MB
_RECORD, _VERB = f"{{{OAI_PMH}}}record", f"{{{OAI_PMH}}}ListRecords"


@dataclass(frozen=True, slots=True)
class Document:
    """A tree, the UTF-8 bytes of its offsets, and the repairs.

    `repaired` is empty when these bytes are those of the answer. `problems` has a sentence for each record, by number
    from 0, that could not be repaired; the tree has only its header. `losses` are the repairs that lost something. For
    `version` 1.x the tree is arranged as in 2.0, but the bytes are unchanged.
    """

    root: etree._Element
    text: bytes
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()
    problems: Mapping[int, str] = field(default_factory=dict)
    version: str = "2.0"
    losses: tuple[str, ...] = ()


def read(body: bytes, content_type: str = "") -> Document:
    """Return the OAI-PMH document in `body`.

    Raise NoContent when it is empty, NotXml when it is truncated or cannot be repaired, NotOaiPmh when it is another
    document. Raise AnswerTooLarge when it would take too much memory.
    """
    if is_plain(body) and _PROLOG.match(body):
        try:
            return checked(Document(strict(body), body))
        except etree.XMLSyntaxError:
            pass
    return _repaired(body, content_type)


def read_list(body: bytes, content_type: str = "") -> tuple[Document, tuple[Slice, ...]]:
    """Return a document and the slices of the records in its list. Raise the errors of `read`.

    A document too large for memory is read record by record; its tree then has no records.
    """
    if memory_of(body, ELEMENT) > MOST_MEMORY and is_plain(body) and _PROLOG.match(body):
        root, slices = read_large(body)
        return checked(Document(root, body)), slices
    document = read(body, content_type)
    slices = cut(document.root, document.text, document.problems) if named(document.root, *LIST_VERBS) else ()
    return document, slices


def checked(document: Document) -> Document:
    """Return the document if its root is OAI-PMH in any namespace, or a verb of 1.x; else raise NotOaiPmh."""
    version = version_of(document.root)
    if version:
        return replace(document, root=arranged(document.root), version=version)
    namespace, name = name_of(document.root)
    if name != "OAI-PMH":
        raise NotOaiPmh(_foreign(document.root))
    notes = list(document.repairs)
    if namespace != OAI_PMH:
        notes.append(f"The answer is in the namespace {namespace or '(none)'!r} instead of OAI-PMH's.")
    if document.root.prefix:
        notes.append(f"The elements of the protocol have the prefix {document.root.prefix!r}.")
    return replace(document, repairs=tuple(notes))


class _Text(NamedTuple):
    text: str
    prefix: str  # of the protocol's elements, with its colon
    notes: tuple[str, ...]


def _refuse_long_repair(body: bytes) -> None:
    """Raise AnswerTooLarge when the steps of the repair, each with a copy of the text, would take too much memory."""
    needed = _COPIES * len(body) + _TAG * body.count(b"<") + _REFERENCE * body.count(b"&")
    needed += _ATTRIBUTE * sum(_attributes(tag[0]) for tag in _LONG_TAG.finditer(body))
    if needed > MOST_MEMORY:
        raise AnswerTooLarge(
            f"The answer of {len(body)} bytes is not well-formed XML. To repair it takes about {needed >> 20} MiB of "
            f"memory, more than the {MOST_MEMORY >> 20} MiB that one document may take."
        )


def _attributes(tag: bytes) -> int:
    """Return how many attributes a start tag has at most."""
    return min(tag.count(b"="), (tag.count(b'"') + tag.count(b"'")) // 2)


def _repaired(body: bytes, content_type: str) -> Document:
    _refuse_long_repair(body)
    decoded, decoding_remarks, lost = decode(body, content_type)
    whole, replacements, left = resolved(decoded)
    trimmed = _trimmed(whole)
    text, mendings = cleaned(trimmed.text)
    data = (_DECLARATION + text).encode()
    notes = (*decoding_remarks, *trimmed.notes, *replacements, *left, *mendings)
    lost = (*lost, *left)
    for attempt in (lambda data: (data, ()), namespaces.mended):
        try:
            made, more = attempt(data)
            return checked(Document(strict(made), made, b"" if made == body else made, (*notes, *more), losses=lost))
        except (etree.XMLSyntaxError, Broken):
            continue
    recovered = recovery.recovered(text, trimmed.prefix)
    try:
        made, more = namespaces.mended((_DECLARATION + recovered.text).encode())
        root = strict(made)
    except (etree.XMLSyntaxError, Broken) as error:
        raise NotXml(f"The answer is not XML, even after repair: {error}.") from error
    repairs = (*notes, *recovered.notes, *more)
    return checked(Document(root, made, made, repairs, recovered.problems, losses=(*lost, *recovered.losses)))


def _trimmed(text: str) -> _Text:
    """Return the root element without the text around it. Raise NotXml or NotOaiPmh when it is missing or truncated."""
    root = next((match for start, stop in spans(text) for match in _ROOT.finditer(text, start, stop)), None)
    if root is None:
        raise _not_ours(text)
    prefix, name = root["prefix"], root["name"]
    closing = None
    for closing in re.finditer(rf"</{re.escape(prefix + name)}\s*>", text):  # noqa: B007 - the last is wanted
        pass
    if closing is None:
        if re.match(rf"<{re.escape(prefix + name)}[^>]{{0,4000}}/>\s*\Z", text[root.start() :]):
            raise NotOaiPmh(f"The answer is an {name} element with nothing in it.")
        raise NotXml(f"The answer is truncated: {len(text)} characters arrived, without the end of the document.")
    before, after = text[: root.start()], text[closing.end() :]
    notes = [
        f"Text {where} the document was removed: {' '.join(rest.split())[:_QUOTED]!r}."
        for where, rest in (("before", before), ("after", after))
        if any(rest[start:stop].replace("\ufeff", "").strip() for start, stop in spans(rest))
    ]
    trimmed = text[root.start() : closing.end()]
    if name != "OAI-PMH":
        # The later steps expect the envelope of 2.0.
        trimmed = f"{opening(prefix)}{trimmed}</{prefix}OAI-PMH>"
    return _Text(trimmed, prefix, tuple(notes))


# --- what else it may be --------------------------------------------------------------------------------------

_BLOCKED = "a page that blocks robots"
# Kinds of answers that are not OAI-PMH, matched against their beginning; the first match is reported.
_KINDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            "cf-mitigated|challenge-platform|captcha"
            rf"|<title[^>]{{0,200}}>[^<]{{0,200}}(?:{any_of(load('links')['titles']['captcha'])})",
            re.IGNORECASE,
        ),
        _BLOCKED,
    ),
    (re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE), "an HTML page"),
    (re.compile(r"<rss[\s>]|<feed[\s>]|<rdf:RDF[\s>]", re.IGNORECASE), "a feed"),
    (re.compile(r"<(?:urlset|sitemapindex)[\s>]"), "a sitemap"),
    (re.compile(r"<[\w:.-]*Repository[\s>][^>]*static-repository"), "a static repository"),
    (re.compile(r"<(?:\w+:)?Envelope[\s>]|<(?:\w+:)?Fault[\s>]"), "a SOAP message"),
)
_TITLE = re.compile(r"<title[^>]{0,200}>\s*([^<]{1,200})", re.IGNORECASE)
_SEEN = 20_000  # characters of an answer that are matched


def _not_ours(text: str) -> NotOaiPmh | NotXml:
    start = text[:_SEEN]
    if not text.strip("\ufeff \t\r\n"):
        return NoContent("The answer is empty.")
    what = next((known for pattern, known in _KINDS if pattern.search(start)), "")
    title = _TITLE.search(start)
    named = f" entitled {' '.join(title[1].split())!r}" if title else ""
    if what:
        hint = " Ask the repository to allow this harvester." if what == _BLOCKED else ""
        return NotOaiPmh(f"The answer is not OAI-PMH but {what}{named}.{hint}")
    if start.lstrip("\ufeff \t\r\n")[:1] in ("{", "["):
        return NotXml("The answer is not XML; it looks like JSON.")
    quoted = " ".join(start.split())[:_QUOTED]
    if re.match(r"<[?!A-Za-z_]", start.lstrip("\ufeff \t\r\n")):
        return NotOaiPmh(f"The answer has no OAI-PMH element; it begins with {quoted!r}.")
    return NotXml(f"The answer is not XML; it begins with {quoted!r}.")


def _foreign(root: etree._Element) -> str:
    name = name_of(root)[1]
    what = _not_ours(etree.tostring(root, encoding="unicode")[:_SEEN])
    return str(what).replace("it begins with", f"its root is {name!r}; it begins with")


# --- The parts of a text outside comments and processing instructions, in one pass of linear time. Pure --------------

_BEGINNING = re.compile(r"<!--|<\?")
_ENDS = {"<!--": "-->", "<?": "?>"}
_MOST_IN_INSTRUCTION = 2000  # characters; a notice of PHP may begin like one


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Return (start, stop) of every part outside comments and processing instructions.

    A comment or an instruction without an end counts as text.
    """
    position = place = 0
    ends = dict.fromkeys(_ENDS, 0)  # place of the next end of each kind; -1: none
    while match := _BEGINNING.search(text, place):
        kind, place = match[0], match.end()
        if 0 <= ends[kind] < place:
            ends[kind] = text.find(_ENDS[kind], place)
        is_near = kind == "<!--" or ends[kind] - place <= _MOST_IN_INSTRUCTION
        if ends[kind] >= 0 and is_near:
            yield position, match.start()
            position = place = ends[kind] + len(_ENDS[kind])
    yield position, len(text)


def read_large(body: bytes) -> tuple[Element, tuple[Slice, ...]]:
    """Return the root of a page without its records, and a Slice for each record.

    Raise NotXml when it is not well-formed, AnswerTooLarge when it cannot be read record by record.
    """
    reading = _Reading(body)
    try:
        for start in range(0, len(body), _STEP):
            reading.feed(body[start : start + _STEP])
        root = reading.parser.close()
        reading.let_go()
    except etree.XMLSyntaxError as error:
        raise NotXml(f"The answer of {len(body)} bytes is not XML, and too large to be repaired: {error}.") from error
    cutter = reading.cutter
    verb = next(root.iterchildren(_VERB), None)
    if cutter is None or verb is None or len(verb) > 1 or not cutter.is_proven():
        raise _refused(body)
    return root, tuple(cutter.slices)


class _Reading:
    """The state of one page in the parser. `held` estimates the bytes in memory that are not yet cut."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.parser = pull_parser(_RECORD)
        self.cutter: Cutter | None = None
        self.held = 0
        self.last: Element | None = None

    def feed(self, part: bytes) -> None:
        """Parse the next bytes. Raise AnswerTooLarge for a page that cannot be read record by record."""
        self.parser.feed(part)
        taken = 0
        for _, record in self.parser.read_events():
            self._take(cast("Element", record))
            taken += 1
        weight = memory_of(part, ELEMENT, least=0)
        self.held = weight if taken else self.held + weight
        if self.held > _MOST_HELD:
            raise _refused(self.body)

    def _take(self, record: Element) -> None:
        verb = record.getparent()
        if verb is None or verb.tag != _VERB:
            raise _refused(self.body)
        if self.cutter is None:
            self.cutter = self._begun(verb)
        # All records except the last were removed: any other element before this one is not a record.
        if record.getprevious() is not self.last or not self.cutter.take(record):
            raise _refused(self.body)
        if len(self.cutter.slices) > _MOST_RECORDS:
            raise AnswerTooLarge(f"The answer has more than {_MOST_RECORDS} records.")
        record.clear(keep_tail=True)  # type: ignore[call-arg]  # the type stubs lack it
        self.let_go()
        self.last = record

    def let_go(self) -> None:
        """Remove the last record. Call it only after another record has ended, else the parser may still use it."""
        if self.last is not None and (verb := self.last.getparent()) is not None:
            verb.remove(self.last)

    def _begun(self, verb: Element) -> Cutter:
        root = verb.getparent()
        if root is None or root.getparent() is not None or root.prefix or verb.prefix:
            raise _refused(self.body)
        if len(list(islice(root.iter(), _MOST_BEFORE))) == _MOST_BEFORE:
            raise _refused(self.body)
        return Cutter(self.body, verb)


def _refused(body: bytes) -> AnswerTooLarge:
    return AnswerTooLarge(
        f"The answer of {len(body)} bytes cannot be read record by record. As a whole it needs "
        f"about {memory_of(body, ELEMENT) >> 20} MiB of memory, more than the {MOST_MEMORY >> 20} MiB of one document."
    )


# --- Answers of OAI-PMH 1.0 and 1.1, arranged as in 2.0, so that other modules read one protocol ----------------------

_VERB_TAG = re.compile(rf"\{{http://www\.openarchives\.org/OAI/(1\.[01])/OAI_(?:{VERBS})\}}({VERBS})")
# In 1.x the verb is the root and contains responseDate and requestURL. The record has the status deleted, not its
# header. An empty list stands for an error of 2.0. Only the tree is changed, not the bytes.
LIFTED = ("responseDate", "requestURL")

# The error of 2.0 where the verb of 1.x is empty.
_NOTHING = {
    "GetRecord": ("idDoesNotExist", "There is no such record."),
    "ListIdentifiers": ("noRecordsMatch", "The list is empty."),
    "ListMetadataFormats": ("noMetadataFormats", "There are no formats."),
    "ListRecords": ("noRecordsMatch", "The list is empty."),
    "ListSets": ("noSetHierarchy", "There are no sets."),
}


def opening(prefix: str) -> str:
    """Return the start tag of a root around an answer of 1.x; `prefix` is that of its elements, with the colon."""
    declared = f"xmlns:{prefix[:-1]}" if prefix else "xmlns"
    return f'<{prefix}OAI-PMH {declared}="{OAI_PMH}">'


def version_of(root: etree._Element) -> str:
    """Return `1.0` or `1.1` for an answer whose root is, or contains, a verb of 1.x; else an empty text."""
    verb = _verb(root)
    match = None if verb is None else _VERB_TAG.fullmatch(str(verb.tag))
    return match[1] if match else ""


def arranged(root: etree._Element) -> etree._Element:
    """Return the tree of an answer of 1.x, rearranged in place as one of 2.0."""
    verb = _verb(root)
    assert verb is not None  # `version_of` found it
    outer = root
    if verb is root:
        outer = etree.Element("OAI-PMH")
        outer.append(verb)
    lifted = [child for child in verb if local(child) in LIFTED]
    outer.extend(lifted)
    for record in verb.iterchildren("{*}record"):
        for header in record.iterchildren("{*}header"):
            header.set("status", record.get("status") or header.get("status") or "")
    if not _says_something(verb, lifted):
        _as_error(outer, verb)
    return outer


def _verb(root: etree._Element) -> etree._Element | None:
    return next((element for element in (root, *islice(root, 1)) if _VERB_TAG.fullmatch(str(element.tag))), None)


def _says_something(verb: etree._Element, lifted: list[etree._Element]) -> bool:
    """Return whether the verb has content, or is the empty last page of a list."""
    is_continued = any("resumptionToken=" in (element.text or "") for element in lifted)
    return is_continued or local(verb) not in _NOTHING or any(isinstance(element.tag, str) for element in verb)


def _as_error(outer: etree._Element, verb: etree._Element) -> None:
    code, sentence = _NOTHING[local(verb)]
    error = etree.SubElement(outer, "error", code=code)
    error.text = sentence
    outer.remove(verb)
