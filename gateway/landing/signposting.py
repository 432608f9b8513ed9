"""The typed links of an item's page, of its metadata and of its files (FAIR Signposting Profile, 2023-10-02). Pure.

All links of all three are in the link set; a header has the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gateway.landing import bibtex, csl_json, ris, schema_org
from gateway.landing.item import Item
from gateway.typed_links import JSON, TEXT, Link

ABOUT_PAGE = "https://schema.org/AboutPage"
_XML = "application/xml"
# The link sets of an item by the ending of their addresses, with their media types.
LINK_SETS = {"linkset.json": JSON, "linkset": TEXT}
# The forms of an item that describe it, by the ending of their addresses, with their media types.
EXPORTS = {
    "bib": bibtex.CONTENT_TYPE,
    "ris": ris.CONTENT_TYPE,
    "csl.json": csl_json.CONTENT_TYPE,
    "jsonld": schema_org.CONTENT_TYPE,
}


def links_of_page(item: Item) -> Iterator[Link]:
    """Yield the links of an item's page, those to its link sets included."""
    page = item.url
    yield Link(page, "cite-as", page)
    yield Link(page, "type", ABOUT_PAGE)
    yield Link(page, "type", f"https://schema.org/{item.reference.kind.schema_class}")
    if item.license and item.license.url:
        yield Link(page, "license", item.license.url)
    yield Link(page, "canonical", page)
    yield from _link_sets(item.forms, page)
    for prefix, url in item.metadata.items():
        namespace = next((known.namespace for known in item.formats if known.metadata_prefix == prefix), "")
        yield Link(page, "describedby", url, type=_XML, profile=namespace)
    for form, content_type in EXPORTS.items():
        yield Link(page, "describedby", item.forms[form], type=content_type.partition(";")[0])
    for file in item.files:
        yield Link(page, "item", file.copy_url or file.url, type=file.mime_type)
    for author in item.reference.authors:
        if author.orcid:
            yield Link(page, "author", author.orcid)
    for identifier in item.reference.identifiers:
        if identifier.scheme in ("doi", "handle", "arxiv", "pmid"):
            yield Link(page, "related", identifier.url)


def links_of_metadata(url: str, page: str, link_sets: Mapping[str, str]) -> Iterator[Link]:
    """Yield the links of metadata at `url`: to the page of their item, and to its link sets by their endings."""
    yield Link(url, "describes", page, type="text/html")
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
    for file in item.files:
        yield Link(file.copy_url or file.url, "collection", item.url, type="text/html")
        if file.license and file.license.url and file.license != item.license:
            yield Link(file.copy_url or file.url, "license", file.license.url)


def _link_sets(urls: Mapping[str, str], anchor: str) -> Iterator[Link]:
    for form, media_type in LINK_SETS.items():
        yield Link(anchor, "linkset", urls[form], type=media_type)
