"""The `select` of a Solr index: its URLs (Solr Reference Guide, Common Query Parameters), and its answers. Pure.

Answers are XML or JSON (Response Writers). A document in XML is cut out of the answer. One in JSON is rewritten in the
XML form of Solr, in `repaired`, so that later readers need only one form.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from lxml import etree

from gateway.core.errors import NotSolr, NotXml, RemoteError
from gateway.core.xmlio import name_of
from gateway.core.xmltext import clean, escape, escape_attribute
from harvester.xml.decoding import decode, is_plain
from harvester.xml.parsing import Broken, outline, refuse_heavy_json, strict
from harvester.xml.repair import cleaned

_LEVELS = 3  # response, result, doc
_ITS_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_DIGITS = 15  # of a plausible number
_QUOTED = 200  # characters of a message in a sentence
_WHOLE = ("", "false")  # values of partialResults in a complete answer


class Document(NamedTuple):
    """One document: the values of the wanted fields, and its offsets in `repaired or body`."""

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
    """Return an answer with the values of the fields in `names`; None: of all fields.

    Raise RemoteError for an error of Solr, NotXml for an unreadable answer, AnswerTooLarge for one too large. Raise
    NotSolr for any other document or a partial answer (a shard is missing or too slow): its numFound is too small.
    """
    if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
        return _from_json(body, names)
    return _from_xml(body, content_type, names)


# --- Requests -----------------------------------------------------------------------------------------------------

# Arguments in copied URLs that the harvester sets itself.
_OURS = frozenset(("q", "fl", "sort", "rows", "start", "wt", "cursorMark", "indent", "_", "json.wrf"))


def select_url(address: str) -> str:
    """Return the URL of the index's `select`, from the URL of a core, of a handler, or of a copied query.

    Arguments that select documents (`fq`) or belong to the server stay.
    """
    parts = urlsplit(address.strip())
    path = parts.path.rstrip("/")
    own = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name not in _OURS]
    is_handler = bool(parts.query) or path.rpartition("/")[2] in ("select", "query")
    return urlunsplit((parts.scheme, parts.netloc, path if is_handler else f"{path}/select", urlencode(own), ""))


@dataclass(frozen=True, slots=True)
class Index:
    """One index: its `select`, the query for the wanted documents, and the names of their identifier and timestamp.

    The values of `set_fields` are the sets of a document.
    """

    select: str
    query: str
    identifier: str
    timestamp: str
    wt: str
    set_fields: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """The fields that are read when a document arrives."""
        return (self.identifier, self.timestamp, *self.set_fields)

    def url(self, *arguments: tuple[str, str | int]) -> str:
        """Return the URL of one query."""
        parts = urlsplit(self.select)
        asked = urlencode([("q", self.query), ("wt", self.wt), *arguments])
        return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, asked)))))

    def page(self, mark: str, rows: int, *, within: str = "", fields: str = "*") -> str:
        """Return the URL of the documents after a mark, by identifier (Solr Reference Guide, Pagination of Results)."""
        limits = (("fq", within),) if within else ()
        sort = ("sort", f"{self.identifier} asc")
        return self.url(*limits, sort, ("rows", rows), ("fl", fields), ("cursorMark", mark))

    def oldest(self) -> str:
        """Return the URL of the document with the oldest timestamp."""
        return self._extreme("asc", "")

    def newest(self, until: str = "") -> str:
        """Return the URL of the document with the newest timestamp, of all or of those until a time."""
        return self._extreme("desc", until)

    def _extreme(self, order: str, until: str) -> str:
        fields = f"{self.identifier},{self.timestamp}"
        within = self.between("", until)
        return self.url(("fq", within), ("sort", f"{self.timestamp} {order}"), ("rows", 1), ("fl", fields))

    def undated(self) -> str:
        """Return the URL for the number of documents without a timestamp."""
        return self.url(("fq", f"-{self.timestamp}:[* TO *]"), ("rows", 0))

    def one(self, identifier: str) -> str:
        """Return the URL of one document."""
        quoted = identifier.replace("\\", "\\\\").replace('"', '\\"')
        return self.url(("fq", f'{self.identifier}:"{quoted}"'), ("rows", 1), ("fl", "*"))

    def between(self, first: str, last: str) -> str:
        """Return the query for timestamps between two times, both included; an empty text is no limit."""
        return f"{self.timestamp}:[{first or '*'} TO {last or '*'}]"


# --- XML ----------------------------------------------------------------------------------------------------------


def _from_xml(body: bytes, content_type: str, names: Collection[str] | None) -> SolrAnswer:
    root, text, repairs = _tree(body, content_type)
    if root.tag != "response":
        raise NotSolr(f"The answer is not from Solr: its root is {name_of(root)[1]!r}.")
    _refuse_error(root)
    header = _named(root, "responseHeader")
    _refuse_part("" if header is None else "".join(_values(header, ("partialResults",)).get("partialResults", ())))
    result = next(iter(root.iterchildren("result")), None)
    if result is None:
        raise NotSolr("The answer of Solr has no result.")
    elements = list(result.iterchildren("doc"))
    documents = tuple(
        Document(_values(element, names), *place)
        for element, place in zip(elements, _places(text, len(elements)), strict=True)
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
    """Return the root, its UTF-8 text, and the repairs."""
    if is_plain(body):
        try:
            return strict(body), body, ()
        except etree.XMLSyntaxError:
            pass
    decoded, repairs, _ = decode(body, content_type)
    text, mendings = cleaned(_ITS_DECLARATION.sub("", decoded))
    mended = (_DECLARATION + text.strip()).encode()
    try:
        return strict(mended), mended, (*repairs, *mendings)
    except etree.XMLSyntaxError as error:
        shown = " ".join(decoded[:_QUOTED].split())
        raise NotXml(f"The answer is not XML: {error}. It begins with {shown!r}.") from error


def _refuse_error(root: etree._Element) -> None:
    error = _named(root, "error")
    if error is not None:
        code, message = _named(error, "code"), _named(error, "msg")
        raise _error(code.text if code is not None else "", message.text if message is not None else "")


def _named(parent: etree._Element, name: str) -> etree._Element | None:
    return next((element for element in parent.iterchildren() if element.get("name") == name), None)


def _refuse_part(message: str) -> None:
    if message.lower() not in _WHOLE:
        raise NotSolr("The answer of Solr is partial (partialResults): a shard is missing or too slow.")


def _error(code: object, message: object) -> RemoteError:
    return RemoteError(((str(code or "error"), " ".join(str(message or "").split())[:_QUOTED]),))


def _values(document: etree._Element, names: Collection[str] | None) -> dict[str, tuple[str, ...]]:
    values = {}
    for element in document.iterchildren(etree.Element):
        name = element.get("name", "")
        if names is None or name in names:
            parts = element if len(element) else (element,)
            values[name] = tuple([text for part in parts if (text := "".join(map(str, part.itertext())).strip())])
    return values


def _places(text: bytes, count: int) -> Iterable[tuple[int, int]]:
    """Return the offsets of the documents: by their tags where these are unambiguous, else by an outline."""
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
        result = next(child for child in outline(text, _LEVELS).children if child.name == "result")
    except Broken as error:
        raise NotXml(f"The answer is not XML: {error}.") from error
    return [(child.start, child.stop) for child in result.children if child.name == "doc"]


def _number(text: object) -> int:
    shown = str(text)
    if not (shown.isascii() and shown.isdigit() and len(shown) <= _MOST_DIGITS):
        raise NotSolr(f"The answer of Solr has the numFound {shown[:_QUOTED]!r}, which is not a number.")
    return int(shown)


# --- JSON ---------------------------------------------------------------------------------------------------------


def _from_json(body: bytes, names: Collection[str] | None) -> SolrAnswer:
    refuse_heavy_json(body)
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotXml(f"The answer is not JSON: {error}.") from error
    if isinstance(stated := answer.get("error"), Mapping):
        raise _error(stated.get("code"), stated.get("msg"))
    header = answer.get("responseHeader")
    _refuse_part(str(header.get("partialResults", "")) if isinstance(header, Mapping) else "")
    response = answer.get("response")
    if not isinstance(response, Mapping) or not isinstance(documents := response.get("docs"), list):
        raise NotSolr("The answer is JSON, but not an answer of Solr to `select`.")
    cut_documents, parts = [], [b"<result>\n"]
    place = len(parts[0])
    for document in documents:
        if not isinstance(document, Mapping):
            raise NotSolr("The answer of Solr has documents without fields.")
        try:
            written = "".join(_written("doc", "", document)).encode()
        except RecursionError as error:
            raise NotSolr("The answer of Solr has a document with fields nested too deep.") from error
        values = {name: _texts(value) for name, value in document.items() if names is None or name in names}
        cut_documents.append(Document(values, place, place + len(written)))
        parts += (written, b"\n")
        place += len(written) + 1
    mark = answer.get("nextCursorMark")
    return SolrAnswer(
        _number(response.get("numFound")),
        tuple(cut_documents),
        clean(mark) if isinstance(mark, str) else "",
        b"".join((*parts, b"</result>\n")),
    )


def _texts(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(text for value in values if value is not None and (text := _text(value).strip()))


def _text(value: object) -> str:
    return clean(json.dumps(value) if isinstance(value, bool) else str(value))


# The element that Solr writes in XML for each type of value.
_ELEMENTS: tuple[tuple[type, str], ...] = ((bool, "bool"), (int, "long"), (float, "double"), (str, "str"))


def _written(tag: str, attribute: str, value: object) -> Iterator[str]:
    """Return a value in the XML form of Solr, in pieces."""
    yield f"<{tag}{attribute}>"
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _field(f' name="{escape_attribute(clean(name))}"', inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _field("", inner)
    else:
        yield escape(_text(value))
    yield f"</{tag}>"


def _field(attribute: str, value: object) -> Iterator[str]:
    if value is None:
        return
    tag = next((tag for kind, tag in _ELEMENTS if isinstance(value, kind)), "")
    yield from _written(tag or ("doc" if isinstance(value, Mapping) else "arr"), attribute, value)
