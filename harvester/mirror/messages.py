"""Whether a text is an error message, a form to log in, or a page of the site around a file."""

from __future__ import annotations

import json
import re
from typing import AnyStr
from urllib.parse import urlsplit

from gateway.errors import GatewayError
from gateway.xmlio import parse
from harvester.mirror.look import PAGE, TABLE_TYPES, Look, decoded, is_even, visible
from harvester.mirror.words import tell_an_error, tell_within

_FEWER, _FEW, _MORE = 256, 600, 2500  # characters of a message, of a page that is one, and of a page around one
_TITLE = re.compile(r"(?is)<(title|h1|h2)\b[^<>]*>([^<]{0,300})<")
_PASSWORD = re.compile(rb"(?i)<input[^<>]*\btype\s*=\s*[\"']?password")
_UNLISTED = re.compile(rb"(?i)<meta[^<>]*\bname\s*=\s*[\"']?robots[\"']?[^<>]*\bnoindex\b")
_PRIVATE = re.compile(
    rb"(?i)https?://(?:10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w.-]{1,80}\.(?:local|lan|internal|localdomain)\b)"
)
_NOTICE = re.compile(
    rb"(?i)<\w{1,10}\s[^<>]{0,200}\bclass\s*=\s*[\"'][^\"'<>]{0,200}\b(?:alert|error|failure|warning|flash)\b"
)
_STATUS = re.compile(r"\s*(?:4(?:0\d|1[0-8]|2[1-9]|31|51)|5(?:0\d|1[01]|2\d))\s*")
_REFRESH = re.compile(
    rb"(?i)<meta[^<>]*http-equiv\s*=\s*[\"']?refresh|\b(?:window|document)\.location(?:\.href)?\s*=|location\.(?:replace|assign)\("
)
# Programs, and lists of a form of their own: words of errors belong to them, but no message begins like them.
_WRITTEN = re.compile(
    r"text/x-.*|application/(?:sql|.*javascript|(?:x-)?(?:bibtex|sh|python|yaml|toml|subrip)).*|text/(?:vtt|css|javascript|yaml)"
)


_PROGRAMS = re.compile(
    r"(?i)\.(?:php|pyi?|r|pl|cgi|rb|js|ts|java|c|cc|cpp|h|f\d{0,2}|for|sh|bat|ps1|m|jl|sql|do|sps|sas|go|rs|lua|toml)\Z"
)
_CODE = re.compile(r"[\w.]{1,60}\(")
_COMMENTS = ("#", "//", "/*", "--", "%", ";", "'", '"', "@")


def tells_an_error(look: Look) -> bool:
    """Tell whether a text is an error message, a form to log in, or a page that leads elsewhere."""
    if look.has_size:
        return False
    if not look.is_text or look.printed:
        return _is_notice(look.printed)
    is_list = _is_table(look) or (look.came == "text" and _is_list(look.words))
    return bool(look.short) and not is_list and _is_message(look)


def is_written(look: Look) -> bool:
    """Tell whether a text is a program, or a list of a form of its own, by its type or by its name."""
    is_named = look.kind in ("", "text") and _PROGRAMS.search(urlsplit(look.url).path)
    return bool(is_named or look.first.startswith(b"#!") or _WRITTEN.fullmatch(look.mime_type))


def _is_message(look: Look) -> bool:
    if look.came == "html" and (_is_page_of_error(look) or (look.kind == "html" and is_page(look))):
        return True
    if "json" in (look.came, look.kind) and _is_json_error(look):
        return True
    if look.came == "xml" and _is_xml_error(look):
        return True
    if look.came == "text" and (_is_complaint(look.words) or _is_trace(look)):
        return True
    most = _FEW if look.came == "html" else _FEWER
    is_meant = look.kind == look.came and look.kind in ("json", "xml")
    words = look.words
    if is_written(look):
        words = "" if _CODE.match(words) or words.startswith((*_COMMENTS, "<?php")) else words.partition("\n")[0]
    return not is_meant and len(look.words) <= most and tell_an_error(words)


_CALL = re.compile(
    r"\s{1,20}at [\w.$<>/]{1,200}\(|\s{0,20}File \"[^\"]{1,300}\", line \d|#\d{1,3}\s{1,3}\S{1,300}\(\d{1,6}\)|"
    r"\s{0,20}from \S{1,300}:\d{1,6}:in "
)
_LEAST_CALLS, _SHARE_OF_CALLS = 2, 0.3


def _is_trace(look: Look) -> bool:
    """Tell whether a text is what a program prints when it fails: the calls that led there."""
    if is_written(look):
        return False
    lines = decoded(look.short).splitlines()
    calls = _calls(lines)
    return calls >= _LEAST_CALLS and calls >= len(lines) * _SHARE_OF_CALLS


def _calls(lines: list[str]) -> int:
    return sum(_CALL.match(line) is not None for line in lines)


_COMPLAINT = re.compile(r"[\w./-]{1,40}: (?:\S{1,20} ){0,4}\S{0,200}/\S{1,200}: [\w /,()-]{3,80}\.?")
_CODED = re.compile(r"(?m)^\s{0,8}[\w.-]{1,30}\s{0,4}=\s{0,4}\w")
_NAMED = re.compile(r"(?m)^\s{0,8}(?:[-*] )?[\w.-]{1,80}\.[A-Za-z]\w{1,4}(?:\s{2}|\s?[:\t-])")


def _is_complaint(words: str) -> bool:
    """Tell whether a line is what a command prints when it fails: its name, a path, the reason."""
    return "://" not in words and _COMPLAINT.fullmatch(words) is not None


def _is_list(words: str) -> bool:
    """Tell whether a text is a list: of files and what is in them, or of codes and what they mean."""
    return _has_many(_NAMED, words, 2) or _has_many(_CODED, words, 3)


_BEGUN = re.compile(rb"(?im)^<(?:br|b|p|div|h[1-6]|html|!doctype html|table|pre|font|center)\b[^<>]{0,200}>")
_LAST_LINES = 15


def has_error_behind(look: Look) -> bool:
    """Tell whether a text or a table ends in what a program printed when it failed: markup, or its calls."""
    if look.came != "text" or look.has_size or is_written(look) or look.mime_type not in (*TABLE_TYPES, "text/plain"):
        return False
    begun = _BEGUN.search(look.last)
    if begun is not None and begun.start() and not _BEGUN.search(look.first[: -len(look.last)]):
        rest = look.last[begun.start() :].rstrip()
        return rest.endswith(b">") and tell_within(visible(rest))
    lines = decoded(look.last).splitlines()[-_LAST_LINES:]
    return look.mime_type in TABLE_TYPES and _calls(lines) >= _LEAST_CALLS


_LEAST_NOTICE = 12  # characters


def _is_notice(printed: str) -> bool:
    """Tell whether the words of a document of one page say why another is not there."""
    words = " ".join(printed.split())
    return _LEAST_NOTICE <= len(words) <= _FEW and tell_an_error(words)


def _is_table(look: Look) -> bool:
    """Tell whether a text is a table: lines with as many separators each."""
    return look.mime_type in TABLE_TYPES and len(look.words.splitlines()) > 1 and is_even(look.words)


def _is_page_of_error(look: Look) -> bool:
    if len(look.words) <= _FEW and any(each.search(look.short) for each in (_REFRESH, _UNLISTED, _PRIVATE, _NOTICE)):
        return True
    titles = [match[2] for match in _TITLE.finditer(decoded(look.short))]
    if len(look.words) <= _FEW and any(_STATUS.fullmatch(each) for each in titles):
        return True
    if look.kind == "xml" and len(look.words) <= _FEWER and PAGE.match(look.first):
        return True
    has_password = _PASSWORD.search(look.short) is not None and not _has_many(_SENTENCE, look.words, _OF_PROSE)
    return len(look.words) <= _MORE and (has_password or any(tell_an_error(each) for each in titles))


_SENTENCE = re.compile(r"[.!?。](?:\s|\Z)")
_OF_PROSE = 15  # sentences: an article whose site has a form to log in beside it


_FORM = re.compile(rb"(?i)<form\b")
_BACK = re.compile(rb"(?i)history\.(?:back|go)\(")
_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?/")
_FROM_ELSEWHERE = re.compile(rb"(?i)<script\b[^<>]*\bsrc\s*=")
_INLINE = re.compile(rb"(?i)<script\b[^<>]*>[^<]{600}")
_SHOWN = re.compile(rb"(?i)<(?:img|svg|canvas|table|object|embed|iframe|video|audio|picture|math)\b")
_ANY_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?[^#\"'\s]")
_MANY_LINKS, _NO_WORDS, _OF_A_LINK = 3, 60, 100


def is_page(look: Look) -> bool:
    """Tell whether a page with few words is what stands around a file, not the file: by what it is made of.

    It has a form, a way back, a menu of the site, or nothing but a program from elsewhere that will fill it.
    """
    words = look.words
    if len(words) > _FEW:
        return False
    if _FORM.search(look.short) or _BACK.search(look.short):
        return True
    if 0 < len(words) <= _OF_A_LINK and _ANY_LINK.search(look.short) and not _SHOWN.search(look.short):
        return PAGE.match(look.first) is not None
    if _has_many(_LINK, look.short, _MANY_LINKS):
        return True
    is_filled = _FROM_ELSEWHERE.search(look.short) and not _INLINE.search(look.short)
    return bool(is_filled) and len(words) <= _NO_WORDS and not _SHOWN.search(look.short)


def _has_many(pattern: re.Pattern[AnyStr], text: AnyStr, count: int) -> bool:
    return sum(1 for _, _ in zip(range(count), pattern.finditer(text), strict=False)) == count


_ERROR_KEYS = frozenset(
    ("error", "errors", "exception", "fault", "errorcode", "error_code", "errormessage", "error_message", "stacktrace")
)
_MESSAGE_KEYS = frozenset(("message", "detail", "reason", "msg", "status_message"))
_NAME_KEYS = frozenset(("title", "description"))  # data have those too, and may begin with the word error
_BESIDE_KEYS = frozenset(
    (
        *("status", "code", "type", "path", "timestamp", "url", "documentation_url", "help", "instance", "method"),
        *("request_id", "requestid", "trace_id", "traceid", "requesturl", "requestmethod", "statuscode", "status_code"),
    )
)
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
    if any(_is_series(each) for each in values.values()):
        return False
    if any(_is_error_value(values.get(key)) for key in _ERROR_KEYS) or False in (
        values.get("success"),
        values.get("ok"),
    ):
        return True
    statuses = (str(values[key]) for key in _STATUS_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(_is_bad(each.lower()) for each in statuses):
        return True
    if values.keys() & _MESSAGE_KEYS and values.keys() <= _MESSAGE_KEYS | _BESIDE_KEYS:
        return all(_is_plain(each) for each in values.values())
    states = (str(values[key]).lower() for key in _STATE_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(each in _STATES for each in states) and all(_is_plain(each) for each in values.values()):
        return True
    messages = [str(values[key]) for key in _MESSAGE_KEYS if key in values]
    names = [str(values[key]) for key in _NAME_KEYS if key in values]
    is_told = any(tell_an_error(each) for each in messages) or any(tell_within(each) for each in names)
    return len(look.words) <= _FEW and is_told


def _is_series(value: object) -> bool:
    """Tell whether a value is a list of numbers, which are data."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, (int, float)) for each in value)


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
_LISTINGS = re.compile(r"(?i)list\w*result|enumerationresults|multistatus|(?:directory)?listing")


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
    if _ERROR_ROOTS.fullmatch(names[0]) or _LISTINGS.fullmatch(names[0]):
        return True
    inner = [str(each.tag).rpartition("}")[2] for child in list(root)[:5] for each in list(child)[:5]]
    told = ((name.lower(), (each.text or "").strip().lower()) for name, each in zip(names[1:], root, strict=False))
    if len(look.words) <= _FEW and any(name in _STATUS_KEYS and _is_bad(value) for name, value in told):
        return True
    is_wrapped = len(look.words) <= _FEW and any(_ERROR_ROOTS.fullmatch(each) for each in names[1:])
    return is_wrapped or (names[0].lower() == "envelope" and any(_ERROR_ROOTS.fullmatch(each) for each in inner))
