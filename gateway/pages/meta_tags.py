"""The `meta` elements of an item's page: Google Scholar's `citation_*` tags, and Open Graph. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from gateway.core.bibliography.dates import date_parts
from gateway.pages.item import Item
from gateway.pages.shown import bare, shortened

_MOST_AUTHORS = 400
_MOST_DESCRIPTION = 200


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
