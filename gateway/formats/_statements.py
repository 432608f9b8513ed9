"""From Dublin Core statements to a Work: which are identifiers, which address is the landing page, which are files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import quote

from gateway.formats._file_links import file_type, type_named
from gateway.model import FileLink, Statement, Work

ELEMENTS = (
    "contributor", "coverage", "creator", "date", "description", "format", "identifier", "language",
    "publisher", "relation", "rights", "source", "subject", "title", "type",
)  # fmt: skip

# How DOIs and handles are spelled in the wild: bare with a scheme, as info URIs, behind every resolver there ever was.
_DOI = re.compile(r"(?i)^(?:doi:\s*|info:doi/|urn:doi:|https?://(?:dx\.|www\.)?doi\.org/)?(10\.\d{4,9}/\S+)$")
_HANDLE = re.compile(r"(?i)^(?:hdl:\s*|info:hdl/|https?://hdl\.handle\.net/)(\d[\d.]*/\S+)$")
_ADDRESS = re.compile(r"(?i)^https?://[^\s/?#]+\S*$")
_TYPED_ADDRESS = re.compile(r"(?is)^([a-z0-9.+/-]{2,80})[\s:;,]+(https?://\S+)$")
_LICENSE = re.compile(
    r"(?i)^https?://(?:creativecommons\.org/(?:licenses|publicdomain)/|rightsstatements\.org/|opensource\.org/licenses/)\S+$"
)
_NAMING = ("identifier", "relation", "source")
_UNSAFE = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})|[\[\]](?=.*/)")


def work_of(
    statements: tuple[Statement, ...], files: tuple[FileLink, ...] = (), landing_page: str = "", oai_dc: bytes = b""
) -> Work:
    """Return the Work that these statements, and what a richer format knows besides, tell of."""
    named = tuple(_files(statements))
    addresses = [
        text for element, text, _ in statements if element in ("identifier", "relation") and _ADDRESS.match(text)
    ]
    identifiers = dict.fromkeys(
        filter(None, (uri_of(text) for element, text, _ in statements if element == "identifier"))
    )
    known = {link.url for link in files}
    links = (*files, *(link for link in named if link.url not in known))
    page = landing_page or _landing_page(addresses, {link.url for link in links})
    license_ = next(
        (address(text) for element, text, _ in statements if element == "rights" and _LICENSE.match(text)), ""
    )
    if license_:
        links = tuple(link if link.license else replace(link, license=license_) for link in links)
    return Work(
        statements=statements,
        identifiers=tuple(identifiers),
        landing_page=page,
        files=links,
        license=license_,
        oai_dc=oai_dc,
    )


def uri_of(text: str) -> str:
    """Return a DOI or handle as a URI, however it is spelled; an empty string when it is neither."""
    if "10." in text and (match := _DOI.match(text)):
        return "https://doi.org/" + address(match[1])
    if "/" in text and (match := _HANDLE.match(text)):
        return "https://hdl.handle.net/" + address(match[1])
    return ""


def address(text: str) -> str:
    """Return an address as a legal URI: what RFC 3986 does not allow is percent-encoded."""
    if not _UNSAFE.search(text):
        return text
    return re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", quote(text, safe="-._~:/?#@!$&'()*+,;=%"))


def _files(statements: Iterable[Statement]) -> Iterator[FileLink]:
    """Return the files that the statements name, each once, in the dialects of oai_dc."""
    formats = [text for element, text, _ in statements if element == "format"]
    stated = {mime_type for text in formats if (mime_type := type_named(text))}
    only = next(iter(stated)) if len(stated) == 1 else ""
    seen: set[str] = set()
    for element, text, _ in statements:
        found = _file(element, text, only)
        if found is not None and found.url not in seen:
            seen.add(found.url)
            yield found


def _file(element: str, text: str, only: str) -> FileLink | None:
    if element == "format":  # `pdf http://…`: the type stands before the address (EPrints)
        match = _TYPED_ADDRESS.match(text)
        mime_type = type_named(match[1]) if match else ""
        return FileLink(address(match[2]), mime_type, found_in="dc:format") if match and mime_type else None
    if element not in _NAMING or not _ADDRESS.match(text) or uri_of(text):
        return None
    mime_type = file_type(text, only)
    return FileLink(address(text), mime_type, found_in=f"dc:{element}") if mime_type else None


def _landing_page(addresses: Iterable[str], files: set[str]) -> str:
    """Return the first address that is neither a file nor a resolver's; a resolver's when there is no other."""
    pages = [found for text in addresses if (found := address(text)) not in files]
    own = (page for page in pages if not uri_of(page))
    return next(own, pages[0] if pages else "")
