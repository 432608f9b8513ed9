"""Recognise error messages, forms to log in, and pages of a site in place of a file."""

import json
import re

from gateway.core.errors import GatewayError
from gateway.core.xmlio import parse
from harvester.mirror.file_facts import TABLE_TYPES, FileFacts, decoded, is_even, visible
from harvester.mirror.file_types import PAGE
from harvester.words import any_of, load

_FEWER, _FEW, _MORE = 256, 600, 2500  # characters of a message, of a page that is one, and of a page around one
_TITLE = re.compile(r"(?is)<(title|h1|h2)\b[^<>]*>([^<]{0,300})<")
_PASSWORD = re.compile(rb"(?i)<input[^<>]*\btype\s*=\s*[\"']?password")
_REFRESH = re.compile(
    rb"(?i)<meta[^<>]*http-equiv\s*=\s*[\"']?refresh|\b(?:window|document)\.location(?:\.href)?\s*=|location\.(?:replace|assign)\("
)
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


def has_error_words(text: str) -> bool:
    """Return whether a text has the words of an error, in any case."""
    return has_error_words_within(text) or _AT_FIRST.match(text.lower()) is not None


def has_error_words_within(text: str) -> bool:
    """Return whether a text has words of an error that no title has: the title of a study may begin with `Error`."""
    lowered = text.lower()
    return any(words.search(lowered) for words in _WITHIN)


def is_error_message(facts: FileFacts) -> bool:
    """Return whether a text is an error message, a form to log in, or a page that leads elsewhere."""
    if not facts.is_text or facts.printed:
        return _is_notice(facts.printed)
    return bool(facts.short) and not _is_table(facts) and _is_message(facts)


def _is_message(facts: FileFacts) -> bool:
    if facts.came == "html" and (_is_page_of_error(facts) or (facts.kind == "html" and _is_page(facts))):
        return True
    if "json" in (facts.came, facts.kind) and _is_json_error(facts):
        return True
    if facts.came == "xml" and _is_xml_error(facts):
        return True
    most = _FEW if facts.came == "html" else _FEWER
    is_meant = facts.kind == facts.came and facts.kind in ("json", "xml")
    return not is_meant and len(facts.words) <= most and has_error_words(facts.words)


_BEGUN = re.compile(rb"(?im)^<(?:br|b|p|div|h[1-6]|html|!doctype html|table|pre|font|center)\b[^<>]{0,200}>")


def has_error_behind(facts: FileFacts) -> bool:
    """Return whether a text or a table ends with the error output of a program, as markup."""
    if facts.came != "text" or facts.mime_type not in (*TABLE_TYPES, "text/plain"):
        return False
    begun = _BEGUN.search(facts.last)
    if begun is None or not begun.start() or _BEGUN.search(facts.first[: -len(facts.last)]):
        return False
    rest = facts.last[begun.start() :].rstrip()
    return rest.endswith(b">") and has_error_words_within(visible(rest))


_LEAST_NOTICE = 12  # characters


def _is_notice(printed: str) -> bool:
    """Return whether the text of a document of one page explains why another document is missing."""
    words = " ".join(printed.split())
    return _LEAST_NOTICE <= len(words) <= _FEW and has_error_words(words)


def _is_table(facts: FileFacts) -> bool:
    """Return whether a text is a table: all lines have the same number of separators."""
    return facts.mime_type in TABLE_TYPES and len(facts.words.splitlines()) > 1 and is_even(facts.words)


def _is_page_of_error(facts: FileFacts) -> bool:
    if len(facts.words) <= _FEW and _REFRESH.search(facts.short):
        return True
    if facts.kind == "xml" and len(facts.words) <= _FEWER and PAGE.match(facts.first):
        return True
    titles = [match[2] for match in _TITLE.finditer(decoded(facts.short))]
    is_of_error = _PASSWORD.search(facts.short) is not None or any(has_error_words(title) for title in titles)
    return len(facts.words) <= _MORE and is_of_error


_FROM_ELSEWHERE = re.compile(rb"(?i)<script\b[^<>]*\bsrc\s*=")
_INLINE = re.compile(rb"(?i)<script\b[^<>]*>[^<]{600}")
_SHOWN = re.compile(rb"(?i)<(?:img|svg|canvas|table|object|embed|iframe|video|audio|picture|math)\b")
_ANY_LINK = re.compile(rb"(?i)<a\b[^<>]*\bhref\s*=\s*[\"']?[^#\"'\s]")
_NO_WORDS, _OF_A_LINK = 60, 100  # characters


def _is_page(facts: FileFacts) -> bool:
    """Return whether a page shows nothing, and has only a link or a script that loads the content."""
    if _SHOWN.search(facts.short):
        return False
    if 0 < len(facts.words) <= _OF_A_LINK and _ANY_LINK.search(facts.short):
        return PAGE.match(facts.first) is not None
    is_filled = _FROM_ELSEWHERE.search(facts.short) and not _INLINE.search(facts.short)
    return bool(is_filled) and len(facts.words) <= _NO_WORDS


_ERROR_KEYS = frozenset(
    ("error", "errors", "exception", "fault", "errorcode", "error_code", "errormessage", "error_message", "stacktrace")
)
_MESSAGE_KEYS = frozenset(("message", "detail", "reason", "msg", "status_message"))
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
    if any(_is_error_value(values.get(key)) for key in _ERROR_KEYS) or False in (
        values.get("success"),
        values.get("ok"),
    ):
        return True
    statuses = (str(values[key]) for key in _STATUS_KEYS if key in values and len(values) <= _FEWER_KEYS)
    if any(_is_bad(status.lower()) for status in statuses):
        return True
    if values.keys() <= _MESSAGE_KEYS:
        return all(_is_plain(value) for value in values.values())
    messages = [str(values[key]) for key in _MESSAGE_KEYS if key in values]
    return len(facts.words) <= _FEW and any(has_error_words(message) for message in messages)


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
    if _ERROR_ROOTS.fullmatch(names[0]):
        return True
    inner = [str(node.tag).rpartition("}")[2] for child in list(root)[:5] for node in list(child)[:5]]
    fields_ = (
        (name.lower(), (element.text or "").strip().lower()) for name, element in zip(names[1:], root, strict=False)
    )
    if len(facts.words) <= _FEW and any(name in _STATUS_KEYS and _is_bad(value) for name, value in fields_):
        return True
    is_wrapped = len(facts.words) <= _FEW and any(_ERROR_ROOTS.fullmatch(name) for name in names[1:])
    return is_wrapped or (names[0].lower() == "envelope" and any(_ERROR_ROOTS.fullmatch(name) for name in inner))
