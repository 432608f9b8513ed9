"""DataCite's metadata, kernel 2 to 4, bare or in the wrapper of its own OAI-PMH provider: read only."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.model import Statement, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import XML
from gateway.formats import MetadataFormat
from gateway.formats._statements import leading_of, work_of

_SCHEMA = "http://datacite.org/schema/"
_KERNELS = ("4", "4.0", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "3", "3.0", "3.1", "2", "2.0", "2.1", "2.2")
_WRAPPERS = ("http://schema.datacite.org/oai/oai-1.0/", "http://schema.datacite.org/oai/oai-1.1/")

# The paths of plain statements below the resource, and their Dublin Core elements. Links to other works are not used.
_PATHS = (
    ("title", ("titles", "title")),
    ("creator", ("creators", "creator", "creatorName")),
    ("contributor", ("contributors", "contributor", "contributorName")),
    ("publisher", ("publisher",)),
    ("date", ("publicationYear",)),
    ("date", ("dates", "date")),
    ("subject", ("subjects", "subject")),
    ("language", ("language",)),
    ("type", ("resourceType",)),
    ("format", ("formats", "format")),
    ("format", ("sizes", "size")),
    ("description", ("descriptions", "description")),
    ("coverage", ("geoLocations", "geoLocation", "geoLocationPlace")),
    ("identifier", ("identifier",)),
    ("identifier", ("alternateIdentifiers", "alternateIdentifier")),
    ("rights", ("rightsList", "rights")),
    ("rights", ("rights",)),  # kernel 2
    ("title", ("title",)),  # OpenAIRE's copies of DataCite leave out what holds a list
    ("subject", ("subject",)),
    ("description", ("description",)),
    ("creator", ("creators", "creator", "creator", "creatorName")),  # ROHub
    ("relation", ("relatedIdentifiers", "relatedIdentifier")),
)
# Dates of the work itself; others are dates of its subject, or of its metadata.
_DATES = ("Issued", "Available", "Created", "Submitted", "Accepted", "Copyrighted", "Updated", "Valid")
_SCHEMES = {"DOI": "doi:", "Handle": "hdl:"}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a resource in any wrapper; None if there is none."""
    resource = root if name_of(root)[1] == "resource" else next(_resources(root), None)
    if resource is None:
        return None
    statements = tuple(_statements(resource))
    return work_of(
        statements, leading=leading_of(statement for statement in statements if statement.element != "relation")
    )


def _resources(root: Element) -> Iterator[Element]:
    return (element for element in root.iter("{*}resource") if name_of(element)[0].startswith(_SCHEMA))


def _statements(resource: Element) -> Iterator[Statement]:
    for element, path in _PATHS:
        for node in _below(resource, path):
            language = node.get(f"{{{XML}}}lang", "")
            yield from (Statement(element, text, language) for text in _texts(node, path[-1]) if text)


def _below(parent: Element, path: tuple[str, ...]) -> Iterator[Element]:
    """Yield the elements at a path of local names: real documents leave out the namespace of some parts."""
    for child in children(parent):
        if name_of(child)[1] == path[0]:
            if len(path) == 1:
                yield child
            else:
                yield from _below(child, path[1:])


def _texts(element: Element, name: str) -> tuple[str, ...]:
    """Return the texts of an element: mostly its text; for some elements, an attribute besides or instead of it."""
    text = text_of(element)
    if name == "resourceType":
        return tuple(dict.fromkeys((element.get("resourceTypeGeneral", ""), text)))
    if name == "rights":
        return tuple(dict.fromkeys((element.get("rightsURI", ""), text)))
    if name == "date":
        return (text,) if element.get("dateType", "Issued") in _DATES else ()
    kind = element.get(f"{name}Type", "")
    if kind in _SCHEMES and text and "://" not in text and not text.lower().startswith(_SCHEMES[kind]):
        return (_SCHEMES[kind] + text,)
    return (text,)


FORMAT = MetadataFormat(
    namespaces=(*(f"{_SCHEMA}kernel-{kernel}" for kernel in _KERNELS), *_WRAPPERS),
    rank=50,
    read=read,
    schemas=("http://schema.datacite.org/meta/",),
)
