"""DataCite's metadata: kernel 2 to 4 is read, bare or in the wrapper of its own OAI-PMH provider; kernel 4 is written.

[DataCite Metadata Schema 4.6 §2; OpenAIRE Guidelines for Literature Repositories 4, which takes its elements from it.]
Elements are found by local names: real documents leave out the namespace of some parts. `oai_datacite` is kernel 4
alone, as OpenAIRE harvests it, without the wrapper of DataCite, which names a data centre that we are not. The journal
is a `relatedItem`, files are parts of the work (`HasPart`). What is mandatory and unknown is `:unav`, or the year
`0000` (Appendix 3).
"""

from collections.abc import Iterable, Iterator

from gateway.core.addresses import address, any_uri, is_address
from gateway.core.bibliography.dates import iso_of, year_of
from gateway.core.bibliography.hosts import host_of
from gateway.core.bibliography.people import agent_of, is_author, orcid_of, organization, person, relator, ror_of
from gateway.core.model import Agent, DateType, Funding, Identifier, Relation, TitleType, Work
from gateway.core.xmlio import Element, children, name_of, text_of
from gateway.core.xmltext import XML
from gateway.formats import MetadataFormat
from gateway.formats._describing import Describing, first
from gateway.formats._file_links import file_type
from gateway.formats._writing import TABLES, UNKNOWN, Facts, around, document, empty, facts_of, lang, tag

_SCHEMA = "http://datacite.org/schema/"
_KERNELS = ("4", "4.0", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "3", "3.0", "3.1", "2", "2.0", "2.1", "2.2")
_WRAPPERS = ("http://schema.datacite.org/oai/oai-1.0/", "http://schema.datacite.org/oai/oai-1.1/")
_LANGUAGE = f"{{{XML}}}lang"
_TITLES = {
    "AlternativeTitle": TitleType.ALTERNATIVE,
    "TranslatedTitle": TitleType.TRANSLATED,
    "Other": TitleType.ALTERNATIVE,
}
_DATES = {
    "Issued": DateType.ISSUED, "Available": DateType.AVAILABLE, "Copyrighted": DateType.COPYRIGHTED,
    "Created": DateType.CREATED, "Accepted": DateType.ACCEPTED, "Submitted": DateType.SUBMITTED,
}  # fmt: skip
_SAME = ("IsIdenticalTo", "IsVariantFormOf")
_HOSTS = ("IsPublishedIn", "IsPartOf")
_GENERAL = ("Text", "Other", "Collection", "")  # words of resourceTypeGeneral that say less than any other word
_ORGANIZATIONS = frozenset((
    "HostingInstitution", "Distributor", "Sponsor", "RegistrationAgency", "RegistrationAuthority", "ResearchGroup",
))  # fmt: skip


def read(root: Element, _content: bytes) -> Work | None:
    """Return the Work of a resource in any wrapper; None if there is none."""
    resource = root if name_of(root)[1] == "resource" else next(_resources(root), None)
    if resource is None:
        return None
    known = Describing("datacite")
    describe(resource, known)
    # The date of publication is its year, exactly if a date of issue is in it.
    for element in below(resource, "publicationYear"):
        year = year_of(text_of(element))
        exact = [date for date in known.dates if date.type is DateType.ISSUED and year_of(date.text) == year]
        before = [date for date in known.dates if date not in exact]
        known.dates = exact[:1]
        if not exact:
            known.date(text_of(element))
        known.dates += before
    return known.work()


def _resources(root: Element) -> Iterator[Element]:
    return (element for element in root.iter("{*}resource") if name_of(element)[0].startswith(_SCHEMA))


def below(parent: Element, *path: str) -> Iterator[Element]:
    """Yield the elements at a path of local names; where a list has no element around it, its entries."""
    holders = parent.iterchildren(f"{{*}}{path[0]}")
    if len(path) == 1:
        yield from holders
        return
    is_listed = False
    for holder in holders:
        is_listed = True
        yield from below(holder, *path[1:])
    if not is_listed and path[0] == f"{path[1]}s":
        yield from below(parent, *path[1:])


def describe(resource: Element, known: Describing) -> None:
    """Add what the elements of DataCite below a resource state; in oai_openaire some are of Dublin Core."""
    for element in below(resource, "language"):
        known.language(text_of(element))
    _titles(resource, known)
    _agents(resource, known)
    for element in below(resource, "publisher"):
        known.publisher(text_of(element))
    for element in below(resource, "dates", "date"):
        known.date(text_of(element), _DATES.get(element.get("dateType") or "Issued", DateType.OTHER))
    for element in below(resource, "resourceType"):
        general, text = element.get("resourceTypeGeneral") or "", text_of(element)
        is_general = general in _GENERAL
        known.type(*((text, general) if is_general else (general, text)))
    _identifiers(resource, known)
    _hosts(resource, known)
    _texts(resource, known)


def _texts(resource: Element, known: Describing) -> None:
    for element in below(resource, "subjects", "subject"):
        known.subject(text_of(element), element.get(_LANGUAGE, ""))
    for element in below(resource, "descriptions", "description"):
        type_ = element.get("descriptionType") or ""
        text = "".join(map(str, element.itertext()))
        if type_ == "SeriesInformation" and (host := host_of(text_of(element))):
            known.host(**host._asdict())
        elif type_ != "SeriesInformation":
            known.description(text, "abstract" if type_ in ("Abstract", "") else "note", element.get(_LANGUAGE, ""))
    for element in (*below(resource, "rightsList", "rights"), *below(resource, "rights")):
        known.rights(text_of(element) if not len(element) else "", element.get("rightsURI") or "")
    for element in below(resource, "fundingReferences", "fundingReference"):
        parts = {name_of(child)[1]: child for child in children(element)}
        funder, funder_id, number, title = (text_of(parts[name]) if name in parts else "" for name in _FUNDING)
        known.fund(funder, funder_id, number, first(part.get("awardURI") or "" for part in parts.values()), title)
    for name, *path in _OTHERS:
        for element in below(resource, *path):
            known.more(name, text_of(element))


_FUNDING = ("funderName", "funderIdentifier", "awardNumber", "awardTitle")
_OTHERS = (
    ("formats", "formats", "format"),
    ("formats", "sizes", "size"),
    ("places", "geoLocations", "geoLocation", "geoLocationPlace"),
)


def _titles(resource: Element, known: Describing) -> None:
    subtitles = []
    for element in below(resource, "titles", "title"):
        type_ = element.get("titleType") or ""
        if type_ == "Subtitle":
            subtitles.append(text_of(element))
        else:
            known.title(text_of(element), _TITLES.get(type_, TitleType.MAIN), element.get(_LANGUAGE, ""))
    if subtitles and known.titles and subtitles[0] not in known.titles[0].text:
        known.titles[0] = known.titles[0]._replace(text=f"{known.titles[0].text}: {subtitles[0]}")


def _agents(resource: Element, known: Describing) -> None:
    for kind in ("creator", "contributor"):
        for element in below(resource, f"{kind}s", kind):
            inner = next((child for child in children(element) if name_of(child)[1] == kind), element)  # ROHub
            agent = _agent(inner, kind)
            type_ = inner.get("contributorType") or ""
            role = "aut" if kind == "creator" else relator(type_)
            if type_ in _ORGANIZATIONS and not agent.family:
                agent = agent._replace(is_organization=True)
            known.agent(agent._replace(role=role, is_author=kind == "creator" and is_author(role)))


def _agent(element: Element, kind: str) -> Agent:
    parts: dict[str, list[Element]] = {}
    for child in children(element):
        parts.setdefault(name_of(child)[1], []).append(child)
    named = next(iter(parts.get(f"{kind}Name", ())), None)
    name = text_of(named) if named is not None else ""
    type_ = named.get("nameType") if named is not None else ""
    ids = [(entry.get("schemeURI") or "", text_of(entry)) for entry in parts.get("nameIdentifier", ())]
    orcid = first(orcid_of(f"{scheme} {text}") for scheme, text in ids)
    affiliations = tuple(filter(None, map(text_of, parts.get("affiliation", ()))))
    if type_ == "Organizational":
        return organization(name, ror=first(ror_of(text) for _, text in ids))
    family, given = (first(map(text_of, parts.get(part, ()))) for part in ("familyName", "givenName"))
    if not (family and given) and type_ == "Personal" and name.count(",") == 1:
        family, _, given = name.partition(",")
    if family and given.strip():
        suffix = agent_of(name).suffix if name.count(",") > 1 else ""
        return person(family, given.strip(), suffix=suffix, orcid=orcid, affiliations=affiliations)
    agent = agent_of(name)
    return agent._replace(orcid=orcid or agent.orcid, affiliations=affiliations)


def _identifiers(resource: Element, known: Describing) -> None:
    for element in below(resource, "identifier"):
        known.identifier(text_of(element), element.get("identifierType") or "")
        known.link(text_of(element)) if "Type" not in "".join(map(str, element.keys())) else None
    for element in below(resource, "alternateIdentifiers", "alternateIdentifier"):
        known.identifier(text_of(element), element.get("alternateIdentifierType") or "")
    for element in below(resource, "relatedIdentifiers", "relatedIdentifier"):
        scheme, relation, text = (
            (element.get("relatedIdentifierType") or ""),
            (element.get("relationType") or ""),
            text_of(element),
        )
        if relation in _SAME:
            known.identifier(text, scheme)
        elif relation in _HOSTS and scheme.upper() in ("ISSN", "EISSN", "PISSN", "LISSN"):
            known.host(issn=text)
        elif relation in _HOSTS and scheme.upper() == "ISBN":
            known.host(isbn=text)
        elif relation == "HasPart" and scheme == "URL" and file_type(text):
            known.file(text)
        elif scheme or "10." in text:
            known.identifier(text, scheme, Relation.HOST if relation == "IsPublishedIn" else Relation.OTHER)


def _hosts(resource: Element, known: Describing) -> None:
    items = [item for item in below(resource, "relatedItems", "relatedItem") if item.get("relationType") in _HOSTS]
    journals = [
        item for item in below(resource, "relatedItems", "relatedItem") if item.get("relatedItemType") == "Journal"
    ]
    items = sorted(items, key=lambda item: item.get("relationType") != "IsPublishedIn") or journals
    for item in items[:1]:
        ids = {
            (entry.get("relatedItemIdentifierType") or "").upper(): text_of(entry)
            for entry in below(item, "relatedItemIdentifier")
        }
        known.host(
            title=first(map(text_of, below(item, "titles", "title"))),
            volume=first(map(text_of, below(item, "volume"))),
            issue=first(map(text_of, below(item, "issue"))),
            first_page=first(map(text_of, below(item, "firstPage"))) or first(map(text_of, below(item, "number"))),
            last_page=first(map(text_of, below(item, "lastPage"))),
            issn=ids.get("ISSN", "") or ids.get("EISSN", ""),
            isbn=ids.get("ISBN", ""),
        )


# --- writing ----------------------------------------------------------------------------------------------------------

KERNEL = f"{_SCHEMA}kernel-4"
_OFFICIAL = "http://schema.datacite.org/meta/kernel-4.6/metadata.xsd"
GENERAL = TABLES["datacite_types"]
_CONTRIBUTORS = TABLES["datacite_contributors"]
_SCHEMES = TABLES["datacite_identifiers"]
_FUNDER_IDS = {"/10.13039/": "Crossref Funder ID", "ror.org/": "ROR", "isni.org/": "ISNI", "grid.": "GRID"}
_DATE_TYPES = {type_: word for word, type_ in _DATES.items()}


def write(work: Work) -> bytes:
    """Return the work in UTF-8 as DataCite's kernel 4 (DataCite 4.6). What is mandatory and unknown is `:unav`.

    Files are the parts of the work (`HasPart`), the journal is the item in which it was published.
    """
    stated = facts_of(work)
    first_, *others = stated.identifiers or (Identifier("other", UNKNOWN),)
    general = GENERAL.get(stated.known.type, "Text" if stated.known.type else "Other")
    type_ = stated.known.type or first(stated.known.types) or general
    parts = (
        tag("identifier", first_.text, {"identifierType": _SCHEMES.get(first_.scheme, "Other")}),
        agents(stated),
        titles(stated),
        tag("publisher", next(iter(stated.known.publishers), UNKNOWN)),
        tag("publicationYear", f"{stated.year:04}"),
        tag("resourceType", type_, {"resourceTypeGeneral": general}),
        subjects(stated),
        dates(stated),
        tag("language", next((text for text in stated.known.languages if lang(text)), "")),
        alternate_identifiers(others),
        around("relatedIdentifiers", [tag("relatedIdentifier", file.url, _PART) for file in stated.files]),
        around("formats", [tag("format", text) for text in stated.known.formats]),
        around("rightsList", map(_rights, stated.known.rights)),
        around("descriptions", [
            tag("description", text, {"descriptionType": "Other" if type_ == "note" else "Abstract", **lang(language)})
            for text, language, type_ in stated.known.descriptions
        ]),
        around("relatedItems", [_published_in(stated)]),
        funding(stated),
    )  # fmt: skip
    return document("resource", {"": KERNEL}, _OFFICIAL, parts)


_PART = {"relatedIdentifierType": "URL", "relationType": "HasPart"}


def titles(stated: Facts, prefix: str = "") -> str:
    """Return the titles, the one to show first; OpenAIRE has the elements of DataCite under a prefix."""
    types = {type_: word for word, type_ in reversed(_TITLES.items())}
    main = tag(f"{prefix}title", stated.title.text or UNKNOWN, lang(stated.title.language))
    others = (
        tag(f"{prefix}title", text, {"titleType": types.get(type_, "AlternativeTitle"), **lang(language)})
        for text, type_, language in stated.titles
    )
    return around(f"{prefix}titles", (main, *others))


def agents(stated: Facts, prefix: str = "") -> str:
    """Return the creators, who are the authors to cite, and the contributors."""
    creators = [_agent_of(agent, "creator", prefix) for agent in stated.authors or (Agent(UNKNOWN),)]
    contributors = [_agent_of(agent, "contributor", prefix) for agent in stated.others]
    return around(f"{prefix}creators", creators) + around(f"{prefix}contributors", contributors)


def _agent_of(agent: Agent, kind: str, prefix: str) -> str:
    name_type = "Organizational" if agent.is_organization else "Personal" if agent.family and agent.given else ""
    role = {} if kind == "creator" else {"contributorType": _CONTRIBUTORS.get(agent.role, "Other")}
    schemes = (("ORCID", "https://orcid.org", agent.orcid), ("ROR", "https://ror.org", agent.ror))
    parts = (
        tag(f"{prefix}{kind}Name", agent.family_first, {"nameType": name_type}),
        tag(f"{prefix}givenName", agent.given),
        tag(f"{prefix}familyName", agent.family),
        *(
            tag(f"{prefix}nameIdentifier", text, {"nameIdentifierScheme": scheme, "schemeURI": uri})
            for scheme, uri, text in schemes
        ),
        *(tag(f"{prefix}affiliation", place) for place in agent.affiliations),
    )
    return around(f"{prefix}{kind}", parts, role)


def subjects(stated: Facts, prefix: str = "") -> str:
    """Return the subjects."""
    entries = (tag(f"{prefix}subject", text, lang(language)) for text, language, _ in stated.known.subjects)
    return around(f"{prefix}subjects", entries)


def dates(stated: Facts, prefix: str = "", embargo_end: str = "") -> str:
    """Return the date to cite as the date of issue, and the others whose type is known.

    Where an embargo ends, OpenAIRE has that as the date of availability, and no other one.
    """
    pairs = {("Issued", stated.date): None, ("Available", embargo_end): None}
    for text, type_ in stated.known.dates:
        if embargo_end and type_ is DateType.AVAILABLE:
            continue
        if type_ in _DATE_TYPES and type_ is not DateType.ISSUED:
            pairs[_DATE_TYPES[type_], iso_of(text)] = None
    return around(f"{prefix}dates", [tag(f"{prefix}date", date, {"dateType": word}) for word, date in pairs])


def alternate_identifiers(others: Iterable[Identifier], prefix: str = "") -> str:
    """Return the identifiers of the work besides the best one."""
    name = f"{prefix}alternateIdentifier"
    entries = (
        tag(name, entry.text, {"alternateIdentifierType": _SCHEMES.get(entry.scheme, "Other")}) for entry in others
    )
    return around(f"{name}s", entries)


def funding(stated: Facts, prefix: str = "") -> str:
    """Return the funders and grants; a funder without a known name is `:unav`."""
    return around(f"{prefix}fundingReferences", [_funding(entry, prefix) for entry in stated.known.funding])


def _funding(entry: Funding, prefix: str) -> str:
    kind = next((kind for part, kind in _FUNDER_IDS.items() if part in entry.funder_id), "Other")
    award = {"awardURI": any_uri(entry.url) if entry.url else ""}
    parts = (
        tag(f"{prefix}funderName", entry.funder or UNKNOWN),
        tag(f"{prefix}funderIdentifier", entry.funder_id, {"funderIdentifierType": kind}),
        tag(f"{prefix}awardNumber", entry.grant, award),
        tag(f"{prefix}awardTitle", entry.title),
    )
    return around(f"{prefix}fundingReference", parts)


def _rights(text: str) -> str:
    return empty("rights", {"rightsURI": address(text)}) if is_address(text) else tag("rights", text)


def _published_in(stated: Facts) -> str:
    host = stated.host
    number, scheme = (host.issn, "ISSN") if host.issn else (host.isbn, "ISBN")
    parts = (
        tag("relatedItemIdentifier", number, {"relatedItemIdentifierType": scheme}),
        around("titles", [tag("title", host.title)]),
        tag("volume", host.volume),
        tag("issue", host.issue),
        tag("firstPage", host.first_page),
        tag("lastPage", host.last_page),
    )
    kind = "Book" if host.isbn and not host.issn else "Journal"
    return around("relatedItem", parts, {"relatedItemType": kind, "relationType": "IsPublishedIn"})


FORMAT = MetadataFormat(
    namespaces=(*(f"{_SCHEMA}kernel-{kernel}" for kernel in _KERNELS), *_WRAPPERS),
    rank=50,
    read=read,
    metadata_prefix="oai_datacite",
    schema=_OFFICIAL,
    write=write,
    is_optional=True,
    schemas=("http://schema.datacite.org/meta/",),
)
