"""Read METS 1 and 2: the files of fileSec, with the PREMIS in their administrative metadata. Pure."""

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from gateway.core.digests import digest
from gateway.core.xmlio import Element, children, name_of, text_of
from harvester.mirror.component import Component, decoded, whole_number, with_premis, with_unread

NAMESPACES = ("http://www.loc.gov/METS/", "http://www.loc.gov/METS/v2")

_MOST_SECTIONS = 100  # that one file points to
_HREF = "{http://www.w3.org/1999/xlink}href"


def read(root: Element) -> Iterator[Component]:
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
    contents = [_content(section) for section in inside["FContent"]]
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


def _content(holder: Element) -> bytes | None:
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
