"""The typed links of our copies of files: to the page of the item that a copy belongs to."""

from __future__ import annotations

from gateway.landing.places import Places
from gateway.landing.signposting import LINK_SETS, links_of_content
from gateway.pages.site import Site
from gateway.store.base import View
from gateway.typed_links import header


class CopyLinks:
    """The links of the copies of one site."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._places = Places(site)

    def __call__(self, view: View, digest: str, identifier: str) -> str:
        """Return the `Link` header of the copy with this SHA-256, which belongs to this item."""
        url = f"{self._site.url}/files/{digest}"
        sets = {form: self._places.url(view, identifier, form) for form in LINK_SETS}
        return header(links_of_content(url, self._places.url(view, identifier), sets), url)
