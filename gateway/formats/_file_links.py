"""Tables of the addresses that lead to a file; every row names the system that it was seen in. Pure.

An address that matches no row does not count as a file, so that a landing page never does.
"""

import re
from collections.abc import Mapping

from gateway.core.words import table

_TABLES = table(__file__, "file_links")
EXTENSIONS: Mapping[str, str] = _TABLES["extensions"]

# Words for a type in dc:format, besides MIME types (EPrints writes `pdf http://…`).
_WORDS = {**EXTENSIONS, "postscript": "application/postscript", "text": "text/plain", "word": "application/msword"}

SHAPES = tuple((re.compile(pattern), mime_type, program) for pattern, mime_type, program in _TABLES["shapes"])

# Pages about a file, whose addresses end like that of a file.
PAGES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"/wiki/[^/]+:"), "MediaWiki: /wiki/File:Name.jpg"),
    (re.compile(r"^https?://(?:www\.)?(?:github|gitlab)\.com/.+/blob/"), "GitHub, GitLab"),
)
_ANY_PAGE = re.compile(r"/wiki/|/blob/")
_PREVIEW = re.compile(r"/getthumbnail/|/thumbnail\.(?:jpe?g|png|gif)$")  # CONTENTdm; Digital Commons

_ANY_SHAPE = re.compile(
    r"/(?:cgi/viewcontent|pdf|article|bitstreams?|document|download|file|files|portalfiles|eprint|islandora|datafile|show\.cgi)\b"
)  # a quick no for most addresses
_MIME_TYPE = re.compile(r"(?i)^(?:application|audio|font|image|model|text|video)/[a-z0-9][a-z0-9.+-]*$")
_PAGE_EXTENSIONS = frozenset(("html", "htm", "xhtml", "shtml", "php", "jsp", "asp", "aspx"))
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,5})$")
UNKNOWN = "application/octet-stream"


def type_named(text: str) -> str:
    """Return the MIME type in a word or statement, without parameters; empty if it is none, or that of a web page."""
    word = text.split(";", maxsplit=1)[0].strip().lower()
    mime_type = _WORDS.get(word.removeprefix("."), word)
    return mime_type if _MIME_TYPE.match(mime_type) and mime_type not in _PAGE_TYPES else ""


def is_preview(url: str) -> bool:
    """Return whether an address is that of a small picture of a file."""
    return "thumbnail" in url and _PREVIEW.search(url) is not None


def file_type(url: str, stated: str = "") -> str:
    """Return the MIME type of the file at an http address; empty if the address is not known to lead to a file.

    `stated` is the type that the record states for its only file; it is used if the address itself has no type.
    """
    place = url.partition("#")[0]
    if _ANY_PAGE.search(place) and any(pattern.search(place) for pattern, _ in PAGES):
        return ""
    if is_preview(place):
        return ""
    path, _, _ = place.partition("?")
    extension = _EXTENSION.search(path)
    if extension and path.count("/") > 2:  # noqa: PLR2004 - http://host/path: a host may end in .zip as well
        known_type = EXTENSIONS.get(extension[1].lower())
        if known_type:
            return known_type
        if extension[1].lower() in _PAGE_EXTENSIONS:
            return ""
    if _ANY_SHAPE.search(place):
        for pattern, mime_type, _ in SHAPES:
            if pattern.search(place):
                return stated or mime_type or UNKNOWN
    return ""
