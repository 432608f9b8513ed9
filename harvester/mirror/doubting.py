"""Why bytes may not be the file that was asked for, although nothing that is stated of them says so: rules, as a table.

They are asked where no digest is stated. What one of them sees is kept aside, never as the file (`mirror/doubtful.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cached_property
from mimetypes import MimeTypes
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from gateway.errors import GatewayError
from gateway.xmlio import parse
from harvester.mirror import looking
from harvester.mirror.looking import Broken, Content
from harvester.mirror.words import tell_an_error


class Look:
    """What can be seen of bytes that arrived, beside what was expected."""

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
    ) -> None:
        """Take the bytes, the MIME type that the document states, and how they came.

        `is_older`: the server dates them before what it sent from the same address earlier.
        """
        self.data, self.url, self.came_from = data, url, came_from
        self.served = _plain(content_type)
        self.stated_size, self.is_older = stated_size, is_older
        self.first, self.last = data[:_LOOK], data[max(0, len(data) - _LOOK) :]
        stated = _plain(mime_type)
        is_unsure = stated in _ANYTHING or (stated == _TABLES and _guessed(url).startswith("text/"))
        self.mime_type = _guessed(url) if is_unsure else stated
        self.has_end = False
        self.problem, self.tail = self._judged()

    @cached_property
    def kind(self) -> str:
        """What was expected: html, xml, json, text, or binary; empty when nothing can be expected."""
        if self.mime_type in _ANYTHING:
            return ""
        return next((kind for kind, pattern in _KINDS if pattern.fullmatch(self.mime_type)), "binary")

    @cached_property
    def has_size(self) -> bool:
        """Tell whether as many bytes came as are stated: nothing was cut, and nothing was added."""
        return self.stated_size == len(self.data)

    @cached_property
    def is_text(self) -> bool:
        """Tell whether the bytes are text."""
        return looking.is_text(self.first) and looking.is_text(self.last)

    @cached_property
    def came(self) -> str:
        """What came, if it is text: html, xml, json or text; else binary."""
        if not self.is_text:
            return "binary"
        first = _decoded(self.first).encode() if b"\x00" in self.first else self.first
        return next((kind for kind, pattern in _TEXTS if pattern.match(first)), "text")

    @cached_property
    def short(self) -> bytes:
        """The bytes when they are few enough to be an error message; else nothing."""
        return self.data[:] if len(self.data) <= _SHORT else b""

    @cached_property
    def words(self) -> str:
        """What a person reads of short bytes, without markup."""
        return _visible(self.short) if self.came in ("html", "xml") else _decoded(self.short)

    def _judged(self) -> tuple[str, bytes]:
        """Return why the bytes are not all of what they begin to be, and what stands behind their end."""
        if self.is_text and self.kind not in ("", "binary"):
            check = _CHECKS.get(self.kind)
        else:
            check = next((check for beginning, check in looking.BINARY if beginning.match(self.first)), None)
        if check is None or not self.data:
            return "", b""
        self.has_end = check is not looking.html
        try:
            end = check(self.data)
        except Broken as error:
            return str(error), b""
        return "", self.data[end : end + _LOOK]


_LOOK = 4096
_SHORT = 64 << 10
_ANYTHING = ("", "application/octet-stream", "binary/octet-stream", "application/x-download", "application/unknown")
_TABLES = "application/vnd.ms-excel"  # what browsers of Windows call CSV too
_KINDS = (
    ("html", re.compile(r"text/html|application/xhtml\+xml")),
    ("xml", re.compile(r"(?:application|text)/xml|.*\+xml")),
    ("json", re.compile(r"application/json|text/json|.*\+json|application/(?:x-)?ndjson|application/jsonl(?:ines)?")),
    ("text", re.compile(r"text/.*|application/(?:x-)?(?:tex|latex|bibtex|javascript|yaml|sh|python|csv|toml|sql).*")),
)
_CHECKS: dict[str, Callable[[Content], int]] = {"html": looking.html, "xml": looking.xml, "json": looking.json_}
_BOM = rb"(?:\xef\xbb\xbf)?\s*+"
_OPENING = rb"(?i)" + _BOM + rb"(?:<\?xml[^>]*+>\s*+|<!--(?:[^-]|-(?!->))*+-->\s*+)*+<"
_PAGE = re.compile(_OPENING + rb"(?:!doctype\s++html|(?:html|head|body)\b)")
_TEXTS = (
    ("html", re.compile(_OPENING + rb"(?:!doctype\s++html|(?:html|head|body|title|meta|h1|p|div|center|script|br)\b)")),
    ("xml", re.compile(_BOM + rb"<[?!a-zA-Z_]")),
    ("json", re.compile(_BOM + rb"[{\[]\s*+[\"{\[\]}\d]")),
)
_NAMES = MimeTypes(filenames=())


def _plain(mime_type: str) -> str:
    return mime_type.partition(";")[0].strip().lower()


def _guessed(url: str) -> str:
    """Return the MIME type that the name of a file tells, where the document states none."""
    mime_type, coding = _NAMES.guess_type(unquote(urlsplit(url).path), strict=False)
    if coding:
        return "application/gzip" if coding == "gzip" else ""
    return mime_type or ""


def _decoded(data: bytes) -> str:
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace").strip()


_TOKEN = re.compile(r"<!--|-->|<(/?)([a-zA-Z]{1,30})[^<>]*>")


def _visible(data: bytes) -> str:
    """Return the text of markup that a person sees."""
    text, parts, at, hidden = _decoded(data), [], 0, ""
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


# --- the words of errors --------------------------------------------------------------------------------------------

_FEWER, _FEW, _MORE = 256, 600, 2500  # characters of a message, of a page that is one, and of a page around one
_TITLE = re.compile(r"(?is)<(title|h1)\b[^<>]*>([^<]{0,300})<")
_PASSWORD = re.compile(rb"(?i)<input[^<>]*\btype\s*=\s*[\"']?password")
_REFRESH = re.compile(
    rb"(?i)<meta[^<>]*http-equiv\s*=\s*[\"']?refresh|\b(?:window|document)\.location(?:\.href)?\s*=|location\.(?:replace|assign)\("
)


def _tells_an_error(look: Look) -> bool:
    """Tell whether a text is an error message, a form to log in, or a page that leads elsewhere."""
    is_as_stated = look.has_size and look.kind in ("html", "xml", "json")
    if not look.short or not look.is_text or is_as_stated or _is_table(look):
        return False
    if look.came == "html" and _is_page_of_error(look):
        return True
    if "json" in (look.came, look.kind) and _is_json_error(look):
        return True
    if look.came == "xml" and _is_xml_error(look):
        return True
    most = _FEW if look.came == "html" else _FEWER
    is_meant = look.kind == look.came and look.kind in ("json", "xml")
    return not is_meant and len(look.words) <= most and tell_an_error(look.words)


def _is_table(look: Look) -> bool:
    """Tell whether a text is a table: lines with as many separators each."""
    lines = look.words.splitlines()
    counts = {(line.count(","), line.count(";"), line.count("\t")) for line in lines}
    return look.mime_type in _TABLE_TYPES and len(lines) > 1 and len(counts) == 1 and any(counts.pop())


_TABLE_TYPES = ("text/csv", "text/tab-separated-values", _TABLES)


def _is_page_of_error(look: Look) -> bool:
    if len(look.words) <= _FEW and _REFRESH.search(look.short):
        return True
    titles = (match[2] for match in _TITLE.finditer(_decoded(look.short)))
    is_named = _PASSWORD.search(look.short) is not None or any(tell_an_error(each) for each in titles)
    return len(look.words) <= _MORE and is_named


_ERROR_KEYS = frozenset(
    ("error", "errors", "exception", "fault", "errorcode", "error_code", "errormessage", "error_message", "stacktrace")
)
_MESSAGE_KEYS = frozenset(("message", "detail", "reason", "msg", "title", "description", "status_message"))
_STATUS_KEYS = frozenset(("status", "code", "statuscode", "status_code", "httpstatus"))
_LEAST_STATUS = 400
_FEW_KEYS, _FEWER_KEYS = 12, 5


def _is_json_error(look: Look) -> bool:
    try:
        found = json.loads(look.short)
    except (ValueError, RecursionError):
        return tell_an_error(look.words) and len(look.words) <= _FEW
    if found is None or found in ({}, []):
        return True
    if isinstance(found, list):
        found = found[0] if len(found) == 1 else None
    if not isinstance(found, dict) or len(found) > _FEW_KEYS:
        return False
    values = {str(key).lower(): value for key, value in found.items()}
    if any(_is_error_value(values.get(key)) for key in _ERROR_KEYS) or False in (
        values.get("success"),
        values.get("ok"),
    ):
        return True
    statuses = (str(values[key]) for key in _STATUS_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any((each.isdigit() and _LEAST_STATUS <= int(each[:9]) < 600) or each.lower() in _BAD for each in statuses):  # noqa: PLR2004
        return True
    messages = (str(values[key]) for key in _MESSAGE_KEYS if key in values)
    return len(look.words) <= _FEW and any(tell_an_error(each) for each in messages)


def _is_error_value(value: object) -> bool:
    """Tell whether what stands under `error` says something; numbers with a fraction are errors of measurement."""
    values = value if isinstance(value, list) else [value]
    return value not in (None, [], {}, "", False, 0) and not all(isinstance(each, float) for each in values)


_BAD = ("error", "fail", "failed", "failure", "not found", "notfound", "ko")
_ERROR_ROOTS = re.compile(r"(?i)(?:\w*errors?|\w*exceptions?|\w*exceptionreport|fault|problem|rpcfault|failure)")


def _is_xml_error(look: Look) -> bool:
    """Tell whether XML is an error: by its root, or by what stands right below that."""
    try:
        root = parse(look.short)
    except GatewayError:
        return False
    if look.kind == "xml" and not (len(root) or root.attrib or (root.text or "").strip()):
        return True
    names = [str(each.tag).rpartition("}")[2] for each in (root, *list(root)[:20])]
    if _ERROR_ROOTS.fullmatch(names[0]):
        return True
    inner = [str(each.tag).rpartition("}")[2] for child in list(root)[:5] for each in list(child)[:5]]
    is_wrapped = len(look.words) <= _FEW and any(_ERROR_ROOTS.fullmatch(each) for each in names[1:])
    return is_wrapped or (names[0].lower() == "envelope" and any(_ERROR_ROOTS.fullmatch(each) for each in inner))


# --- the rules ------------------------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """A reason for doubt: its name in receipts, what it sees, and its sentence."""

    name: str
    sees: Callable[[Look], bool]
    sentence: str


_AWAY = re.compile(
    r"(?i)/[\w.-]*(?:log-?in|sign-?in|logon|shibboleth|notfound|not-found|maintenance|captcha)[\w.-]*(?:/|\Z|;)|"
    r"/(?:saml2?|sso|cas|o?auth2?|authenticate|errors?(?:[._-]?(?:page|handler|document|40\d|50\d))?|40[0134]|(?:access-?)?denied|"
    r"(?:cookie-?)?consent|cookies?)(?:\.\w{2,5})?(?:/|\Z|;)"
)


def _was_led_away(look: Look) -> bool:
    """Tell whether a redirect led to a home page, a form to log in, or an error page."""
    if not look.came_from or look.came_from == look.url or not look.is_text or look.has_size:
        return False
    asked, led = urlsplit(look.url), urlsplit(look.came_from)
    is_home = led.path.rstrip("/").lower() in _HOMES and not led.query and asked.path.rstrip("/").lower() not in _HOMES
    return is_home or bool(_AWAY.search(led.path) and not _AWAY.search(asked.path))


_HOMES = ("", "/index.html", "/index.php", "/home", "/index.htm", "/xmlui", "/jspui", "/en", "/index", "/default.aspx")
_UNTOLD = re.compile(
    r"image/(?:svg.*|x-xpixmap|x-xbitmap|x-portable-.*)|application/(?:postscript|rtf|x-.*script|.*script|.*xml.*|.*json.*|.*tex.*|.*text.*|mbox|sgml|sparql.*|.*turtle.*|n-triples|n-quads|trig|pgp-.*|x-pem.*|.*patch.*|x-httpd.*|edi.*|sdp|x-subrip|.*yaml.*|.*csv.*|marc.*)|chemical/.*|message/.*|model/.*|multipart/.*|x-.*"
)
_BINARY_TYPES = re.compile(
    r"(?:image|audio|video|font)/.*|application/(?:pdf|zip|gzip|x-gzip|x-tar|x-7z-compressed|vnd\.rar|x-rar-compressed|x-bzip2|x-xz|"
    r"epub\+zip|java-archive|msword|vnd\.ms-(?:excel|powerpoint)|vnd\.openxmlformats-officedocument\..*|vnd\.oasis\.opendocument\..*|"
    r"x-hdf5?|x-netcdf|x-sqlite3|vnd\.sqlite3|x-shockwave-flash|ogg|djvu|x-dvi|mp4)"
)


def _is_text_for_binary(look: Look) -> bool:
    """Tell whether text came where a type is announced whose files are never text."""
    mime_type = look.mime_type
    is_meant = bool(_BINARY_TYPES.fullmatch(mime_type)) and not _UNTOLD.fullmatch(mime_type)
    return is_meant and look.is_text and not looking.signatures(look.first) and not _PDF.match(look.first)


_PDF = looking.BINARY[0][0]
# Signatures that tell of another kind whenever one of the others is announced; families that share a beginning.
_FAMILIES = (
    ("pdf", re.compile(r"application/pdf")),
    ("png", re.compile(r"image/png")),
    ("jpeg", re.compile(r"image/(?:jpe?g|pjpeg)")),
    ("gif", re.compile(r"image/gif")),
    ("tiff", re.compile(r"image/(?:x-)?tiff?(?:-fx)?")),
    ("gzip", re.compile(r"application/(?:x-)?(?:gzip|tgz|gtar|compressed-tar).*|.*\+gzip")),
    ("ole", re.compile(r"application/(?:x-ole-storage|msword|vnd\.ms-.*|vnd\.visio|x-msi)")),
    ("zip", re.compile(r"application/(?:x-)?(?:zip(?:-compressed)?|java-archive|vnd\.openxml.*|vnd\.oasis.*)|.*\+zip")),
)


_RAW = re.compile(r"image/(?:x-(?!tiff).*|vnd\..*|dng)")  # what cameras write is TIFF, and icons may be PNG


def _family(mime_type: str) -> str:
    return next((name for name, pattern in _FAMILIES if pattern.fullmatch(mime_type)), "")


def _is_of_another_kind(look: Look) -> bool:
    """Tell whether the signature of a file is that of another kind than announced."""
    found = {_family(each) for each in looking.signatures(look.first)} - {""}
    if _PDF.match(look.first):
        found.add("pdf")
    if not found or not look.kind:
        return False
    if look.kind != "binary":  # text was announced
        return not look.is_text or look.first.startswith(b"%PDF-")
    meant = _family(look.mime_type)
    if meant in ("ole", "zip") and found & {"ole", "zip"}:  # office files of either kind go under either type
        return False
    is_media = look.mime_type.startswith(("image/", "audio/", "video/")) and not _RAW.fullmatch(look.mime_type)
    return meant not in found if meant else is_media


def _has_other_type(look: Look) -> bool:
    return _is_of_another_kind(look) or _is_text_for_binary(look)


def _is_binary_for_text(look: Look) -> bool:
    """Tell whether something other than text came where text is announced."""
    return look.kind in ("text", "html", "xml", "json") and b"\x00" in look.first + look.last and not look.is_text


def _has_page(look: Look) -> bool:
    """Tell whether a web page came where none is announced."""
    is_page = look.came == "html" and bool(_PAGE.match(look.first))
    if look.kind == "html" or not is_page:
        return False
    return look.kind not in ("xml", "") or look.served == "text/html"


def _is_other_text(look: Look) -> bool:
    """Tell whether text of another kind came where XML or JSON is announced."""
    return (
        look.kind in ("xml", "json")
        and look.came in ("html", "text", "xml", "json")
        and look.came not in ({"xml": ("xml", "html"), "json": ("json", "text")}[look.kind])
    )


_CHANGED = 0.005  # of the bytes
_SOME = 8
_MANY = 2048  # bytes beyond ASCII: among so many and their like, line feeds without a carriage return stand by chance


def _is_mangled(look: Look) -> bool:
    """Tell whether a binary file went through a change of its letters or of the ends of its lines."""
    if look.is_text or len(look.data) > looking.MOST or len(look.data) < 1024:  # noqa: PLR2004
        return False
    sample = look.data[: 1 << 20]
    if sample.count(b"\xef\xbf\xbd") * 3 > len(sample) * _CHANGED:
        return True
    high = len(sample) - len(sample.translate(None, looking.HIGH))
    return high >= _MANY and sample.count(b"\n") == sample.count(b"\r\n") >= _SOME


def _is_broken(look: Look) -> bool:
    is_as_it_is = look.is_text and look.has_size  # the source has it so: nothing is missing
    return bool(look.problem) and not is_as_it_is


_OF_HTTP = re.compile(rb"HTTP/[123](?:\.\d)? \d{3}\b[^\r\n]*\r?\n[\w-]+:")
_POINTER = b"version https://git-lfs.github.com/spec/"


def _is_of_the_way(look: Look) -> bool:
    """Tell whether a file begins with what belongs to its transfer, or is the address of one in a large-file store."""
    is_headed = bool(_OF_HTTP.match(look.first)) and look.kind in ("text", "html", "xml", "json")
    return is_headed or (look.first.startswith(_POINTER) and bool(look.short) and not look.has_size)


def _has_more(look: Look) -> bool:
    """Tell whether something else stands behind the end of a file."""
    rest = b"" if look.has_size else look.tail.strip(b"\x00\r\n\t \x1a")
    return bool(rest) and (rest.startswith(b"<") or len(rest) > _REST or b"<html" in rest.lower())


def _has_zeros_behind(look: Look) -> bool:
    return look.tail.count(0) >= _REST and not look.has_size


_REST = 64  # bytes behind the end of a file that some writers leave there


RULES = (
    Rule("empty", lambda look: not look.data and look.stated_size != 0, "It is empty."),
    Rule(
        "zeros",
        lambda look: bool(look.data) and not look.first.strip(b"\x00") and _is_zero(look.data),
        "All its bytes are zeros.",
    ),
    Rule("led_away", _was_led_away, "A redirect led to the home page, to a form to log in or to an error page."),
    Rule("web_page", _has_page, "A web page came in its place."),
    Rule("error_message", _tells_an_error, "It is short, and reads like an error message or a form to log in."),
    Rule("wrong_type", _has_other_type, "Its first bytes are those of another type than the document states."),
    Rule("wrong_type", _is_binary_for_text, "It is no text, and the document states that it is."),
    Rule("wrong_type", _is_other_text, "It is text of another kind than the document states."),
    Rule("broken", _is_broken, "{problem}"),
    Rule(
        "transfer", _is_of_the_way, "It begins with headers of HTTP, or it is a pointer of Git LFS instead of the file."
    ),
    Rule("mangled", _is_mangled, "Its letters or the ends of its lines were changed, which no binary file survives."),
    Rule("appended", _has_more, "Something else stands behind its end."),
    Rule("appended", _has_zeros_behind, "Zeros stand behind its end."),
    Rule("older", lambda look: look.is_older, "The server dates it before what it sent from this address earlier."),
)


def _is_zero(data: Content) -> bool:
    return all(not data[at : at + (1 << 20)].strip(b"\x00") for at in range(0, len(data), 1 << 20))


def doubt(look: Look) -> tuple[str, str] | None:
    """Return the name of the first rule that fits, and its sentence; None when the bytes are beyond doubt."""
    rule = next((each for each in RULES if each.sees(look)), None)
    return None if rule is None else (rule.name, rule.sentence.format(problem=look.problem))
