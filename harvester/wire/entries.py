"""What a ResourceSync document says of itself and of each resource: the values, and one entry written again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from gateway.xmltext import escape, escape_attribute
from harvester.wire.fixity import Digests

TERMS = "http://www.openarchives.org/rs/terms/"
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
LEAST_PRIORITY = 999_999  # of a link that says none
LEADING = ("describes", "item")  # relations of metadata to content


class Link(NamedTuple):
    """One `rs:ln`: another resource and how it relates to this one. Empty texts and None mean: not said."""

    rel: str
    href: str
    type: str = ""
    modified: str = ""
    length: int | None = None
    digests: Digests = ()
    path: str = ""
    priority: int = LEAST_PRIORITY
    encoding: str = ""
    profile: str = ""  # what says how to read it: a namespace, say (1.1, resourcesync.xsd of 2023)


class Entry(NamedTuple):
    """One `url` or `sitemap`. Empty texts and None mean: not said. Times are as the source wrote them."""

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
        """When the change happened, as far as it is said: before 1.1 lastmod told both."""
        return self.datetime or self.lastmod

    def related(self, rel: str) -> tuple[Link, ...]:
        """Return the links of one relation, the preferred first."""
        return linked(self.links, rel)

    @property
    def leading(self) -> tuple[Link, ...]:
        """The links of metadata that lead to its content."""
        return tuple(each for each in self.links if each.rel in LEADING)


class Head(NamedTuple):
    """What a document says of itself. A plain sitemap has no capability."""

    is_index: bool
    capability: str = ""
    at: str = ""
    completed: str = ""
    from_: str = ""
    until: str = ""
    links: tuple[Link, ...] = ()

    @property
    def is_archive(self) -> bool:
        """Tell whether it lists documents of earlier times."""
        return self.capability.endswith("-archive")

    def related(self, rel: str) -> tuple[Link, ...]:
        """Return the links of one relation, the preferred first."""
        return linked(self.links, rel)


def linked(links: tuple[Link, ...], rel: str) -> tuple[Link, ...]:
    """Return the links of one relation, the preferred first."""
    return tuple(sorted((each for each in links if each.rel == rel), key=lambda each: each.priority))


# --- kept for later -------------------------------------------------------------------------------------------


def entry_text(entry: Entry) -> str:
    """Return an entry as text that `entry_of` reads."""
    return json.dumps(entry, ensure_ascii=False)


def entry_of(text: str) -> Entry:
    """Return the entry that `entry_text` wrote. Raise ValueError or TypeError for any other text."""
    *values, links = json.loads(text)
    return Entry._make((*map(_plain, values), tuple(map(_link_of, links))))


def _link_of(values: list[object]) -> Link:
    """Return a link; those that were written before there were profiles have none."""
    return Link._make([*map(_plain, values), ""][: max(len(values), len(Link._fields))])


def _plain(value: object) -> object:
    """Return a value as it was: the digests are the only ones that are lists."""
    return tuple((name, digest) for name, digest in value) if isinstance(value, list) else value


# --- written again --------------------------------------------------------------------------------------------


def entry_xml(entry: Entry) -> bytes:
    """Return an entry as a document of its own, to be kept beside the resource of which it speaks."""
    said = {
        "change": entry.change,
        "datetime": entry.datetime,
        "hash": _hash(entry.digests),
        "length": _told(entry.length),
        "type": entry.type,
        "path": entry.path,
        "encoding": entry.encoding,
    }
    lastmod = f"<lastmod>{escape(entry.lastmod)}</lastmod>" if entry.lastmod else ""
    links = "".join(_empty("ln", _said_of(link)) for link in entry.links)
    opening = f'<url xmlns="{SITEMAP}" xmlns:rs="{TERMS}"><loc>{escape(entry.loc)}</loc>{lastmod}'
    return f"{opening}{_empty('md', said)}{links}</url>".encode("utf-8", "replace")


def _said_of(link: Link) -> dict[str, str]:
    return {
        "rel": link.rel,
        "href": link.href,
        "type": link.type,
        "modified": link.modified,
        "hash": _hash(link.digests),
        "length": _told(link.length),
        "path": link.path,
        "pri": str(link.priority) if link.priority != LEAST_PRIORITY else "",
        "encoding": link.encoding,
        "profile": link.profile,
    }


def _hash(digests: Digests) -> str:
    return " ".join(f"{name}:{value}" for name, value in digests)


def _told(number: int | None) -> str:
    return "" if number is None else str(number)


def _empty(name: str, said: Mapping[str, str]) -> str:
    attributes = "".join(f' {key}="{escape_attribute(value)}"' for key, value in said.items() if value)
    return f"<rs:{name}{attributes}/>" if attributes else ""
