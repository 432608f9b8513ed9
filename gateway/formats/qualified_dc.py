"""Qualified Dublin Core in its several wrappers: read only (DCMI Metadata Terms §3; OLAC; the edm terms of DPLA).

The wrappers have no common schema. They share the elements of dc and dcterms, with the conventions of repositories:
lists in one element, divided by semicolons, and types of identifiers in attributes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.people import agent_of, parts_of_list, relator
from gateway.core.model import DateType, Relation, TitleType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DC, DCTERMS, XML, XSI
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing
from gateway.formats._statements import ELEMENTS, LEADING, work_of

_EDM = "http://www.europeana.eu/schemas/edm/"
_OLAC = "http://www.language-archives.org/OLAC/"
# The dates of the terms; a DSpace writes the date of accession as that of acceptance, so it comes late.
_DATES = {
    "issued": DateType.ISSUED, "date": DateType.ISSUED, "dateCopyrighted": DateType.COPYRIGHTED,
    "created": DateType.CREATED, "available": DateType.AVAILABLE, "dateAccepted": DateType.ACCEPTED,
    "dateSubmitted": DateType.SUBMITTED, "modified": DateType.OTHER, "valid": DateType.OTHER,
}  # fmt: skip
# Terms that name another work, or a part of this one: their addresses do not lead to this one.
_OF_OTHERS = frozenset((
    "conformsTo", "hasVersion", "isPartOf", "isReferencedBy", "isReplacedBy", "isRequiredBy", "isVersionOf",
    "references", "replaces", "requires", "hasPart", "tableOfContents", "provenance",
))  # fmt: skip
# What the terms refine (DCMI Metadata Terms §2), of those that can have links.
_REFINES = {
    "hasFormat": "relation",
    "isFormatOf": "relation",
    "license": "rights",
    "medium": "format",
    "extent": "format",
}
_KNOWN = frozenset((
    *ELEMENTS, *_DATES, *_OF_OTHERS, *_REFINES, "alternative", "abstract", "bibliographicCitation", "accessRights",
    "rightsHolder", "spatial", "temporal",
))  # fmt: skip
# Below these are works that the record cites, contains or belongs to.
_REFERENCES = frozenset((
    "ref-list", "references", "citation_list", "listBibl", "relatedItem", "relatedItems", "back", "bibliography",
    "citations", "citationList", "product", "related-article",
))  # fmt: skip
_NAMESPACES = (
    DCTERMS,
    DC,  # bare elements; ResourceSync names this profile (Z39.99 §14.5, Example 28)
    "http://worldcat.org/xmlschemas/qdc-1.0/",  # CONTENTdm, OCLC
    "http://dspace.org/qualifieddc/",  # DSpace
    "http://www.openarchives.org/OAI/2.0/oai_dcterms/",
    "http://www.bl.uk/namespaces/oai_dcq/",
    "http://www.openarchives.org/OAI/2.0/oai_qdc/",
    f"{_OLAC}1.1/",
    f"{_OLAC}1.0/",
)


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the dc and dcterms elements below any wrapper; None if there are none."""
    found = [(_BY_TAG[element.tag], element, text) for element in terms_below(root) if (text := text_of(element))]
    if not any(name in _KNOWN for name, _, _ in found):
        return None
    known = Describing("dcterms")
    for name, element, text in found:
        _ADDERS.get(name, _nothing)(known, name, element, text)
    _dates(found, known)
    return linked(known, ((_REFINES.get(name, name), text) for name, _, text in found if name not in _OF_OTHERS))


def linked(known: Describing, stated: Iterable[tuple[str, str]]) -> Work | None:
    """Return the Work with the links that plain statements (element, text) of Dublin Core have."""
    links = work_of((), leading=[(element, text) for element, text in stated if element in LEADING])
    known.license = known.license or links.license
    known.pages.append(links.landing_page) if links.landing_page else None
    known.files = [*known.files, *links.files]
    work = known.work()
    if work is None or not links.identifiers or work.identifiers:
        return work
    return work._replace(identifiers=links.identifiers)


def terms_below(root: Element) -> Iterator[Element]:
    """Yield the elements of dc, dcterms and edm that are not inside another one, nor in a list of references."""
    stack = [children(root)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
            continue
        if element.tag in _BY_TAG:
            yield element
        elif len(element) and name_of(element)[1] not in _REFERENCES:
            stack.append(children(element))


def _type(element: Element) -> str:
    """Return the scheme that an element states: `dcterms:URI`, `type="doi"`."""
    stated = element.get(f"{{{XSI}}}type") or element.get("type") or element.get("scheme") or ""
    return stated.rpartition(":")[2]


def _parts(text: str) -> list[str]:
    return list(filter(None, map(str.strip, text.split(";")))) if ";" in text else [text]


def _title(known: Describing, name: str, element: Element, text: str) -> None:
    known.title(text.rstrip("; "), TitleType.MAIN if name == "title" else TitleType.ALTERNATIVE, _language(element))


def _language(element: Element) -> str:
    return element.get(f"{{{XML}}}lang", "")


def _agent(known: Describing, name: str, element: Element, text: str) -> None:
    attributes = element.items()
    stated = next((str(value) for key, value in attributes if str(key).endswith(("}code", "role"))), "")
    role = relator(stated) if stated else "aut" if name == "creator" else "ctb"
    for part in parts_of_list(text):
        known.agent(agent_of(part, _language(element), role))


def _dates(found: list[tuple[str, Element, str]], known: Describing) -> None:
    plain = [text for name, _, text in found if name == "date"]
    stamped = sum(":" in text[-14:] for text in plain)
    for name, _, text in found:
        if name not in _DATES:
            continue
        type_ = _DATES[name]
        if name == "date" and ":" in text[-14:] and stamped < len(plain):
            type_ = DateType.OTHER  # of the repository
        elif "embargoend" in text[:60].lower():
            type_ = DateType.EMBARGO_END
        known.date(text, type_)
    refined = {text for name, _, text in found if name == "issued"}
    known.dates.sort(key=lambda date: date.text not in refined)


def _identifier(known: Describing, name: str, element: Element, text: str) -> None:
    type_ = _type(element).lower()
    if type_ in ("issn", "eissn"):
        known.host(issn=text)
    elif name == "bibliographicCitation" or type_ == "citation" or text.count(" ") > 3:  # noqa: PLR2004
        if host := host_of(text):
            known.host(**host._asdict())
        else:
            known.more("sources", text)
    else:
        known.identifier(text, type_)


def _source(known: Describing, name: str, element: Element, text: str) -> None:
    type_ = _type(element).lower()
    if type_ in ("issn", "eissn") or (len(text) < 40 and "issn" in text.lower()):  # noqa: PLR2004
        known.host(issn=text)
    elif host := host_of(text):
        known.host(**host._asdict())
    else:
        known.more("sources" if name == "source" else "relations", text)


def _relation(known: Describing, _name: str, element: Element, text: str) -> None:
    if "://" in text or text.lower().startswith(("doi:", "hdl:", "urn:")):
        known.identifier(text, _type(element), Relation.OTHER)
    else:
        known.more("relations", text)


def _listed(known: Describing, name: str, element: Element, text: str) -> None:
    for part in _parts(text):
        if name == "subject":
            known.subject(part, _language(element))
        elif name == "type":
            known.type(part)
        elif name == "language":
            known.language(part)
        else:
            known.more({"extent": "formats", "medium": "formats", "format": "formats"}.get(name, "places"), part)


def _plain(known: Describing, name: str, element: Element, text: str) -> None:
    if name == "publisher":
        known.publisher(text)
    elif name in ("rights", "accessRights"):
        known.rights(text)
    else:
        type_ = {"abstract": "abstract", "tableOfContents": "contents"}.get(name, "")
        known.description("".join(map(str, element.itertext())), type_, _language(element))


def _page(known: Describing, name: str, _element: Element, text: str) -> None:
    if name == "isShownAt":
        known.pages.insert(0, text)
    else:
        known.file(text)


def _licence_first(known: Describing, _name: str, _element: Element, text: str) -> None:
    known.license = ""  # a licence is more than a statement of rights
    before = known.all_rights
    known.all_rights = []
    known.rights(text)
    known.all_rights += [entry for entry in before if entry != text]


def _nothing(*_: object) -> None:
    pass


_ADDERS: Mapping[str, Callable[[Describing, str, Element, str], None]] = {
    **dict.fromkeys(("title", "alternative"), _title),
    **dict.fromkeys(("creator", "contributor"), _agent),
    **dict.fromkeys(("identifier", "bibliographicCitation"), _identifier),
    **dict.fromkeys(("source", "isPartOf"), _source),
    **dict.fromkeys(
        ("relation", "hasFormat", "isFormatOf", *sorted(_OF_OTHERS - {"isPartOf", "tableOfContents", "provenance"})),
        _relation,
    ),
    **dict.fromkeys(
        ("subject", "type", "language", "format", "extent", "medium", "coverage", "spatial", "temporal"), _listed
    ),
    **dict.fromkeys(("publisher", "rights", "accessRights", "description", "abstract", "tableOfContents"), _plain),
    "license": _licence_first,
    **dict.fromkeys(("isShownAt", "isShownBy"), _page),
}

_BY_TAG = {f"{{{namespace}}}{name}": name for namespace in (DC, DCTERMS) for name in _KNOWN} | {
    f"{{{_EDM}}}{name}": name for name in _ADDERS
}

FORMAT = MetadataFormat(
    namespaces=_NAMESPACES,
    rank=20,
    read=read,
    schemas=("http://dublincore.org/schemas/xmls/", "http://www.dublincore.org/schemas/xmls/"),
    roots=("qualifieddc",),
)
