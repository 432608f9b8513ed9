"""MARCXML: read only (MARC 21 Format for Bibliographic Data, Library of Congress)."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.addresses import address, uri_of
from gateway.core.model import FileLink, Statement, Work
from gateway.core.xmlio import Element, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._file_links import EXTENSIONS, file_type, type_named
from gateway.formats._statements import work_of

_MARC = "http://www.loc.gov/MARC21/slim"

# The fields and subfields that make a statement, and how subfields are joined.
_FIELDS = {
    "100": ("creator", "abcd"),
    "110": ("creator", "ab"),
    "111": ("creator", "acd"),
    "700": ("contributor", "abcd"),
    "710": ("contributor", "ab"),
    "245": ("title", "abnp"),
    "246": ("title", "ab"),
    "260": ("publisher", "b"),
    "264": ("publisher", "b"),
    "300": ("format", "a"),
    "520": ("description", "ab"),
    "500": ("description", "a"),
    "540": ("rights", "au"),
    "650": ("subject", "axyz"),
    "653": ("subject", "a"),
    "655": ("type", "a"),
    "041": ("language", "a"),
    "020": ("identifier", "a"),
    "022": ("identifier", "a"),
    "024": ("identifier", "a"),
    "773": ("relation", "tg"),
}
_DATES = ("260", "264")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one of a collection; None if there is none."""
    record = root if name_of(root)[1] == "record" else root.find(f"{{{_MARC}}}record")
    if record is None:
        return None
    fields = [(element.get("tag", ""), element) for element in record.iterfind(f"{{{_MARC}}}datafield")]
    statements = tuple(statement for tag, field in fields for statement in _statements(tag, field))
    files, page = _locations([field for tag, field in fields if tag == "856"])
    return work_of(statements, files, page)


def _subfields(field: Element, codes: str) -> Iterator[str]:
    for element in field.iterfind(f"{{{_MARC}}}subfield"):
        if element.get("code", "-") in codes and (text := text_of(element)):
            yield text


def _statements(tag: str, field: Element) -> Iterator[Statement]:
    if tag in _DATES and (date := " ".join(_subfields(field, "c"))):
        yield Statement("date", date.strip(" .,;[]"))
    if tag not in _FIELDS:
        return
    element, codes = _FIELDS[tag]
    text = " ".join(_subfields(field, codes)).rstrip(" /:;,")
    if tag == "024" and text.startswith("10."):  # the source of the number stands in $2, its form is enough
        text = f"doi:{text}"
    if text:
        yield Statement(element, text)


def _stated(field: Element) -> str:
    """Return the MIME type in field 856: $q has it, or $3, which describes the material, sometimes as a word."""
    named = (type_ for text in _subfields(field, "q") if (type_ := type_named(text)))
    shown = (type_ for text in _subfields(field, "3") if (type_ := EXTENSIONS.get(text.lower(), "")))
    return next(named, "") or next(shown, "")


def _locations(fields: list[Element]) -> tuple[tuple[FileLink, ...], str]:
    """Return the files and the landing page in field 856; addresses of related resources are neither."""
    files, page = [], ""
    for field in fields:
        if field.get("ind2") == "2":
            continue
        stated = _stated(field)
        for url in _subfields(field, "u"):
            if not url.lower().startswith(("http://", "https://")):
                continue
            mime_type = "" if uri_of(url) else file_type(url) or stated
            if mime_type:
                files.append(FileLink(address(url), mime_type, found_in="marc:856"))
            else:
                page = page or address(url)
    return tuple(files), page


FORMAT = MetadataFormat(namespaces=(_MARC,), rank=30, read=read, schemas=("http://www.loc.gov/standards/marcxml/",))
