"""From Dublin Core statements to a Work: which are identifiers, which address is the landing page, which are files."""

from __future__ import annotations

import re
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
_ADDRESS = re.compile(
    r"(?i)^https?://(?:[^\s/?#@\[\]]*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:\[\]]+)(?::[0-9]{1,5})?(?:[/?#]\S*)?$"
)
_TYPED_ADDRESS = re.compile(r"(?is)^([a-z0-9.+/-]{2,80})[\s:;,]+(https?://\S+)$")
_LICENSE = re.compile(
    r"(?i)^https?://(?:creativecommons\.org/(?:licenses|publicdomain)/|rightsstatements\.org/|opensource\.org/licenses/)\S+$"
)
_UNSAFE = re.compile(r"[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})|#.*#")
_HOST_IN_BRACKETS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\[[0-9A-Fa-f:.]+\]")


def uri_of(text: str) -> str:
    """Return a DOI or handle as a URI, however it is spelled; an empty string when it is neither."""
    if "10." in text and (match := _DOI.match(text)):
        return "https://doi.org/" + address(match[1])
    if "/" in text and (match := _HANDLE.match(text)):
        return "https://hdl.handle.net/" + address(match[1])
    return ""


def address(text: str) -> str:
    """Return an address as a legal URI: what RFC 3986 does not allow is percent-encoded."""
    host = _HOST_IN_BRACKETS.match(text) if "[" in text else None
    start = host.end() if host else 0
    if not _UNSAFE.search(text, start):
        return text
    quoted = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", quote(text[start:], safe="-._~:/?#@!$&'()*+,;=%"))
    before, mark, fragment = quoted.partition("#")
    return text[:start] + before + mark + fragment.replace("#", "%23")


def is_address(text: str) -> bool:
    """Tell whether a text is the address of something on the Web, with a host and a port that can be."""
    return _ADDRESS.match(text) is not None


class _Names:
    """What the statements name, gathered in one walk: identifiers, addresses, files, the license."""

    __slots__ = ("_only", "addresses", "files", "identifiers", "license")

    def __init__(self, statements: tuple[Statement, ...]) -> None:
        self.identifiers: dict[str, None] = {}
        self.addresses: list[str] = []
        self.files: dict[str, FileLink] = {}
        self.license = ""
        stated = {found for element, text, _ in statements if element == "format" and (found := type_named(text))}
        self._only = stated.pop() if len(stated) == 1 else ""
        for element, text, _ in statements:
            if element in _TELLING:
                _TELLING[element](self, element, text)

    def locator(self, element: str, text: str) -> None:
        """Take an identifier, relation or source: an address, a DOI or handle, or neither."""
        uri = uri_of(text)
        if uri and element == "identifier":
            self.identifiers[uri] = None
        if text[:4].lower() != "http" or not _ADDRESS.match(text):
            return
        url = address(text)
        mime_type = "" if uri else file_type(url, self._only)
        if mime_type:
            self.files.setdefault(url, FileLink(url, mime_type, found_in=f"dc:{element}"))
        elif element != "source":
            self.addresses.append(url)

    def typed_address(self, element: str, text: str) -> None:
        """Take a format with the type before the address: `pdf http://…` (EPrints)."""
        match = _TYPED_ADDRESS.match(text) if "://" in text else None
        mime_type = type_named(match[1]) if match else ""
        if match and mime_type:
            url = address(match[2])
            self.files.setdefault(url, FileLink(url, mime_type, found_in=f"dc:{element}"))

    def rights(self, _element: str, text: str) -> None:
        """Take the address of a license."""
        if not self.license and _LICENSE.match(text):
            self.license = address(text)


_TELLING = {
    "identifier": _Names.locator,
    "relation": _Names.locator,
    "source": _Names.locator,
    "format": _Names.typed_address,
    "rights": _Names.rights,
}


def work_of(
    statements: tuple[Statement, ...], files: tuple[FileLink, ...] = (), landing_page: str = "", oai_dc: bytes = b""
) -> Work:
    """Return the Work that these statements, and what a richer format knows besides, tell of.

    The landing page is the first address that is neither a file's nor a resolver's, else the first resolver's.
    """
    names = _Names(statements)
    links = tuple({**names.files, **{link.url: link for link in files}}.values())
    if names.license:
        links = tuple(link if link.license else replace(link, license=names.license) for link in links)
    pages = [url for url in names.addresses if url not in names.files] if not landing_page else [landing_page]
    own = (url for url in pages if not uri_of(url))
    page = next(own, pages[0] if pages else "")
    return Work(
        statements=statements,
        identifiers=tuple(names.identifiers),
        landing_page=page,
        files=links,
        license=names.license,
        oai_dc=oai_dc,
    )
