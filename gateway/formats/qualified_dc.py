"""Qualified Dublin Core in its several wrappers: read only. Each refinement counts as the element that it refines.

The wrappers have no common schema. They share the elements of dc and dcterms (DCMI Metadata Terms).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gateway.core.model import Statement, Work
from gateway.core.xmlio import Element, children, name_of, outermost, text_of
from gateway.core.xmltext import DC, DCTERMS, XML
from gateway.formats import MetadataFormat
from gateway.formats._statements import ELEMENTS, leading_of, work_of

# The element that each term refines (DCMI Metadata Terms, section 2).
_REFINES: Mapping[str, str] = {
    **dict.fromkeys(("alternative",), "title"),
    **dict.fromkeys(("abstract", "tableOfContents"), "description"),
    **dict.fromkeys(
        ("available", "created", "dateAccepted", "dateCopyrighted", "dateSubmitted", "issued", "modified", "valid"),
        "date",
    ),
    **dict.fromkeys(("extent", "medium"), "format"),
    **dict.fromkeys(("bibliographicCitation",), "identifier"),
    **dict.fromkeys(
        (
            "conformsTo",
            "hasFormat",
            "hasPart",
            "hasVersion",
            "isFormatOf",
            "isPartOf",
            "isReferencedBy",
            "isReplacedBy",
            "isRequiredBy",
            "isVersionOf",
            "references",
            "replaces",
            "requires",
        ),
        "relation",
    ),
    **dict.fromkeys(("accessRights", "license"), "rights"),
    **dict.fromkeys(("spatial", "temporal"), "coverage"),
    **{name: name for name in ELEMENTS},
}
# Terms that name another work: their addresses do not lead to this one.
_OF_OTHERS = frozenset(
    ("conformsTo", "hasVersion", "isPartOf", "isReferencedBy", "isReplacedBy", "isRequiredBy", "isVersionOf",
     "references", "replaces", "requires")
)  # fmt: skip
_NAMESPACES = (
    DCTERMS,
    DC,  # bare elements; ResourceSync names this profile (Z39.99 §14.5, Example 28)
    "http://worldcat.org/xmlschemas/qdc-1.0/",  # CONTENTdm, OCLC
    "http://dspace.org/qualifieddc/",  # DSpace
    "http://www.openarchives.org/OAI/2.0/oai_dcterms/",
    "http://www.bl.uk/namespaces/oai_dcq/",
    "http://www.openarchives.org/OAI/2.0/oai_qdc/",
    "http://www.language-archives.org/OLAC/1.1/",
    "http://www.language-archives.org/OLAC/1.0/",
)


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the dc and dcterms elements below any wrapper; None if there are none."""
    statements = tuple(_statements(root))
    leading = leading_of(statement for name, statement in statements if name not in _OF_OTHERS)
    return work_of(tuple(statement for _, statement in statements), leading=leading) if statements else None


def _statements(root: Element) -> Iterator[tuple[str, Statement]]:
    """Yield each term with its statement."""
    for element in (element for part in children(root) for element in outermost(part, (DC, DCTERMS), _REFINES)):
        name = name_of(element)[1]
        if text := text_of(element):
            yield name, Statement(_REFINES[name], text, element.get(f"{{{XML}}}lang", ""))


FORMAT = MetadataFormat(
    namespaces=_NAMESPACES,
    rank=20,
    read=read,
    schemas=("http://dublincore.org/schemas/xmls/", "http://www.dublincore.org/schemas/xmls/"),
)
