"""The address `/files/`: the stored copies of files that a published DIDL names, and nothing else.

They are foreign documents, so the answers make a browser save them and run nothing in them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from mimetypes import guess_extension
from pathlib import Path

from flask import Blueprint, Response, abort, send_file

from gateway.core.errors import StoreError
from gateway.core.settings import place_of_copy
from gateway.core.typed_links import Link, header, in_order, linkset_json, linkset_text
from gateway.pages.answers import answer
from gateway.pages.item_head import LINK_SETS, links_of_content
from gateway.pages.item_places import Places
from gateway.pages.site import Site
from gateway.store.base import Store, View

log = logging.getLogger("gateway.copies")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_ITEMS = 5_000  # of one copy, in its link set


def blueprint(store: Store, instance: Path, base_url: str, links: CopyLinks) -> Blueprint:
    """Return the Flask blueprint of `/files/<SHA-256>`; a file that is taken down is answered with 451 (RFC 7725)."""
    blueprint = Blueprint("copies", __name__)

    @blueprint.route("/files/<digest>")
    def copy(digest: str) -> Response:
        return answered(digest)

    @blueprint.route("/files/<digest>.linkset")
    def link_set(digest: str) -> Response:
        return answered(digest, "linkset")

    @blueprint.route("/files/<digest>.linkset.json")
    def link_set_as_json(digest: str) -> Response:
        return answered(digest, "linkset.json")

    def answered(digest: str, form: str = "") -> Response:
        if store.takedowns().names_digest(digest):
            return _taken_down(base_url)
        if not _DIGEST.fullmatch(digest):
            abort(404)
        place = place_of_copy(instance, digest)
        with store.view() as view:
            served = view.served_copy(digest, _MOST_ITEMS)
            if served is None or not place.is_file():
                abort(404)
            mime_type, identifiers = served
            if form:
                return links.link_set(view, digest, identifiers, form)
            header = links.header(view, digest, identifiers)
        response = send_file(
            place,
            mimetype=mime_type,
            etag=digest,
            conditional=True,
            as_attachment=True,
            download_name=digest + (guess_extension(mime_type) or ""),
        )
        response.headers["Link"] = header
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    blueprint.register_error_handler(StoreError, _unavailable)
    return blueprint


def _taken_down(base_url: str) -> Response:
    """Return the answer 451, which names who withholds the file (`blocked-by`, RFC 7725 §4)."""
    headers = {"Link": f'<{base_url}>; rel="blocked-by"', "Cache-Control": "no-cache"}
    text = "This file was taken down for legal reasons. It is not available here.\n"
    return Response(text, 451, headers, content_type="text/plain; charset=UTF-8")


def _unavailable(error: StoreError) -> Response:
    """Answer 503: no file is served while the list of takedowns cannot be read."""
    log.error("/files/ answered 503: %s", error)
    text = "Files are not available now. Try again later.\n"
    return Response(text, 503, {"Retry-After": "60"}, content_type="text/plain; charset=UTF-8")


# --- The typed links of our copies of files: to the pages of the items that a copy belongs to ------------------------

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
