"""MODS 3, all versions: read only (Library of Congress, Metadata Object Description Schema)."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.addresses import address, uri_of
from gateway.core.model import FileLink, Statement, Work
from gateway.core.xmlio import Element, name_of, text_of
from gateway.formats import MetadataFormat
from gateway.formats._file_links import UNKNOWN, file_type, type_named
from gateway.formats._statements import work_of

_MODS = "http://www.loc.gov/mods/v3"

# The paths of plain statements below the record, and their Dublin Core elements.
_PATHS = (
    ("creator", "name"),
    ("type", "typeOfResource"),
    ("type", "genre"),
    ("publisher", "originInfo/publisher"),
    ("date", "originInfo/dateIssued"),
    ("date", "originInfo/dateCreated"),
    ("language", "language/languageTerm"),
    ("format", "physicalDescription/internetMediaType"),
    ("description", "abstract"),
    ("description", "tableOfContents"),
    ("subject", "subject/topic"),
    ("subject", "classification"),
    ("coverage", "subject/geographic"),
    ("relation", "relatedItem/titleInfo/title"),
    ("identifier", "identifier"),
    ("rights", "accessCondition"),
)
_PREFIXES = {"doi": "doi:", "hdl": "hdl:"}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one of a collection; None if there is none."""
    record = root if name_of(root)[1] == "mods" else root.find(f"{{{_MODS}}}mods")
    if record is None:
        return None
    titles = (Statement("title", title) for title_info in _all(record, "titleInfo") if (title := _title(title_info)))
    statements = [*titles, *_plain(record)]
    files, page = _locations(record)
    return work_of(tuple(statements), files, page)


def _all(element: Element, path: str) -> Iterator[Element]:
    yield from element.iterfind("/".join(f"{{{_MODS}}}{name}" for name in path.split("/")))


def _plain(record: Element) -> Iterator[Statement]:
    for element, path in _PATHS:
        for node in _all(record, path):
            text = _name(node) if path == "name" else text_of(node)
            if path == "identifier" and text[:3].lower() == "10.":
                text = "doi:" + text
            elif path == "identifier" and "/" in text and "://" not in text and node.get("type") in _PREFIXES:
                prefix = _PREFIXES[node.get("type", "")]
                text = text if text.lower().startswith(prefix) else prefix + text
            if text:
                yield Statement(element, text)


def _title(info: Element) -> str:
    parts = {name_of(element)[1]: text_of(element) for element in info.iterchildren() if name_of(element)[1]}
    title = " ".join(filter(None, (parts.get("nonSort"), parts.get("title"))))
    return f"{title}: {parts['subTitle']}" if title and parts.get("subTitle") else title


def _name(name: Element) -> str:
    """Return a name as `family, given`, or its display form if its parts are not distinguished."""
    parts = {part.get("type", ""): text for part in _all(name, "namePart") if (text := text_of(part))}
    parted = ", ".join(filter(None, (parts.get("family"), parts.get("given"))))
    whole = next((text_of(form) for form in _all(name, "displayForm")), "")
    return parted or parts.get("") or whole


def _locations(record: Element) -> tuple[tuple[FileLink, ...], str]:
    files, page = [], ""
    for element in _all(record, "location/url"):
        url = text_of(element)
        if not url.lower().startswith(("http://", "https://")):
            continue
        stated = UNKNOWN if element.get("access") == "raw object" else ""
        mime_type = "" if uri_of(url) else file_type(url) or stated
        if mime_type:
            files.append(FileLink(address(url), mime_type, found_in="mods:url"))
        else:
            page = page or address(url)
    types = {
        type_
        for element in _all(record, "physicalDescription/internetMediaType")
        if (type_ := type_named(text_of(element)))
    }
    if len(files) == 1 and len(types) == 1 and files[0].mime_type == UNKNOWN:
        files = [FileLink(files[0].url, types.pop(), found_in="mods:url")]
    return tuple(files), page


FORMAT = MetadataFormat(namespaces=(_MODS,), rank=40, read=read, schemas=("http://www.loc.gov/standards/mods/",))
