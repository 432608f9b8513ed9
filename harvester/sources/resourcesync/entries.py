"""The values of a ResourceSync document: its head, its entries and links; and entries written as XML. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from gateway.core.digests import Digests
from gateway.core.typed_links import SUPPLEMENT
from gateway.core.xmltext import SITEMAP, escape, escape_attribute

TERMS = "http://www.openarchives.org/rs/terms/"
LEAST_PRIORITY = 999_999  # of a link without `pri`
LEADING = ("describes", "item", SUPPLEMENT)  # relations of metadata to content


class Link(NamedTuple):
    """One `rs:ln`: another resource and its relation to this one. Empty texts and None mean: not stated."""

    rel: str
    href: str
    type: str = ""
    modified: str = ""
    length: int | None = None
    digests: Digests = ()
    path: str = ""
    priority: int = LEAST_PRIORITY
    encoding: str = ""
    profile: str = ""  # a URI that says how to read it, such as a namespace (1.1, resourcesync.xsd of 2023)


class Entry(NamedTuple):
    """One `url` or `sitemap`. Empty texts and None mean: not stated. Times are as the source wrote them."""

    loc: str
    lastmod: str = ""
    change: str = ""  # created, updated, deleted
    datetime: str = ""  # of the change
    capability: str = ""
    at: str = ""
    completed: str = ""
    from_: str = ""
    until: str = ""
    type: str = ""
    length: int | None = None
    digests: Digests = ()
    path: str = ""
    encoding: str = ""
    links: tuple[Link, ...] = ()

    @property
    def changed(self) -> str:
        """The time of the change, or lastmod where none is stated, as before version 1.1."""
        return self.datetime or self.lastmod

    def related(self, rel: str) -> tuple[Link, ...]:
        """Return the links of one relation, the preferred first."""
        return linked(self.links, rel)

    @property
    def leading(self) -> tuple[Link, ...]:
        """The links from metadata to its content."""
        return tuple(link for link in self.links if link.rel in LEADING)

    @property
    def states_all_links(self) -> bool:
        """Whether it also leads to the page of its item, as in lists that repeat all links in each change."""
        return any(link.rel == "alternate" and link.type == "text/html" for link in self.links)

    def with_links_of(self, before: Entry) -> Entry:
        """Return the entry of a change with the links that an earlier entry states and it does not.

        A change withdraws a link only if it states all links.
        """
        if not self.change or self.change == "deleted" or before.change == "deleted" or self.states_all_links:
            return self
        rels, leading = {link.rel for link in self.links}, {link.href for link in self.leading}
        kept = (link for link in before.links if link.rel not in rels or link.rel in LEADING)
        return self._replace(links=(*self.links, *(link for link in kept if link.href not in leading)))


class Head(NamedTuple):
    """The head of a document. A plain sitemap has no capability."""

    is_index: bool
    capability: str = ""
    at: str = ""
    completed: str = ""
    from_: str = ""
    until: str = ""
    links: tuple[Link, ...] = ()

    @property
    def is_archive(self) -> bool:
        """Return whether the document is an archive: it lists earlier documents."""
        return self.capability.endswith("-archive")

    def related(self, rel: str) -> tuple[Link, ...]:
        """Return the links of one relation, the preferred first."""
        return linked(self.links, rel)


def linked(links: tuple[Link, ...], rel: str) -> tuple[Link, ...]:
    """Return the links of one relation, the preferred first."""
    return tuple(sorted((link for link in links if link.rel == rel), key=lambda link: link.priority))


# --- kept for later -------------------------------------------------------------------------------------------


def entry_text(entry: Entry) -> str:
    """Return an entry as text that `entry_of` reads."""
    return json.dumps(entry, ensure_ascii=False)


def entry_of(text: str) -> Entry:
    """Return the entry in a text of `entry_text`. Raise ValueError or TypeError for any other text."""
    *values, links = json.loads(text)
    return Entry._make((*map(_plain, values), tuple(map(_link_of, links))))


def _link_of(values: list[object]) -> Link:
    """Return a link; texts of earlier releases have no profile."""
    return Link._make([*map(_plain, values), ""][: max(len(values), len(Link._fields))])


def _plain(value: object) -> object:
    """Return a value in its original type: only the digests are lists."""
    return tuple((name, digest) for name, digest in value) if isinstance(value, list) else value


# --- written again --------------------------------------------------------------------------------------------


def entry_xml(entry: Entry) -> bytes:
    """Return an entry as an XML document of its own in UTF-8, for storage as an about."""
    attributes = {
        "change": entry.change,
        "datetime": entry.datetime,
        "hash": _hash(entry.digests),
        "length": _number_text(entry.length),
        "type": entry.type,
        "path": entry.path,
        "encoding": entry.encoding,
    }
    lastmod = f"<lastmod>{escape(entry.lastmod)}</lastmod>" if entry.lastmod else ""
    links = "".join(_empty("ln", _link_attributes(link)) for link in entry.links)
    opening = f'<url xmlns="{SITEMAP}" xmlns:rs="{TERMS}"><loc>{escape(entry.loc)}</loc>{lastmod}'
    return f"{opening}{_empty('md', attributes)}{links}</url>".encode("utf-8", "replace")


def _link_attributes(link: Link) -> dict[str, str]:
    return {
        "rel": link.rel,
        "href": link.href,
        "type": link.type,
        "modified": link.modified,
        "hash": _hash(link.digests),
        "length": _number_text(link.length),
        "path": link.path,
        "pri": str(link.priority) if link.priority != LEAST_PRIORITY else "",
        "encoding": link.encoding,
        "profile": link.profile,
    }


def _hash(digests: Digests) -> str:
    return " ".join(f"{name}:{value}" for name, value in digests)


def _number_text(number: int | None) -> str:
    return "" if number is None else str(number)


def _empty(name: str, stated: Mapping[str, str]) -> str:
    attributes = "".join(f' {key}="{escape_attribute(value)}"' for key, value in stated.items() if value)
    return f"<rs:{name}{attributes}/>" if attributes else ""
