"""`xoai`: the metadata fields of DSpace (and of La Referencia) with the bundles of its files: read only.

Elements are nested: schema, element, qualifier, language. The depth differs: an element without a qualifier has its
language directly below it, and some programs leave out the language.
"""

import re
from collections.abc import Iterator

from gateway.core.digests import digest
from gateway.core.model import DateType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing
from gateway.formats.dim import add_field

_XOAI = "http://www.lyncode.com/xoai"
_SCHEMA, _ELEMENT = 1, 2
_LANGUAGE = re.compile(r"none|\*|[a-z]{2,3}(?:[_-][A-Za-z]{2,4})?")
_ORIGINAL = ("ORIGINAL", "CONTENT")
_NUMBER = re.compile(r"\d{1,15}")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record; None if it is none."""
    if name_of(root)[1] != "metadata":
        return None
    known = Describing("xoai:bitstream")
    for schema in _elements(root):
        name = schema.get("name") or ""
        if name == "bundles":
            _files(schema, known)
        elif name == "others":
            _others(schema, known)
        elif name not in ("repository", "license"):
            for path, text in _values(schema, (name,)):
                language = path[-1] if len(path) > _ELEMENT and _LANGUAGE.fullmatch(path[-1]) else ""
                fields = path[:-1] if language else path
                qualifier = fields[_ELEMENT] if len(fields) > _ELEMENT else ""
                add_field(
                    known, (fields[0], fields[_SCHEMA] if len(fields) > _SCHEMA else "", qualifier), text, language
                )
    return known.work()


def _elements(holder: Element) -> Iterator[Element]:
    return (child for child in children(holder) if name_of(child)[1] == "element")


def _fields(holder: Element) -> dict[str, str]:
    fields: dict[str, str] = {}
    for child in children(holder):
        if name_of(child)[1] == "field":
            fields.setdefault(child.get("name") or "", text_of(child))
    return fields


def _values(element: Element, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for child in children(element):
        kind, name = name_of(child)[1], child.get("name") or ""
        if kind == "element" and len(path) < 6:  # noqa: PLR2004 - deeper than any real one
            yield from _values(child, (*path, name))
        elif kind == "field" and name == "value":
            yield path, text_of(child)


def _others(holder: Element, known: Describing) -> None:
    fields = _fields(holder)
    if handle := fields.get("handle", ""):
        known.identifier(handle, "hdl")
    for element in _elements(holder):
        if element.get("name") == "access-status" and (date := _fields(element).get("embargo", "")):
            known.date(date, DateType.EMBARGO_END)


def _files(bundles: Element, known: Describing) -> None:
    """Add the files of the bundle ORIGINAL, in the order of their numbers; others were made of them or about them."""
    found: list[tuple[int, dict[str, str]]] = []
    for bundle in _elements(bundles):
        if _fields(bundle).get("name") not in _ORIGINAL:
            continue
        for bitstream in bundle.iterfind("{*}element/{*}element"):
            fields = _fields(bitstream)
            number = fields.get("sid", "")
            found.append((int(number) if _NUMBER.fullmatch(number) else len(found), fields))
    for _, fields in sorted(found, key=lambda entry: entry[0]):
        size = fields.get("size", "")
        known.file(
            fields.get("url", "").replace(" ", "%20"),
            fields.get("format", ""),
            int(size) if _NUMBER.fullmatch(size) else None,
            digests=digest(fields.get("checksumAlgorithm", ""), fields.get("checksum", "")),
        )


FORMAT = MetadataFormat(namespaces=(_XOAI,), rank=55, read=read)
