"""Links to ResourceSync documents in pages, headers and robots.txt (Z39.99 §6.3). Pure."""

import re
from collections.abc import Iterable
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin

from gateway.core.typed_links import links_of_header
from harvester.http.urls import split

_RELATION = "resourcesync"
_MOST_BYTES = 1_000_000  # of a page; its head stands at the beginning
WELL_KNOWN = "/.well-known/resourcesync"

_SITEMAP = re.compile(r"(?im)^[ \t]*sitemap[ \t]*:[ \t]*(\S+)")


def leads_of_headers(headers: tuple[tuple[str, str], ...], base: str) -> tuple[str, ...]:
    """Return the URLs of Link headers with the relation `resourcesync`, made absolute."""
    values = (value for name, value in headers if name.lower() == "link")
    return tuple(dict.fromkeys(link.href for link in links_of_header(values, base) if link.rel == _RELATION))


def leads_of_page(body: bytes, base: str) -> tuple[str, ...]:
    """Return the URLs of `link` elements of an HTML page with the relation `resourcesync`, made absolute."""
    page = _Links()
    with suppress(AssertionError):  # the library fails at `<![OCTYPE`; links before that count
        page.feed(body[:_MOST_BYTES].decode("utf-8", "replace"))
    return _whole(page.references, base)


def leads_of_robots(body: bytes, base: str) -> tuple[str, ...]:
    """Return the URLs of the sitemaps in a robots.txt."""
    return _whole((match[1] for match in _SITEMAP.finditer(body[:_MOST_BYTES].decode("utf-8", "replace"))), base)


def at_root(url: str, path: str) -> str:
    """Return the URL of a path at the root of a URL's host."""
    parts = split(url)
    return f"{parts.scheme}://{parts.netloc}{path}"


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "link" and _RELATION in (attributes.get("rel") or "").lower().split() and attributes.get("href"):
            self.references.append(str(attributes["href"]))


def _whole(references: Iterable[str], base: str) -> tuple[str, ...]:
    links_: dict[str, None] = {}
    for reference in references:
        try:
            links_[urljoin(base, reference.strip())] = None
        except ValueError:
            continue
    return tuple(links_)
