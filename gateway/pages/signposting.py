"""The typed links of an item's page, of its metadata and of its files (FAIR Signposting Profile, 2023-10-02). Pure.

All links of all three are in the link set; a header has the first of them.
"""

from collections.abc import Iterator, Mapping

from gateway.core.typed_links import JSON, TEXT, Link, spdx_uri
from gateway.pages.citations import BIBTEX_TYPE, CSL_JSON_TYPE, RIS_TYPE
from gateway.pages.item import Item, License
from gateway.pages.item_head import JSON_LD_TYPE

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
        license_url = _license(file.license)
        if license_url and license_url != _license(item.license):
            yield Link(file.copy_url or file.url, "license", license_url)


def _license(known: License | None) -> str:
    """Return the URI of a licence: that of SPDX if it lists the licence; empty when none is known."""
    return spdx_uri(known.url) or known.url if known else ""


def _link_sets(urls: Mapping[str, str], anchor: str) -> Iterator[Link]:
    for form, media_type in LINK_SETS.items():
        yield Link(anchor, "linkset", urls[form], type=media_type)
