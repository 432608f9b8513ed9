"""An item for programs: schema.org, Google Scholar's `citation_*` tags and Open Graph, JSON. Pure.

In JSON-LD, characters that could end the element `script` are escaped, so no text of a record can leave it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from gateway.core.bibliography.dates import date_parts
from gateway.core.model import Outcome, Tried
from gateway.core.typed_links import JSON, SUPPLEMENT, SUPPLEMENT_FILE, TEXT, Link, spdx_uri
from gateway.core.xmltext import utc_datetime
from gateway.pages.citations import BIBTEX_TYPE, CSL_JSON_TYPE, RIS_TYPE
from gateway.pages.item import Item, License, ShownFile
from gateway.pages.reference import Author
from gateway.pages.shown import bare, shortened

JSON_LD_TYPE = "application/ld+json"
_MOST_AUTHORS = 400
_MOST_DESCRIPTION = 200


class Most(NamedTuple):
    """How many authors, files, and other texts the document has, and how many characters of the abstract."""

    authors: int
    files: int
    texts: int
    abstract: int


WHOLE: Final = Most(100, 50, 100, 20_000)
IN_A_PAGE: Final = Most(20, 5, 10, 1_000)  # search engines show less
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def schema_org(item: Item, most: Most = WHOLE) -> str:
    """Return the JSON-LD of an item; it may stand in an element `script`."""
    reference = item.reference
    identifiers = reference.identifiers[: most.texts]
    journal = {"@type": "Periodical", "name": reference.journal, "issn": reference.issn}
    entry = {
        "@context": "https://schema.org",
        "@type": reference.kind.schema_class,
        "@id": item.url,
        "url": item.url,
        "name": item.title,
        "headline": item.title[:110] if reference.kind.schema_class == "ScholarlyArticle" else "",
        "author": [_person(author) for author in reference.authors[: most.authors]],
        "datePublished": "-".join(date_parts(reference.date)) or (str(reference.year) if reference.year else ""),
        "abstract": shortened(bare(reference.abstracts[0].text), most.abstract) if reference.abstracts else "",
        "identifier": [entry.url or entry.text for entry in identifiers],
        "sameAs": list(dict.fromkeys(filter(None, (item.origin, *(entry.url for entry in identifiers))))),
        "license": item.license.url if item.license else "",
        "isPartOf": _filled(journal) if reference.journal else None,
        "publisher": {"@type": "Organization", "name": reference.publisher} if reference.publisher else None,
        "inLanguage": reference.language_tag,
        "keywords": [bare(subject.text) for subject in reference.subjects[: most.texts]],
        "encoding": [_file(item, place) for place in range(min(len(item.files), most.files))],
        "subjectOf": [
            {"@type": "DataDownload", "contentUrl": url, "encodingFormat": "application/xml", "name": prefix}
            for prefix, url in item.metadata.items()
        ],
    }
    return json.dumps(_filled(entry), ensure_ascii=False).translate(_ESCAPES)


def _person(author: Author) -> dict[str, object]:
    parts = {"@id": author.orcid, "name": author.name, "familyName": author.family, "givenName": author.given}
    return {"@type": "Person", **_filled(parts)}


def _file(item: Item, place: int) -> dict[str, object]:
    file = item.files[place]
    return _filled(
        {
            "@type": "MediaObject",
            "contentUrl": file.copy_url or file.url,
            "encodingFormat": file.mime_type,
            "contentSize": f"{file.size} B" if file.size is not None else "",
            "sha256": file.sha256,
            "license": file.license.url if file.license else "",
        }
    )


def _filled(entry: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in entry.items() if value}


def citation_tags(item: Item) -> Iterator[tuple[str, str]]:
    """Yield name and content of each tag; there are none if the record has no title, no author or no year."""
    reference = item.reference
    if not (reference.title and reference.authors and reference.year):
        return
    yield "citation_title", item.title
    for author in reference.authors[:_MOST_AUTHORS]:
        yield "citation_author", author.family_first
        if author.orcid:
            yield "citation_author_orcid", author.orcid
    yield "citation_publication_date", "/".join(date_parts(reference.date)) or str(reference.year)
    kind = reference.kind.name
    publisher_tag = {
        "doctoral": "citation_dissertation_institution",
        "master": "citation_dissertation_institution",
        "bachelor": "citation_dissertation_institution",
        "thesis": "citation_dissertation_institution",
        "report": "citation_technical_report_institution",
        "working_paper": "citation_technical_report_institution",
    }.get(kind, "citation_publisher")
    container_tag = "citation_conference_title" if kind in ("paper", "poster") else "citation_journal_title"
    for name, value in (
        (container_tag, reference.journal),
        ("citation_volume", reference.volume),
        ("citation_issue", reference.issue),
        ("citation_firstpage", reference.first_page),
        ("citation_lastpage", reference.last_page),
        ("citation_issn", reference.issn),
        ("citation_isbn", reference.isbn),
        (publisher_tag, reference.publisher),
        ("citation_doi", reference.doi),
        ("citation_language", reference.language_tag),
    ):
        if value:
            yield name, value
    for file in item.files:
        # A file at another host is no file of this page for Google Scholar; only copies of open files are served here.
        if file.copy_url and file.mime_type.partition(";")[0] == "application/pdf":
            yield "citation_pdf_url", file.copy_url
            return


def open_graph(item: Item) -> Iterator[tuple[str, str]]:
    """Yield property and content of each tag (The Open Graph protocol)."""
    yield "og:title", item.title
    yield "og:type", "article"
    yield "og:url", item.url
    if description := description_of(item):
        yield "og:description", description


def description_of(item: Item) -> str:
    """Return the beginning of the abstract, for search engines and previews."""
    abstracts = item.reference.abstracts
    return shortened(bare(abstracts[0].text), _MOST_DESCRIPTION) if abstracts else ""


# --- JSON of our own: what the page of an item shows -----------------------------------------------------------------


def item_json(item: Item) -> str:
    """Return the JSON of an item; every name is there, also without a value."""
    reference = item.reference
    entry = {
        "identifier": item.identifier,
        "url": item.url,
        "datestamp": item.datestamp,
        "source": {"name": item.source, "baseURL": item.source_url, "identifier": item.upstream, "page": item.origin},
        "complete": not item.is_too_large,
        "title": item.title,
        "authors": [{"name": author.name, "orcid": author.orcid or None} for author in reference.authors],
        "type": reference.kind.name,
        "year": reference.year or None,
        "date": reference.date or None,
        "journal": reference.journal or None,
        "publisher": reference.publisher or None,
        "language": reference.language or None,
        "abstracts": [{"text": text, "language": language or None} for text, language, _ in reference.abstracts],
        "subjects": [subject.text for subject in reference.subjects],
        "identifiers": [
            {"scheme": entry.scheme, "value": entry.text, "url": entry.url or None} for entry in reference.identifiers
        ],
        "license": item.license.url if item.license else None,
        "files": [_file_facts(file) for file in item.files],
        "supplements": [_file_facts(file) for file in item.supplements],
        "search": None if item.files or item.is_too_large else _search(item),
        "provenance": [
            {
                "baseURL": hop.base_url,
                "identifier": hop.identifier,
                "datestamp": hop.datestamp,
                "metadataNamespace": hop.namespace,
                "harvestDate": hop.harvest_date,
                "altered": hop.is_altered,
            }
            for hop in item.hops
        ],
        "sets": [{"setSpec": entry.spec, "setName": entry.name, "records": entry.records} for entry in item.sets],
        "metadata": dict(item.metadata),
        "forms": dict(item.forms),
    }
    return json.dumps(entry, ensure_ascii=False, indent=1) + "\n"


def _file_facts(file: ShownFile) -> dict[str, object]:
    return {
        "url": file.url,
        "copy": file.copy_url or None,
        "mimeType": file.mime_type,
        "version": file.version or None,
        "license": file.license.url if file.license else None,
        "size": file.size,
        "sha256": file.sha256 or None,
        "origin": "discovered" if file.is_found else "upstream",
        "foundIn": file.found_in or None,
        "foundAt": file.found_at or None,
        "modified": file.modified or None,
        "retracted": file.retracted or None,
        "missing": file.missing or None,
    }


def _search(item: Item) -> dict[str, object]:
    """Return how the search for a file of an item without files stands."""
    tried = item.tried or Tried(0, Outcome.FAULT)
    return {
        "state": item.search.facts(),
        "outcome": tried.outcome.value if tried.searched_at else None,
        "searchedAt": utc_datetime(tried.searched_at) if tried.searched_at else None,
        "nextAfter": utc_datetime(tried.next_at) if tried.next_at else None,
        "steps": [{"step": step, "outcome": outcome.value} for step, outcome in tried.steps],
    }


# --- Typed links (FAIR Signposting Profile, 2023-10-02): all are in the link set, and a header has the first of them -

ABOUT_PAGE = "https://schema.org/AboutPage"
_XML = "application/xml"
# The link sets of an item by the ending of their addresses, with their media types.
LINK_SETS = {"linkset.json": JSON, "linkset": TEXT}
# The forms of an item that describe it, by the ending of their addresses, with their media types.
EXPORTS = {"bib": BIBTEX_TYPE, "ris": RIS_TYPE, "csl.json": CSL_JSON_TYPE, "jsonld": JSON_LD_TYPE}
# What says more of the forms whose media type many formats share.
_PROFILES = {"jsonld": "https://schema.org/"}


def links_of_page(item: Item) -> Iterator[Link]:
    """Yield the links of an item's page, those to its link sets included."""
    page = item.url
    yield Link(page, "cite-as", item.persistent_url)
    yield Link(page, "type", ABOUT_PAGE)
    yield Link(page, "type", f"https://schema.org/{item.reference.kind.schema_class}")
    if license_url := _license(item.license):
        yield Link(page, "license", license_url)
    yield Link(page, "canonical", item.canonical)
    yield from _link_sets(item.forms, page)
    for prefix, url in item.metadata.items():
        namespace = next((known.namespace for known in item.formats if known.metadata_prefix == prefix), "")
        yield Link(page, "describedby", url, type=_XML, profile=namespace)
    for form, content_type in EXPORTS.items():
        media_type = content_type.partition(";")[0]
        yield Link(page, "describedby", item.forms[form], type=media_type, profile=_PROFILES.get(form, ""))
    for file in item.files:
        yield Link(page, "item", file.copy_url or file.url, type=file.mime_type)
    for file in item.supplements:
        yield Link(page, SUPPLEMENT, file.copy_url or file.url, type=file.mime_type)
    for author in item.reference.authors:
        if author.orcid:
            yield Link(page, "author", author.orcid)
    for identifier in item.reference.identifiers:
        if identifier.scheme in ("doi", "handle", "arxiv", "pmid"):
            yield Link(page, "related", identifier.url)


def links_of_metadata(url: str, page: str, link_sets: Mapping[str, str], profile: str = "") -> Iterator[Link]:
    """Yield the links of metadata at `url`: to the page of their item, and to its link sets by their endings."""
    yield Link(url, "describes", page, type="text/html")
    if profile:
        yield Link(url, "profile", profile)
    yield from _link_sets(link_sets, url)


def links_of_export(item: Item, form: str) -> Iterator[Link]:
    """Yield the links of a form that describes an item: to its page, and to its link sets."""
    return links_of_metadata(item.forms[form], item.url, item.forms, _PROFILES.get(form, ""))


def links_of_content(url: str, page: str, link_sets: Mapping[str, str]) -> Iterator[Link]:
    """Yield the links of a file that we serve at `url`: to the page of its item, and to its link sets."""
    yield Link(url, "collection", page, type="text/html")
    yield from _link_sets(link_sets, url)


def link_set(item: Item) -> Iterator[Link]:
    """Yield all links of the item: of its page, its metadata and its files (RFC 9264)."""
    yield from links_of_page(item)
    for prefix, url in item.metadata.items():
        namespace = next((known.namespace for known in item.formats if known.metadata_prefix == prefix), "")
        yield Link(url, "describes", item.url, type="text/html")
        if namespace:
            yield Link(url, "profile", namespace)
    for form in EXPORTS:
        yield Link(item.forms[form], "describes", item.url, type="text/html")
        if form in _PROFILES:
            yield Link(item.forms[form], "profile", _PROFILES[form])
    for file in item.files:
        yield Link(file.copy_url or file.url, "collection", item.url, type="text/html")
    for file in item.supplements:
        yield Link(file.copy_url or file.url, "type", SUPPLEMENT_FILE)
    for file in (*item.files, *item.supplements):
        license_url = _license(file.license)
        if license_url and license_url != _license(item.license):
            yield Link(file.copy_url or file.url, "license", license_url)


def _license(known: License | None) -> str:
    """Return the URI of a licence: that of SPDX if it lists the licence; empty when none is known."""
    return spdx_uri(known.url) or known.url if known else ""


def _link_sets(urls: Mapping[str, str], anchor: str) -> Iterator[Link]:
    for form, media_type in LINK_SETS.items():
        yield Link(anchor, "linkset", urls[form], type=media_type)
