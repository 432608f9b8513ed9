"""METS 1 and 2: the files of fileSec, with the PREMIS that their administrative metadata hold. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from lxml import etree

from gateway.digests import digest
from gateway.xmlio import Element, children, name_of, text_of
from harvester.mirror.components import Component, decoded, whole_number, with_premis, with_unread

NAMESPACES = ("http://www.loc.gov/METS/", "http://www.loc.gov/METS/v2")

_MOST_SECTIONS = 100  # that one file points to
_HREF = "{http://www.w3.org/1999/xlink}href"


def read(root: Element) -> Iterator[Component]:
    """Return every file of a METS document that holds or names something."""
    namespace = name_of(root)[0]
    sections = {each.get("ID"): each for each in root.iter(f"{{{namespace}}}*") if each.get("ID")}
    said: dict[str, Component | None] = {}
    for section in root.iterfind(f"{{{namespace}}}fileSec"):
        for file in section.iter(f"{{{namespace}}}file"):
            component = _file(file)
            if component.says_something:
                yield _administered(component, file, sections, said)


def _file(file: Element) -> Component:
    inside = {"FLocat": list[Element](), "FContent": list[Element]()}
    for each in children(file):
        inside.get(name_of(each)[1], []).append(each)
    contents = [_content(each) for each in inside["FContent"]]
    component = Component(
        tuple(filter(None, map(_location, inside["FLocat"]))),
        next((each for each in contents if each is not None), None),
        file.get("MIMETYPE", ""),
        file.get("ID", ""),
        _use(file),
        whole_number(file.get("SIZE", "")),
        digest(file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", "")),
        file.get("CREATED", ""),
        is_markup=any(each.find("{*}xmlData") is not None for each in inside["FContent"]),
        is_broken=any(text_of(each) for each in inside["FContent"]) and not any(each is not None for each in contents),
    )
    return with_unread(component, file.get("CHECKSUMTYPE", ""), file.get("CHECKSUM", ""))


def _location(location: Element) -> str:
    return (location.get(_HREF) or location.get("LOCREF") or "").strip()


def _use(file: Element) -> str:
    """Return what the file is for: its own USE, or that of the nearest group that has one."""
    groups = file.iterancestors("{*}fileGrp")
    return next((use for each in (file, *groups) if (use := each.get("USE"))), "")


def _content(holder: Element) -> bytes | None:
    for each in children(holder):
        if name_of(each)[1] == "binData":
            return decoded(text_of(each))
        if name_of(each)[1] == "xmlData":
            inside = children(each)
            return b"".join(etree.tostring(one, encoding="UTF-8", with_tail=False) for one in inside)
    return None


def _administered(
    component: Component, file: Element, sections: dict[str | None, Element], said: dict[str, Component | None]
) -> Component:
    """Add what the sections that the file points to say in PREMIS; `said` remembers it of each section."""
    names = dict.fromkeys(f"{file.get('ADMID', '')} {file.get('MDID', '')}".split())
    for name in islice(names, _MOST_SECTIONS):
        if name not in said:
            said[name] = _characteristics(sections.get(name))
        if (found := said[name]) is not None:
            component = component._replace(
                digests=tuple(dict.fromkeys(component.digests + found.digests)),
                computed=tuple(dict.fromkeys(component.computed + found.computed)),
                unread=tuple(dict.fromkeys(component.unread + found.unread)),
                size=found.size if component.size is None else component.size,
            )
    return component


def _characteristics(section: Element | None) -> Component | None:
    """Return what a section says in PREMIS; None unless it speaks of one file only."""
    found = [] if section is None else list(islice(section.iter("{*}objectCharacteristics"), 2))
    return with_premis(Component(), found[0]) if len(found) == 1 else None
