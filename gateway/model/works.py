"""What a record says: the work, its statements and its files."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Statement(NamedTuple):
    """One of the fifteen Dublin Core statements: `element` is the local name (`title`), `language` an xml:lang."""

    element: str
    text: str
    language: str = ""


class FileOrigin(StrEnum):
    """Who says that a link leads to a file."""

    UPSTREAM = "upstream"
    DISCOVERED = "discovered"


class FileLink(NamedTuple):
    """A link that is known to lead to a file. Empty strings and None mean: not known.

    `found_at` is the UTCdatetime at which it was found or fetched by us. With `content` the file itself is carried.
    `is_named` puts its address into oai_dc as well; `copy_url` is where a copy of ours is served to everybody.
    """

    url: str
    mime_type: str = "application/octet-stream"
    origin: FileOrigin = FileOrigin.UPSTREAM
    found_in: str = ""  # where it was named, in words of the format: `dc:format`, `didl:Resource`
    size: int | None = None  # bytes
    sha256: str = ""
    modified: str = ""
    license: str = ""
    version: str = ""
    found_at: str = ""
    is_named: bool = False
    copy_url: str = ""
    content: bytes = b""
    retracted: str = ""  # a sentence that says who calls the work retracted, and by which notice
    digests: tuple[tuple[str, str], ...] = ()  # that the source states: (algorithm as hashlib names it, hexadecimal)

    @property
    def fixity(self) -> tuple[tuple[str, str, bool], ...]:
        """All digests that are known: algorithm, hexadecimals, and whether it is ours and not what the source states.

        A SHA-256 is the source's too where nobody has fetched the file.
        """
        if not self.sha256:
            return tuple((*each, False) for each in self.digests)
        is_stated = "sha256" in dict(self.digests)
        first = (("sha256", self.sha256, bool(self.found_at)),) if not is_stated else ()
        return *first, *((*each, False) for each in sorted(self.digests, key=lambda each: each[0] != "sha256"))


class Work(NamedTuple):
    """What one item is about, read from the richest of its payloads.

    A work that was read at a glance has only those statements that lead somewhere; `oai_dc` has them all.
    """

    statements: tuple[Statement, ...] = ()
    identifiers: tuple[str, ...] = ()  # DOIs and handles as URIs, best first
    landing_page: str = ""
    files: tuple[FileLink, ...] = ()
    license: str = ""  # a URI
    modified: str = ""  # the source's own UTCdatetime of the last change
    upstream: str = ""  # the identifier in the source's protocol
    oai_dc: bytes = b""  # a valid oai_dc as it arrived, standing alone; empty: one must be made
