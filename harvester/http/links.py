"""Typed links of answers: in headers (RFC 8288), in link sets (RFC 9264), and in the head of a page. Pure.

`gateway.core.typed_links` reads them. An unreadable link is left out. No function here raises an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from gateway.core.errors import AnswerTooLarge
from gateway.core.typed_links import Link, links_of_elements, links_of_header, links_of_json, links_of_text
from harvester.xml.parsing import refuse_heavy_json

__all__ = ["Link", "from_elements", "from_header", "from_json", "from_text"]


def from_header(values: Iterable[str], base: str) -> tuple[Link, ...]:
    """Return the links of all `Link` headers of an answer from the URL `base` (RFC 8288 §3)."""
    return tuple(links_of_header(values, base))


def from_text(body: str, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset document (RFC 9264 §4.1): a header that may have lines."""
    return tuple(links_of_text(body, base))


def from_json(body: bytes, base: str) -> tuple[Link, ...]:
    """Return the links of an application/linkset+json document (RFC 9264 §4.2); none when it is too large."""
    try:
        refuse_heavy_json(body)
        return tuple(links_of_json(json.loads(body), base))
    except (AnswerTooLarge, ValueError, RecursionError):
        return ()


def from_elements(elements: Iterable[Mapping[str, str]], base: str) -> tuple[Link, ...]:
    """Return the links of the `link` elements of a page, given as their attributes."""
    return tuple(links_of_elements(elements, base))
