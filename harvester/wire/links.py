"""Typed links: of HTTP headers (RFC 8288), of link sets in both their forms (RFC 9264), of the head of a page. Pure.

What cannot be read as a link is left out: one bad parameter among fifteen links is no reason to lose the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urljoin

from gateway.errors import AnswerTooLarge
from harvester.wire.json_answers import Node, parts, text
from harvester.wire.parsing import refuse_heavy_json


class Link(NamedTuple):
    """One link from `anchor`, both absolute; `rel` is one relation, in lower case unless it is an address."""

    anchor: str
    rel: str
    href: str
    type: str = ""
    profile: str = ""


_TARGET = re.compile(r"<([^<>]*)>\s*")
_PARAMETER = re.compile(r"\s*+;\s*+([^\s=;,]++)\s*+(?:=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s;,\"]++)))?\s*+")
_ESCAPED = re.compile(r"\\(.)")


def from_header(values: Iterable[str], base: str) -> tuple[Link, ...]:
    """Return the links of all `Link` headers of an answer that came from `base`."""
    return tuple(link for value in values for link in _in_field(value, base))


def from_text(body: str, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset document: a header that may have lines."""
    return tuple(_in_field(" ".join(body.split()), base))


def _in_field(value: str, base: str) -> Iterator[Link]:
    place = 0
    while found := _TARGET.search(value, place):
        given: dict[str, str] = {}
        place = found.end()
        while parameter := _PARAMETER.match(value, place):
            quoted = _ESCAPED.sub(r"\1", parameter[2]) if parameter[2] is not None else parameter[3] or ""
            given.setdefault(parameter[1].lower(), quoted.strip())  # of several the first counts (RFC 8288 §3.3)
            place = parameter.end()
        yield from _links(given, found[1], base)


def _links(given: Mapping[str, str], target: str, base: str) -> Iterator[Link]:
    href = _joined(base, target)
    anchor = _joined(base, given.get("anchor", ""))
    for rel in given.get("rel", "").split():
        if href and anchor:
            name = rel if ":" in rel else rel.lower()
            yield Link(anchor, name, href, given.get("type", "").lower(), given.get("profile", ""))


def from_json(body: bytes, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset+json document; none where it would take too much memory."""
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
    return tuple(link for each in elements if each.get("href") for link in _links(each, each["href"].strip(), base))


def _joined(base: str, target: str) -> str:
    try:
        return urljoin(base, target)
    except ValueError:  # `http://[`
        return ""
