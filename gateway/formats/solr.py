"""Documents of a Solr index: read only. The entry of the source names the fields; the default is the names of LARO.

LARO is the index of *Autoload: a pipeline for expanding the holdings of an Institutional Repository* (Code4Lib Journal
36, 2017, Listing 4). Documents of Solr have no namespace; the harvester gives them one.
"""

from collections.abc import Callable, Mapping

from gateway.core.addresses import address, uri_of
from gateway.core.bibliography.dates import date_of
from gateway.core.bibliography.hosts import host_of, year_in
from gateway.core.model import DateType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import SOLR
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing
from gateway.formats._file_links import file_type
from gateway.formats._tables import TABLES

LARO: Mapping[str, str] = TABLES["laro"]
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
    known = Describing("solr:url")
    for role, add in _ADDERS.items():
        for text in values.get(role, ()):
            add(known, text)
    if not date_of(known.dates)[1] and known.sources and (host := host_of(known.sources[0])):
        known.date(year_in(host))
    for text in values["url"]:
        _link(known, text)
    return known.work() or Work()


def _values(field: Element) -> list[str]:
    parts = list(children(field)) or [field]
    return [text for part in parts if (text := text_of(part))]


def _first(held: Mapping[str, list[str]], names: str) -> list[str]:
    return next((values for name in names.split() if (values := held.get(name))), [])


# --- statements ---------------------------------------------------------------------------------------------------


def _list(add: Callable[[Describing, str], None], known: Describing, text: str) -> None:
    """Add the parts of a list in one field, separated by semicolons, as the authors in LARO, perhaps shortened."""
    for part in filter(None, map(str.strip, text.split(";"))):
        add(known, part)


def _source(known: Describing, text: str) -> None:
    known.source(text, "")
    known.more("sources", text)


def _open(known: Describing, text: str) -> None:
    if text.lower() in ("true", "1", "yes"):
        known.rights("info:eu-repo/semantics/openAccess")


_ADDERS: Mapping[str, Callable[[Describing, str], None]] = {
    "title": Describing.title,
    "creator": lambda known, text: _list(Describing.name, known, text),
    "contributor": lambda known, text: _list(lambda known, name: known.name(name, "ctb"), known, text),
    "subject": lambda known, text: _list(Describing.subject, known, text),
    "description": lambda known, text: known.description(text, "abstract"),
    "publisher": Describing.publisher,
    "date": Describing.date,
    "type": Describing.type,
    "format": lambda known, text: known.more("formats", text),
    "source": _source,
    "journal": lambda known, text: known.host(title=text),
    "language": Describing.language,
    "relation": lambda known, text: known.more("relations", text),
    "coverage": lambda known, text: known.more("places", text),
    "doi": lambda known, text: known.identifier(text, "doi"),
    "identifier": Describing.identifier,
    "rights": Describing.rights,
    "openaccess": _open,
    "embargodate": lambda known, text: known.date(text[:10], DateType.EMBARGO_END),
}


# --- links --------------------------------------------------------------------------------------------------------


def _link(known: Describing, text: str) -> None:
    """Add a url: a file if its label or the address says that it is one, else the address of a page.

    In LARO, a label precedes the address of a full text: `URL Accepted Manuscript | http://…`.
    """
    parts = [part.strip() for part in text.split("|")]
    url = next((address(part) for part in parts if part.lower().startswith(("http://", "https://"))), "")
    label = next((part.removeprefix("URL").strip() for part in parts if part and address(part) != url), "")
    mime_type = file_type(url) if url else ""
    if uri_of(url) or (not mime_type and (not label or any(word in label.lower() for word in _ABOUT))):
        known.page(url)
    else:
        known.file(url, mime_type, version=label)


FORMAT = MetadataFormat(namespaces=(SOLR,), rank=15, read=read, read_by=read_by)
