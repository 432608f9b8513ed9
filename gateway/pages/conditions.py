"""Headers with conditions and ranges that RFC 9110 wants to be ignored, and that our libraries do not ignore.

They are removed from a request before anything reads them.
"""

import re
from collections.abc import MutableMapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, Final

_DATES: Final = ("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_RANGE")
_ONE_RANGE: Final = re.compile(r"bytes=\s*(\d{0,19})-(\d{0,19})\s*", re.IGNORECASE | re.ASCII)
_MOST_CHARACTERS: Final = 100  # of a date


def clean(environ: MutableMapping[str, Any]) -> None:
    """Remove from a WSGI environment what is to be ignored (RFC 9110).

    * Dates that are none (§13.1.3, §13.1.4). An entity tag in If-Range stays.
    * `If-Match: *`: all that we answer with 200 exists (§13.1.1).
    * Range of another method than GET, of another unit than bytes, or one that ends before it begins (§14.1.1, §14.2).
      Several ranges are ignored too, as a server may do. A range that cannot be satisfied stays.
    """
    for name in _DATES:
        if name in environ and not _is_condition(environ[name], may_be_tag=name == "HTTP_IF_RANGE"):
            del environ[name]
    if environ.get("HTTP_IF_MATCH", "").strip() == "*":
        del environ["HTTP_IF_MATCH"]
    if "HTTP_RANGE" in environ and not (environ.get("REQUEST_METHOD") == "GET" and _is_range(environ["HTTP_RANGE"])):
        del environ["HTTP_RANGE"]
        environ.pop("HTTP_IF_RANGE", None)


def _is_condition(value: str, *, may_be_tag: bool) -> bool:
    if may_be_tag and value.rstrip().endswith('"'):
        return True
    with suppress(TypeError, ValueError, OverflowError):
        return len(value) <= _MOST_CHARACTERS and bool(parsedate_to_datetime(value))
    return False


def _is_range(value: str) -> bool:
    match = _ONE_RANGE.fullmatch(value)
    if match is None or not (match[1] or match[2]):
        return False
    return not (match[1] and match[2]) or int(match[1]) <= int(match[2])
