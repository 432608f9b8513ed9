"""Recognise error messages, forms to log in, and pages of a site in place of a file."""

import json
import re
from typing import AnyStr
from urllib.parse import urlsplit

from gateway.core.errors import GatewayError
from gateway.core.xmlio import parse
from harvester.mirror.file_facts import PAGE, TABLE_TYPES, FileFacts, decoded, is_even, visible
from harvester.words import any_of, load

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
# Source code and formal texts: they may contain words of errors, but no message begins like them.
_WRITTEN = re.compile(
    r"text/x-.*|application/(?:sql|.*javascript|(?:x-)?(?:bibtex|sh|python|yaml|toml|subrip)).*|text/(?:vtt|css|javascript|yaml)"
)


_PROGRAMS = re.compile(
    r"(?i)\.(?:php|pyi?|r|pl|cgi|rb|js|ts|java|c|cc|cpp|h|f\d{0,2}|for|sh|bat|ps1|m|jl|sql|do|sps|sas|go|rs|lua|toml)\Z"
)
_CODE = re.compile(r"[\w.]{1,60}\(")
_ERROR_WORDS = load("error_words")
_WITHIN = (
    *(
        re.compile(rf"\b(?:{any_of(words)})\b".replace(" ", r"\s"))
        for name, words in _ERROR_WORDS.items()
        if name not in ("without_spaces", "first")
    ),
    re.compile(any_of(_ERROR_WORDS["without_spaces"])),
)
_AT_FIRST = re.compile(rf"\s*(?:{any_of(_ERROR_WORDS['first'])})(?:\b|\Z)")
_COMMENTS = ("#", "//", "/*", "--", "%", ";", "'", '"', "@")


def has_error_words(text: str) -> bool:
    """Return whether a text has the words of an error, in any case."""
    return has_error_words_within(text) or _AT_FIRST.match(text.lower()) is not None


def has_error_words_within(text: str) -> bool:
    """Return whether a text has words of an error that no title has: the title of a study may begin with `Error`."""
    lowered = text.lower()
    return any(words.search(lowered) for words in _WITHIN)


def is_error_message(facts: FileFacts) -> bool:
    """Return whether a text is an error message, a form to log in, or a page that leads elsewhere."""
    if facts.has_size:
        return False
    if not facts.is_text or facts.printed:
        return _is_notice(facts.printed)
    is_list = _is_table(facts) or (facts.came == "text" and _is_list(facts.words))
    return bool(facts.short) and not is_list and _is_message(facts)


def is_written(facts: FileFacts) -> bool:
    """Return whether a text is source code or another formal text, by its type or by its name."""
    is_named = facts.kind in ("", "text") and _PROGRAMS.search(urlsplit(facts.url).path)
    return bool(is_named or facts.first.startswith(b"#!") or _WRITTEN.fullmatch(facts.mime_type))


def _is_message(facts: FileFacts) -> bool:
    if facts.came == "html" and (_is_page_of_error(facts) or (facts.kind == "html" and is_page(facts))):
        return True
    if "json" in (facts.came, facts.kind) and _is_json_error(facts):
        return True
    if facts.came == "xml" and _is_xml_error(facts):
        return True
    if facts.came == "text" and (_is_complaint(facts.words) or _is_trace(facts)):
        return True
    most = _FEW if facts.came == "html" else _FEWER
    is_meant = facts.kind == facts.came and facts.kind in ("json", "xml")
    words = facts.words
    if is_written(facts):
        words = "" if _CODE.match(words) or words.startswith((*_COMMENTS, "<?php")) else words.partition("\n")[0]
    return not is_meant and len(facts.words) <= most and has_error_words(words)


_CALL = re.compile(
    r"\s{1,20}at [\w.$<>/]{1,200}\(|\s{0,20}File \"[^\"]{1,300}\", line \d|#\d{1,3}\s{1,3}\S{1,300}\(\d{1,6}\)|"
    r"\s{0,20}from \S{1,300}:\d{1,6}:in "
)
_LEAST_CALLS, _SHARE_OF_CALLS = 2, 0.3


def _is_trace(facts: FileFacts) -> bool:
    """Return whether a text is the stack trace of a program."""
    if is_written(facts):
        return False
    lines = decoded(facts.short).splitlines()
    calls = _calls(lines)
    return calls >= _LEAST_CALLS and calls >= len(lines) * _SHARE_OF_CALLS


def _calls(lines: list[str]) -> int:
    return sum(_CALL.match(line) is not None for line in lines)


_COMPLAINT = re.compile(r"[\w./-]{1,40}: (?:\S{1,20} ){0,4}\S{0,200}/\S{1,200}: [\w /,()-]{3,80}\.?")
_CODED = re.compile(r"(?m)^\s{0,8}[\w.-]{1,30}\s{0,4}=\s{0,4}\w")
_NAMED = re.compile(r"(?m)^\s{0,8}(?:[-*] )?[\w.-]{1,80}\.[A-Za-z]\w{1,4}(?:\s{2}|\s?[:\t-])")


def _is_complaint(words: str) -> bool:
    """Return whether a line is the error of a command: its name, a path, the reason."""
    return "://" not in words and _COMPLAINT.fullmatch(words) is not None


def _is_list(words: str) -> bool:
    """Return whether a text is a list of files with descriptions, or of codes with meanings."""
    return _has_many(_NAMED, words, 2) or _has_many(_CODED, words, 3)


_BEGUN = re.compile(rb"(?im)^<(?:br|b|p|div|h[1-6]|html|!doctype html|table|pre|font|center)\b[^<>]{0,200}>")
_LAST_LINES = 15


def has_error_behind(facts: FileFacts) -> bool:
    """Return whether a text or a table ends with the error output of a program: markup, or a stack trace."""
    if (
        facts.came != "text"
        or facts.has_size
        or is_written(facts)
        or facts.mime_type not in (*TABLE_TYPES, "text/plain")
    ):
        return False
    begun = _BEGUN.search(facts.last)
    if begun is not None and begun.start() and not _BEGUN.search(facts.first[: -len(facts.last)]):
        rest = facts.last[begun.start() :].rstrip()
        return rest.endswith(b">") and has_error_words_within(visible(rest))
    lines = decoded(facts.last).splitlines()[-_LAST_LINES:]
    return facts.mime_type in TABLE_TYPES and _calls(lines) >= _LEAST_CALLS


_LEAST_NOTICE = 12  # characters


def _is_notice(printed: str) -> bool:
    """Return whether the text of a document of one page explains why another document is missing."""
    words = " ".join(printed.split())
    return _LEAST_NOTICE <= len(words) <= _FEW and has_error_words(words)


def _is_table(facts: FileFacts) -> bool:
    """Return whether a text is a table: all lines have the same number of separators."""
    return facts.mime_type in TABLE_TYPES and len(facts.words.splitlines()) > 1 and is_even(facts.words)


def _is_page_of_error(facts: FileFacts) -> bool:
    if len(facts.words) <= _FEW and any(
        pattern.search(facts.short) for pattern in (_REFRESH, _UNLISTED, _PRIVATE, _NOTICE)
    ):
        return True
    titles = [match[2] for match in _TITLE.finditer(decoded(facts.short))]
    if len(facts.words) <= _FEW and any(_STATUS.fullmatch(title) for title in titles):
        return True
    if facts.kind == "xml" and len(facts.words) <= _FEWER and PAGE.match(facts.first):
        return True
    has_password = _PASSWORD.search(facts.short) is not None and not _has_many(_SENTENCE, facts.words, _OF_PROSE)
    return len(facts.words) <= _MORE and (has_password or any(has_error_words(title) for title in titles))


_SENTENCE = re.compile(r"[.!?。](?:\s|\Z)")
_OF_PROSE = 15  # sentences: an article on a page with a form to log in


_FORM = re.compile(rb"(?i)<form\b")
_BACK = re.compile(rb"(?i)history\.(?:back|go)\(")
_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?/")
_FROM_ELSEWHERE = re.compile(rb"(?i)<script\b[^<>]*\bsrc\s*=")
_INLINE = re.compile(rb"(?i)<script\b[^<>]*>[^<]{600}")
_SHOWN = re.compile(rb"(?i)<(?:img|svg|canvas|table|object|embed|iframe|video|audio|picture|math)\b")
_ANY_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?[^#\"'\s]")
_MANY_LINKS, _NO_WORDS, _OF_A_LINK = 3, 60, 100


def is_page(facts: FileFacts) -> bool:
    """Return whether a page with few words is a page of the site, not the file, by its elements.

    It has a form, a link back, a menu of the site, or only a script that loads the content.
    """
    words = facts.words
    if len(words) > _FEW:
        return False
    if _FORM.search(facts.short) or _BACK.search(facts.short):
        return True
    if 0 < len(words) <= _OF_A_LINK and _ANY_LINK.search(facts.short) and not _SHOWN.search(facts.short):
        return PAGE.match(facts.first) is not None
    if _has_many(_LINK, facts.short, _MANY_LINKS):
        return True
    is_filled = _FROM_ELSEWHERE.search(facts.short) and not _INLINE.search(facts.short)
    return bool(is_filled) and len(words) <= _NO_WORDS and not _SHOWN.search(facts.short)


def _has_many(pattern: re.Pattern[AnyStr], text: AnyStr, count: int) -> bool:
    return sum(1 for _, _ in zip(range(count), pattern.finditer(text), strict=False)) == count


_ERROR_KEYS = frozenset(
    ("error", "errors", "exception", "fault", "errorcode", "error_code", "errormessage", "error_message", "stacktrace")
)
_MESSAGE_KEYS = frozenset(("message", "detail", "reason", "msg", "status_message"))
_NAME_KEYS = frozenset(("title", "description"))  # data have these keys, too, and may begin with the word error
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


def _is_json_error(facts: FileFacts) -> bool:  # noqa: PLR0911 - a list of signs
    try:
        document = json.loads(facts.short)
    except (ValueError, RecursionError):
        return has_error_words(facts.words) and len(facts.words) <= _FEW
    if document is None or document in ({}, []):
        return True
    if isinstance(document, list):
        document = document[0] if len(document) == 1 else None
    if not isinstance(document, dict) or len(document) > _FEW_KEYS:
        return False
    values = {str(key).lower(): value for key, value in document.items()}
    if any(_is_series(value) for value in values.values()):
        return False
    if any(_is_error_value(values.get(key)) for key in _ERROR_KEYS) or False in (
        values.get("success"),
        values.get("ok"),
    ):
        return True
    statuses = (str(values[key]) for key in _STATUS_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(_is_bad(status.lower()) for status in statuses):
        return True
    if values.keys() & _MESSAGE_KEYS and values.keys() <= _MESSAGE_KEYS | _BESIDE_KEYS:
        return all(_is_plain(value) for value in values.values())
    states = (str(values[key]).lower() for key in _STATE_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(value in _STATES for value in states) and all(_is_plain(value) for value in values.values()):
        return True
    messages = [str(values[key]) for key in _MESSAGE_KEYS if key in values]
    names = [str(values[key]) for key in _NAME_KEYS if key in values]
    is_reported = any(has_error_words(name) for name in messages) or any(has_error_words_within(name) for name in names)
    return len(facts.words) <= _FEW and is_reported


def _is_series(value: object) -> bool:
    """Return whether a value is a list of numbers, which are data."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(item, (int, float)) for item in value)


def _is_plain(value: object) -> bool:
    return not isinstance(value, (list, dict))


def _is_error_value(value: object) -> bool:
    """Return whether a value under `error` is an error; decimal fractions are errors of measurement."""
    values = value if isinstance(value, list) else [value]
    return value not in (None, [], {}, "", False, 0) and not all(isinstance(value, float) for value in values)


def _is_bad(status: str) -> bool:
    return (status.isdigit() and _LEAST_STATUS <= int(status[:9]) < 600) or status in _BAD  # noqa: PLR2004


_BAD = ("error", "fail", "failed", "failure", "not found", "notfound", "ko")
_ERROR_ROOTS = re.compile(r"(?i)(?:\w*errors?|\w*exceptions?|\w*exceptionreport|fault|problem|rpcfault|failure)")
_LISTINGS = re.compile(r"(?i)list\w*result|enumerationresults|multistatus|(?:directory)?listing")


def _is_xml_error(facts: FileFacts) -> bool:
    """Return whether XML is an error message, by its root or the children of the root."""
    try:
        root = parse(facts.short)
    except GatewayError:
        return False
    if facts.kind == "xml" and not (len(root) or root.attrib or (root.text or "").strip()):
        return True
    names = [str(node.tag).rpartition("}")[2] for node in (root, *list(root)[:20])]
    if names[0].lower() == "svg":
        return len(facts.words) <= _FEWER and has_error_words(facts.words)
    if _ERROR_ROOTS.fullmatch(names[0]) or _LISTINGS.fullmatch(names[0]):
        return True
    inner = [str(node.tag).rpartition("}")[2] for child in list(root)[:5] for node in list(child)[:5]]
    fields_ = (
        (name.lower(), (element.text or "").strip().lower()) for name, element in zip(names[1:], root, strict=False)
    )
    if len(facts.words) <= _FEW and any(name in _STATUS_KEYS and _is_bad(value) for name, value in fields_):
        return True
    is_wrapped = len(facts.words) <= _FEW and any(_ERROR_ROOTS.fullmatch(name) for name in names[1:])
    return is_wrapped or (names[0].lower() == "envelope" and any(_ERROR_ROOTS.fullmatch(name) for name in inner))
