"""From Dublin Core statements to a Work: which are identifiers, which address is the landing page, which are files."""

from __future__ import annotations

import re
from dataclasses import replace

from gateway.addresses import address, is_address, uri_of
from gateway.formats._file_links import file_type, type_named
from gateway.model import FileLink, Statement, Work

ELEMENTS = (
    "contributor", "coverage", "creator", "date", "description", "format", "identifier", "language",
    "publisher", "relation", "rights", "source", "subject", "title", "type",
)  # fmt: skip

_TYPED_ADDRESS = re.compile(r"(?is)^([a-z0-9.+/-]{2,80})[\s:;,]+(https?://\S+)$")
_LICENSE = re.compile(
    r"(?i)^https?://(?:creativecommons\.org/(?:licenses|publicdomain)/|rightsstatements\.org/|opensource\.org/licenses/)\S+$"
)


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
        if text[:4].lower() != "http" or not is_address(text):
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
        if match and mime_type and is_address(match[2]):
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
    links = tuple({**names.files, **{link.url: link for link in files if is_address(link.url)}}.values())
    if names.license:
        links = tuple(link if link.license else replace(link, license=names.license) for link in links)
    pages = [landing_page] if is_address(landing_page) else [url for url in names.addresses if url not in names.files]
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
