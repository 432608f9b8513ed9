"""Answers of a Solr index to `select`, in XML or JSON: bytes in, documents out, or an error of ours. Pure.

A document in an XML answer is cut out where it stands. One in a JSON answer is written as Solr writes it in XML, and
stands in `repaired`, so that whoever reads documents reads only one form of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from gateway.errors import NotSolr, NotXml, RemoteError
from gateway.xmlio import name_of
from gateway.xmltext import clean, escape, escape_attribute
from harvester.wire.decoding import decode, is_plain
from harvester.wire.outline import Broken, outline
from harvester.wire.parsing import refuse_heavy_json, strict
from harvester.wire.repair import cleaned

_LEVELS = 3  # response, result, doc
_ITS_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_DIGITS = 15  # of a number that can be meant
_QUOTED = 200  # characters of a message that is shown
_WHOLE = ("", "false")  # what is said, if anything, of whether it is partial, when it is not


class Document(NamedTuple):
    """One document: the values of the fields that were wanted, and where it lies, in bytes of `repaired or body`."""

    values: Mapping[str, tuple[str, ...]]
    start: int
    stop: int

    def first(self, name: str) -> str:
        """Return the first value of a field, or an empty string."""
        return next(iter(self.values.get(name, ())), "")


@dataclass(frozen=True, slots=True)
class SolrAnswer:
    """An answer to `select`. `next_cursor_mark` is empty when the answer has none."""

    num_found: int
    documents: tuple[Document, ...]
    next_cursor_mark: str
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()


def parse(body: bytes, content_type: str = "", names: Collection[str] | None = None) -> SolrAnswer:
    """Read an answer, with the values of these fields, or of all.

    Raise RemoteError for an error that Solr tells, NotXml for what cannot be read, NotSolr for anything else, and for
    an answer that is not whole because a shard was away or the time was over: its numFound is too small as well.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _from_json(body, names)
    return _from_xml(body, content_type, names)


# --- XML ----------------------------------------------------------------------------------------------------------


def _from_xml(body: bytes, content_type: str, names: Collection[str] | None) -> SolrAnswer:
    root, text, repairs = _tree(body, content_type)
    if root.tag != "response":
        raise NotSolr(f"The answer is no answer of Solr: its root is {name_of(root)[1]!r}.")
    _refuse_error(root)
    header = _named(root, "responseHeader")
    _refuse_part("" if header is None else "".join(_values(header, ("partialResults",)).get("partialResults", ())))
    result = next(iter(root.iterchildren("result")), None)
    if result is None:
        raise NotSolr("The answer of Solr has no result.")
    found = list(result.iterchildren("doc"))
    documents = tuple(
        Document(_values(each, names), *place) for each, place in zip(found, _places(text, len(found)), strict=True)
    )
    mark = _named(root, "nextCursorMark")
    return SolrAnswer(
        _number(result.get("numFound")),
        documents,
        "" if mark is None else mark.text or "",
        b"" if text is body else text,
        repairs,
    )


def _tree(body: bytes, content_type: str) -> tuple[etree._Element, bytes, tuple[str, ...]]:
    """Return the root, the UTF-8 text it was read from, and what was mended to read it."""
    if is_plain(body):
        try:
            return strict(body), body, ()
        except etree.XMLSyntaxError:
            pass
    decoded, told, _ = decode(body, content_type)
    text, mendings = cleaned(_ITS_DECLARATION.sub("", decoded))
    mended = (_DECLARATION + text.strip()).encode()
    try:
        return strict(mended), mended, (*told, *mendings)
    except etree.XMLSyntaxError as error:
        shown = " ".join(decoded[:_QUOTED].split())
        raise NotXml(f"The answer is no XML: {error}. It begins with {shown!r}.") from error


def _refuse_error(root: etree._Element) -> None:
    error = _named(root, "error")
    if error is not None:
        code, message = _named(error, "code"), _named(error, "msg")
        raise _error(code.text if code is not None else "", message.text if message is not None else "")


def _named(parent: etree._Element, name: str) -> etree._Element | None:
    return next((each for each in parent.iterchildren() if each.get("name") == name), None)


def _refuse_part(told: str) -> None:
    if told.lower() not in _WHOLE:
        raise NotSolr("The answer of Solr says that it is not whole (partialResults): a shard is away, or it is slow.")


def _error(code: object, message: object) -> RemoteError:
    return RemoteError(((str(code or "error"), " ".join(str(message or "").split())[:_QUOTED]),))


def _values(document: etree._Element, names: Collection[str] | None) -> dict[str, tuple[str, ...]]:
    values = {}
    for each in document.iterchildren(etree.Element):
        name = each.get("name", "")
        if names is None or name in names:
            parts = each if len(each) else (each,)
            values[name] = tuple([text for part in parts if (text := "".join(map(str, part.itertext())).strip())])
    return values


def _places(text: bytes, count: int) -> Iterable[tuple[int, int]]:
    """Return where the documents lie: found by their tags when these can be nothing else, else by an outline."""
    is_plain = text.count(b"<doc>") == count == text.count(b"</doc>") and b"<!" not in text
    return _by_tags(text, count) if is_plain else _by_outline(text)


def _by_tags(text: bytes, count: int) -> Iterator[tuple[int, int]]:
    stop = 0
    for _ in range(count):
        start = text.index(b"<doc>", stop)
        stop = text.index(b"</doc>", start) + len(b"</doc>")
        yield start, stop


def _by_outline(text: bytes) -> list[tuple[int, int]]:
    try:
        result = next(each for each in outline(text, _LEVELS).children if each.name == "result")
    except Broken as error:
        raise NotXml(f"The answer is no XML: {error}.") from error
    return [(each.start, each.stop) for each in result.children if each.name == "doc"]


def _number(text: object) -> int:
    shown = str(text)
    if not (shown.isascii() and shown.isdigit() and len(shown) <= _MOST_DIGITS):
        raise NotSolr(f"The answer of Solr says that {shown[:_QUOTED]!r} documents were found.")
    return int(shown)


# --- JSON ---------------------------------------------------------------------------------------------------------


def _from_json(body: bytes, names: Collection[str] | None) -> SolrAnswer:
    refuse_heavy_json(body)
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotXml(f"The answer is no JSON: {error}.") from error
    if isinstance(told := answer.get("error"), Mapping):
        raise _error(told.get("code"), told.get("msg"))
    header = answer.get("responseHeader")
    _refuse_part(str(header.get("partialResults", "")) if isinstance(header, Mapping) else "")
    response = answer.get("response")
    if not isinstance(response, Mapping) or not isinstance(documents := response.get("docs"), list):
        raise NotSolr("The answer is JSON, and no answer of Solr to `select`.")
    found, parts = [], [b"<result>\n"]
    place = len(parts[0])
    for each in documents:
        if not isinstance(each, Mapping):
            raise NotSolr("The answer of Solr has documents that have no fields.")
        try:
            written = "".join(_written("doc", "", each)).encode()
        except RecursionError as error:
            raise NotSolr("The answer of Solr has a document whose fields are nested too deep.") from error
        values = {name: _texts(value) for name, value in each.items() if names is None or name in names}
        found.append(Document(values, place, place + len(written)))
        parts += (written, b"\n")
        place += len(written) + 1
    mark = answer.get("nextCursorMark")
    return SolrAnswer(
        _number(response.get("numFound")),
        tuple(found),
        clean(mark) if isinstance(mark, str) else "",
        b"".join((*parts, b"</result>\n")),
    )


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(text for each in values if each is not None and (text := _text(each).strip()))


def _text(value: object) -> str:
    return clean(json.dumps(value) if isinstance(value, bool) else str(value))


# By type of a value, the element that Solr writes for it in XML; whatever else is one of several kinds of text.
_ELEMENTS: tuple[tuple[type, str], ...] = ((bool, "bool"), (int, "long"), (float, "double"), (str, "str"))


def _written(tag: str, attribute: str, value: object) -> Iterator[str]:
    """Write a value as Solr writes it in XML."""
    yield f"<{tag}{attribute}>"
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _field(f' name="{escape_attribute(clean(name))}"', each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in value:
            yield from _field("", each)
    else:
        yield escape(_text(value))
    yield f"</{tag}>"


def _field(attribute: str, value: object) -> Iterator[str]:
    if value is None:
        return
    tag = next((tag for kind, tag in _ELEMENTS if isinstance(value, kind)), "")
    yield from _written(tag or ("doc" if isinstance(value, Mapping) else "arr"), attribute, value)
