"""OpenAlex: all locations of the work, also those in repositories that Unpaywall misses.

A look-up of one work is free, with a key or without; a key raises the daily limit. Files that OpenAlex stores itself
are left out: each needs a key and costs money, and an address with a key must not be published.
"""

from gateway.core.bibliography.identifiers import dois_in
from gateway.fulltext.licenses import license_of, license_uri
from harvester.fulltext.known_copies import Copy, Description, version_of, without_repetitions
from harvester.fulltext.page_ranges import number_of_pages
from harvester.fulltext.retractions import by_mark, by_title
from harvester.fulltext.rights_words import is_trusted
from harvester.fulltext.steps import Known, Step, StepResult
from harvester.fulltext.steps._ask_service import address, described, has_doi
from harvester.http.json_answers import Node, answered, parts, text, texts, values
from harvester.http.messages import Fetch, Fetched


def _find(known: Known, fetch: Fetch) -> StepResult:
    key = known.settings.get("openalex_key", "")
    url = address("https://api.openalex.org/works/https://doi.org/", known.doi, mailto=known.email, api_key=key)
    return described(url, fetch, read)


STEP = Step("openalex", 50, "Asks OpenAlex for all locations of the DOI.", has_doi, _find)

# --- Answers of OpenAlex (`/works/doi:…`): all locations, and the other identifiers of a work. Pure -------------------

# Types of sources in OpenAlex, and the type of their hosts.
_HOSTS = {"repository": "repository", "journal": "publisher", "book series": "publisher", "conference": "publisher"}


def read(fetched: Fetched) -> Description | None:
    """Return the work of an answer, None when OpenAlex does not know it. Errors are those of `answered`."""
    document = answered(fetched, "OpenAlex", "doi", is_text=True)
    return _described(document) if document is not None else None


def read_list(fetched: Fetched) -> tuple[Description, ...]:
    """Return the works of a list. Errors are those of `answered`."""
    return tuple(_described(part) for part in parts(answered(fetched, "OpenAlex", "results") or {}, "results"))


def _described(work: Node) -> Description:
    located = [copy for part in parts(work, "locations") for copy in _copies(part)]
    source = next(iter(parts(work, "primary_location", "source")), {})
    names = [name.rpartition(" ") for name in texts(work, "authorships", "author", "display_name")]
    is_marked = work.get("is_retracted") is True
    return Description(
        doi=next(iter(dois_in(text(work, "doi"))), ""),
        title=text(work, "title"),
        authors=tuple(family for _, _, family in names),
        given_names=tuple(given for given, _, _ in names),
        container=text(source, "display_name"),
        publisher=text(source, "host_organization_name"),
        year="".join(str(value) for value in values(work, "publication_year")),
        abstract=_abstract(work),
        issns=tuple(dict.fromkeys(texts(source, "issn"))),
        copies=without_repetitions(located),
        is_open=next((value for value in values(work, "open_access", "is_oa") if isinstance(value, bool)), None),
        also=tuple(texts(work, "ids", "pmcid") + texts(work, "ids", "pmid")),
        pages=number_of_pages(f"{text(work, 'biblio', 'first_page')}-{text(work, 'biblio', 'last_page')}"),
        kind=text(work, "type"),
        retracted=by_mark("OpenAlex") if is_marked else by_title(text(work, "title"), "OpenAlex"),
    )


def _copies(location: Node) -> list[Copy]:
    """Return the file of a location and, where the location is open, its page."""
    is_believed = all(map(is_trusted, texts(location, "landing_page_url") + texts(location, "pdf_url")))
    stated = text(location, "license") if is_believed else ""
    known = Copy(
        "",
        version=version_of(text(location, "version")),
        license=license_of(stated),
        license_url=license_uri(stated),
        host_type=_HOSTS.get(text(location, "source", "type"), ""),
        evidence=f"openalex:{text(location, 'source', 'display_name')}",
        is_open=location.get("is_oa") is True,
    )
    files = [known._replace(url=url, mime_type="application/pdf") for url in texts(location, "pdf_url")]
    pages = texts(location, "landing_page_url") if location.get("is_oa") is True else []
    return files + [known._replace(url=url, is_page=True) for url in pages]


def _abstract(work: Node) -> str:
    """Return the abstract from its inverted index: each word with its positions."""
    index = next(iter(parts(work, "abstract_inverted_index")), {})
    placed = [(place, word) for word in index for place in values(index, word) if isinstance(place, int)]
    return " ".join(word for _, word in sorted(placed))
