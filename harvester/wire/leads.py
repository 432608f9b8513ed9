"""Where a page, its headers or a robots.txt say that ResourceSync documents are (Z39.99 §6.3). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin

from harvester.wire.urls import split

_RELATION = "resourcesync"
_MOST_BYTES = 1_000_000  # of a page; what it says of itself stands at its beginning
WELL_KNOWN = "/.well-known/resourcesync"

# RFC 8288: an address in angle brackets, then parameters, of which quoted ones may hold any separator.
_LINK = re.compile(r"<([^<>]*+)>((?:\s*+;\s*+[^\s=;,]++\s*+(?:=\s*+(?:\"(?:[^\"\\]|\\.)*+\"|[^\s;,]*+))?)*+)")
_PARAMETER = re.compile(r";\s*+([^\s=;,]++)\s*+(?:=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"|([^\s;,]*+)))?")
_SITEMAP = re.compile(r"(?im)^[ \t]*sitemap[ \t]*:[ \t]*(\S+)")


def leads_of_headers(headers: tuple[tuple[str, str], ...], base: str) -> tuple[str, ...]:
    """Return the addresses that Link headers name with the relation `resourcesync`."""
    values = (value for name, value in headers if name.lower() == "link")
    found = (match for value in values for match in _LINK.finditer(value))
    return _whole((match[1] for match in found if _is_ours(match[2])), base)


def _is_ours(parameters: str) -> bool:
    found = (match for match in _PARAMETER.finditer(parameters) if match[1].lower() == "rel")
    relations = next(found, None)  # the first counts (RFC 8288 §3.3)
    return relations is not None and _RELATION in (relations[2] or relations[3] or "").lower().split()


def leads_of_page(body: bytes, base: str) -> tuple[str, ...]:
    """Return the addresses that `link` elements of an HTML page name with the relation `resourcesync`."""
    page = _Links()
    with suppress(AssertionError):  # the library does not know what to do with `<![OCTYPE`; what was found counts
        page.feed(body[:_MOST_BYTES].decode("utf-8", "replace"))
    return _whole(page.found, base)


def leads_of_robots(body: bytes, base: str) -> tuple[str, ...]:
    """Return the sitemaps that a robots.txt names."""
    return _whole((match[1] for match in _SITEMAP.finditer(body[:_MOST_BYTES].decode("utf-8", "replace"))), base)


def at_root(url: str, path: str) -> str:
    """Return the address of a path at the root of an address's host."""
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}{path}"


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "link" and _RELATION in (said.get("rel") or "").lower().split() and said.get("href"):
            self.found.append(str(said["href"]))


def _whole(references: Iterable[str], base: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for each in references:
        try:
            found[urljoin(base, each.strip())] = None
        except ValueError:
            continue
    return tuple(found)
