"""Documents of a Solr index: read only. The entry of the source names the fields; the default is the names of LARO.

LARO is the index of *Autoload: a pipeline for expanding the holdings of an Institutional Repository* (Code4Lib Journal
36, 2017, Listing 4). Documents of Solr have no namespace; the harvester gives them one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gateway.core.addresses import address, uri_of
from gateway.core.model import FileLink, Statement, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import SOLR
from gateway.formats import MetadataFormat
from gateway.formats._file_links import UNKNOWN, file_type
from gateway.formats._statements import work_of

# The facts of a document, and the names of their fields; of several names, the first that the document has counts.
LARO: Mapping[str, str] = {
    "identifier": "recID",
    "timestamp": "timestamp",
    "title": "displayTitle title",
    "creator": "displayName author creator",
    "contributor": "contributor",
    "source": "displaySource source",
    "publisher": "publisher",
    "date": "date",
    "description": "abstract description",
    "subject": "subject keywords",
    "language": "language",
    "type": "type",
    "format": "format",
    "coverage": "coverage",
    "relation": "relation",
    "rights": "rights",
    "doi": "doi",
    "openaccess": "openaccess",
    "embargodate": "embargodate",
    "url": "url",
}
_AND_OTHERS = ("et al", "et al.")
_ABOUT = ("abstract", "catalog", "landing", "metadata", "publisher", "record")  # labels of links to no full text


def read(root: Element, content: bytes) -> Work | None:
    """Return the Work of a document with the fields of LARO; None if the root is not `doc`."""
    return read_by(root, content, {})


def read_by(root: Element, _content: bytes, fields: Mapping[str, str]) -> Work | None:
    """Return the Work of a document with these names of fields; names that are missing are those of LARO."""
    if name_of(root)[1] != "doc":
        return None
    held = {child.get("name", ""): _values(child) for child in children(root)}
    values = {role: _first(held, names) for role, names in {**LARO, **fields}.items()}
    statements = tuple(
        statement for role, write in _WRITERS.items() for text in values[role] for statement in write(role, text)
    )
    links = [_link(text) for text in values["url"]]
    files = tuple(link for link in links if isinstance(link, FileLink))
    page = next((link for link in links if isinstance(link, str) and link), "")
    return work_of(statements, files, page)


def _values(field: Element) -> list[str]:
    parts = list(children(field)) or [field]
    return [text for part in parts if (text := text_of(part))]


def _first(held: Mapping[str, list[str]], names: str) -> list[str]:
    return next((values for name in names.split() if (values := held.get(name))), [])


# --- statements ---------------------------------------------------------------------------------------------------


def _plain(role: str, text: str) -> Iterator[Statement]:
    yield Statement(role, text)


def _list(role: str, text: str) -> Iterator[Statement]:
    """Yield the parts of a list in one field, separated by semicolons, as the authors in LARO, perhaps shortened."""
    for part in text.split(";"):
        if (name := part.strip()) and name.lower() not in _AND_OTHERS:
            yield Statement(role, name)


def _doi(_role: str, text: str) -> Iterator[Statement]:
    yield Statement("identifier", f"doi:{text}" if text.startswith("10.") else text)


def _open(_role: str, text: str) -> Iterator[Statement]:
    if text.lower() in ("true", "1", "yes"):
        yield Statement("rights", "info:eu-repo/semantics/openAccess")


def _embargo(_role: str, text: str) -> Iterator[Statement]:
    yield Statement("date", f"info:eu-repo/date/embargoEnd/{text[:10]}")


_WRITERS: Mapping[str, Callable[[str, str], Iterator[Statement]]] = {
    "title": _plain,
    "creator": _list,
    "contributor": _list,
    "subject": _list,
    **dict.fromkeys(
        ("description", "publisher", "date", "type", "format", "source", "language", "relation", "coverage"), _plain
    ),
    "doi": _doi,
    "identifier": _plain,
    "rights": _plain,
    "openaccess": _open,
    "embargodate": _embargo,
}


# --- links --------------------------------------------------------------------------------------------------------


def _link(text: str) -> FileLink | str:
    """Return the file at a url if its label or the address says that it is one, else the address of a page.

    In LARO, a label precedes the address of a full text: `URL Accepted Manuscript | http://…`.
    """
    parts = [part.strip() for part in text.split("|")]
    url = next((address(part) for part in parts if part.lower().startswith(("http://", "https://"))), "")
    label = next((part.removeprefix("URL").strip() for part in parts if part and address(part) != url), "")
    mime_type = file_type(url) if url else ""
    if uri_of(url) or (not mime_type and (not label or any(word in label.lower() for word in _ABOUT))):
        return url
    return FileLink(url, mime_type or UNKNOWN, found_in="solr:url", version=label) if url else ""


FORMAT = MetadataFormat(namespaces=(SOLR,), rank=15, read=read, read_by=read_by)
