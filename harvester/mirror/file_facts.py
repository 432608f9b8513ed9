"""Facts about received bytes of a file without a stated digest; where it ends."""

import re
import struct
from collections.abc import Callable
from functools import cached_property
from mimetypes import MimeTypes
from urllib.parse import unquote, urlsplit

from harvester.mirror import archive_ends, document_ends, file_ends, file_types
from harvester.mirror.file_types import OPENING, TYPES, Broken, Content, FileType, is_of_office, known_by, whole


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
        self.first, self.last = data[:_END_BYTES], data[max(0, len(data) - _END_BYTES) :]
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
        rows = ((name, TYPES[name].text) for name in ("html", "xml", "json"))
        kinds = (name for name, pattern in (*rows, ("text", _TEXT)) if pattern and pattern.fullmatch(self.mime_type))
        return next(kinds, "binary")

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
        if "pdf" not in self.known_by or len(self.data) > _SMALL or self.problem:
            return ""
        data = self.data[:]
        return self._read(data) if sum(1 for _ in _SHEET.finditer(data)) <= _FEW_PAGES else ""

    @cached_property
    def known_by(self) -> list[str]:
        """The names of the types that the first bytes are those of."""
        return known_by(self.first)

    @cached_property
    def is_of_office(self) -> bool:
        """Return whether the bytes are the markup of Microsoft Office documents."""
        return is_of_office(self.mime_type, self.first)

    def _judged(self) -> tuple[str, bytes]:
        """Return why the file is incomplete, and the bytes after its end."""
        if self.is_text and self.kind not in ("", "binary"):
            rows = (row for row in TYPES.values() if row.text and row.text.fullmatch(self.mime_type))
        else:
            rows = (TYPES[name] for name in self.known_by)
        row = next(rows, None)
        if row is None or not self.data:
            return "", b""
        self.has_end = row.end != "html"
        try:
            end = _end(self.data, row)
        except Broken as error:
            return str(error), b""
        except struct.error:
            return str(Broken()), b""
        return "", self.data[end : end + _END_BYTES]


_ENDS = {**vars(file_ends), **vars(archive_ends), **vars(document_ends)}


def _end(data: Content, row: FileType) -> int:
    """Return the end of a file, by the function or by the rule in the row of its type."""
    if row.end:
        return int(_ENDS[row.end](data))
    if row.length:
        kind, at, more = row.length
        (size,) = struct.unpack_from(kind, data, at)
        return whole(data, size + more, row.slack)
    if not row.mark or row.where.encode() not in data[:8192]:
        return len(data)
    end = data.rfind(row.mark.encode(), max(0, len(data) - row.within))
    if end < 0:
        raise Broken
    return whole(data, end + len(row.mark))


_SMALL, _FEW_PAGES = 512 << 10, 2  # of a PDF that only says why another is not there
_SHEET = re.compile(rb"/Type\s{0,4}/Page\b")
_END_BYTES = 4096
_SHORT = 64 << 10
_ANYTHING = ("", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/unknown")
TABLES = "application/vnd.ms-excel"  # what browsers of Windows call CSV too
TABLE_TYPES = ("text/csv", "text/tab-separated-values", TABLES)
_TEXT = re.compile(r"text/.*|application/(?:x-)?(?:tex|latex|bibtex|javascript|yaml|sh|python|csv|toml|sql).*")
_BOM = rb"(?:\xef\xbb\xbf)?\s*+"
_TEXTS = (
    ("html", re.compile(OPENING + rb"(?:!doctype\s++html|(?:html|head|body|title|meta|h1|p|div|center|script|br)\b)")),
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
