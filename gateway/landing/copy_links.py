"""The typed links of our copies of files: to the pages of the items that a copy belongs to.

A header has as many items as it may; then the copy has a link set of its own with all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flask import Response

from gateway.landing.places import Places
from gateway.landing.signposting import LINK_SETS, links_of_content
from gateway.pages.answers import answer
from gateway.pages.site import Site
from gateway.store.base import View
from gateway.typed_links import Link, header, in_order, linkset_json, linkset_text

_MOST_IN_HEADER = 20  # items


class CopyLinks:
    """The links of the copies of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._places = Places(site)

    def header(self, view: View, digest: str, identifiers: Sequence[str]) -> str:
        """Return the `Link` header of the copy with this SHA-256, which belongs to these items.

        It has the links to all items; if they are too many, those to the link set of the copy, and to the first items.
        """
        url = self._url(digest)
        of_items = [list(self._links(view, url, name)) for name in identifiers[:_MOST_IN_HEADER]]
        own = [Link(url, "linkset", f"{url}.{form}", type=media_type) for form, media_type in LINK_SETS.items()]
        for shown in range(len(of_items), 0, -1):
            links = [
                *(own if shown < len(identifiers) else ()),
                *(link for links in of_items[:shown] for link in links),
            ]
            value = header(links, url)
            if value.count('; rel="') == len(links):  # none was left out
                return value
        return header(own, url)

    def link_set(self, view: View, digest: str, identifiers: Sequence[str], form: str) -> Response:
        """Return the link set of a copy in one of its forms, named by the ending of its address."""
        url = self._url(digest)
        links = in_order(link for name in identifiers for link in self._links(view, url, name))
        content = b"".join((linkset_json if form == "linkset.json" else linkset_text)(links))
        return answer(content, LINK_SETS[form])

    def _url(self, digest: str) -> str:
        return f"{self._site.url}/files/{digest}"

    def _links(self, view: View, url: str, identifier: str) -> Iterator[Link]:
        sets = {form: self._places.url(view, identifier, form) for form in LINK_SETS}
        yield from links_of_content(url, self._places.url(view, identifier), sets)
