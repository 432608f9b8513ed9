"""Metadata in JSON as XML, in the form of XPath (F&O 3.1, §17.5), so that it is read and served like other metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from gateway.core.errors import AnswerTooLarge
from gateway.core.xmltext import JSON, clean, escape, escape_attribute
from harvester.xml.parsing import refuse_heavy_json

_DEEPEST = 50
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*[{\[]")


def as_xml(body: bytes) -> bytes | None:
    """Return an object or a list of JSON as XML; None if it is something else, or too large or deep."""
    try:
        if not _BEGINNING.match(body):
            return None
        refuse_heavy_json(body)
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refused)
        return "".join(_written(value, f' xmlns="{JSON}"', 0)).encode("utf-8", "replace")
    except (ValueError, RecursionError, AnswerTooLarge):
        return None


def _refused(name: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(name)


def _written(value: object, attributes: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, dict):
        yield f"<map{attributes}>"
        for key, inner in value.items():
            yield from _written(inner, f' key="{escape_attribute(clean(key))}"', depth + 1)
        yield "</map>"
    elif isinstance(value, list):
        yield f"<array{attributes}>"
        for inner in value:
            yield from _written(inner, "", depth + 1)
        yield "</array>"
    elif value is None:
        yield f"<null{attributes}/>"
    else:
        kind = "string" if isinstance(value, str) else "boolean" if isinstance(value, bool) else "number"
        yield f"<{kind}{attributes}>{escape(clean(value if isinstance(value, str) else json.dumps(value)))}</{kind}>"
