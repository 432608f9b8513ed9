"""CSL JSON, schema.org as JSON-LD, and BibTeX, in the XML that XPath makes of JSON (F&O 3.1, §17.5): read only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, takewhile
from typing import TypeAlias

from gateway.core.bibliography.people import agent_of, orcid_of, person
from gateway.core.model import DateType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import JSON
from gateway.formats import MetadataFormat
from gateway.formats._bibtex import csl_of
from gateway.formats._describing import Describing

Value: TypeAlias = "str | list[Value] | Mapping[str, Value]"

_TITLES = ("title", "headline", "name")
# Types of schema.org for people, organizations and sites.
_NO_WORKS = frozenset((
    "BreadcrumbList", "CollegeOrUniversity", "DataCatalog", "EducationalOrganization", "ItemList", "Library",
    "Organization", "Person", "Place", "ResearchOrganization", "SearchAction", "WebPage", "WebSite",
))  # fmt: skip
# What describes a work; of several objects, the one with most of it is the work.
_STATED = (("author", "creator"), ("datePublished", "issued", "dateCreated"), ("DOI", "identifier", "ISBN", "isbn"))
_IN_OBJECTS = ("value", "@value", "literal", "name", "url", "URL", "@id", "raw")  # of an object in place of a text
_HOST = {
    "volume": ("volume", "volumeNumber"),
    "issue": ("issue", "issueNumber"),
    "issn": ("ISSN", "issn"),
    "first_page": ("page", "pageStart", "pagination"),
    "last_page": ("pageEnd",),
}


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of the object with a title that states most of a work; None if there is none.

    It is never a person, an organization or a site. Of equal ones, the first counts; of several that state no more than
    a title, none.
    """
    nodes = [_plain(node) for node in _objects(_value(root))]
    nodes += [inner for node in nodes for inner in _objects(node.get("@graph", []))]
    nodes += [inner for node in nodes for inner in _objects(node.get("mainEntity", []))]
    works = [node for node in nodes if _texts(node, *_TITLES) and _is_work(_texts(node, "type", "@type"))]
    node = max(works, key=_stated, default=None)
    if node is None or (len(works) > 1 and not _stated(node)):
        return None
    known = Describing("json:url")
    known.title(_first(node, *_TITLES))
    known.type(*_texts(node, "type", "@type"))
    _people(known, node)
    parts = [part for issued in _objects(node.get("issued", [])) for part in _list(issued.get("date-parts", []))]
    numbers = takewhile(lambda part: isinstance(part, str) and part.isdecimal(), _list(parts[0]) if parts else [])
    day = "-".join(str(number).zfill(2) for number in numbers)
    known.date(day or _first(node, "datePublished", "issued"))
    known.date(_first(node, "dateCreated"), DateType.CREATED)
    for text in _texts(node, "DOI"):
        known.identifier(text, "doi")
    for text in chain.from_iterable(_texts(node, name) for name in ("identifier", "@id", "sameAs", "ISBN", "isbn")):
        known.identifier(text)
    for text in _texts(node, "URL", "url"):
        known.page(text)
    _host(known, node)
    for text in _texts(node, "abstract", "description"):
        known.description(text, "abstract")
    for text in _texts(node, "keyword", "keywords"):
        for subject in text.split(","):
            known.subject(subject)
    for add, name in ((known.publisher, "publisher"), (known.rights, "license")):
        for text in _texts(node, name):
            add(text)
    known.language(_first(node, "language", "inLanguage"))
    return known.work()


def _plain(node: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return an object, and an entry of BibTeX as one of CSL JSON."""
    if "ENTRYTYPE" not in node:
        return node
    return csl_of({name: text for name, text in node.items() if isinstance(text, str)})


def _stated(node: Mapping[str, Value]) -> int:
    return sum(bool(_texts(node, *names)) for names in _STATED)


def _is_work(types: list[str]) -> bool:
    return not _NO_WORKS.issuperset(kind.rpartition("/")[2].rpartition(":")[2] for kind in types)


def _people(known: Describing, node: Mapping[str, Value]) -> None:
    roles = {"author" if node.get("author") else "creator": "aut", "editor": "edt", "contributor": "ctb"}
    for name, role in roles.items():
        for one in _list(node.get(name, [])):
            stated = one if isinstance(one, Mapping) else {"name": one}
            family, given = _first(stated, "family", "familyName"), _first(stated, "given", "givenName")
            orcid = next(filter(None, map(orcid_of, _texts(stated, "ORCID", "@id", "sameAs"))), "")
            whole = agent_of(_first(stated, "literal", "name"), "", role)._replace(orcid=orcid)
            known.agent(person(family, given, role=role, orcid=orcid) if family else whole)


def _host(known: Describing, node: Mapping[str, Value]) -> None:
    """Add where the work was published: in CSL in its own object, in schema.org the issue of a volume of a journal."""
    known.host(title=_first(node, "container-title"))
    within = [node]
    while within:
        one = within.pop()
        values = {field: _first(one, *names) for field, names in _HOST.items()}
        first, _, last = values["first_page"].partition("-")
        known.host(**{**values, "first_page": first, "last_page": last or values["last_page"]})
        if one is not node and not values["volume"] + values["issue"]:
            known.host(title=_first(one, "name"))
        within += _objects(one.get("isPartOf", []))


# --- values -------------------------------------------------------------------------------------------------------


def _value(element: Element) -> Value:
    kind = name_of(element)[1]
    if kind == "map":
        return {child.get("key", ""): _value(child) for child in children(element)}
    return [_value(child) for child in children(element)] if kind == "array" else text_of(element)


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [value]


def _objects(value: Value) -> list[Mapping[str, Value]]:
    return [one for one in _list(value) if isinstance(one, Mapping)]


def _first(node: Mapping[str, Value], *names: str) -> str:
    return next(iter(_texts(node, *names)), "")


def _texts(node: Mapping[str, Value], *names: str) -> list[str]:
    """Return the texts under the first of these names that has any."""
    return next(filter(None, (list(_inner(node.get(name, []))) for name in names)), [])


def _inner(value: Value) -> Iterator[str]:
    for one in _list(value):
        if isinstance(one, Mapping):
            yield from _texts(one, *_IN_OBJECTS)[:1]
        elif isinstance(one, str) and one:
            yield one


FORMAT = MetadataFormat(namespaces=(JSON,), rank=35, read=read)
