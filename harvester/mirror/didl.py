"""Read MPEG-21 DIDL (ISO/IEC 21000-2) of any profile: all Components, at any depth of Containers and Items. Pure.

The statements about a file are in the Descriptors of its Component (ours, LANL) or in its attributes (Koninklijke
Bibliotheek). In the Dutch profile, they are in the Descriptors of an Item with this Component alone.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from lxml import etree

from gateway.core.addresses import is_address
from gateway.core.digests import spelled
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DC, DCTERMS, DIDL, DII, RDF, escape
from gateway.formats._stated import Describer, describers
from harvester.mirror.component import Component, decoded, extent, with_premis

NAMESPACES = (DIDL, "urn:mpeg:mpeg21:2002:01-DIDL-NS")

_MOST_RESOURCES = 100  # of one Component, which are the same bytes in several places
_BROKEN_LINE = re.compile(r"^\s+|\s{2,}|\s+$")  # the article itself breaks an address in two lines (Example 4)


def read(root: Element) -> Iterator[Component]:
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
