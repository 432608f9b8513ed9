"""Whether a text is an error message, a form to log in, or a page of the site around a file."""

from __future__ import annotations

import json
import re

from gateway.errors import GatewayError
from gateway.xmlio import parse
from harvester.mirror.look import TABLE_TYPES, Look, decoded, is_even
from harvester.mirror.words import tell_an_error, tell_within

_FEWER, _FEW, _MORE = 256, 600, 2500  # characters of a message, of a page that is one, and of a page around one
_TITLE = re.compile(r"(?is)<(title|h1|h2)\b[^<>]*>([^<]{0,300})<")
_PASSWORD = re.compile(rb"(?i)<input[^<>]*\btype\s*=\s*[\"']?password")
_REFRESH = re.compile(
    rb"(?i)<meta[^<>]*http-equiv\s*=\s*[\"']?refresh|\b(?:window|document)\.location(?:\.href)?\s*=|location\.(?:replace|assign)\("
)
# Programs, and lists of a form of their own: words of errors belong to them, but no message begins like them.
_WRITTEN = re.compile(
    r"text/x-.*|application/(?:sql|.*javascript|(?:x-)?(?:bibtex|sh|python|yaml|toml|subrip)).*|text/(?:vtt|css|javascript|yaml)"
)


_COMMENTS = ("#", "//", "/*", "--", "%", ";", "'", '"', "@")


def tells_an_error(look: Look) -> bool:
    """Tell whether a text is an error message, a form to log in, or a page that leads elsewhere."""
    if look.has_size:
        return False
    if not look.is_text or look.printed:
        return _is_notice(look.printed)
    return bool(look.short) and not _is_table(look) and _is_message(look)


def _is_message(look: Look) -> bool:
    if look.came == "html" and (_is_page_of_error(look) or (look.kind == "html" and is_page(look))):
        return True
    if "json" in (look.came, look.kind) and _is_json_error(look):
        return True
    if (look.came == "xml" and _is_xml_error(look)) or (look.came == "text" and _is_trace(look)):
        return True
    most = _FEW if look.came == "html" else _FEWER
    is_meant = look.kind == look.came and look.kind in ("json", "xml")
    words = look.words
    if _WRITTEN.fullmatch(look.mime_type):
        words = "" if words.startswith(_COMMENTS) else words.partition("\n")[0]
    return not is_meant and len(look.words) <= most and tell_an_error(words)


_CALL = re.compile(
    r"\s{1,20}at [\w.$<>/]{1,200}\(|\s{0,20}File \"[^\"]{1,300}\", line \d|#\d{1,3}\s{1,3}\S{1,300}\(\d{1,6}\)|"
    r"\s{0,20}from \S{1,300}:\d{1,6}:in "
)
_LEAST_CALLS, _SHARE_OF_CALLS = 2, 0.3


def _is_trace(look: Look) -> bool:
    """Tell whether a text is what a program prints when it fails: the calls that led there."""
    if _WRITTEN.fullmatch(look.mime_type):
        return False
    lines = decoded(look.short).splitlines()
    calls = sum(_CALL.match(line) is not None for line in lines)
    return calls >= _LEAST_CALLS and calls >= len(lines) * _SHARE_OF_CALLS


_LEAST_NOTICE = 12  # characters


def _is_notice(printed: str) -> bool:
    """Tell whether the words of a document of one page say why another is not there."""
    words = " ".join(printed.split())
    return _LEAST_NOTICE <= len(words) <= _FEW and tell_an_error(words)


def _is_table(look: Look) -> bool:
    """Tell whether a text is a table: lines with as many separators each."""
    return look.mime_type in TABLE_TYPES and len(look.words.splitlines()) > 1 and is_even(look.words)


def _is_page_of_error(look: Look) -> bool:
    if len(look.words) <= _FEW and _REFRESH.search(look.short):
        return True
    titles = (match[2] for match in _TITLE.finditer(decoded(look.short)))
    has_password = _PASSWORD.search(look.short) is not None
    return len(look.words) <= _MORE and (has_password or any(tell_an_error(each) for each in titles))


_FORM = re.compile(rb"(?i)<form\b")
_BACK = re.compile(rb"(?i)history\.(?:back|go)\(")
_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?/")
_FROM_ELSEWHERE = re.compile(rb"(?i)<script\b[^<>]*\bsrc\s*=")
_INLINE = re.compile(rb"(?i)<script\b[^<>]*>[^<]{600}")
_SHOWN = re.compile(rb"(?i)<(?:img|svg|canvas|table|object|embed|iframe|video|audio|picture|math)\b")
_MANY_LINKS, _NO_WORDS = 3, 60


def is_page(look: Look) -> bool:
    """Tell whether a page with few words is what stands around a file, not the file: by what it is made of.

    It has a form, a way back, a menu of the site, or nothing but a program from elsewhere that will fill it.
    """
    words = look.words
    if len(words) > _FEW:
        return False
    if _FORM.search(look.short) or _BACK.search(look.short):
        return True
    if _has_many(_LINK, look.short, _MANY_LINKS):
        return True
    is_filled = _FROM_ELSEWHERE.search(look.short) and not _INLINE.search(look.short)
    return bool(is_filled) and len(words) <= _NO_WORDS and not _SHOWN.search(look.short)


def _has_many(pattern: re.Pattern[bytes], text: bytes, count: int) -> bool:
    return sum(1 for _, _ in zip(range(count), pattern.finditer(text), strict=False)) == count


_ERROR_KEYS = frozenset(
    ("error", "errors", "exception", "fault", "errorcode", "error_code", "errormessage", "error_message", "stacktrace")
)
_MESSAGE_KEYS = frozenset(("message", "detail", "reason", "msg", "status_message"))
_NAME_KEYS = frozenset(("title", "description"))  # data have those too, and may begin with the word error
_STATE_KEYS = frozenset(("state", "status", "result"))
_STATES = frozenset(
    (
        *("queued", "pending", "processing", "in_progress", "waiting", "expired", "unavailable", "denied", "forbidden"),
        *("deleted", "removed", "withdrawn", "embargoed", "restricted", "unauthorized", "offline", "archived"),
    )
)
_STATUS_KEYS = frozenset(("status", "code", "statuscode", "status_code", "httpstatus"))
_LEAST_STATUS = 400
_FEW_KEYS, _FEWER_KEYS = 12, 5


def _is_json_error(look: Look) -> bool:  # noqa: PLR0911 - a list of signs
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
    if any(_is_bad(each.lower()) for each in statuses):
        return True
    states = (str(values[key]).lower() for key in _STATE_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(each in _STATES for each in states) and all(_is_plain(each) for each in values.values()):
        return True
    messages = [str(values[key]) for key in _MESSAGE_KEYS if key in values]
    names = [str(values[key]) for key in _NAME_KEYS if key in values]
    is_told = any(tell_an_error(each) for each in messages) or any(tell_within(each) for each in names)
    return len(look.words) <= _FEW and is_told


def _is_plain(value: object) -> bool:
    return not isinstance(value, (list, dict))


def _is_error_value(value: object) -> bool:
    """Tell whether what stands under `error` says something; numbers with a fraction are errors of measurement."""
    values = value if isinstance(value, list) else [value]
    return value not in (None, [], {}, "", False, 0) and not all(isinstance(each, float) for each in values)


def _is_bad(status: str) -> bool:
    return (status.isdigit() and _LEAST_STATUS <= int(status[:9]) < 600) or status in _BAD  # noqa: PLR2004


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
    if names[0].lower() == "svg":
        return len(look.words) <= _FEWER and tell_an_error(look.words)
    if _ERROR_ROOTS.fullmatch(names[0]):
        return True
    inner = [str(each.tag).rpartition("}")[2] for child in list(root)[:5] for each in list(child)[:5]]
    told = ((name.lower(), (each.text or "").strip().lower()) for name, each in zip(names[1:], root, strict=False))
    if len(look.words) <= _FEW and any(name in _STATUS_KEYS and _is_bad(value) for name, value in told):
        return True
    is_wrapped = len(look.words) <= _FEW and any(_ERROR_ROOTS.fullmatch(each) for each in names[1:])
    return is_wrapped or (names[0].lower() == "envelope" and any(_ERROR_ROOTS.fullmatch(each) for each in inner))
