"""Answers of the REST API of DataCite (`/dois/{doi}`). Pure."""

from __future__ import annotations

from harvester.wire.access import Access, access_of, day_of, end_of_embargo
from harvester.wire.copies import Copy, Description, Related, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.identifiers import arxiv_in, dois_in
from harvester.wire.json_answers import Node, answered, parts, text, texts, values
from harvester.wire.licenses import license_of, license_uri
from harvester.wire.page_ranges import pages_stated
from harvester.wire.retractions import by_title, by_update


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when DataCite does not know the DOI. Errors are those of `answered`."""
    document = answered(fetched, "DataCite")
    if document is None:
        return None
    data = next(iter(parts(document, "data")), {})
    return _described(next(iter(parts(data, "attributes")), {}))


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list."""
    return tuple(_described(each) for each in parts(answered(fetched, "DataCite") or {}, "data", "attributes"))


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
    return Description(
        doi=text(work, "doi").lower(),
        title=text(work, "titles", "title"),
        authors=tuple(texts(work, "creators", "familyName") or texts(work, "creators", "name")),
        container=text(work, "container", "title"),
        publisher=text(work, "publisher") or text(work, "publisher", "name"),
        year="".join(str(each) for each in values(work, "publicationYear")),
        abstract=next(
            (
                text(each, "description")
                for each in parts(work, "descriptions")
                if text(each, "descriptionType") == "Abstract"
            ),
            "",
        ),
        issns=_issns(work),
        copies=without_repetitions(files + pages),
        is_open=True if name else None,
        also=tuple(texts(work, "alternateIdentifiers", "alternateIdentifier")),
        other_titles=_other_titles(work),
        pages=pages_stated(texts(work, "sizes")),
        kind=text(work, "types", "resourceTypeGeneral"),
        related=_related(work),
        retracted=_retracted(work),
    )


def _other_titles(work: Node) -> tuple[str, ...]:
    """Return the further titles: a subtitle is none of its own, and stands behind the main title."""
    main = text(work, "titles", "title")
    titles = [
        f"{main}: {title}" if text(each, "titleType") == "Subtitle" and title != main else title
        for each in parts(work, "titles")
        for title in texts(each, "title")
    ]
    return tuple(title for title in dict.fromkeys(titles) if title != main)


def _rights(work: Node) -> list[str]:
    rights = parts(work, "rightsList")
    return [" ".join(text(each, name) for name in ("rightsUri", "rightsIdentifier", "rights")) for each in rights]


def _days(work: Node, kind: str, *, is_end: bool = False) -> list[str]:
    """Return the days of the dates of a type (DataCite 4.5, appendix: dateType)."""
    dates = [each for each in parts(work, "dates") if text(each, "dateType") == kind]
    return [day for each in dates if (day := day_of(text(each, "date"), is_end=is_end))]


def _license(work: Node) -> tuple[str, str]:
    """Return (name, address) of the licence; none where several differ, or where not everybody may have the file.

    What is under an embargo has its licence only where the day is known on which that ends.
    """
    stated: dict[str, str] = {}
    for each in parts(work, "rightsList"):
        if "metadata" in text(each, "rights").lower():
            continue
        identifier = text(each, "rightsIdentifier")
        if name := license_of(f"{text(each, 'rightsUri')} {identifier}"):
            stated.setdefault(name, text(each, "rightsUri") or license_uri(identifier))
    named = [each for each in stated if each != "other-oa"] or list(stated)
    return (named[0], stated[named[0]]) if len(named) == 1 and not _is_shut(work) else ("", "")


def _is_shut(work: Node) -> bool:
    """Tell whether not everybody may have the files, and nobody says from which day on they may."""
    access = access_of(_rights(work))
    return access in (Access.RESTRICTED, Access.CLOSED) or (access is Access.EMBARGOED and not _open_from(work))


def _open_from(work: Node) -> str:
    """Return the day from which on the files may be had: of several dates the last; empty where none is told."""
    is_embargoed = access_of(_rights(work)) is Access.EMBARGOED
    return max([*_days(work, "Available", is_end=is_embargoed), end_of_embargo(_rights(work))])


def _retracted(work: Node) -> str:
    days = _days(work, "Withdrawn")
    return (
        by_update("withdrawal", "DataCite", day=days[0])
        if days
        else by_title(text(work, "titles", "title"), "DataCite")
    )


def _issns(work: Node) -> tuple[str, ...]:
    related = parts(work, "relatedIdentifiers")
    found = [text(each, "relatedIdentifier") for each in related if text(each, "relatedIdentifierType") == "ISSN"]
    return tuple(dict.fromkeys(found))


# Relations of DataCite 4.6 that name another version of the work, in the words of Crossref's relations.
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
    found = [
        Related(relation, scheme, _bare(text(each, "relatedIdentifier"), scheme))
        for each in parts(work, "relatedIdentifiers")
        if (relation := _RELATIONS.get(text(each, "relationType")))
        and (scheme := _SCHEMES.get(text(each, "relatedIdentifierType")))
    ]
    return tuple(dict.fromkeys(each for each in found if each.value))


def _bare(identifier: str, scheme: str) -> str:
    """Return an identifier without the address or name that stands before it."""
    return next(iter(dois_in(identifier) if scheme == "doi" else arxiv_in(f"arxiv:{identifier}")), "")
