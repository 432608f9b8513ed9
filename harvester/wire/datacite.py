"""Answers of the REST API of DataCite (`/dois/{doi}`). Pure."""

from __future__ import annotations

from harvester.wire.copies import Copy, Description, Related, without_repetitions
from harvester.wire.http import Fetched
from harvester.wire.identifiers import arxiv_in, dois_in
from harvester.wire.json_answers import Node, answered, parts, text, texts, values
from harvester.wire.licenses import license_of, license_uri
from harvester.wire.page_ranges import pages_stated


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
    rights = [
        (license_of(f"{text(each, 'rightsUri')} {text(each, 'rightsIdentifier')}"), each)
        for each in parts(work, "rightsList")
    ]
    stated = sorted(
        (
            (name, text(each, "rightsUri") or license_uri(text(each, "rightsIdentifier")))
            for name, each in rights
            if name
        ),
        key=lambda pair: pair[0] == "other-oa",
    )
    name, address = next(iter(stated), ("", ""))
    known = Copy("", license=name, license_url=address, host_type="repository", is_open=bool(name))
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
        other_titles=tuple(dict.fromkeys(texts(work, "titles", "title")))[1:],
        pages=pages_stated(texts(work, "sizes")),
        kind=text(work, "types", "resourceTypeGeneral"),
        related=_related(work),
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
