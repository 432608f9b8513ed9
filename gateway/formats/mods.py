"""MODS 3, all versions: read only (Library of Congress, Metadata Object Description Schema)."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.addresses import address, uri_of
from gateway.formats import MetadataFormat
from gateway.formats._file_links import UNKNOWN, file_type, type_named
from gateway.formats._statements import work_of
from gateway.model import FileLink, Statement, Work
from gateway.xmlio import Element, name_of, text_of

_MODS = "http://www.loc.gov/mods/v3"

# Where plain statements stand, as paths below the record, and which element they become.
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
    """Read a record, or the first of a collection."""
    record = root if name_of(root)[1] == "mods" else root.find(f"{{{_MODS}}}mods")
    if record is None:
        return None
    titles = (Statement("title", title) for each in _all(record, "titleInfo") if (title := _title(each)))
    statements = [*titles, *_plain(record)]
    files, page = _locations(record)
    return work_of(tuple(statements), files, page)


def _all(element: Element, path: str) -> Iterator[Element]:
    yield from element.iterfind("/".join(f"{{{_MODS}}}{name}" for name in path.split("/")))


def _plain(record: Element) -> Iterator[Statement]:
    for element, path in _PATHS:
        for each in _all(record, path):
            text = _name(each) if path == "name" else text_of(each)
            if path == "identifier" and text[:3].lower() == "10.":
                text = "doi:" + text
            elif path == "identifier" and "/" in text and "://" not in text and each.get("type") in _PREFIXES:
                prefix = _PREFIXES[each.get("type", "")]
                text = text if text.lower().startswith(prefix) else prefix + text
            if text:
                yield Statement(element, text)


def _title(info: Element) -> str:
    parts = {name_of(each)[1]: text_of(each) for each in info.iterchildren() if name_of(each)[1]}
    title = " ".join(filter(None, (parts.get("nonSort"), parts.get("title"))))
    return f"{title}: {parts['subTitle']}" if title and parts.get("subTitle") else title


def _name(name: Element) -> str:
    """Return a name as `family, given`, or as it is displayed when its parts are not told apart."""
    parts = {each.get("type", ""): text for each in _all(name, "namePart") if (text := text_of(each))}
    parted = ", ".join(filter(None, (parts.get("family"), parts.get("given"))))
    whole = next((text_of(each) for each in _all(name, "displayForm")), "")
    return parted or parts.get("") or whole


def _locations(record: Element) -> tuple[tuple[FileLink, ...], str]:
    files, page = [], ""
    for each in _all(record, "location/url"):
        url = text_of(each)
        if not url.lower().startswith(("http://", "https://")):
            continue
        stated = UNKNOWN if each.get("access") == "raw object" else ""
        mime_type = "" if uri_of(url) else file_type(url) or stated
        if mime_type:
            files.append(FileLink(address(url), mime_type, found_in="mods:url"))
        else:
            page = page or address(url)
    types = {
        found for each in _all(record, "physicalDescription/internetMediaType") if (found := type_named(text_of(each)))
    }
    if len(files) == 1 and len(types) == 1 and files[0].mime_type == UNKNOWN:
        files = [FileLink(files[0].url, types.pop(), found_in="mods:url")]
    return tuple(files), page


FORMAT = MetadataFormat(namespaces=(_MODS,), rank=40, read=read, schemas=("http://www.loc.gov/standards/mods/",))
