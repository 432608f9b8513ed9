"""Qualified Dublin Core in its several wrappers: read only (DCMI Metadata Terms §3; OLAC; the edm terms of DPLA).

The wrappers have no common schema. They share the elements of dc and dcterms, with the conventions of repositories:
lists in one element, divided by semicolons, and types of identifiers in attributes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from gateway.core.bibliography.people import agent_of, parts_of_list, relator
from gateway.core.model import DateType, Relation, TitleType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import DC, DCTERMS, XML, XSI
from gateway.formats._describing import Describing
from gateway.formats._statements import ELEMENTS, LEADING, work_of
from gateway.formats._tables import TABLES, format_of

_TABLE = TABLES["qualified_dc"]
_EDM = "http://www.europeana.eu/schemas/edm/"
_DATES = {name: DateType(type_) for name, type_ in _TABLE["dates"].items()}
_OF_OTHERS, _REFERENCES = frozenset(_TABLE["of_others"]), frozenset(_TABLE["references"])
_KNOWN = frozenset((*ELEMENTS, *_DATES, *_OF_OTHERS, *_TABLE["elements"])) - {"isShownAt", "isShownBy"}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the dc and dcterms elements below any wrapper; None if there are none."""
    found = [(_BY_TAG[element.tag], element, text) for element in terms_below(root) if (text := text_of(element))]
    if not any(name in _KNOWN for name, _, _ in found):
        return None
    known = Describing("dcterms")
    for name, element, text in found:
        if name in _TABLE["elements"]:
            kind, option = _TABLE["elements"][name]
            _ADDERS[kind](known, element, text, option)
    _dates(found, known)
    return linked(
        known, ((_TABLE["refines"].get(name, name), text) for name, _, text in found if name not in _OF_OTHERS)
    )


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


def _language(element: Element) -> str:
    return element.get(f"{{{XML}}}lang", "")


def _type(element: Element) -> str:
    """Return the scheme that an element states: `dcterms:URI`, `type="doi"`."""
    stated = element.get(f"{{{XSI}}}type") or element.get("type") or element.get("scheme") or ""
    return stated.rpartition(":")[2]


def _agent(known: Describing, element: Element, text: str, role: str) -> None:
    stated = next((str(value) for key, value in element.items() if str(key).endswith(("}code", "role"))), "")
    for part in parts_of_list(text):
        known.agent(agent_of(part, _language(element), relator(stated) if stated else role))


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


def _identifier(known: Describing, element: Element, text: str, _option: str) -> None:
    type_ = _type(element).lower()
    if type_ in ("issn", "eissn"):
        known.host(issn=text)
    elif type_ == "citation" or text.count(" ") > 3:  # noqa: PLR2004
        known.source(text)
    else:
        known.identifier(text, type_)


def _source(known: Describing, element: Element, text: str, kind: str) -> None:
    if _type(element).lower() in ("issn", "eissn") or (len(text) < 40 and "issn" in text.lower()):  # noqa: PLR2004
        known.host(issn=text)
    else:
        known.source(text, kind)


def _relation(known: Describing, element: Element, text: str, _option: str) -> None:
    if "://" in text or text.lower().startswith(("doi:", "hdl:", "urn:")):
        known.identifier(text, _type(element), Relation.OTHER)
    else:
        known.more("relations", text)


def _description(known: Describing, element: Element, _text: str, type_: str) -> None:
    known.description("".join(map(str, element.itertext())), type_, _language(element))


def _licence_first(known: Describing, _element: Element, text: str, _option: str) -> None:
    known.license = ""  # a licence is more than a statement of rights
    before = known.all_rights
    known.all_rights = []
    known.rights(text)
    known.all_rights += [entry for entry in before if entry != text]


def _list(known: Describing, element: Element, text: str, kind: str) -> None:
    for part in filter(None, map(str.strip, text.split(";"))):
        if kind == "subject":
            known.subject(part, _language(element))
        elif kind in ("places", "formats"):
            known.more(kind, part)
        else:
            getattr(known, kind)(part)


_ADDERS: Mapping[str, Callable[[Describing, Element, str, str], object]] = {
    "title": lambda known, element, text, type_: known.title(text.rstrip("; "), TitleType(type_), _language(element)),
    "agent": _agent,
    "identifier": _identifier,
    "place": lambda known, _, text, kind: known.source(text, kind),
    "source": _source,
    "relation": _relation,
    "list": _list,
    "description": _description,
    "licence": _licence_first,
    "page": lambda known, _, text, _option: known.pages.insert(0, text),
    "text": lambda known, _, text, kind: getattr(known, kind)(text),
}
_BY_TAG = {f"{{{namespace}}}{name}": name for namespace in (DC, DCTERMS) for name in _KNOWN} | {
    f"{{{_EDM}}}{name}": name for name in _TABLE["elements"]
}

FORMAT = format_of("qualified_dc", read=read)
