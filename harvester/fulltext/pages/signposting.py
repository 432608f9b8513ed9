"""Signposts (signposting.org, levels 1 and 2): typed links of a page to its files, licence and identifier. Pure."""

from __future__ import annotations

from typing import NamedTuple

from gateway.fulltext.licenses import is_open, license_of
from harvester.fulltext.known_copies import Copy
from harvester.http.links import Link, from_header, from_json, from_text
from harvester.http.messages import Fetched


class Signposts(NamedTuple):
    """The typed links of one page."""

    items: tuple[Link, ...] = ()
    cite_as: str = ""
    licenses: tuple[str, ...] = ()
    item_licenses: tuple[tuple[str, str], ...] = ()  # (item, licence)
    types: tuple[str, ...] = ()
    described_by: tuple[Link, ...] = ()
    linksets: tuple[Link, ...] = ()
    collection: str = ""

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The items as copies, PDFs first; the licence is that of the page, unless the item has one of its own."""
        in_order = sorted(self.items, key=lambda link: link.type != "application/pdf")
        return tuple(self._licensed(link.href)._replace(mime_type=link.type) for link in in_order)

    def _licensed(self, item: str) -> Copy:
        """Return an item as a copy with its licence; several different ones are a doubt."""
        copy = Copy(item, evidence="signposting:item")
        stated = dict.fromkeys((*self.licenses, *(url for href, url in self.item_licenses if href == item)))
        named = {license_of(url): url for url in stated}
        if len(named) > 1:
            named.pop("other-oa", None)  # open, under another licence that is named too
        if len(named) > 1 and any(map(is_open, named)):
            return copy._replace(doubt=f"The typed links of the page name different licences: {' and '.join(stated)}.")
        name, url = next(iter(named.items()), ("", ""))
        return copy._replace(license=name, license_url=url)


def read(page: str, links: tuple[Link, ...]) -> Signposts:
    """Return the signposts of the page at this address, without links that have another anchor."""
    own = [link for link in links if link.anchor.partition("#")[0] == page.partition("#")[0]]
    licenses = (link for link in links if link.rel == "license")

    def of(rel: str) -> tuple[Link, ...]:
        return tuple(dict.fromkeys(link for link in own if link.rel == rel))

    def first(rel: str) -> str:
        return next((link.href for link in of(rel)), "")

    return Signposts(
        items=of("item"),
        cite_as=first("cite-as"),
        licenses=tuple(link.href for link in of("license")),
        item_licenses=tuple((link.anchor, link.href) for link in licenses if link not in own),
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
