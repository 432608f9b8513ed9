"""DataCite's metadata: kernel 2 to 4 is read, bare or in the wrapper of its own OAI-PMH provider; kernel 4 is written.

[DataCite Metadata Schema 4.6 §2; OpenAIRE Guidelines for Literature Repositories 4, which takes its elements from it.]
Elements are found by local names: real documents leave out the namespace of some parts. `oai_datacite` is kernel 4
alone, as OpenAIRE harvests it, without the wrapper of DataCite, which names a data centre that we are not. The journal
is a `relatedItem`, files are parts of the work (`HasPart`). What is mandatory and unknown is `:unav`, or the year
`0000` (Appendix 3).
"""

from collections.abc import Iterable, Mapping

from gateway.core.addresses import address, any_uri, is_address
from gateway.core.bibliography.dates import iso_of, year_of
from gateway.core.model import Agent, DateType, Funding, Identifier, TitleType, Work
from gateway.core.xmlio import Element, text_of
from gateway.formats._describing import Describing, first
from gateway.formats._paths import find
from gateway.formats._tables import format_of, read_by
from gateway.formats._writing import TABLES, UNKNOWN, Facts, around, document, empty, facts_of, lang, tag


def _more(resource: Element, known: Describing, held: Mapping[str, list[Element]]) -> None:
    # The date of publication is its year, exactly if a date of issue is in it.
    for element in held["publicationYear"]:
        year = year_of(text_of(element))
        exact = [date for date in known.dates if date.type is DateType.ISSUED and year_of(date.text) == year]
        before = [date for date in known.dates if date not in exact]
        known.dates = exact[:1]
        if not exact:
            known.date(text_of(element))
        known.dates += before
    add_host(resource, known)


def add_host(resource: Element, known: Describing) -> None:
    """Add the item in which a resource was published: a related item that is said to be it, else a journal."""
    items = find(resource, "relatedItems/relatedItem[relationType=IsPublishedIn]")
    items += find(resource, "relatedItems/relatedItem[relationType=IsPartOf]")
    for item in (items or find(resource, "relatedItems/relatedItem[relatedItemType=Journal]"))[:1]:
        read_by("datacite_host", item, known)


# --- writing ---------------------------------------------------------------------------------------------------------

KERNEL = "http://datacite.org/schema/kernel-4"
_OFFICIAL = "http://schema.datacite.org/meta/kernel-4.6/metadata.xsd"
GENERAL = TABLES["datacite_types"]
_CONTRIBUTORS = TABLES["datacite_contributors"]
_SCHEMES = TABLES["datacite_identifiers"]
_FUNDER_IDS = {"/10.13039/": "Crossref Funder ID", "ror.org/": "ROR", "isni.org/": "ISNI", "grid.": "GRID"}
_DATE_TYPES = TABLES["datacite_dates"]


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
    main = tag(f"{prefix}title", stated.title.text or UNKNOWN, lang(stated.title.language))
    others = (
        tag(
            f"{prefix}title",
            text,
            {"titleType": "TranslatedTitle" if type_ is TitleType.TRANSLATED else "AlternativeTitle", **lang(language)},
        )
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


FORMAT = format_of("datacite", _more, metadata_prefix="oai_datacite", schema=_OFFICIAL, write=write)
