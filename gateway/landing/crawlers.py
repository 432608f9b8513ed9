"""What crawlers ask first: `/robots.txt`, and the sitemaps that it names."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response, abort

from gateway.landing.places import Places
from gateway.landing.sitemaps import MOST_ENTRIES, index, part_named, parts, sitemap
from gateway.model import Selection
from gateway.pages.answers import answer
from gateway.pages.site import Site
from gateway.store.base import Store, View

_PREFIX = "oai_didl"
_XML = "application/xml; charset=UTF-8"
_HOUR_SECONDS = 3600
_DAY_SECONDS = 86_400

# Pages that only combine others: forms with several arguments. Everything else may be read, slowly or fast.
_ROBOTS = """\
# Records and files of this repository are free to harvest. Please use OAI-PMH for all of them:
# {base_url}
User-agent: *
Disallow: {root}/search?*&
Disallow: {root}/browse?*&
Allow: /

Sitemap: {url}/sitemap.xml
"""
_RESOURCE_LISTS = "\n# The Resource Lists of ResourceSync, which have elements that search engines do not read:\n"


def blueprint(store: Store, site: Site, resource_lists: Sequence[str] = ()) -> Blueprint:
    """Return the Flask blueprint of `/robots.txt`, `/sitemap.xml`, and `/sitemaps/<part>.xml`.

    `resource_lists` are the addresses of Resource Lists, which `/robots.txt` names (ResourceSync 1.1 §15.3).
    """
    face = Blueprint("crawlers", __name__)
    places = Places(site)

    @face.route("/robots.txt")
    def robots() -> Response:
        text = _ROBOTS.format(base_url=site.base_url, root=site.root, url=site.url)
        if resource_lists:
            text += _RESOURCE_LISTS + "".join(f"Sitemap: {address}\n" for address in resource_lists)
        return answer(text, "text/plain; charset=UTF-8", fresh_seconds=_DAY_SECONDS)

    @face.route("/sitemap.xml")
    def sitemap_index() -> Response:
        with store.view() as view:
            names = [part.name for part in parts(lambda *span: _tallies(view, site, *span), view.horizon)]
        content = index(f"{site.url}/sitemaps/{name}.xml" for name in names)
        return answer(content, _XML, fresh_seconds=_HOUR_SECONDS)

    @face.route("/sitemaps/<name>.xml")
    def sitemap_part(name: str) -> Response:
        part = part_named(name)
        if part is None:
            abort(404)
        with store.view() as view:
            within = Selection(_PREFIX, None, part.first, part.last)
            entries = view.entries(within, MOST_ENTRIES, part.number * MOST_ENTRIES, only_held=not site.is_indexed)
            content = sitemap((places.url(view, identifier), changed) for identifier, changed in entries)
        return answer(content, _XML, fresh_seconds=_HOUR_SECONDS)

    return face


def _tallies(view: View, site: Site, span: int, first: int, last: int) -> tuple[tuple[int, int], ...]:
    """Return the tallies of the records that may be in a sitemap; only items with files have found or held ones."""
    return view.tallies(Selection(_PREFIX, None if site.is_indexed else "fulltext", first, last), span)
