"""Typed links: in HTTP headers (RFC 8288), in both forms of link sets (RFC 9264), and in the head of a page. Pure.

An unreadable link is left out, and the others are returned. No function here raises an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urljoin

from gateway.errors import AnswerTooLarge
from harvester.http.json_answers import Node, parts, text
from harvester.xml.parsing import refuse_heavy_json


class Link(NamedTuple):
    """One link from `anchor` to `href`, both absolute; `rel` is one relation, in lower case unless it is a URI."""

    anchor: str
    rel: str
    href: str
    type: str = ""
    profile: str = ""


_TARGET = re.compile(r"<([^<>]*)>\s*")
_PARAMETER = re.compile(r"\s*+;\s*+([^\s=;,]++)\s*+(?:=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s;,\"]++)))?\s*+")
_ESCAPED = re.compile(r"\\(.)")


def from_header(values: Iterable[str], base: str) -> tuple[Link, ...]:
    """Return the links of all `Link` headers of an answer from the URL `base` (RFC 8288 §3)."""
    return tuple(link for value in values for link in _in_field(value, base))


def from_text(body: str, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset document (RFC 9264 §4.1): a header that may have lines."""
    return tuple(_in_field(" ".join(body.split()), base))


def _in_field(value: str, base: str) -> Iterator[Link]:
    place = 0
    while match := _TARGET.search(value, place):
        given: dict[str, str] = {}
        place = match.end()
        while parameter := _PARAMETER.match(value, place):
            quoted = _ESCAPED.sub(r"\1", parameter[2]) if parameter[2] is not None else parameter[3] or ""
            given.setdefault(parameter[1].lower(), quoted.strip())  # the first of several counts (RFC 8288 §3.3)
            place = parameter.end()
        yield from _links(given, match[1], base)


def _links(given: Mapping[str, str], target: str, base: str) -> Iterator[Link]:
    href = _joined(base, target)
    anchor = _joined(base, given.get("anchor", ""))
    for rel in given.get("rel", "").split():
        if href and anchor:
            name = rel if ":" in rel else rel.lower()
            yield Link(anchor, name, href, given.get("type", "").lower(), given.get("profile", ""))


def from_json(body: bytes, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset+json document (RFC 9264 §4.2); none when it is too large."""
    try:
        refuse_heavy_json(body)
        document = json.loads(body)
    except (AnswerTooLarge, ValueError, RecursionError):
        return ()
    return tuple(link for context in parts(document, "linkset") for link in _of_context(context, base))


def _of_context(context: Node, base: str) -> Iterator[Link]:
    for rel in context:
        for target in parts(context, rel):
            given = {"rel": rel, "anchor": text(context, "anchor")}
            given |= {name: text(target, name) for name in ("type", "profile")}
            if text(target, "href"):
                yield from _links(given, text(target, "href"), base)


def from_elements(elements: Iterable[Mapping[str, str]], base: str) -> tuple[Link, ...]:
    """Return the links of the `link` elements of a page, given as their attributes."""
    return tuple(
        link for element in elements if element.get("href") for link in _links(element, element["href"].strip(), base)
    )


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # `http://[`
        return ""
