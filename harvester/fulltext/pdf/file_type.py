"""Media types of bytes, from the bytes alone, with the names of libmagic. Pure."""

import re

from harvester.fulltext.pages.article_xml import as_utf8, is_article_xml

PDF = "application/pdf"
HTML = "text/html"
XML = "application/xml"
UNKNOWN = "application/octet-stream"

# The header of a PDF may be anywhere in these bytes (Adobe's PDF Reference 1.7, appendix H, implementation note 13).
_WINDOW = 1024
# Programs that make pages write blank lines and comments before the page.
_MOST_BEFORE = 65_536
_BEFORE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>(?:\s++|<!--.*?-->)+)", re.DOTALL)
_MARKS = (
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"%!PS", "application/postscript"),
    (b"\xd0\xcf\x11\xe0", "application/msword"),
    (b"{\\rtf", "application/rtf"),
    (b"AT&TFORM", "image/vnd.djvu"),
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
)
_HTML = re.compile(rb"(?i)<(?:!doctype\s+html|html|head|body|meta|title|script)[\s>]")
_FRAGMENT = re.compile(rb"(?i)^\s*<(?:a|div|form|h[1-6]|iframe|img|link|p|span|table|ul)[\s>]")
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f]*")


def mime_type(body: bytes) -> str:
    """Return the media type of these bytes; empty for no bytes."""
    if b"%PDF-" in body[:_WINDOW]:
        return PDF
    head = _BEFORE.sub(b"", as_utf8(body[:_MOST_BEFORE]), count=1)[:_WINDOW]
    for mark, characters in _MARKS:
        if head.startswith(mark):
            return characters
    is_page = bool(_HTML.search(head) or _FRAGMENT.search(head))
    # An article as XML has titles, too.
    if head.removeprefix(b"\xef\xbb\xbf").startswith(b"<") and (not is_page or is_article_xml(body)):
        return XML
    if is_page:
        return HTML
    if body and _TEXT.fullmatch(head):
        return "text/plain"
    return UNKNOWN if body else ""
