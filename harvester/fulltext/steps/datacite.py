"""DataCite: the works that Crossref does not know, data and theses among them."""

from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.access_rights import Access, access_of, day_of, end_of_embargo, open_from_words
from harvester.fulltext.identifiers import BARE
from harvester.fulltext.known_copies import DATACITE, Copy, Description, Related, without_repetitions
from harvester.fulltext.retractions import by_title, by_update
from harvester.fulltext.rights_words import doubt_about, is_reserving
from harvester.fulltext.steps import Step
from harvester.fulltext.steps._ask_service import address, described
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetched

STEP = Step(
    "datacite",
    20,
    "Asks DataCite for a work that Crossref does not know.",
    lambda known: bool(known.doi) and not known.described,
    lambda known, fetch: described(address("https://api.datacite.org/dois/", known.doi), fetch, read),
    is_for_files=False,
    is_first=True,
)

# --- Answers of the REST API of DataCite (`/dois/{doi}`). Pure --------------------------------------------------------

_VAGUE = ("", "Text", "Other", "Audiovisual")  # a poster may be of any of these general types


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when DataCite does not know the DOI. Errors are those of `answered`."""
    document = answered(fetched, "DataCite", "data", "attributes", "doi", is_text=True)
    if document is None:
        return None
    data = next(iter(parts(document, "data")), {})
    return _described(next(iter(parts(data, "attributes")), {}))


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list. Errors are those of `answered`."""
    return tuple(_described(part) for part in parts(answered(fetched, "DataCite", "data") or {}, "data", "attributes"))


def _described(work: Node) -> Description:
    name, address = _license(work)
    known = Copy(
        "",
        license=name,
        license_url=address,
        host_type="repository",
        open_from=_open_from(work),
        is_open=bool(name),
        is_shut=_is_shut(work),
    )
    files = [known._replace(url=url, evidence="datacite:contentUrl") for url in texts(work, "contentUrl")]
    pages = [known._replace(url=url, is_page=True, evidence="datacite:url") for url in texts(work, "url")]
    general, specific = (text(work, "types", name) for name in ("resourceTypeGeneral", "resourceType"))
    return Description(
        doi=text(work, "doi").lower(),
        title=text(work, "titles", "title"),
        authors=tuple(texts(work, "creators", "familyName") or texts(work, "creators", "name")),
        container=text(work, "container", "title"),
        publisher=text(work, "publisher") or text(work, "publisher", "name"),
        year="".join(str(value) for value in values(work, "publicationYear")),
        abstract=next(
            (
                text(part, "description")
                for part in parts(work, "descriptions")
                if text(part, "descriptionType") == "Abstract"
            ),
            "",
        ),
        issns=_issns(work),
        copies=without_repetitions(files + pages),
        is_open=True if name else None,
        also=tuple(texts(work, "alternateIdentifiers", "alternateIdentifier")),
        other_titles=_other_titles(work),
        kind=(specific if general in _VAGUE else general) or general,
        related=_related(work),
        retracted=_retracted(work),
        registry=DATACITE,
    )


def _other_titles(work: Node) -> tuple[str, ...]:
    """Return the other titles; a subtitle is appended to the main title."""
    main = text(work, "titles", "title")
    titles = [
        f"{main}: {title}" if text(part, "titleType") == "Subtitle" and title != main else title
        for part in parts(work, "titles")
        for title in texts(part, "title")
    ]
    return tuple(title for title in dict.fromkeys(titles) if title != main)


def _rights(work: Node) -> list[str]:
    rights = parts(work, "rightsList")
    return [" ".join(text(right, name) for name in ("rightsUri", "rightsIdentifier", "rights")) for right in rights]


def _days(work: Node, kind: str, *, is_end: bool = False) -> list[str]:
    """Return the days of the dates of a type (DataCite 4.5, appendix: dateType)."""
    dates = [part for part in parts(work, "dates") if text(part, "dateType") == kind]
    return [day for date in dates if (day := day_of(text(date, "date"), is_end=is_end))]


def _license(work: Node) -> tuple[str, str]:
    """Return (name, address) of the licence; empty texts if several differ, or if the file is restricted.

    Under an embargo the licence counts only if the end of the embargo is known. None counts if all rights are reserved,
    and none that is stated for a part of the work, for its data or metadata.
    """
    stated: dict[str, str] = {}
    for part in parts(work, "rightsList"):
        rights = text(part, "rights")  # perhaps of something else than the file; not the name of a licence alone
        if "metadata" in rights.lower() or (not license_uri(rights) and doubt_about(rights) is not None):
            continue
        identifier = text(part, "rightsIdentifier")
        if name := license_of(f"{text(part, 'rightsUri')} {identifier}"):
            stated.setdefault(name, text(part, "rightsUri") or license_uri(identifier))
    named = [license_ for license_ in stated if license_ != "other-oa"] or list(stated)
    is_doubtful = _is_shut(work) or any(map(is_reserving, _rights(work)))
    return (named[0], stated[named[0]]) if len(named) == 1 and not is_doubtful else ("", "")


def _is_shut(work: Node) -> bool:
    """Return whether the files are restricted, without a known end."""
    access = access_of(_rights(work))
    return access in (Access.RESTRICTED, Access.CLOSED) or (access is Access.EMBARGOED and not _open_from(work))


def _open_from(work: Node) -> str:
    """Return the day on which the files become available, the last of several dates; empty: not stated."""
    is_embargoed = access_of(_rights(work)) is Access.EMBARGOED
    words = map(open_from_words, _rights(work))
    return max([*_days(work, "Available", is_end=is_embargoed), end_of_embargo(_rights(work)), *words])


def _retracted(work: Node) -> str:
    days = _days(work, "Withdrawn")
    return (
        by_update("withdrawal", "DataCite", day=days[0])
        if days
        else by_title(text(work, "titles", "title"), "DataCite")
    )


def _issns(work: Node) -> tuple[str, ...]:
    related = parts(work, "relatedIdentifiers")
    issns = [
        text(related_part, "relatedIdentifier")
        for related_part in related
        if text(related_part, "relatedIdentifierType") == "ISSN"
    ]
    return tuple(dict.fromkeys(issns))


# Relations of DataCite 4.6 to another version of the work, and the terms of Crossref for them.
_RELATIONS = {
    "IsVersionOf": "is-version-of",
    "HasVersion": "has-version",
    "IsNewVersionOf": "is-version-of",
    "IsPreviousVersionOf": "has-version",
    "IsVariantFormOf": "is-version-of",
    "IsOriginalFormOf": "has-version",
    "IsIdenticalTo": "is-same-as",
}
_SCHEMES = {"DOI": "doi", "arXiv": "arxiv"}


def _related(work: Node) -> tuple[Related, ...]:
    """Return the other versions of a work."""
    relations = [
        Related(relation, scheme, BARE[scheme](text(part, "relatedIdentifier")))
        for part in parts(work, "relatedIdentifiers")
        if (relation := _RELATIONS.get(text(part, "relationType")))
        and (scheme := _SCHEMES.get(text(part, "relatedIdentifierType")))
    ]
    return tuple(dict.fromkeys(relation for relation in relations if relation.value))
