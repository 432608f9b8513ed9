"""Signposts (signposting.org, levels 1 and 2): typed links of a page to its files, licence and identifier. Pure."""

from __future__ import annotations

from typing import NamedTuple

from gateway.fulltext.licenses import license_of
from harvester.fulltext.known_copies import Copy
from harvester.http.links import Link, from_header, from_json, from_text
from harvester.http.messages import Fetched


class Signposts(NamedTuple):
    """The typed links of one page."""

    items: tuple[Link, ...] = ()
    cite_as: str = ""
    license: str = ""
    types: tuple[str, ...] = ()
    described_by: tuple[Link, ...] = ()
    linksets: tuple[Link, ...] = ()
    collection: str = ""

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The items as copies, PDFs first; the licence is that of the page."""
        known = Copy("", license=license_of(self.license), license_url=self.license, evidence="signposting:item")
        in_order = sorted(self.items, key=lambda link: link.type != "application/pdf")
        return tuple(known._replace(url=link.href, mime_type=link.type) for link in in_order)


def read(page: str, links: tuple[Link, ...]) -> Signposts:
    """Return the signposts of the page at this address, without links that have another anchor."""
    own = [link for link in links if link.anchor.partition("#")[0] == page.partition("#")[0]]

    def of(rel: str) -> tuple[Link, ...]:
        return tuple(dict.fromkeys(link for link in own if link.rel == rel))

    def first(rel: str) -> str:
        return next((link.href for link in of(rel)), "")

    return Signposts(
        items=of("item"),
        cite_as=first("cite-as"),
        license=first("license"),
        types=tuple(link.href for link in of("type")),
        described_by=of("describedby"),
        linksets=of("linkset"),
        collection=first("collection"),
    )


def of_answer(fetched: Fetched) -> Signposts:
    """Return the signposts in the headers of an answer."""
    values = [value for name, value in fetched.headers if name.lower() == "link"]
    return read(fetched.url, from_header(values, fetched.url))


def of_linkset(fetched: Fetched, page: str) -> Signposts:
    """Return the signposts of a page in a link set, in either of its two forms (RFC 9264)."""
    is_text = fetched.header("Content-Type").partition(";")[0].strip().lower() == "application/linkset"
    if is_text:
        return read(page, from_text(fetched.body.decode("utf-8", "replace"), fetched.url))
    return read(page, from_json(fetched.body, fetched.url))
