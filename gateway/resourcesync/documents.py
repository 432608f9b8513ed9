"""The XML of ResourceSync documents (ResourceSync 1.1, §5 to §14): sitemaps with elements of the namespace `rs`. Pure.

Texts have only characters that XML allows, and the attributes of an `rs:md` nothing to escape. Attributes have no
prefix, and the one `rs:md` of a document is before its first entry. `loc` is the first child of an entry, as the schema
of sitemaps demands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from gateway.core.xmltext import SITEMAP, escape, escape_attribute

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


class Document(NamedTuple):
    """The head of a document. `is_index`: its entries are documents. `times` are `at`, `from`, `until` and so on."""

    capability: str
    links: tuple[Link, ...] = ()
    times: Attributes = MappingProxyType({})
    is_index: bool = False

    def write(self, entries: Iterable[str]) -> bytes:
        """Return the document with these entries, in UTF-8."""
        root = "sitemapindex" if self.is_index else "urlset"
        head = f'{_XML}<{root} xmlns="{SITEMAP}" xmlns:rs="{TERMS}">\n{"".join(map(link, self.links))}'
        facts = md({"capability": self.capability, **self.times})
        return "".join((head, facts, "\n", *entries, f"</{root}>\n")).encode("utf-8", "replace")

    def entry(self, loc: str, attributes: Attributes, links: Iterable[Link] = ()) -> str:
        """Return the entry of a document."""
        name = "sitemap" if self.is_index else "url"
        return f"<{name}><loc>{escape(loc)}</loc>{md(attributes)}{''.join(map(link, links))}</{name}>\n"


def hash_of(sha256: str) -> str:
    """Return a SHA-256 in hexadecimal digits as the attribute `hash` has it; empty if it is not known."""
    return f"sha-256:{sha256}" if sha256 else ""


def md(attributes: Attributes) -> str:
    """Return an `rs:md` with these attributes, without those that are empty."""
    stated = "".join([f' {name}="{value}"' for name, value in attributes.items() if value != ""])
    return f"<rs:md{stated}/>" if stated else ""


def link(link: Link) -> str:
    """Return the `rs:ln` of a link."""
    stated = [f'<rs:ln rel="{link.rel}" href="{escape_attribute(link.href)}"']
    if link.type:
        stated.append(f' type="{escape_attribute(link.type)}"')
    if link.length is not None:
        stated.append(f' length="{link.length}"')
    if link.hash:
        stated.append(f' hash="{escape_attribute(link.hash)}"')
    return "".join((*stated, "/>"))
