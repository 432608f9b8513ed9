"""MODS 3, all versions (Library of Congress, MODS User Guidelines 3.8)."""

import re
from collections.abc import Iterable, Iterator

from gateway.core.bibliography.dates import year_of
from gateway.core.bibliography.people import (
    agent_of,
    best_role,
    is_author,
    orcid_of,
    organization,
    person,
    without_life,
)
from gateway.core.model import Agent, DateType, Relation, TitleType, Work
from gateway.core.words import any_of
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._tables import TABLES, format_of

_HREF = "{http://www.w3.org/1999/xlink}href"
_TITLE_TYPES = {"abbreviated": TitleType.ABBREVIATED, "translated": TitleType.TRANSLATED}
# The elements of originInfo that hold dates, and what they are; a key date is the best of its kind.
_DATES = {
    "dateissued": DateType.ISSUED, "copyrightdate": DateType.COPYRIGHTED, "datecreated": DateType.CREATED,
    "dateother": DateType.AVAILABLE,
}  # fmt: skip
_WORDS = {name: re.compile(rf"(?i){any_of(words)}") for name, words in TABLES["words_mods"].items()}
_ENCODINGS = ("w3cdtf", "iso8601", "edtf", "marc")
_SCHEMES = frozenset((
    "uri", "url", "purl", "hdl", "handle", "urn", "doi", "isbn", "issn", "ark", "arxiv", "pmid", "pmcid",
))  # fmt: skip
_FORMS = re.compile(r"(?i)^(?:text|mixed material|unknown|electronic|print|remote|bibliography)$")


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a record, or of the first one in a collection or container; None if there is none."""
    record = root if name_of(root)[1] == "mods" else next(root.iter("{*}mods"), None)
    if record is None:
        return None
    known = Describing("mods:url")
    host = _related(record, "host")
    _titles(record, known, host)
    _agents(record, known)
    _dates(record, known)
    _types(record, known)
    for element in _named(record, "identifier"):
        if element.get("invalid") != "yes" and (text := text_of(element)):
            _identifier(element, text, known)
    _host(record, host, known)
    _texts(record, known)
    _locations(record, known)
    return known.work()


def _named(holder: Element | None, *path: str) -> Iterator[Element]:
    """Yield the elements at a path of local names, which some programs write in lower case: `titleinfo`."""
    for child in () if holder is None else holder.iterchildren(f"{{*}}{path[0]}", f"{{*}}{path[0].lower()}"):
        if len(path) == 1:
            yield child
        else:
            yield from _named(child, *path[1:])


def _text(holder: Element | None, *path: str) -> str:
    return first(map(text_of, _named(holder, *path)))


def _related(record: Element, type_: str) -> Element | None:
    return next((item for item in _named(record, "relatedItem") if item.get("type", "") == type_), None)


# --- titles and names ------------------------------------------------------------------------------------------------


def _titles(record: Element, known: Describing, host: Element | None) -> None:
    infos = list(_named(record, "titleInfo"))
    for info in sorted(infos, key=lambda info: (info.get("type") is not None, info.get("usage") != "primary")):
        type_ = (
            TitleType.MAIN
            if info.get("type") is None
            else _TITLE_TYPES.get(info.get("type", ""), TitleType.ALTERNATIVE)
        )
        known.title(_title(info), type_, info.get("lang") or "")
    if not known.titles:
        above = first(_title(info) for info in _named(host, "titleInfo"))
        number = _text(record, "part", "detail", "number") or _text(record, "part", "detail", "title")
        known.title(" ".join(filter(None, (above, number or _text(record, "part", "date")))))


def _title(info: Element) -> str:
    parts = {name_of(element)[1].lower(): text_of(element) for element in reversed(list(children(info)))}
    before = parts.get("nonsort", "")
    gap = "" if before.endswith(("'", "\u2019", "-")) else " "
    title = gap.join(filter(None, (before, parts.get("title", "").rstrip(" /:;=,"))))
    if title and parts.get("subtitle"):
        title = f"{title}: {parts['subtitle'].strip(' /:;=,')}"
    return ". ".join(filter(None, (title, parts.get("partnumber", ""), parts.get("partname", ""))))


def _agents(record: Element, known: Describing) -> None:
    has_roles = False
    for name in _named(record, "name"):
        agent = _agent(name)
        stated = [
            text for term in _named(name, "role", "roleTerm") for text in (text_of(term), term.get("valueURI") or "")
        ]
        role = best_role([*stated, *(text_of(element) for element in _named(name, "role") if not len(element))])
        # Without a role, the first names are the authors, until a name has one.
        role = role or ("ctb" if has_roles and known.agents else "aut")
        has_roles = has_roles or bool(stated)
        known.agent(agent._replace(role=role, is_author=is_author(role)))


def _agent(name: Element) -> Agent:
    """Return the agent of a name, from its parts, or from its display form if it has none."""
    parts: dict[str, list[str]] = {}
    for part in _named(name, "namePart"):
        if text := text_of(part):
            parts.setdefault(part.get("type") or "", []).append(text)
    orcid = first(orcid_of(text) for text in (text_of(element) for element in _named(name, "nameIdentifier")))
    affiliations = tuple(text_of(element) for element in _named(name, "affiliation"))
    whole = parts.get("", []) or [text_of(form) for form in _named(name, "displayForm")]
    if name.get("type") in ("corporate", "conference", "family"):
        return organization(". ".join(part.rstrip(" .,") for part in whole) or first(parts.get("family", [])))
    if parts.get("family"):
        given = " ".join(parts.get("given", []))
        address = first(parts.get("termsOfAddress", []))
        suffix = agent_of(f"{parts['family'][0]}, {given}, {address}").suffix if address else ""
        return person(parts["family"][0], given, suffix=suffix, orcid=orcid, affiliations=affiliations)
    text = without_life(first(whole) or " ".join(parts.get("given", [])))
    if name.get("type") == "personal" and text.count(",") == 1:
        family, _, given = text.partition(",")
        return person(family, given.strip(" ,"), orcid=orcid, affiliations=affiliations)
    return agent_of(text)._replace(affiliations=affiliations, orcid=orcid)


# --- dates, types, identifiers ---------------------------------------------------------------------------------------


def _dates(record: Element, known: Describing) -> None:
    found = []
    for place, info in enumerate(_named(record, "originInfo")):
        event = info.get("eventType") or info.get("displayLabel") or ""
        of_copy = _WORDS["copy"].search(f"{event} {_text(info, 'edition')}") is not None
        for element in children(info):
            type_ = _DATES.get(name_of(element)[1].lower())
            text = text_of(element)
            if type_ is None or not year_of(text):
                continue
            is_other = type_ is DateType.AVAILABLE and element.get("keyDate") != "yes"
            rank = (
                event.lower() not in ("", "publication", "issued"), element.get("keyDate") != "yes",
                element.get("encoding") not in _ENCODINGS, element.get("point") == "end", place,
            )  # fmt: skip
            found.append((rank, text, DateType.OTHER if of_copy or is_other else type_))
    last = (True, True, True, False, 0)
    found += [(last, text_of(date), DateType.AVAILABLE) for date in _named(record, "part", "date")]
    found.sort(key=lambda entry: entry[0])
    for _, text, type_ in found:
        known.date(text, type_)
    item = _related(record, "host")
    if not any(date.type is not DateType.OTHER for date in known.dates):
        known.date(_text(item, "part", "date") or _text(item, "originInfo", "dateIssued"))


def _types(record: Element, known: Describing) -> None:
    words = [text_of(element) for element in (*_named(record, "genre"), *_named(record, "typeOfResource"))]
    known.type(*(word for word in words if not _FORMS.match(word)))


def _identifier(element: Element, text: str, known: Describing) -> None:
    type_ = (element.get("type") or "").lower()
    if type_ == "issn" and not _is_serial(element.getparent()):
        known.host(issn=text)
    elif type_ in _SCHEMES:
        known.identifier(text, type_)
    elif type_ not in ("iiif", "iiif-manifest", "uuid"):
        known.identifier(text)


def _is_serial(record: Element | None) -> bool:
    words = (_text(record, "originInfo", "issuance"), *(text_of(genre) for genre in _named(record, "genre")))
    return any(word.lower() in ("serial", "continuing", "journal", "periodical", "newspaper") for word in words)


# --- host ------------------------------------------------------------------------------------------------------------


def _host(record: Element, host: Element | None, known: Describing) -> None:
    kinds = {(identifier.get("type") or "").lower(): text_of(identifier) for identifier in _named(host, "identifier")}
    parts = [*_named(host, "part"), *_named(record, "part")]
    is_numbered = any(name_of(child)[1].lower() in ("detail", "extent") for part in parts for child in children(part))
    title = first(_title(info) for info in _named(host, "titleInfo"))
    is_journal = is_numbered or "issn" in kinds or "isbn" in kinds
    if host is not None and not is_journal:  # a collection or a shelf
        known.more("relations", title)
        return
    extent = next(
        (extent for part in parts for extent in _named(part, "extent") if "p" in (extent.get("unit") or "p")), None
    )
    listed = re.match(r"(?:pp?\.? ?)?(\w{1,8})(?:\s*[-\u2013]\s*(\w{1,8}))?$", _text(extent, "list"))
    known.host(
        title=title,
        issn=kinds.get("issn", ""),
        isbn=kinds.get("isbn", ""),
        volume=_detail(parts, "volume"),
        issue=_detail(parts, "issue", "number"),
        first_page=_text(extent, "start") or (listed[1] if listed else ""),
        last_page=_text(extent, "end") or ((listed[2] or "") if listed else ""),
    )
    if "doi" in kinds:
        known.identifier(kinds["doi"], "doi", Relation.HOST)
    for item in _named(record, "relatedItem"):
        if item is not host:
            known.more("relations", first(_title(info) for info in _named(item, "titleInfo")))


def _detail(parts: Iterable[Element], *types: str) -> str:
    details = [detail for part in parts for detail in _named(part, "detail")]
    return first(_text(detail, "number") for type_ in types for detail in details if detail.get("type") == type_)


# --- texts and links -------------------------------------------------------------------------------------------------


def _texts(record: Element, known: Describing) -> None:
    for info in sorted(
        _named(record, "originInfo"), key=lambda info: _WORDS["copy"].search(info.get("eventType") or "") is not None
    ):
        for element in _named(info, "publisher"):
            known.publisher(text_of(element))
    _languages(record, known)
    for element in _named(record, "abstract"):
        label = f"{element.get('type') or ''} {element.get('displayLabel') or ''}"
        known.description(
            text_of(element), "note" if _WORDS["no_abstract"].search(label) else "abstract", element.get("lang") or ""
        )
    for element in _named(record, "note"):
        known.description(text_of(element), "note")
    _subjects(record, known)
    for element in _named(record, "accessCondition"):
        known.rights(text_of(element), element.get(_HREF) or element.get("valueURI") or "")
    for name in ("extent", "internetMediaType", "form"):
        for element in _named(record, "physicalDescription", name):
            known.more("formats", text_of(element))


def _languages(record: Element, known: Describing) -> None:
    languages = [language for language in _named(record, "language") if not language.get("objectPart")]
    for language in sorted(languages, key=lambda language: language.get("usage") != "primary"):
        terms = sorted(_named(language, "languageTerm"), key=lambda term: term.get("type") != "code")
        before = len(known.languages)
        for term in terms:
            if len(known.languages) == before:
                known.language(text_of(term))
        if not terms:
            known.language(text_of(language))


def _subjects(record: Element, known: Describing) -> None:
    for subject in _named(record, "subject"):
        topics = [text_of(element) for element in children(subject) if name_of(element)[1] in ("topic", "temporal")]
        known.subject(" -- ".join(filter(None, topics)))
        for element in (*_named(subject, "geographic"), *_named(subject, "cartographics", "coordinates")):
            known.more("places", text_of(element))
        for element in _named(subject, "name"):
            known.subject(", ".join(text_of(part) for part in _named(element, "namePart")))
        for element in _named(subject, "titleInfo"):
            known.subject(_title(element))


def _locations(record: Element, known: Describing) -> None:
    types = {text_of(element) for element in _named(record, "physicalDescription", "internetMediaType")}
    only = types.pop() if len(types) == 1 else ""
    urls = list(_named(record, "location", "url"))
    order = {"primary": 0, "primary display": 1}
    for element in sorted(urls, key=lambda url: order.get(url.get("usage") or "", 2)):
        url, access, usage = text_of(element), element.get("access") or "", element.get("usage") or ""
        if _WORDS["preview"].search(f"{access} {element.get('note') or ''} {element.get('displayLabel') or ''}"):
            continue
        if access == "raw object" and not usage:
            known.file(url, only)
        elif access == "object in context" or (usage and access != "raw object"):
            known.page(url)
        else:
            known.link(url)


FORMAT = format_of("mods", read=read, written="mods")
