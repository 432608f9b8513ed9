"""Records in files: answers of OAI-PMH, dumps, bare records, DIDL documents and other metadata, JSON lines. Pure.

Each function takes bytes with whole records, and returns their slices, with offsets in `repaired or body`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lxml import etree

from gateway.core.errors import AnswerError, NotXml
from gateway.core.model import Slice
from gateway.core.xmlio import children, name_of
from gateway.core.xmlio import text_of as folded_text_of
from gateway.core.xmltext import DII, utc_datetime
from harvester.http.dates import moment_of
from harvester.sources.oai_pmh.answers import ListAnswer, ResumptionToken, parse_list, parse_records
from harvester.xml.decoding import decode
from harvester.xml.parsing import Broken, Element, outline, strict
from harvester.xml.repair import cleaned
from harvester.xml.slices import named, text_of

DUMP = re.compile(rb"\A\s*(?:<\?xml[^>]*\?>\s*)?<harvest[\s>]")  # what `harvester dump` writes
_LIST = re.compile(rb'(?m)^<list metadataPrefix="([^"]*)"')
_RECORD_END = re.compile(rb"</record>\n(?=<record xmlns=\"http://www.openarchives.org/OAI/2.0/\"><header|</list>\n|\Z)")
_RECORD_START = re.compile(rb"<record xmlns=\"http://www.openarchives.org/OAI/2.0/\"><header")
_LEVELS = 4  # of a document with records: root, list, record, header
_NAMES = {
    "identifier": ("identifier", "id"),
    "datestamp": ("datestamp", "date", "updated"),
    "sets": ("sets", "setSpec", "set_spec"),
    "metadata": ("metadata", "xml", "record"),
    "prefix": ("metadataPrefix", "metadata_prefix"),
}


class Cut(NamedTuple):
    """The records of a document: their slices, stated metadataPrefix, and the second of the answer with them.

    `answer` is a whole answer of OAI-PMH; of one from metha, only its errors and its token. `doubt` says that the
    document may have more records.
    """

    slices: tuple[Slice, ...]
    prefix: str = ""
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()
    moment: int | None = None
    answer: ListAnswer | None = None
    doubt: str = ""


# --- XML documents ------------------------------------------------------------------------------------------------


def records_in(body: bytes) -> int:
    """Return the number of OAI-PMH records or DIDL documents in a whole XML document; 0 for any other bytes.

    Raise AnswerTooLarge when the document would take too much memory.
    """
    try:
        if _is_answer(body):
            return sum(not record.problem for record in parse_list(body).slices)
        text, _ = _text(body)
        return sum(map(len, _lists(text))) or int(bool(_identifier(_tree(text))))
    except AnswerError:
        return 0


def cut_document(body: bytes, name: str, second: int) -> Cut:
    """Return the records of a whole XML document; `name` and `second` replace a missing identifier and datestamp.

    An unreadable document is one unusable record. Raise AnswerTooLarge when it would take too much memory, but no
    AnswerError.
    """
    try:
        return _cut_document(body, name, second)
    except AnswerError as error:
        return Cut((Slice(name, utc_datetime(second), (), False, 0, 0, problem=str(error)),))


def cut_answer(body: bytes) -> Cut:
    """Return the records of an answer of OAI-PMH. Raise the errors of `parse_list`."""
    answer = parse_list(body)
    return Cut(
        answer.slices, requested_prefix(body), answer.repaired, answer.repairs, moment_of(answer.response_date), answer
    )


def requested_prefix(body: bytes) -> str:
    """Return the metadataPrefix in the `request` of an answer of OAI-PMH, or an empty string."""
    request = re.search(rb'<(?:[\w.-]{1,40}:)?request[^<>]*?\smetadataPrefix="([^"<]*)"', body[:10_000])
    return request[1].decode(errors="replace") if request and _is_answer(body) else ""


def _cut_document(body: bytes, name: str, second: int) -> Cut:
    if _is_answer(body):
        return cut_answer(body)
    original, body = body, _without_doctype(body)
    text, repairs = _text(body)
    repaired = b"" if text is body else text
    lists = _lists(text)
    if _OF_METHA.match(text):
        cut_ = _cut_metha(text, lists)
    elif lists:
        cut_ = _read(text, lists)
    else:
        cut_ = cut_collection(text, _tree(text), name, second) or _only(_tree(text), name, second, text)
    if body != original and not cut_.repaired:
        repaired = text  # the places in both are the same
    return cut_._replace(repaired=cut_.repaired or repaired, repairs=(*repairs, *cut_.repairs))


def _cut_metha(text: bytes, lists: list[list[tuple[int, int]]]) -> Cut:
    """Return the records of an answer of metha, which writes an empty record for GetRecord into ListRecords."""
    frame, start = b"", 0
    for place in sorted(place for listed in lists for place in listed):
        frame, start = frame + text[start : place[0]], place[1]
    root = _tree(frame + text[start:])
    answer = answer_of(root)
    cut_ = _read(
        text, [listed for listed in lists if any(_TAG.sub(b"", text[slice(*place)]).strip() for place in listed)]
    )
    prefix = next((element.get("metadataPrefix") or "" for element in named(root, "request")), "")
    return cut_._replace(prefix=prefix, moment=moment_of(answer.response_date), answer=answer)


def cut_collection(text: bytes, root: etree._Element, name: str, second: int) -> Cut | None:
    """Return the records of a collection, such as `modsCollection`; None if a document is one record."""
    found = cut_places(text, root)
    slices = tuple(
        Slice(f"{name}#{one.key}", utc_datetime(second), (), False, one.start, one.stop, declarations=one.declarations)
        for one in found
    )
    return Cut(slices) if slices else None


_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[\]<>]{1,1000}>")
_BEFORE_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>(?:\s+|<\?.*?\?>|<!--.*?-->)*)", re.DOTALL)


def _without_doctype(body: bytes) -> bytes:
    """Return a document with spaces in place of a DOCTYPE that only names a DTD, which is never loaded (JATS, TEI)."""
    start = _BEFORE_ROOT.match(body)
    doctype = _DOCTYPE.match(body, start.end()) if start else None
    return body[: doctype.start()] + b" " * len(doctype[0]) + body[doctype.end() :] if doctype else body


def _only(root: etree._Element, name: str, second: int, text: bytes) -> Cut:
    """Return a whole document as one record."""
    tag = f"{root.prefix}:" if root.prefix else ""
    start = text.index(f"<{tag}{name_of(root)[1]}".encode())
    slice_ = Slice(_identifier(root) or name, utc_datetime(second), (), False, start, len(text.rstrip()))
    return Cut((slice_,), doubt=doubt_of(root))


def _is_answer(body: bytes) -> bool:
    return b"<OAI-PMH" in body[:4000] or b":OAI-PMH" in body[:4000]


def _text(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a document unchanged, or in UTF-8 and cleaned; and the repairs."""
    try:
        body.decode()
        strict(body)
    except (etree.XMLSyntaxError, UnicodeDecodeError):
        decoded, repairs, _ = decode(body)
        text, mendings = cleaned(re.sub(r"\A\s*<\?xml[^>]{0,200}\?>", "", decoded))
        return text.encode(), (*repairs, *mendings)
    return body, ()


def _tree(text: bytes) -> etree._Element:
    try:
        return strict(text)
    except etree.XMLSyntaxError as error:
        raise NotXml(f"It is not XML: {error}.") from error


def _declared(text: bytes) -> dict[str, str]:
    """Return the namespaces that the root of a document declares."""
    root = outline(text, 1)
    try:
        alone = strict(text[root.start : root.inner].rstrip(b"/>") + b"/>")
    except etree.XMLSyntaxError:  # it uses an undeclared prefix
        return {}
    return {prefix or "": uri for prefix, uri in alone.nsmap.items()}


def _lists(text: bytes) -> list[list[tuple[int, int]]]:
    """Return the spans of records with a header, list by list: at the root, below it, or one level deeper."""
    try:
        level = [Element("", 0, 0, len(text), (outline(text, _LEVELS),))]
    except Broken as error:
        raise NotXml(f"It is not XML: {error}.") from error
    for _ in range(_LEVELS - 1):
        lists_ = [
            [
                (child.start, child.stop)
                for child in parent.children
                if child.local == "record" and child.named("header")
            ]
            for parent in level
        ]
        if any(lists_):
            return [listed for listed in lists_ if listed]
        level = [child for element in level for child in element.children]
    return []


def _read(text: bytes, lists: list[list[tuple[int, int]]]) -> Cut:
    """Return the records of all lists; several are joined into one."""
    scope = _declared(text)
    if len(lists) == 1:
        return _wrapped(text, scope, lists[0])
    parts = [text[start:stop] for listed in lists for start, stop in listed]
    if not parts:
        return Cut(())
    joined = b"".join(parts)
    cut_ = _wrapped(joined, scope, [(0, len(joined))])
    return cut_._replace(repaired=cut_.repaired or joined)


def _wrapped(text: bytes, scope: Mapping[str, str], places: list[tuple[int, int]]) -> Cut:
    """Return records read as one answer; after a repair, the offsets refer to that answer."""
    first, last = places[0][0], places[-1][1]
    answer = parse_records(text[first:last], scope, first)
    return Cut(answer.slices, "", answer.repaired, answer.repairs)


def _identifier(root: etree._Element) -> str:
    """Return the identifier of a DIDL's first Item, or an empty text."""
    element = next(root.iter(f"{{{DII}}}Identifier"), None)
    return "" if element is None else (element.text or "").strip()


# --- what is read part by part ------------------------------------------------------------------------------------


def cut_dump(part: bytes, prefix: str, *, is_last: bool) -> tuple[Cut, int]:
    """Return the whole records of one list in a part of a dump, and the offset of the rest.

    `prefix` is the metadataPrefix of the list at the start of the part. The next list begins a new part. Raise the
    errors of `parse_list`.
    """
    lists = list(_LIST.finditer(part))
    if lists and lists[0].start() < _first_record(part):
        prefix = lists.pop(0)[1].decode(errors="replace")
    stop = lists[0].start() if lists else len(part)
    ends = [match.end() for match in _RECORD_END.finditer(part, 0, stop) if is_last or match.end() < len(part)]
    if not ends:
        return Cut((), prefix), stop if lists or is_last else 0
    places = [(_first_record(part), ends[-1])]
    return _wrapped(part, {}, places)._replace(prefix=prefix), stop if lists or is_last else ends[-1]


def _first_record(part: bytes) -> int:
    match = _RECORD_START.search(part)
    return match.start() if match else len(part)


def cut_lines(part: bytes, *, is_last: bool) -> tuple[list[tuple[str, Slice]], bytes, int]:
    """Return the records of the whole JSON lines in a part.

    These are pairs (metadataPrefix, slice), the text of their metadata, and the offset of the rest.
    """
    stop = len(part) if is_last else part.rfind(b"\n") + 1
    slices, texts, place = [], [], 0
    for line in part[:stop].splitlines():
        if line.strip():
            prefix, slice_, text = _line(line, place)
            slices.append((prefix, slice_))
            texts.append(text)
            place += len(text)
    return slices, b"".join(texts), stop


def _line(line: bytes, place: int) -> tuple[str, Slice, bytes]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return "", Slice("", "", (), False, 0, 0, problem="The line is not a JSON object."), b""
    values = {
        role: next((document[name] for name in names if document.get(name)), "") for role, names in _NAMES.items()
    }
    sets = values["sets"] if isinstance(values["sets"], list) else [values["sets"]] if values["sets"] else []
    is_deleted = document.get("deleted") is True or document.get("status") == "deleted"
    metadata = "" if is_deleted else str(values["metadata"])
    text = (metadata + "\n").encode("utf-8", "replace") if metadata else b""
    slice_ = Slice(
        str(values["identifier"]),
        str(values["datestamp"]),
        tuple(map(str, sets)),
        is_deleted,
        place,
        place + len(text),
        problem="" if metadata or is_deleted else "The line has no metadata.",
    )
    return str(values["prefix"]), slice_, text


# --- Documents with several records of one format: a MARCXML `collection`, `modsCollection`, a list in any root ---
#
# A document is cut if its root is no record itself, and its children, or those of elements of one name, are records.

# The roots of records, by their local names. A `record` is one of MARC only with fields in it.
_RECORDS = frozenset((
    "TEI", "article", "codeBook", "dc", "dim", "doc", "doi_record", "ead", "entry", "lido", "mets", "mods", "oai_marc",
    "qualifieddc", "record", "resource", "rioxx", "thesis", "uketddc", "xMetaDiss", "crossref", "junii2", "jpcoar",
    "DIDL", "arXiv", "arXivRaw", "metadata", "eprint", "OAI-PMH", "RDF", "mycoreobject", "lom", "olac",
))  # fmt: skip
# Of these, one document may describe several, which cannot be cut: parts of them stand elsewhere in it.
_SEVERAL = frozenset(("ProvidedCHO", "journal_article", "conference_paper", "content_item", "stdyDscr", "teiHeader"))


class Place(NamedTuple):
    """One record in a document: its bytes, the namespaces around it, and a key that is its own in the document."""

    start: int
    stop: int
    declarations: tuple[tuple[str, str], ...]
    key: str


def cut_places(text: bytes, root: etree._Element) -> tuple[Place, ...]:
    """Return the records in a document; none if it is one record, or nothing that is known."""
    if _is_record(root):
        return ()
    try:
        top = outline(text, _LEVELS)
    except Broken:
        return ()
    level = [(root, top)]
    for _ in range(_LEVELS - 1):
        below = [(holder, list(zip(children(holder), place.children, strict=False))) for holder, place in level]
        found = [(holder, [pair for pair in pairs if _is_record(pair[0])]) for holder, pairs in below]
        held = [pair for pair in found if pair[1]] or [pair for pair in below if _is_list(pair[0])][:1]
        if held:
            return tuple(_places([pair for pair in held if pair[0].tag == held[0][0].tag]))
        level = [pair for _, pairs in below for pair in pairs]
    return ()


def _is_record(element: etree._Element) -> bool:
    name = name_of(element)[1]
    if name == "record":
        return any(name_of(child)[1] in ("leader", "datafield", "controlfield") for child in children(element))
    if name == "metadata":  # of xoai, or what holds a record
        return any(name_of(child)[1] == "element" for child in children(element))
    return name in _RECORDS and len(element) > 0


def _is_list(holder: etree._Element) -> bool:
    """Return whether all children have one name, and each has elements of its own: a list of an unknown format."""
    parts = list(children(holder))
    return len(parts) > 1 and len({part.tag for part in parts}) == 1 and all(len(part) > 1 for part in parts)


def _places(held: list[tuple[etree._Element, list[tuple[etree._Element, Element]]]]) -> Iterator[Place]:
    """Yield the records in elements of one name: in a list, or each in an element of its own."""
    records = [(holder, element, place) for holder, pairs in held for element, place in pairs]
    keys = [_key(element) for _, element, _ in records]
    times = Counter(keys)
    for number, ((holder, _, place), key) in enumerate(zip(records, keys, strict=True), 1):
        declarations = tuple((prefix or "", uri) for prefix, uri in holder.nsmap.items())
        yield Place(place.start, place.stop, declarations, key if key and times[key] == 1 else str(number))


def _key(element: etree._Element) -> str:
    """Return the identifier of a record in its own format: field 001, recordIdentifier, lidoRecID; else nothing."""
    for child in element.iter("{*}controlfield", "{*}recordIdentifier", "{*}lidoRecID", "{*}fixfield"):
        if name_of(child)[1] not in ("controlfield", "fixfield") or (child.get("tag") or child.get("id")) == "001":
            return folded_text_of(child)[:200]
    return element.get("ID") or element.get("id") or ""


def doubt_of(root: etree._Element) -> str:
    """Return a sentence if a document that is read as one record may describe several works, else nothing."""
    counts = Counter(name for element in root.iter("{*}*") if (name := name_of(element)[1]) in _SEVERAL)
    if name_of(root)[1] == "RDF":
        titled = (node for node in children(root) if any(name_of(child)[1] == "title" for child in children(node)))
        counts.update(name_of(node)[1] for node in titled)
    name, most = max(counts.items(), key=lambda pair: pair[1], default=("", 0))
    if most < 2:  # noqa: PLR2004
        return ""
    return f"It has {most} elements {name}, and is read as one record. Divide it into one document for each work."


# --- Files of metha ---------------------------------------------------------------------------------------------------

_TAG = re.compile(rb"<[^<>]*>")
_OF_METHA = re.compile(rb"\s*(?:<\?xml[^<>]*>\s*)?<Response>\s*<responseDate>")


def answer_of(root: etree._Element) -> ListAnswer:
    """Return the errors, the date and the resumptionToken of such an answer, without its records.

    The verb is empty: the request is not known.
    """
    errors = (
        (code, text_of(element)) for element in named(root, "error") if (code := (element.get("code") or "").strip())
    )
    tokens = [token for element in named(root, "ListRecords") for token in named(element, "resumptionToken")]
    date = next(map(text_of, named(root, "responseDate")), "")
    # metha ends a list whose last cursor is its completeListSize, in spite of a token (DOAJ).
    is_last = bool(tokens) and tokens[-1].get("cursor", "") == tokens[-1].get("completeListSize", "") != ""
    token = ResumptionToken(text_of(tokens[-1])) if tokens and not is_last else None
    return ListAnswer("", date, tuple(errors), (), token)
