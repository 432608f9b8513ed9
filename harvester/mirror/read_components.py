"""Read the Components of a complex object from its document: DIDL (ISO/IEC 21000-2) or METS. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from lxml import etree

from gateway.core.addresses import is_address
from gateway.core.digests import digest, spelled
from gateway.core.errors import GatewayError, UnusableRecord, unforeseen
from gateway.core.xmlio import Element, children, name_of, parse, text_of
from gateway.core.xmltext import DC, DCTERMS, DIDL, DII, RDF, escape
from gateway.formats._stated import Describer, describers
from harvester.mirror.component import Component, decoded, extent, whole_number, with_premis, with_unread

START_PAGE = "info:eu-repo/semantics/humanStartPage"
METADATA = "info:eu-repo/semantics/descriptiveMetadata"
_SEMANTICS = "info:eu-repo/semantics/"


def components(document: bytes) -> tuple[Component, ...]:
    """Return the Components of a DIDL or METS document, in its order.

    Raise NotXml when it is not XML, UnusableRecord when it is another kind of document.
    """
    root = parse(document)
    reader = READERS.get(name_of(root))
    if reader is None:
        namespace, local = name_of(root)
        raise UnusableRecord(
            f"Its root element is not that of a DIDL or METS document: {local} of {namespace or 'nothing'}."
        )
    try:
        return tuple(reader(root))
    except GatewayError:
        raise
    except Exception as error:
        raise UnusableRecord(unforeseen(error)) from error


def files(components: Iterable[Component]) -> tuple[Component, ...]:
    """Return the Components that are mirrored as files, each location once: all except web pages for people.

    In a document with info:eu-repo types, a Component without a type is also a page, whatever its MIME type. Documents
    of the Dutch profile begin with such a link.
    """
    everything = tuple(components)
    is_typed = any(component.type.startswith(_SEMANTICS) for component in everything)
    kept: dict[object, Component] = {}
    for component in everything:
        if component.is_by_value or not _is_page(component, is_typed=is_typed):
            kept.setdefault(component.locations or (component.identifier, component.content or len(kept)), component)
    return tuple(kept.values())


def _is_page(component: Component, *, is_typed: bool) -> bool:
    if component.type:
        return component.type == START_PAGE
    return is_typed or "html" in component.mime_type.lower()


# --- MPEG-21 DIDL (ISO/IEC 21000-2) of any profile: all Components, at any depth of Containers and Items -------------
# The statements about a file are in the Descriptors of its Component (ours, LANL) or in its attributes (Koninklijke
# Bibliotheek). In the Dutch profile, they are in the Descriptors of an Item with this Component alone.

DIDL_NAMESPACES = (DIDL, "urn:mpeg:mpeg21:2002:01-DIDL-NS")

_MOST_RESOURCES = 100  # of one Component, which are the same bytes in several places
_BROKEN_LINE = re.compile(r"^\s+|\s{2,}|\s+$")  # the article itself breaks an address in two lines (Example 4)


def read_didl(root: Element) -> Iterator[Component]:
    """Return each Component of a DIDL that has content or a location."""
    alone: dict[Element, bool] = {}
    for element in root.iter("{*}Component"):
        component = _component(element, alone)
        if component.says_something:
            yield component


def _component(element: Element, alone: dict[Element, bool]) -> Component:
    component = Component()
    for resource in islice(_own(element, "Resource"), _MOST_RESOURCES):
        component = _with_resource(component, resource)
    for describer in describers(element, alone):
        component = _described(component, describer)
    return component


def _own(element: Element, local: str) -> Iterator[Element]:
    return (child for child in children(element) if name_of(child) == (name_of(element)[0], local))


def _with_resource(component: Component, resource: Element) -> Component:
    """Add one Resource. Several Resources of a Component are the same bytes at several locations."""
    mime_type = component.mime_type or (resource.get("mimeType") or "").strip()
    reference = _BROKEN_LINE.sub("", resource.get("ref") or "")
    if reference:
        return component._replace(mime_type=mime_type, locations=(*component.locations, reference))
    content = _content(resource)
    if content is not None and is_address(text := content.decode("utf-8", "replace").strip()):
        # DSpace in Utrecht writes the address of the page between the tags, where the bytes belong.
        return component._replace(mime_type=mime_type, locations=(*component.locations, text))
    if content is None:
        is_broken = component.content is None and bool(_text(resource).strip())
        return component._replace(mime_type=mime_type, is_broken=is_broken)
    is_markup = any(True for _ in children(resource))
    return component._replace(mime_type=mime_type, content=content, is_markup=is_markup)


def _content(resource: Element) -> bytes | None:
    """Return the bytes in a Resource, without comments; None when it has none."""
    if any(True for _ in children(resource)):
        return _markup(resource)
    text = _text(resource)
    if (resource.get("encoding") or "").lower() == "base64":
        return decoded(text)
    return text.encode() if text.strip() else None


def _text(holder: Element) -> str:
    """Return the text of an element unchanged, without comments and processing instructions."""
    return (holder.text or "") + "".join(child.tail or "" for child in holder)


def _markup(holder: Element) -> bytes:
    """Return the child elements of an element as bytes, with text that is not only white space."""
    parts = [_letters(holder.text)]
    for child in holder:
        if name_of(child)[1]:
            parts.append(etree.tostring(child, encoding="UTF-8", with_tail=False, xml_declaration=False))
        parts.append(_letters(child.tail))
    return b"".join(parts)


def _letters(text: str | None) -> bytes:
    return escape(text).encode() if text and text.strip() else b""


def _described(component: Component, describer: Describer) -> Component:
    """Add the statements of an element that no nearer element has."""
    own = Component(identifier=describer.element.get(f"{{{DC}}}identifier") or "")
    for statement in _statements(describer.element):
        own = _stated(own, statement)
    known = dict(component.digests)
    component = component._replace(
        size=own.size if component.size is None else component.size,
        digests=component.digests + tuple(digest for digest in own.digests if digest[0] not in known),
        computed=component.computed + tuple(name for name in own.computed if name not in known),
        unread=tuple(dict.fromkeys((*component.unread, *own.unread, *_contradicted(known, own)))),
    )
    if describer.is_of_work:
        return component
    return component._replace(
        identifier=component.identifier or own.identifier,
        type=component.type or own.type,
        modified=component.modified or own.modified,
    )


def _contradicted(known: Mapping[str, str], own: Component) -> Iterator[str]:
    """Return the digests that disagree with those of the nearest element, which count."""
    for algorithm, value in own.digests:
        if known.get(algorithm, value) != value and algorithm not in own.computed:
            yield f"{spelled(algorithm)} {value}, where {known[algorithm]} is stated nearer to the file"


def _statements(holder: Element) -> Iterator[Element]:
    for descriptor in _own(holder, "Descriptor"):
        yield from _own(descriptor, "Statement")


def _stated(component: Component, statement: Element) -> Component:
    if statement.get(f"{{{DC}}}type") == "role":  # Koninklijke Bibliotheek
        return component._replace(type=component.type or text_of(statement))
    for child in children(statement):
        namespace, local = name_of(child)
        if (namespace, local) == (DII, "Identifier"):
            component = component._replace(identifier=component.identifier or text_of(child))
        elif (namespace, local) == (DCTERMS, "modified"):
            component = component._replace(modified=component.modified or text_of(child))
        elif (namespace, local) == (DCTERMS, "extent"):
            component = component._replace(size=extent(text_of(child)) if component.size is None else component.size)
        elif "premis" in namespace:
            component = with_premis(component, child)
        else:
            component = component._replace(type=component.type or _type(child))
    return component


def _type(element: Element) -> str:
    """Return the semantic type of an element; the older Dutch profile calls it ObjectType."""
    if name_of(element)[1] == "ObjectType":
        return text_of(element)
    types = element.iter(f"{{{RDF}}}type")
    return next((type_.get(f"{{{RDF}}}resource") or text_of(type_) for type_ in types), "")


# --- METS 1 and 2: the files of fileSec, with the PREMIS in their administrative metadata -------------------------

METS_NAMESPACES = ("http://www.loc.gov/METS/", "http://www.loc.gov/METS/v2")

_MOST_SECTIONS = 100  # that one file points to
_HREF = "{http://www.w3.org/1999/xlink}href"


def read_mets(root: Element) -> Iterator[Component]:
    """Return each file of a METS document that has content or a location."""
    namespace = name_of(root)[0]
    sections = {element.get("ID"): element for element in root.iter(f"{{{namespace}}}*") if element.get("ID")}
    by_name: dict[str, Component | None] = {}
    for section in root.iterfind(f"{{{namespace}}}fileSec"):
        for file in section.iter(f"{{{namespace}}}file"):
            component = _file(file)
            if component.says_something:
                yield _administered(component, file, sections, by_name)


def _file(file: Element) -> Component:
    inside = {"FLocat": list[Element](), "FContent": list[Element]()}
    for child in children(file):
        inside.get(name_of(child)[1], []).append(child)
    contents = [_mets_content(section) for section in inside["FContent"]]
    component = Component(
        tuple(filter(None, map(_location, inside["FLocat"]))),
        next((content for content in contents if content is not None), None),
        file.get("MIMETYPE", ""),
        file.get("ID", ""),
        _use(file),
        whole_number(file.get("SIZE", "")),
        digest(file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", "")),
        file.get("CREATED", ""),
        is_markup=any(section.find("{*}xmlData") is not None for section in inside["FContent"]),
        is_broken=any(text_of(content) for content in inside["FContent"])
        and not any(content is not None for content in contents),
    )
    return with_unread(component, file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", ""))


def _location(location: Element) -> str:
    return (location.get(_HREF) or location.get("LOCREF") or "").strip()


def _use(file: Element) -> str:
    """Return the USE of a file, or that of the nearest fileGrp."""
    groups = file.iterancestors("{*}fileGrp")
    return next((use for group in (file, *groups) if (use := group.get("USE"))), "")


def _mets_content(holder: Element) -> bytes | None:
    for child in children(holder):
        if name_of(child)[1] == "binData":
            return decoded(text_of(child))
        if name_of(child)[1] == "xmlData":
            inside = children(child)
            return b"".join(etree.tostring(one, encoding="UTF-8", with_tail=False) for one in inside)
    return None


def _administered(
    component: Component, file: Element, sections: dict[str | None, Element], by_name: dict[str, Component | None]
) -> Component:
    """Add the PREMIS of the sections that the file refers to; `by_name` caches it by section."""
    names = dict.fromkeys(f"{file.get('ADMID', '')} {file.get('MDID', '')}".split())
    for name in islice(names, _MOST_SECTIONS):
        if name not in by_name:
            by_name[name] = _characteristics(sections.get(name))
        if (named := by_name[name]) is not None:
            component = component._replace(
                digests=tuple(dict.fromkeys(component.digests + named.digests)),
                computed=tuple(dict.fromkeys(component.computed + named.computed)),
                unread=tuple(dict.fromkeys(component.unread + named.unread)),
                size=named.size if component.size is None else component.size,
            )
    return component


def _characteristics(section: Element | None) -> Component | None:
    """Return the PREMIS of a section; None unless it describes exactly one file."""
    characteristics = [] if section is None else list(islice(section.iter("{*}objectCharacteristics"), 2))
    return with_premis(Component(), characteristics[0]) if len(characteristics) == 1 else None


READERS: Final[Mapping[tuple[str, str], Callable[[Element], Iterator[Component]]]] = {
    **{(namespace, "DIDL"): read_didl for namespace in DIDL_NAMESPACES},
    **{(namespace, "mets"): read_mets for namespace in METS_NAMESPACES},
}  # by namespace and name of the root
