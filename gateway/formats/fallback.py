"""Reads all other formats: Dublin Core elements anywhere in a payload, else elements with well-known names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gateway.core.model import Statement, Work
from gateway.core.xmlio import Element, children, name_of, outermost, text_of
from gateway.core.xmltext import DC, XML
from gateway.formats import MetadataFormat
from gateway.formats._statements import ELEMENTS, work_of

# Local names that have the same meaning in many vocabularies.
_NAMES: Mapping[str, str] = {
    "title": "title",
    "maintitle": "title",
    "author": "creator",
    "creator": "creator",
    "date": "date",
    "year": "date",
    "publicationyear": "date",
    "abstract": "description",
    "description": "description",
    "doi": "identifier",
    "identifier": "identifier",
    "url": "identifier",
    "publisher": "publisher",
    "language": "language",
    "rights": "rights",
    "subject": "subject",
    "keyword": "subject",
    "keywords": "subject",
    "source": "source",
    "document_type": "type",
}
# Elements whose texts may be lists, as in LARO's records (Autoload, Listing 6), separated by ` ; `.
_LISTS = ("creator", "subject")
_MOST = 500  # statements: a payload may be a whole book


def read(root: Element, _content: bytes) -> Work:
    """Return the Work of any payload; it has no statements if no element of it is known."""
    statements = tuple(_dublin_core(root)) or tuple(_suggested(root))
    return work_of(tuple(dict.fromkeys(statements))[:_MOST])


def _dublin_core(root: Element) -> Iterator[Statement]:
    for node in outermost(root, (DC,), ELEMENTS):
        if text := text_of(node):
            yield Statement(name_of(node)[1], text, node.get(f"{{{XML}}}lang", ""))


def _suggested(root: Element) -> Iterator[Statement]:
    for element in root.iter("{*}*"):
        name = _NAMES.get(name_of(element)[1].lower())
        if name and next(children(element), None) is None and (text := text_of(element)):
            yield from (Statement(name, part, element.get(f"{{{XML}}}lang", "")) for part in _parts(name, text))


def _parts(name: str, text: str) -> list[str]:
    """Return the parts of a list; for people, without the affiliations after their names."""
    parts = [part.strip() for part in text.split(" ; ")] if name in _LISTS else [text]
    if name == "creator" and len(parts) > 1:
        parts = [part.partition(" (")[0] for part in parts]
    return [part for part in parts if part and part.lower() not in ("et al", "et al.")]


FORMAT = MetadataFormat(namespaces=(), rank=0, read=read)
