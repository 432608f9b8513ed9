"""The contents of a record: the work, its statements and its files."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Statement(NamedTuple):
    """One of the fifteen Dublin Core statements: `element` is the local name (`title`), `language` an xml:lang."""

    element: str
    text: str
    language: str = ""


class FileOrigin(StrEnum):
    """The origin of a link to a file: the source's record, or a search."""

    UPSTREAM = "upstream"
    DISCOVERED = "discovered"


class FileLink(NamedTuple):
    """A link that leads to a file. Empty strings and None mean: not known.

    `found_at` is the UTCdatetime at which we found or fetched it. `content` are the bytes of the file, if they are
    embedded in the DIDL. `is_named`: oai_dc also has its address. `copy_url` is the address of our copy, if served.
    """

    url: str
    mime_type: str = "application/octet-stream"
    origin: FileOrigin = FileOrigin.UPSTREAM
    found_in: str = ""  # the element that names it: `dc:format`, `didl:Resource`
    size: int | None = None  # bytes
    sha256: str = ""
    modified: str = ""
    license: str = ""
    version: str = ""
    found_at: str = ""
    is_named: bool = False
    copy_url: str = ""
    content: bytes = b""
    retracted: str = ""  # a sentence about the retraction of the work: who states it, and which notice
    missing: str = ""  # why a file that the record names is not there, and since when
    digests: tuple[tuple[str, str], ...] = ()  # that the source states: (algorithm as hashlib names it, hexadecimal)

    @property
    def fixity(self) -> tuple[tuple[str, str, bool], ...]:
        """All known digests: algorithm, hexadecimal digits, and whether we computed it (else the source states it).

        If the file was not fetched, its SHA-256 is that of the source too.
        """
        if not self.sha256:
            return tuple((*digest, False) for digest in self.digests)
        is_stated = "sha256" in dict(self.digests)
        first = (("sha256", self.sha256, bool(self.found_at)),) if not is_stated else ()
        return *first, *((*digest, False) for digest in sorted(self.digests, key=lambda digest: digest[0] != "sha256"))


class Work(NamedTuple):
    """The work that an item is about, read from the richest of its payloads.

    A work that was read by `glance` has only statements with links; `oai_dc` has all of them.
    """

    statements: tuple[Statement, ...] = ()
    identifiers: tuple[str, ...] = ()  # DOIs and handles as URIs, best first
    landing_page: str = ""
    files: tuple[FileLink, ...] = ()
    license: str = ""  # a URI
    modified: str = ""  # the source's own UTCdatetime of the last change
    upstream: str = ""  # the identifier in the source's protocol
    oai_dc: bytes = b""  # a valid oai_dc as it arrived, standing alone; empty: one must be made

    def texts(self, *elements: str) -> tuple[str, ...]:
        """Return the texts of all statements of these Dublin Core elements, in the order of the record."""
        return tuple(statement.text for statement in self.statements if statement.element in elements)
