"""Documents with several records of one format: a MARCXML `collection`, `modsCollection`, a list in any root. Pure.

A document is cut if its root is no record itself, and its children, or those of one element in it, are records.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from gateway.core.xmlio import children, name_of, text_of
from harvester.xml.parsing import Broken, Element, outline

# The roots of records, by their local names. A `record` is one of MARC only with fields in it.
_RECORDS = frozenset((
    "TEI", "article", "codeBook", "dc", "dim", "doc", "doi_record", "ead", "entry", "lido", "mets", "mods", "oai_marc",
    "qualifieddc", "record", "resource", "rioxx", "thesis", "uketddc", "xMetaDiss", "crossref", "junii2", "jpcoar",
    "DIDL", "arXiv", "arXivRaw", "metadata", "eprint", "OAI-PMH", "RDF", "mycoreobject", "lom", "olac",
))  # fmt: skip
# Of these, one document may describe several, which cannot be cut: parts of them stand elsewhere in it.
_SEVERAL = frozenset(("ProvidedCHO", "journal_article", "conference_paper", "content_item", "stdyDscr", "teiHeader"))
_LEVELS = 4


class Place(NamedTuple):
    """One record in a document: its bytes, the namespaces around it, and a key that is its own in the document."""

    start: int
    stop: int
    declarations: tuple[tuple[str, str], ...]
    key: str


def cut_places(text: bytes, root: etree._Element) -> tuple[Place, ...]:
    """Return the records in a document; none if it is one record, or nothing that is known."""
    if _is_record(root):
        return ()
    try:
        top = outline(text, _LEVELS)
    except Broken:
        return ()
    level = [(root, top)]
    for _ in range(_LEVELS - 1):
        for holder, place in level:
            found = list(zip(children(holder), place.children, strict=False))
            records = [pair for pair in found if _is_record(pair[0])] or (found if _is_list(holder) else [])
            if records:
                return tuple(_places(holder, records))
        level = [pair for holder, place in level for pair in zip(children(holder), place.children, strict=False)]
    return ()


def _is_record(element: etree._Element) -> bool:
    name = name_of(element)[1]
    if name == "record":
        return any(name_of(child)[1] in ("leader", "datafield", "controlfield") for child in children(element))
    if name == "metadata":  # of xoai, or what holds a record
        return any(name_of(child)[1] == "element" for child in children(element))
    return name in _RECORDS and len(element) > 0


def _is_list(holder: etree._Element) -> bool:
    """Return whether all children have one name, and each has elements of its own: a list of an unknown format."""
    parts = list(children(holder))
    return len(parts) > 1 and len({part.tag for part in parts}) == 1 and all(len(part) > 1 for part in parts)


def _places(holder: etree._Element, records: list[tuple[etree._Element, Element]]) -> Iterator[Place]:
    declarations = tuple((prefix or "", uri) for prefix, uri in holder.nsmap.items())
    keys = [_key(element) for element, _ in records]
    times = Counter(keys)
    for number, ((_, place), key) in enumerate(zip(records, keys, strict=True), 1):
        yield Place(place.start, place.stop, declarations, key if key and times[key] == 1 else str(number))


def _key(element: etree._Element) -> str:
    """Return the identifier of a record in its own format: field 001, recordIdentifier, lidoRecID; else nothing."""
    for child in element.iter("{*}controlfield", "{*}recordIdentifier", "{*}lidoRecID", "{*}fixfield"):
        if name_of(child)[1] not in ("controlfield", "fixfield") or (child.get("tag") or child.get("id")) == "001":
            return text_of(child)[:200]
    return element.get("ID") or element.get("id") or ""


def doubt_of(root: etree._Element) -> str:
    """Return a sentence if a document that is read as one record may describe several works, else nothing."""
    counts = Counter(name for element in root.iter("{*}*") if (name := name_of(element)[1]) in _SEVERAL)
    name, most = max(counts.items(), key=lambda pair: pair[1], default=("", 0))
    if most < 2:  # noqa: PLR2004
        return ""
    return f"It has {most} elements {name}, and is read as one record. Divide it into one document for each work."
