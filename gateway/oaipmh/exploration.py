"""Asks our own OAI-PMH for people: the answer of a verb, read back into values, so that its page shows what it says.

The same arguments give the same answer in XML at `/oai`, but for the number of records in a part of a list.
"""

from collections.abc import Callable
from dataclasses import replace

from gateway.core import xmlio
from gateway.core.errors import NotXml
from gateway.core.model import Description, FormatLine, OaiAnswer, SetDescription
from gateway.core.pieces import identity
from gateway.core.xmlio import Element, name_of, text_of
from gateway.oaipmh import verbs
from gateway.oaipmh.arguments import parse
from gateway.oaipmh.identity import Repository
from gateway.publish.descriptions import describe
from gateway.store.base import Store

_RECORDS, _SETS = 20, 100  # of one page
_MOST_IDENTIFY_BYTES = 200_000


def explorer(store: Store, repository: Repository) -> Callable[[bytes], OaiAnswer]:
    """Return the function that answers a query string for people. It may raise StoreError."""
    shown = replace(repository, page_size=_RECORDS, sets_page_size=_SETS)

    def explore(query: bytes) -> OaiAnswer:
        with store.view() as view:
            answer = verbs.answer(view, shown, parse(query))
        parts = [identity((part,)) for part in answer.parts]  # so small a page has a part for each record
        records = tuple(describe(part) for part in parts if part.startswith(b"<record"))
        shown_answer = read_answer(b"".join(part for part in parts if not part.startswith(b"<record")))
        return shown_answer._replace(records=records) if records else shown_answer

    return explore


def read_answer(body: bytes) -> OaiAnswer:
    """Return an answer of ours, without its records, as values; headers are records with nothing but a header."""
    root = xmlio.parse(body)
    answer = OaiAnswer(response_date=_text(root, "responseDate"))
    for element in xmlio.children(root):
        name = name_of(element)[1]
        if name == "error":
            answer = answer._replace(errors=(*answer.errors, (element.get("code") or "", text_of(element))))
        elif name not in ("responseDate", "request"):
            answer = _content(answer._replace(verb=name), element)
    return answer


def identify_facts(body: bytes) -> tuple[tuple[str, str], ...]:
    """Return the elements of an answer of a source to Identify; empty if it cannot be read or is very long."""
    if len(body) > _MOST_IDENTIFY_BYTES:
        return ()
    try:
        return read_answer(body).facts
    except (NotXml, ValueError):
        return ()


def _content(answer: OaiAnswer, content: Element) -> OaiAnswer:
    parts = list(xmlio.children(content))
    named = {name: [part for part in parts if name_of(part)[1] == name] for name in ("metadataFormat", "set", "header")}
    token = content.find("{*}resumptionToken")
    total = "" if token is None else token.get("completeListSize") or ""
    return answer._replace(
        facts=tuple(_facts(parts)) if answer.verb == "Identify" else (),
        formats=tuple(map(_format, named["metadataFormat"])),
        sets=tuple(map(_set, named["set"])),
        records=tuple(map(_header, named["header"])),
        token="" if token is None else text_of(token),
        total=int(total) if total.isdigit() else None,
        cursor=int((token.get("cursor") if token is not None else "") or 0),
    )


def _facts(parts: list[Element]) -> list[tuple[str, str]]:
    """Return the elements of Identify; a description is named after what it contains."""
    facts = []
    for part in parts:
        inner = next(xmlio.children(part), None)
        if inner is None:
            facts.append((name_of(part)[1], text_of(part)))
        else:
            leaves = (text_of(leaf) for leaf in inner.iter() if not len(leaf))
            facts.append((name_of(inner)[1], "\n".join(filter(None, leaves))))
    return facts


def _format(element: Element) -> FormatLine:
    return FormatLine(_text(element, "metadataPrefix"), _text(element, "schema"), _text(element, "metadataNamespace"))


def _set(element: Element) -> SetDescription:
    description = element.find("{*}setDescription")
    text = "" if description is None else text_of(description)
    return SetDescription(_text(element, "setSpec"), _text(element, "setName"), text.encode())


def _header(element: Element) -> Description:
    return Description(
        identifier=_text(element, "identifier"),
        datestamp=_text(element, "datestamp"),
        sets=tuple(text_of(part) for part in element.iterfind("{*}setSpec")),
        is_deleted=element.get("status") == "deleted",
    )


def _text(holder: Element, name: str) -> str:
    element = holder.find(f"{{*}}{name}")
    return "" if element is None else text_of(element)
