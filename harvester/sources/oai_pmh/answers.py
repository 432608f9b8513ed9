"""Parsers for the answers of an OAI-PMH repository, 2.0 or 1.x: bytes in, values out. Nothing is fetched.

Every function takes the body and its Content-Type. It raises NotXml or NotOaiPmh when the body is no whole OAI-PMH
answer. `repairs` says what was repaired or passed over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from lxml import etree

from gateway.core.errors import NotOaiPmh, RemoteError
from gateway.core.model import Format, SetDescription, Slice
from gateway.core.xmltext import OAI_PMH, escape_attribute
from harvester.xml.document import LIFTED as _LIFTED
from harvester.xml.document import Document, read, read_list
from harvester.xml.slices import LIST_VERBS, lists_of, local, named, text_of

_QUOTED = 40  # characters of a foreign name


class ResumptionToken(NamedTuple):
    """A resumptionToken (OAI-PMH 2.0 §3.5). An empty `text` ends the list; None: not given, or no number.

    `is_blank`: it was not empty, but white space.
    """

    text: str
    cursor: int | None = None
    complete_list_size: int | None = None
    expiration_date: str = ""
    is_blank: bool = False


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """An answer to ListRecords, ListIdentifiers or GetRecord. `verb` is empty when there are only errors.

    An answer of `version` 1.x has the same values as one of 2.0; headers have no sets, identifiers no dates.

    The offsets of the slices are bytes of `repaired or body`. `errors` are (code, sentence) pairs. `losses` are
    those repairs that lost something of what is used. `unknown` names what an answer without a token has around its
    records and the protocol does not have; it may be a token.
    """

    verb: str
    response_date: str
    errors: tuple[tuple[str, str], ...]
    slices: tuple[Slice, ...]
    token: ResumptionToken | None
    repaired: bytes = b""
    repairs: tuple[str, ...] = ()
    version: str = "2.0"
    losses: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def is_strange_end(self, *, is_continued: bool) -> bool:
        """Return whether the standard has no such end of a list; `is_continued`: this answers a token (§3.5).

        It has something unknown where a token may be, or white space for a token, or no token element behind pages with
        tokens. OAI-PMH 1.x ends its lists without an element.
        """
        if self.token is not None and not self.unknown:
            return self.token.is_blank
        return bool(self.unknown) or (is_continued and not self.version.startswith("1"))


@dataclass(frozen=True, slots=True)
class IdentifyAnswer:
    """An answer to Identify (OAI-PMH 2.0 §4.2), the fields that are used, as written; empty when missing.

    `descriptions` are the contents of the description containers, each standing alone.
    """

    response_date: str
    repository_name: str
    base_url: str
    protocol_version: str
    earliest_datestamp: str
    deleted_record: str
    granularity: str
    compressions: tuple[str, ...]
    descriptions: tuple[bytes, ...]
    repairs: tuple[str, ...] = ()


class FormatsAnswer(NamedTuple):
    """An answer to ListMetadataFormats (OAI-PMH 2.0 §4.4)."""

    response_date: str
    formats: tuple[Format, ...]
    repairs: tuple[str, ...] = ()


class SetsAnswer(NamedTuple):
    """A page of ListSets (OAI-PMH 2.0 §4.6)."""

    response_date: str
    sets: tuple[SetDescription, ...]
    token: ResumptionToken | None
    repairs: tuple[str, ...] = ()


def parse_list(body: bytes, content_type: str = "") -> ListAnswer:
    """Read ListRecords, ListIdentifiers or GetRecord. OAI errors are returned, not raised.

    Raise NotXml or NotOaiPmh if the answer cannot be read, AnswerTooLarge if it would take too much memory.
    """
    document, slices = read_list(body, content_type)
    verbs = lists_of(document.root)
    # A source that fails in the middle of a list writes the error there.
    errors = tuple(error for parent in (document.root, *verbs) for error in _errors(parent))
    if not verbs and not errors:
        raise _unexpected(document.root, "a list of records")
    if verbs and not slices and next(document.root.iter("{*}record", "{*}header"), None) is not None:
        raise NotOaiPmh("The answer has records, but not where OAI-PMH 2.0 has them: in ListRecords.")
    token = _token(document.root, verbs)
    return ListAnswer(
        local(verbs[0]) if verbs else "",
        _first(document.root, "responseDate"),
        errors,
        slices,
        token,
        document.repaired,
        document.repairs,
        document.version,
        document.losses,
        () if token and token.text else tuple(_unknown(document.root, verbs)),
    )


def parse_records(records: bytes, scope: Mapping[str, str], at: int = 0) -> ListAnswer:
    """Read records that stand outside of an answer, where `scope` has the namespaces declared around them.

    Without repairs, the offsets of the slices are those of `records`, plus `at`. Raise the errors of `parse_list`.
    """
    opening = opening_of(scope) + b"<oai-pmh:ListRecords>"
    answer = parse_list(opening + records + b"</oai-pmh:ListRecords></oai-pmh:OAI-PMH>")
    if answer.repaired:
        return answer
    slices = tuple(_moved(record, at - len(opening)) for record in answer.slices)
    return replace(answer, slices=slices, repairs=())


def is_in(set_spec: str, record: Slice) -> bool:
    """Return whether a record may be in a set: it names the set, or one below it, or none at all."""
    return not record.sets or any(f"{spec}:".startswith(f"{set_spec}:") for spec in record.sets)


def opening_of(scope: Mapping[str, str]) -> bytes:
    """Return the start tag of an answer that declares these namespaces."""
    declared = {**scope, "oai-pmh": OAI_PMH}
    names = "".join(f' xmlns{":" * bool(prefix)}{prefix}="{escape_attribute(uri)}"' for prefix, uri in declared.items())
    return f"<oai-pmh:OAI-PMH{names}>".encode()


def _moved(slice_: Slice, by: int) -> Slice:
    if slice_.start == slice_.stop:
        return slice_
    abouts = tuple((start + by, stop + by) for start, stop in slice_.abouts)
    return slice_._replace(start=slice_.start + by, stop=slice_.stop + by, abouts=abouts)


def parse_identify(body: bytes, content_type: str = "") -> IdentifyAnswer:
    """Read Identify. `repairs` says when the source speaks OAI-PMH 1.x.

    Raise RemoteError for OAI errors, and the errors of `parse_list`.
    """
    document, identify = _verb(body, content_type, "Identify")
    older = () if document.version == "2.0" else (f"The source speaks OAI-PMH {document.version}.",)
    return IdentifyAnswer(
        _first(document.root, "responseDate"),
        _first(identify, "repositoryName"),
        _first(identify, "baseURL"),
        _first(identify, "protocolVersion"),
        _first(identify, "earliestDatestamp"),
        _first(identify, "deletedRecord"),
        _first(identify, "granularity"),
        _all(identify, "compression"),
        tuple(content for element in named(identify, "description") for content in _contents(element)),
        (*document.repairs, *older),
    )


def parse_formats(body: bytes, content_type: str = "") -> FormatsAnswer:
    """Read ListMetadataFormats. `repairs` counts formats without a prefix.

    Raise RemoteError for OAI errors, and the errors of `parse_list`.
    """
    document, listed = _verb(body, content_type, "ListMetadataFormats")
    formats = [
        Format(_first(element, "metadataPrefix"), _first(element, "schema"), _first(element, "metadataNamespace"))
        for element in named(listed, "metadataFormat")
    ]
    kept = tuple(format_ for format_ in formats if format_.metadata_prefix)
    return FormatsAnswer(
        _first(document.root, "responseDate"), kept, _remarks(document, "formats", len(formats) - len(kept))
    )


def parse_sets(body: bytes, content_type: str = "") -> SetsAnswer:
    """Read a page of ListSets. `repairs` counts sets without a setSpec.

    Raise RemoteError for OAI errors, and the errors of `parse_list`.
    """
    document, listed = _verb(body, content_type, "ListSets")
    sets = [
        SetDescription(
            _first(element, "setSpec"),
            _first(element, "setName"),
            b"".join(content for part in named(element, "setDescription") for content in _contents(part)),
        )
        for element in named(listed, "set")
    ]
    kept = tuple(set_ for set_ in sets if set_.spec)
    remark = _remarks(document, "sets", len(sets) - len(kept))
    return SetsAnswer(_first(document.root, "responseDate"), kept, _token(document.root, [listed]), remark)


def _verb(body: bytes, content_type: str, verb: str) -> tuple[Document, etree._Element]:
    document = read(body, content_type)
    elements = named(document.root, verb)
    if elements:
        return document, elements[0]
    errors = _errors(document.root)
    if errors:
        raise RemoteError(errors)
    raise _unexpected(document.root, verb)


def _unexpected(root: etree._Element, wanted: str) -> NotOaiPmh:
    holds = ", ".join(filter(None, map(local, root))) or "nothing"
    return NotOaiPmh(f"The answer is OAI-PMH but not {wanted}; it holds {holds[:200]}.")


def _remarks(document: Document, elements: str, count: int) -> tuple[str, ...]:
    more = (f"Some {elements} have no name and were passed over: {count}.",) if count else ()
    return (*document.repairs, *more)


def _errors(root: etree._Element) -> tuple[tuple[str, str], ...]:
    return tuple(
        ((element.get("code") or "").strip() or "unknown", text_of(element)) for element in named(root, "error")
    )


def _first(parent: etree._Element, name: str) -> str:
    return next(iter(_all(parent, name)), "")


def _all(parent: etree._Element, name: str) -> tuple[str, ...]:
    return tuple(filter(None, map(text_of, named(parent, name))))


def _contents(container: etree._Element) -> list[bytes]:
    """Return the elements in a container, each with all namespace declarations that apply to it."""
    return [
        etree.tostring(child, encoding="utf-8", with_tail=False) for child in container if isinstance(child.tag, str)
    ]


def _token(root: etree._Element, verbs: list[etree._Element]) -> ResumptionToken | None:
    """Return the last token of the answer; some servers put it beside the list instead of into it."""
    tokens = _tokens(root, verbs)
    if not tokens:
        return None
    token = tokens[-1]
    text = text_of(token)
    return ResumptionToken(
        text,
        _number(token.get("cursor")),
        _number(token.get("completeListSize")),
        (token.get("expirationDate") or "").strip(),
        is_blank=not text and bool(token.text),
    )


def _tokens(root: etree._Element, verbs: list[etree._Element]) -> list[etree._Element]:
    return [child for parent in (root, *verbs) for child in parent if _is_token(child)]


def _is_token(element: etree._Element) -> bool:
    """Return whether an element is a resumptionToken, however its name is written."""
    return re.sub("[_.-]", "", local(element)).lower() == "resumptiontoken"


_IN_LISTS = ("record", "header", "identifier", "error", *_LIFTED)
_IN_ROOT = (*_LIFTED, "request", "error", "Identify", "ListMetadataFormats", "ListSets", *LIST_VERBS)
_OF_TOKENS = ("cursor", "completeListSize", "expirationDate")


def _unknown(root: etree._Element, verbs: list[etree._Element]) -> Iterator[str]:
    """Yield the names of elements and attributes around the records that the protocol does not have, and any text."""
    for parent, known in ((root, _IN_ROOT), *((verb, _IN_LISTS) for verb in verbs)):
        children = [child for child in parent if local(child) and not _is_token(child)]
        yield from (f"<{local(child)[:_QUOTED]}>" for child in children if local(child) not in known)
    for element, names in (*((verb, ()) for verb in verbs), *((token, _OF_TOKENS) for token in _tokens(root, verbs))):
        yield from (f"{name[:_QUOTED]}=" for name in map(str, element.attrib) if name[0] != "{" and name not in names)
    if any((text or "").strip() for verb in verbs for text in (verb.text, *(child.tail for child in verb))):
        yield "text"


_MOST_DIGITS = 15  # of a plausible number


def _number(text: str | None) -> int | None:
    stripped = (text or "").strip()
    return int(stripped) if stripped.isascii() and stripped.isdigit() and len(stripped) <= _MOST_DIGITS else None
