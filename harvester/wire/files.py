"""Records in files: answers of OAI-PMH, dumps, bare records, DIDL documents and other metadata, JSON lines. Pure.

Each function takes bytes that hold whole records, and returns their slices, in bytes of `repaired or body`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from lxml import etree

from gateway.errors import AnswerError, NotXml
from gateway.model import Slice
from gateway.xmlio import name_of
from gateway.xmltext import DII, OAI_PMH, escape_attribute, utc_datetime
from harvester.wire.dates import moment_of
from harvester.wire.decoding import decode
from harvester.wire.metha import is_blank, is_metha, prefix_of, said_by
from harvester.wire.oai_pmh import ListAnswer, parse_list
from harvester.wire.outline import Broken, Element, outline
from harvester.wire.parsing import strict
from harvester.wire.repair import cleaned

DUMP = re.compile(rb"\A\s*(?:<\?xml[^>]*\?>\s*)?<harvest[\s>]")  # what `harvester dump` writes
_LIST = re.compile(rb'(?m)^<list metadataPrefix="([^"]*)"')
_RECORD_END = re.compile(rb"</record>\n(?=<record xmlns=\"http://www.openarchives.org/OAI/2.0/\"><header|</list>\n|\Z)")
_RECORD_START = re.compile(rb"<record xmlns=\"http://www.openarchives.org/OAI/2.0/\"><header")
_LEVELS = 4  # of a document that holds records: root, list, record, header
_NAMES = {
    "identifier": ("identifier", "id"),
    "datestamp": ("datestamp", "date", "updated"),
    "sets": ("sets", "setSpec", "set_spec"),
    "metadata": ("metadata", "xml", "record"),
    "prefix": ("metadataPrefix", "metadata_prefix"),
}


class Cut(NamedTuple):
    """Records that were cut: the metadataPrefix they are said to have, and when the answer was given that has them.

    `answer` is what was read of a whole answer of OAI-PMH; of one that metha has written, its errors and its token.
    """

    slices: tuple[Slice, ...]
    prefix: str = ""
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()
    moment: int | None = None
    answer: ListAnswer | None = None


# --- XML documents ------------------------------------------------------------------------------------------------


def records_in(body: bytes) -> int:
    """Return how many records of OAI-PMH, or DIDL documents, a whole XML document holds; any other one has none."""
    try:
        if _is_answer(body):
            return sum(not each.problem for each in parse_list(body).slices)
        text, _ = _text(body)
        return sum(map(len, _lists(text))) or int(bool(_identifier(_tree(text))))
    except AnswerError:
        return 0


def cut_document(body: bytes, name: str, second: int) -> Cut:
    """Cut a whole XML document; `name` and `second` stand for what it does not say itself.

    One that cannot be read is a record that cannot be used.
    """
    try:
        return _cut_document(body, name, second)
    except AnswerError as error:
        return Cut((Slice(name, utc_datetime(second), (), False, 0, 0, problem=str(error)),))


def cut_answer(body: bytes) -> Cut:
    """Cut an answer of OAI-PMH. Raise AnswerError when it is none that can be read."""
    answer = parse_list(body)
    request = re.search(rb'<request[^<>]*?\smetadataPrefix="([^"<]*)"', body[:10_000])
    prefix = request[1].decode(errors="replace") if request else ""
    return Cut(answer.slices, prefix, answer.repaired, answer.repairs, moment_of(answer.response_date), answer)


def _cut_document(body: bytes, name: str, second: int) -> Cut:
    if _is_answer(body):
        return cut_answer(body)
    text, repairs = _text(body)
    repaired = b"" if text is body else text
    lists = _lists(text)
    if is_metha(text):
        found = _cut_metha(text, lists)
    elif lists:
        found = _read(text, lists)
    else:
        found = _only(_tree(text), name, second, text)
    return found._replace(repaired=found.repaired or repaired, repairs=(*repairs, *found.repairs))


def _cut_metha(text: bytes, lists: list[list[tuple[int, int]]]) -> Cut:
    """Cut an answer that metha wrote: its list, without the record that stands for one of GetRecord."""
    frame, start = b"", 0
    for place in sorted(place for each in lists for place in each):
        frame, start = frame + text[start : place[0]], place[1]
    root = _tree(frame + text[start:])
    answer = said_by(root)
    found = _read(text, [each for each in lists if not all(is_blank(text[slice(*place)]) for place in each)])
    return found._replace(prefix=prefix_of(root), moment=moment_of(answer.response_date), answer=answer)


def _only(root: etree._Element, name: str, second: int, text: bytes) -> Cut:
    """Take a whole document as one record."""
    tag = f"{root.prefix}:" if root.prefix else ""
    start = text.index(f"<{tag}{name_of(root)[1]}".encode())
    return Cut((Slice(_identifier(root) or name, utc_datetime(second), (), False, start, len(text.rstrip())),))


def _is_answer(body: bytes) -> bool:
    return b"<OAI-PMH" in body[:4000] or b":OAI-PMH" in body[:4000]


def _text(body: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a document as it is, or else in UTF-8 and cleaned, and what was done."""
    try:
        body.decode()
        strict(body)
    except (etree.XMLSyntaxError, UnicodeDecodeError):
        decoded, told, _ = decode(body)
        text, mendings = cleaned(re.sub(r"\A\s*<\?xml[^>]{0,200}\?>", "", decoded))
        return text.encode(), (*told, *mendings)
    return body, ()


def _tree(text: bytes) -> etree._Element:
    try:
        return strict(text)
    except etree.XMLSyntaxError as error:
        raise NotXml(f"It is no XML: {error}.") from error


def _declared(text: bytes) -> dict[str, str]:
    """Return the namespaces that the root of a document declares."""
    root = outline(text, 1)
    try:
        alone = strict(text[root.start : root.inner].rstrip(b"/>") + b"/>")
    except etree.XMLSyntaxError:  # it uses one that it does not declare
        return {}
    return {prefix or "": uri for prefix, uri in alone.nsmap.items()}


def _lists(text: bytes) -> list[list[tuple[int, int]]]:
    """Return where records with a header lie, list by list: the root itself, its children, or theirs."""
    try:
        level = [Element("", 0, 0, len(text), (outline(text, _LEVELS),))]
    except Broken as error:
        raise NotXml(f"It is no XML: {error}.") from error
    for _ in range(_LEVELS - 1):
        found = [
            [(each.start, each.stop) for each in parent.children if each.local == "record" and each.named("header")]
            for parent in level
        ]
        if any(found):
            return [each for each in found if each]
        level = [child for each in level for child in each.children]
    return []


def _read(text: bytes, lists: list[list[tuple[int, int]]]) -> Cut:
    """Read the records of all lists; where there are several, what is read is one list of them."""
    scope = _declared(text)
    if len(lists) == 1:
        return _wrapped(text, scope, lists[0])
    parts = [text[start:stop] for each in lists for start, stop in each]
    if not parts:
        return Cut(())
    joined = b"".join(parts)
    found = _wrapped(joined, scope, [(0, len(joined))])
    return found._replace(repaired=found.repaired or joined)


def _wrapped(text: bytes, scope: Mapping[str, str], places: list[tuple[int, int]]) -> Cut:
    """Read records as if they had come in an answer; where something is mended, that answer is what is read."""
    first, last = places[0][0], places[-1][1]
    declared = {**scope, "oai-pmh": OAI_PMH}
    names = "".join(f' xmlns{":" * bool(name)}{name}="{escape_attribute(uri)}"' for name, uri in declared.items())
    opening = f"<oai-pmh:OAI-PMH{names}><oai-pmh:ListRecords>".encode()
    answer = parse_list(opening + text[first:last] + b"</oai-pmh:ListRecords></oai-pmh:OAI-PMH>")
    if answer.repaired:
        return Cut(answer.slices, "", answer.repaired, answer.repairs)
    return Cut(tuple(_moved(each, first - len(opening)) for each in answer.slices))


def _moved(found: Slice, by: int) -> Slice:
    abouts = tuple((start + by, stop + by) for start, stop in found.abouts)
    moved = found._replace(start=found.start + by, stop=found.stop + by, abouts=abouts)
    return found if found.start == found.stop else moved


def _identifier(root: etree._Element) -> str:
    """Return the identifier of a DIDL's first Item, or nothing."""
    found = next(root.iter(f"{{{DII}}}Identifier"), None)
    return "" if found is None else (found.text or "").strip()


# --- what is read part by part ------------------------------------------------------------------------------------


def cut_dump(part: bytes, prefix: str, *, is_last: bool) -> tuple[Cut, int]:
    """Cut the whole records of one list in a part of a dump; return them, and where the rest begins.

    `prefix` is the list's in which the part begins. A further list begins a part of its own.
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
    found = _RECORD_START.search(part)
    return found.start() if found else len(part)


def cut_lines(part: bytes, *, is_last: bool) -> tuple[list[tuple[str, Slice]], bytes, int]:
    """Cut the whole JSON lines of a part.

    Return (metadataPrefix, slice) of each, the text of their metadata, and where the rest begins.
    """
    stop = len(part) if is_last else part.rfind(b"\n") + 1
    found, texts, place = [], [], 0
    for line in part[:stop].splitlines():
        if line.strip():
            prefix, slice_, text = _line(line, place)
            found.append((prefix, slice_))
            texts.append(text)
            place += len(text)
    return found, b"".join(texts), stop


def _line(line: bytes, place: int) -> tuple[str, Slice, bytes]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        return "", Slice("", "", (), False, 0, 0, problem="The line is no JSON object."), b""
    values = {role: next((told[name] for name in names if told.get(name)), "") for role, names in _NAMES.items()}
    sets = values["sets"] if isinstance(values["sets"], list) else [values["sets"]] if values["sets"] else []
    is_deleted = told.get("deleted") is True or told.get("status") == "deleted"
    metadata = "" if is_deleted else str(values["metadata"])
    text = (metadata + "\n").encode("utf-8", "replace") if metadata else b""
    found = Slice(
        str(values["identifier"]),
        str(values["datestamp"]),
        tuple(map(str, sets)),
        is_deleted,
        place,
        place + len(text),
        problem="" if metadata or is_deleted else "The line has no metadata.",
    )
    return str(values["prefix"]), found, text
