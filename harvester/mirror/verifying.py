"""Whether what arrived is what the document promised: its digests and size, and what the bytes themselves tell. Pure.

A digest that fits settles everything; a CRC32 or Adler-32 that fits settles nothing. Without a digest, a web page in
the place of a file is recognised, and a file of another kind by its first bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from gateway.digests import is_strong
from harvester.mirror.beginnings import begins_rightly, is_of_office
from harvester.mirror.components import Component


class Fate(StrEnum):
    """What became of a file: a closed list. The first four are held; all others are missing."""

    FETCHED = "fetched"
    KEPT = "kept"  # not asked for, or not changed
    BY_VALUE = "by_value"
    DELIVERED = "delivered"  # in a package
    CORRUPT = "corrupt"  # another digest than stated
    WRONG_SIZE = "wrong_size"
    WEB_PAGE = "web_page"  # HTML in the place of a file
    WRONG_TYPE = "wrong_type"
    BROKEN_OFF = "broken_off"
    DOUBTFUL = "doubtful"  # nothing stated contradicts it, and a rule says that it may not be the file; kept aside
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    NO_ADDRESS = "no_address"  # nothing that can be asked for on the Web
    DISALLOWED = "disallowed"  # by robots.txt
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"
    TRY_LATER = "try_later"
    UNREADABLE = "unreadable"  # the document itself
    HARMED = "harmed"  # held once; an audit found its bytes lost or changed on this disk


HELD = frozenset((Fate.FETCHED, Fate.KEPT, Fate.BY_VALUE, Fate.DELIVERED))


class Bytes(NamedTuple):
    """What is known of bytes that arrived: their digests by algorithm, the first and last of them, how they came."""

    size: int
    digests: dict[str, str]
    first: bytes
    last: bytes
    content_type: str = ""
    is_measured: bool = True  # whether the server said how many there are, or where they end


class Verdict(NamedTuple):
    """Whether bytes are good: `fate` is FETCHED, or why not; `verified` names what the document states and fits."""

    fate: Fate
    reason: str = ""
    verified: tuple[str, ...] = ()
    is_by_looks: bool = False  # nothing that is stated contradicts the bytes, they do so themselves

    @property
    def is_proven(self) -> bool:
        """Tell whether the provider says by a digest that these are the bytes."""
        return self.fate is Fate.FETCHED and is_proven(self.verified)


_PROOFS = frozenset(("md5", "sha1", "sha256", "sha384", "sha512"))


def is_proven(verified: Iterable[str]) -> bool:
    """Tell whether what was verified of a file has a digest among it that no other file has by chance."""
    return not _PROOFS.isdisjoint(verified)


# By MIME type, what stands near the end, for files whose end nobody has told.
_ENDINGS = {
    "application/pdf": b"%%EOF",
    "application/zip": b"PK\x05\x06",
    "application/epub+zip": b"PK\x05\x06",
    "image/jpeg": b"\xff\xd9",
    "image/png": b"IEND",
}
_PAGE = re.compile(
    rb"(?is)(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--.*?-->\s*+)*+<(?:!doctype\s++html|html|head|body)\b"
)
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\x00]*<")
_HYPERTEXT = ("text/html", "application/xhtml+xml")


def verdict(component: Component, found: Bytes) -> Verdict:
    """Judge bytes by what the document says of them, and by themselves."""
    for algorithm, digest in component.decisive:
        if found.digests[algorithm] != digest:
            return Verdict(
                _looks_wrong(component, found) or Fate.CORRUPT,
                f"Its {algorithm} is {found.digests[algorithm]}; the document states {_stated(component, algorithm)}.",
            )
    if component.size is not None and found.size != component.size:
        return Verdict(
            _looks_wrong(component, found) or Fate.WRONG_SIZE,
            f"It has {found.size} bytes; the document states {component.size}.",
        )
    verified = tuple(algorithm for algorithm, digest in component.digests if found.digests[algorithm] == digest)
    if component.size is not None:
        verified += ("size",)
    wrong = None if is_strong(component.decisive) else _looks_wrong(component, found)
    if wrong is not None:
        return Verdict(wrong, _SENTENCES[wrong], verified, is_by_looks=True)
    return Verdict(Fate.FETCHED, "", verified)


def _stated(component: Component, algorithm: str) -> str:
    return " and ".join(digest for name, digest in component.decisive if name == algorithm)


_SENTENCES = {
    Fate.WEB_PAGE: "A web page came in its place.",
    Fate.WRONG_TYPE: "Its first bytes are those of another type than the document states.",
    Fate.BROKEN_OFF: "It ends in the middle.",
}


def _looks_wrong(component: Component, found: Bytes) -> Fate | None:
    mime_type = component.mime_type.partition(";")[0].strip().lower()
    if not _is_named_page(component, mime_type) and _is_page(mime_type, found):
        return Fate.WEB_PAGE
    if begins_rightly(mime_type, found.first) is False:
        return Fate.WRONG_TYPE
    if not found.is_measured and _ENDINGS.get(mime_type, b"") not in found.last:
        return Fate.BROKEN_OFF
    return None


def _is_named_page(component: Component, mime_type: str) -> bool:
    """Tell whether a web page is meant by the name of a file, where its type is not stated."""
    names = (each.partition("?")[0].lower() for each in component.locations)
    return mime_type in ("", "application/octet-stream") and any(each.endswith((".html", ".htm")) for each in names)


def _is_page(mime_type: str, found: Bytes) -> bool:
    """Tell whether bytes are a web page where none is meant: by how they begin, or by markup that is served as HTML."""
    if mime_type in _HYPERTEXT or is_of_office(mime_type, found.first):
        return False
    is_served_as_one = "text/html" in found.content_type.lower()
    begins_like_one = bool(_PAGE.match(found.first))
    if mime_type.endswith("xml"):  # may be XHTML under its other name
        return is_served_as_one and begins_like_one
    return (is_served_as_one and bool(_MARKUP.match(found.first))) or (bool(mime_type) and begins_like_one)
