"""The XML of ResourceSync documents (ResourceSync 1.1, §5 to §14): sitemaps with elements of the namespace `rs`. Pure.

Texts have only characters that XML allows. Attributes have no prefix, and the one `rs:md` of a document is before its
first entry. `loc` is the first child of an entry, as the schema of sitemaps demands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from gateway.xmltext import SITEMAP, escape, escape_attribute

TERMS: Final = "http://www.openarchives.org/rs/terms/"
CONTENT_TYPE: Final = "application/xml; charset=UTF-8"
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'

Attributes = Mapping[str, str | int]


class Link(NamedTuple):
    """An `rs:ln`: the relation of a resource or a document to another one. Empty texts and None mean: not stated."""

    rel: str
    href: str
    type: str = ""
    length: int | None = None
    hash: str = ""
    modified: str = ""


class Document(NamedTuple):
    """The head of a document. `is_index`: its entries are documents. `times` are `at`, `from`, `until` and so on."""

    capability: str
    links: tuple[Link, ...] = ()
    times: Attributes = MappingProxyType({})
    is_index: bool = False

    def write(self, entries: Iterable[str]) -> bytes:
        """Return the document with these entries, in UTF-8."""
        root = "sitemapindex" if self.is_index else "urlset"
        md = _md({"capability": self.capability, **self.times})
        head = f'{_XML}<{root} xmlns="{SITEMAP}" xmlns:rs="{TERMS}">\n{"".join(map(_ln, self.links))}{md}\n'
        return "".join((head, *entries, f"</{root}>\n")).encode("utf-8", "replace")

    def entry(self, loc: str, md: Attributes, links: Iterable[Link] = (), lastmod: str = "") -> str:
        """Return one entry: a resource, or a document."""
        name = "sitemap" if self.is_index else "url"
        changed = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
        return f"<{name}><loc>{escape(loc)}</loc>{changed}{_md(md)}{''.join(map(_ln, links))}</{name}>\n"


def hash_of(sha256: str) -> str:
    """Return a SHA-256 in hexadecimal digits as the attribute `hash` has it; empty if it is not known."""
    return f"sha-256:{sha256}" if sha256 else ""


def _md(attributes: Attributes) -> str:
    return _element("md", attributes)


def _ln(link: Link) -> str:
    return _element("ln", {name: value for name, value in link._asdict().items() if value is not None})


def _element(name: str, attributes: Attributes) -> str:
    stated = "".join(f' {key}="{escape_attribute(str(value))}"' for key, value in attributes.items() if value != "")
    return f"<rs:{name}{stated}/>" if stated else ""
