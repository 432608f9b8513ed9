"""Facts about received bytes of a file without a stated digest."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from mimetypes import MimeTypes
from urllib.parse import unquote, urlsplit

from harvester.mirror import document_ends, file_ends, file_types
from harvester.mirror.file_beginnings import is_of_office
from harvester.mirror.file_types import Broken, Content


class FileFacts:
    """Facts about received bytes, and about the expected file."""

    def __init__(
        self,
        data: Content,
        mime_type: str,
        *,
        url: str = "",
        came_from: str = "",
        content_type: str = "",
        stated_size: int | None = None,
        is_older: bool = False,
        read: Callable[[bytes], str] = lambda _: "",
    ) -> None:
        """Take the bytes, the stated MIME type, and facts about the answer.

        `is_older`: Last-Modified is older than that of an earlier answer from the same address. `read` returns the text
        of a PDF.
        """
        self.data, self.url, self.came_from = data, url, came_from
        self.served = _plain(content_type)
        self.stated_size, self.is_older = stated_size, is_older
        self.first, self.last = data[:_LOOK], data[max(0, len(data) - _LOOK) :]
        stated = _plain(mime_type)
        is_unsure = stated in _ANYTHING or (stated == TABLES and _guessed(url).startswith("text/"))
        self.mime_type = _guessed(url) if is_unsure else stated
        if self.mime_type == TABLES and self.is_text and is_even(decoded(self.first).rpartition("\n")[0]):
            self.mime_type = "text/csv"
        self._read = read
        self.has_end = False
        self.problem, self.tail = self._judged()

    @cached_property
    def kind(self) -> str:
        """The expected kind: html, xml, json, text, or binary; empty when it is unknown."""
        if self.mime_type in _ANYTHING:
            return ""
        return next((kind for kind, pattern in _KINDS if pattern.fullmatch(self.mime_type)), "binary")

    @cached_property
    def has_size(self) -> bool:
        """Return whether the number of bytes is the stated one."""
        return self.stated_size == len(self.data)

    @cached_property
    def is_text(self) -> bool:
        """Return whether the bytes are text."""
        return file_types.is_text(self.first) and file_types.is_text(self.last)

    @cached_property
    def came(self) -> str:
        """The received kind: html, xml, json or text; else binary."""
        if not self.is_text:
            return "binary"
        first = decoded(self.first).encode() if b"\x00" in self.first else self.first
        return next((kind for kind, pattern in _TEXTS if pattern.match(first)), "text")

    @cached_property
    def short(self) -> bytes:
        """The bytes if they are few enough for an error message; else empty."""
        return self.data[:] if len(self.data) <= _SHORT else b""

    @cached_property
    def words(self) -> str:
        """The visible text of short bytes."""
        return visible(self.short) if self.came in ("html", "xml") else decoded(self.short)

    @cached_property
    def printed(self) -> str:
        """The text of a PDF with few pages; else empty."""
        if not file_ends.PDF.match(self.first) or len(self.data) > _SMALL or self.problem:
            return ""
        data = self.data[:]
        return self._read(data) if sum(1 for _ in _SHEET.finditer(data)) <= _FEW_PAGES else ""

    @cached_property
    def is_of_office(self) -> bool:
        """Return whether the bytes are the markup of Microsoft Office documents."""
        return is_of_office(self.mime_type, self.first)

    def _judged(self) -> tuple[str, bytes]:
        """Return why the file is incomplete, and the bytes after its end."""
        check = next((check for pattern, check in file_ends.TEXTS if pattern.fullmatch(self.mime_type)), None)
        if self.is_text and self.kind not in ("", "binary"):
            check = check or _CHECKS.get(self.kind)
        else:
            check = next((check for beginning, check in file_ends.BINARY if beginning.match(self.first)), None)
        if check is None or not self.data:
            return "", b""
        self.has_end = check is not document_ends.html
        try:
            end = check(self.data)
        except Broken as error:
            return str(error), b""
        return "", self.data[end : end + _LOOK]


_SMALL, _FEW_PAGES = 512 << 10, 2  # of a PDF that only says why another is not there
_SHEET = re.compile(rb"/Type\s{0,4}/Page\b")
_LOOK = 4096
_SHORT = 64 << 10
_ANYTHING = ("", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/unknown")
TABLES = "application/vnd.ms-excel"  # what browsers of Windows call CSV too
TABLE_TYPES = ("text/csv", "text/tab-separated-values", TABLES)
_KINDS = (
    ("html", re.compile(r"text/html|application/xhtml\+xml")),
    ("xml", re.compile(r"(?:application|text)/xml|.*\+xml")),
    ("json", re.compile(r"application/json|text/json|.*\+json|application/(?:x-)?ndjson|application/jsonl(?:ines)?")),
    ("text", re.compile(r"text/.*|application/(?:x-)?(?:tex|latex|bibtex|javascript|yaml|sh|python|csv|toml|sql).*")),
)
_CHECKS: dict[str, Callable[[Content], int]] = {
    "html": document_ends.html,
    "xml": document_ends.xml,
    "json": document_ends.json_,
}
_BOM = rb"(?:\xef\xbb\xbf)?\s*+"
_OPENING = rb"(?i)" + _BOM + rb"(?>(?:<\?xml[^>]*+>\s*+|<!--(?>(?:[^-]|-(?!->))*)-->\s*+)*)<"
PAGE = re.compile(_OPENING + rb"(?:!doctype\s++html|(?:html|head|body)\b)")
_TEXTS = (
    ("html", re.compile(_OPENING + rb"(?:!doctype\s++html|(?:html|head|body|title|meta|h1|p|div|center|script|br)\b)")),
    ("xml", re.compile(_BOM + rb"<[?!a-zA-Z_]")),
    ("json", re.compile(_BOM + rb"[{\[]\s*+[\"{\[\]}\d]")),
)
_NAMES = MimeTypes(filenames=())


def is_even(text: str) -> bool:
    """Return whether all lines of a text have the same number of separators, at least one."""
    counts = {(line.count(","), line.count(";"), line.count("\t")) for line in text.splitlines()}
    return len(counts) == 1 and any(counts.pop())


def _plain(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def _guessed(url: str) -> str:
    """Return the MIME type for the name of a file, when the document states none."""
    mime_type, coding = _NAMES.guess_type(unquote(urlsplit(url).path), strict=False)
    if coding:
        return "application/gzip" if coding == "gzip" else ""
    return mime_type or ""


def decoded(data: bytes) -> str:
    """Return bytes decoded as UTF-8 or UTF-16; invalid bytes are replaced."""
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace").strip()


_TOKEN = re.compile(r"<!--|-->|<[!?][^<>]*>|<(/?)([a-zA-Z]{1,30})[^<>]*>")


def visible(data: bytes) -> str:
    """Return the visible text of markup."""
    text, parts, at, hidden = decoded(data), [], 0, ""
    for match in _TOKEN.finditer(text):
        name = (match[2] or "").lower()
        if not hidden:
            parts.append(text[at : match.start()])
            if match[0] == "<!--" or (name in ("script", "style") and not match[1]):
                hidden = "-->" if match[0] == "<!--" else name
        elif hidden in (match[0], match[1] and name):
            hidden = ""
        at = match.end()
    return " ".join(" ".join((*parts, "" if hidden else text[at:])).split())
