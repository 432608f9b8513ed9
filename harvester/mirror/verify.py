"""Compare received bytes with the statements of the document: digests, size and type. Pure.

A digest that agrees proves the bytes; a CRC32 or an Adler-32 proves nothing. Without a digest, a web page in place of a
file is recognised, and a file of another type by its first bytes.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from gateway.core.digests import is_strong
from harvester.mirror.component import Component
from harvester.mirror.file_types import PAGE, begins_rightly, is_of_office


class Fate(StrEnum):
    """The outcome of a file: a closed list. With the first four the file is stored; with all others it is missing."""

    FETCHED = "fetched"
    KEPT = "kept"  # not requested, or not changed
    BY_VALUE = "by_value"
    DELIVERED = "delivered"  # in a package
    CORRUPT = "corrupt"  # another digest than stated
    WRONG_SIZE = "wrong_size"
    WEB_PAGE = "web_page"  # HTML in the place of a file
    WRONG_TYPE = "wrong_type"
    BROKEN_OFF = "broken_off"
    DOUBTFUL = "doubtful"  # no statement contradicts it, but a rule doubts it; stored aside
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    NO_ADDRESS = "no_address"  # no location is an HTTP address
    DISALLOWED = "disallowed"  # by robots.txt
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"
    TRY_LATER = "try_later"
    UNREADABLE = "unreadable"  # the document itself
    HARMED = "harmed"  # an audit found its bytes lost or altered on this disk


HELD = frozenset((Fate.FETCHED, Fate.KEPT, Fate.BY_VALUE, Fate.DELIVERED))
# Outcomes that do not concern the file: its server cannot be asked now, and a doubtful file stays doubtful.
PASSING = frozenset((Fate.UNREACHABLE, Fate.TRY_LATER, Fate.DISALLOWED))


class Bytes(NamedTuple):
    """Received bytes: their size, hexadecimal digests by algorithm, the first and the last bytes, and headers."""

    size: int
    digests: Mapping[str, str]
    first: bytes
    last: bytes
    content_type: str = ""
    is_measured: bool = True  # the server stated their number, or marked their end


class Verdict(NamedTuple):
    """A judgement of bytes: `fate` is FETCHED, or the fault; `verified` has the statements that agree."""

    fate: Fate
    reason: str = ""
    verified: tuple[str, ...] = ()
    is_by_bytes: bool = False  # the fault is in the bytes; no statement contradicts them

    @property
    def is_proven(self) -> bool:
        """Return whether a digest of the provider proves the bytes."""
        return self.fate is Fate.FETCHED and is_proven(self.verified)


_PROOFS = frozenset(("md5", "sha1", "sha256", "sha384", "sha512"))


def is_proven(verified: Iterable[str]) -> bool:
    """Return whether the verified statements contain a cryptographic digest."""
    return not _PROOFS.isdisjoint(verified)


# Bytes near the end of a file, by MIME type. They are needed when the server does not state the length.
_ENDINGS = {
    "application/pdf": b"%%EOF",
    "application/zip": b"PK\x05\x06",
    "application/epub+zip": b"PK\x05\x06",
    "image/jpeg": b"\xff\xd9",
    "image/png": b"IEND",
}
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\x00]*<")
_HYPERTEXT = ("text/html", "application/xhtml+xml")


def verdict(component: Component, arrived: Bytes) -> Verdict:
    """Return a judgement of received bytes by the statements of the document, and by the bytes themselves."""
    for algorithm, digest in component.decisive:
        if arrived.digests[algorithm] != digest:
            stated = " and ".join(digest for name, digest in component.decisive if name == algorithm)
            reason = f"Its {algorithm} is {arrived.digests[algorithm]}; the document states {stated}."
            return Verdict(_wrong_content(component, arrived) or Fate.CORRUPT, reason)
    if component.size is not None and arrived.size != component.size:
        return Verdict(
            _wrong_content(component, arrived) or Fate.WRONG_SIZE,
            f"It has {arrived.size} bytes; the document states {component.size}.",
        )
    verified = tuple(algorithm for algorithm, digest in component.digests if arrived.digests[algorithm] == digest)
    if component.size is not None:
        verified += ("size",)
    wrong = None if is_strong(component.decisive) else _wrong_content(component, arrived)
    if wrong is not None:
        return Verdict(wrong, _SENTENCES[wrong], verified, is_by_bytes=True)
    return Verdict(Fate.FETCHED, "", verified)


_SENTENCES = {
    Fate.WEB_PAGE: "A web page was received in its place.",
    Fate.WRONG_TYPE: "Its first bytes are those of another type than the document states.",
    Fate.BROKEN_OFF: "It is incomplete.",
}


def _wrong_content(component: Component, arrived: Bytes) -> Fate | None:
    mime_type = component.mime_type.partition(";")[0].strip().lower()
    if not _is_named_page(component, mime_type) and _is_page(mime_type, arrived):
        return Fate.WEB_PAGE
    if begins_rightly(mime_type, arrived.first) is False:
        return Fate.WRONG_TYPE
    if not arrived.is_measured and _ENDINGS.get(mime_type, b"") not in arrived.last:
        return Fate.BROKEN_OFF
    return None


def _is_named_page(component: Component, mime_type: str) -> bool:
    """Return whether the name of a file of unknown type is that of a web page."""
    names = (location.partition("?")[0].lower() for location in component.locations)
    return mime_type in ("", "application/octet-stream") and any(name.endswith((".html", ".htm")) for name in names)


def _is_page(mime_type: str, arrived: Bytes) -> bool:
    """Return whether bytes are a web page in place of another file: by their first bytes, or by their media type."""
    if mime_type in _HYPERTEXT or is_of_office(mime_type, arrived.first):
        return False
    is_served_as_one = "text/html" in arrived.content_type.lower()
    begins_like_one = bool(PAGE.match(arrived.first))
    if mime_type.endswith("xml"):  # may be XHTML under its other name
        return is_served_as_one and begins_like_one
    return (is_served_as_one and bool(_MARKUP.match(arrived.first))) or (bool(mime_type) and begins_like_one)
