"""Writes MODS 3.8 (Library of Congress, MODS User Guidelines): a record of the work; its files are raw objects."""

from collections.abc import Iterator

from gateway.core.addresses import address, is_address
from gateway.core.bibliography.dates import iso_of
from gateway.core.model import Agent, DateType, Identifier, TitleType, Work
from gateway.formats._writing import TABLES, UNKNOWN, Facts, around, document, facts_of, lang, tag

MODS = "http://www.loc.gov/mods/v3"
SCHEMA = "http://www.loc.gov/standards/mods/v3/mods-3-8.xsd"
XLINK = "http://www.w3.org/1999/xlink"

_TITLES = {TitleType.TRANSLATED: "translated", TitleType.ABBREVIATED: "abbreviated"}
_IDENTIFIERS = {"handle": "hdl", "url": "uri", "other": ""}
_RESOURCES = TABLES["mods_resources"]
_DATES = {DateType.COPYRIGHTED: "copyrightDate", DateType.CREATED: "dateCreated"}
_CODE = {"type": "code", "authority": "marcrelator"}


def write(work: Work) -> bytes:
    """Return the work in UTF-8 as a record of MODS."""
    return document("mods", {"": MODS, "xlink": XLINK}, SCHEMA, elements(facts_of(work)), {"version": "3.8"})


def elements(stated: Facts) -> Iterator[str]:
    """Yield the elements of a record, in the default namespace, with the prefix xlink declared."""
    yield _title(stated.title.text or UNKNOWN, "", stated.title.language)
    for text, type_, language in stated.titles:
        yield _title(text, _TITLES.get(type_, "alternative"), language)
    yield from map(_name, (*stated.authors, *stated.others))
    yield tag("typeOfResource", _RESOURCES.get(stated.known.type, "text"))
    for word in dict.fromkeys((stated.known.type, *stated.known.types)):
        yield tag("genre", word, {"authority": "coar" if word == stated.known.type else ""})
    yield around("originInfo", _origin(stated))
    for language in stated.known.languages:
        yield around("language", [tag("languageTerm", language, {"type": "code", "authority": "rfc5646"})])
    yield around("physicalDescription", [tag("form", text) for text in stated.known.formats])
    for text, language, kind in stated.known.descriptions:
        yield tag("note" if kind == "note" else "abstract", text, lang(language, "lang"))
    for text, language, _ in stated.known.subjects:
        yield around("subject", [tag("topic", text)], lang(language, "lang"))
    yield from (around("subject", [tag("geographic", text)]) for text in stated.known.coverage)
    yield around("relatedItem", _host(stated), {"type": "host"})
    yield from map(_identifier, stated.identifiers)
    page = {"access": "object in context", "usage": "primary"}
    yield around("location", [
        tag("url", stated.page, page), *(tag("url", file.url, {"access": "raw object"}) for file in stated.files)
    ])  # fmt: skip
    for text in stated.known.rights:
        yield tag("accessCondition", text, {"xlink:href": address(text) if is_address(text) else ""})


def _title(text: str, type_: str, language: str) -> str:
    return around("titleInfo", [tag("title", text)], {"type": type_, **lang(language, "lang")})


def _name(agent: Agent) -> str:
    is_divided = agent.family and agent.given and not agent.is_organization
    parts = (
        ("family", agent.family), ("given", agent.given), ("termsOfAddress", agent.suffix),
    ) if is_divided else (("", agent.name),)  # fmt: skip
    return around(
        "name",
        (
            *(tag("namePart", text, {"type": type_}) for type_, text in parts),
            around("role", [tag("roleTerm", agent.role, _CODE)]),
            *(tag("affiliation", place) for place in agent.affiliations),
            tag("nameIdentifier", agent.orcid, {"type": "orcid"}),
            tag("nameIdentifier", agent.ror, {"type": "ror"}),
        ),
        {"type": "corporate" if agent.is_organization else "personal" if is_divided else ""},
    )


def _origin(stated: Facts) -> Iterator[str]:
    yield from (tag("publisher", text) for text in stated.known.publishers)
    yield tag("dateIssued", stated.date, {"encoding": "w3cdtf", "keyDate": "yes"})
    for text, type_ in stated.known.dates:
        if type_ in _DATES:
            yield tag(_DATES[type_], iso_of(text), {"encoding": "w3cdtf"})
    if stated.known.type in ("journal", "newspaper"):
        yield tag("issuance", "serial")


def _host(stated: Facts) -> Iterator[str]:
    host = stated.host
    yield around("titleInfo", [tag("title", host.title)])
    yield tag("identifier", host.issn, {"type": "issn"})
    yield tag("identifier", host.isbn, {"type": "isbn"})
    yield around("part", (
        around("detail", [tag("number", host.volume)], {"type": "volume"}),
        around("detail", [tag("number", host.issue)], {"type": "issue"}),
        around("extent", [tag("start", host.first_page), tag("end", host.last_page)], {"unit": "pages"}),
    ))  # fmt: skip


def _identifier(identifier: Identifier) -> str:
    """Return an identifier; an ISSN of the work itself as a URN, because `issn` is that of the journal for readers."""
    scheme, text, *_ = identifier
    if scheme == "issn":
        return tag("identifier", f"urn:ISSN:{text}", {"type": "urn"})
    return tag("identifier", text, {"type": _IDENTIFIERS.get(scheme, scheme)})
