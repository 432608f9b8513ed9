"""Facts about received bytes of a file without a stated digest; the tables of the functions that find its end."""

import re
from collections.abc import Callable
from functools import cached_property
from mimetypes import MimeTypes
from urllib.parse import unquote, urlsplit

from harvester.mirror import archive_ends, data_ends, document_ends, file_types, media_ends
from harvester.mirror.file_types import Broken, Content, is_of_office

PDF = re.compile(rb"(?s).{0,1019}%PDF-")

# By the first bytes of a file.
BINARY: tuple[tuple[re.Pattern[bytes], Callable[[Content], int]], ...] = (
    (PDF, document_ends.pdf),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), media_ends.png),
    (re.compile(rb"\xff\xd8\xff"), media_ends.jpeg),
    (re.compile(rb"GIF8[79]a"), media_ends.gif),
    (re.compile(rb"II[*+]\x00|MM\x00[*+]"), media_ends.tiff),
    (re.compile(rb"PK(?:\x03\x04|\x05\x06|\x07\x08)"), archive_ends.zip_),
    (re.compile(rb"\x1f\x8b"), archive_ends.gzip),
    (re.compile(rb"(?s).{4}ftyp"), media_ends.mp4),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), document_ends.ole),
    (re.compile(rb"(?s)RIFF.{4}(?:WAVE|WEBP|AVI )"), media_ends.riff),
    (re.compile(rb"(?s)(?:AT&TFORM.{4}DJV[UMI])|FORM.{4}AIF[FC]"), media_ends.form),
    (re.compile(rb"OggS"), media_ends.ogg),
    (re.compile(rb"ID3[\x02-\x04]|\xff[\xf2\xf3\xfa\xfb][\x10-\xef]"), media_ends.mp3),
    (re.compile(rb"\x00\x00\x00\x0cjP|\xff\x4f\xff\x51"), media_ends.jp2),
    (re.compile(rb"(?s)BM.{4}\x00{4}"), media_ends.bitmap),
    (re.compile(rb"\x1a\x45\xdf\xa3"), media_ends.matroska),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), archive_ends.seven_zip),
    (re.compile(rb"Rar!\x1a\x07\x00"), archive_ends.rar),
    (re.compile(rb"Rar!\x1a\x07\x01\x00"), archive_ends.rar5),
    (re.compile(rb"(?s).{257}ustar"), archive_ends.tar),
    (re.compile(rb"CDF[\x01\x02\x05]"), data_ends.netcdf),
    (re.compile(rb"(?s)(?:.{512}|.{1024}|.{2048})?\x89HDF\r\n\x1a\n"), data_ends.hdf5),
    (re.compile(rb"SIMPLE  = {10,20}T"), data_ends.fits),
    (re.compile(rb"\$FL[23]@\(#\)"), data_ends.spss),
    (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)|\xfd7zXZ\x00"), archive_ends.stream),
    (re.compile(rb"\x28\xb5\x2f\xfd"), archive_ends.zstandard),
    (re.compile(rb"<stata_dta>"), data_ends.stata),
    (re.compile(rb"SQLite format 3\x00"), data_ends.sqlite),
    (re.compile(rb"PAR1"), data_ends.parquet),
    (re.compile(rb"\{\\rtf"), document_ends.rtf),
    (re.compile(rb"\x04?%!PS-Adobe"), document_ends.postscript),
)

# By the stated type, for texts.
TEXTS: tuple[tuple[re.Pattern[str], Callable[[Content], int]], ...] = (
    (re.compile(r"(?:application|text)/(?:x-)?(?:la)?tex"), document_ends.latex),
    (re.compile(r"text/(?:csv|tab-separated-values)"), document_ends.table),
)


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
        if not PDF.match(self.first) or len(self.data) > _SMALL or self.problem:
            return ""
        data = self.data[:]
        return self._read(data) if sum(1 for _ in _SHEET.finditer(data)) <= _FEW_PAGES else ""

    @cached_property
    def is_of_office(self) -> bool:
        """Return whether the bytes are the markup of Microsoft Office documents."""
        return is_of_office(self.mime_type, self.first)

    def _judged(self) -> tuple[str, bytes]:
        """Return why the file is incomplete, and the bytes after its end."""
        check = next((check for pattern, check in TEXTS if pattern.fullmatch(self.mime_type)), None)
        if self.is_text and self.kind not in ("", "binary"):
            check = check or _CHECKS.get(self.kind)
        else:
            check = next((check for beginning, check in BINARY if beginning.match(self.first)), None)
        if check is None or not self.data:
            return "", b""
        self.has_end = check is not document_ends.html
        try:
            end = check(self.data)
        except Broken as error:
            return str(error), b""
        return "", self.data[end : end + _END_BYTES]


_SMALL, _FEW_PAGES = 512 << 10, 2  # of a PDF that only says why another is not there
_SHEET = re.compile(rb"/Type\s{0,4}/Page\b")
_END_BYTES = 4096
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
