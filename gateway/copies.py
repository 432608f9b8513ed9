"""The face `/files/`: our own copies of files that were found, as far as a published DIDL names them, and nothing else.

They are other people's documents: a browser is told to keep them, and to run nothing in them.
"""

from __future__ import annotations

import logging
import re
from mimetypes import guess_extension
from pathlib import Path

from flask import Blueprint, Response, abort, send_file

from gateway.errors import StoreError
from gateway.settings import place_of_copy
from gateway.store.base import Store

log = logging.getLogger("gateway.copies")
_DIGEST = re.compile(r"[0-9a-f]{64}")


def blueprint(store: Store, instance: Path, base_url: str) -> Blueprint:
    """Return the face `/files/<SHA-256>`. What is taken down is answered with 451 (RFC 7725)."""
    face = Blueprint("copies", __name__)

    @face.route("/files/<digest>")
    def copy(digest: str) -> Response:
        if store.takedowns().names_digest(digest):
            return _taken_down(base_url)
        mime_type = None
        if _DIGEST.fullmatch(digest):
            with store.view() as view:
                mime_type = view.copy_type(digest)
        place = place_of_copy(instance, digest)
        if mime_type is None or not place.is_file():
            abort(404)
        name = digest + (guess_extension(mime_type) or "")
        response = send_file(
            place, mimetype=mime_type, etag=digest, conditional=True, as_attachment=True, download_name=name
        )
        response.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    face.register_error_handler(StoreError, _unavailable)
    return face


def _taken_down(base_url: str) -> Response:
    """Return why a file is not served, and who withholds it (`blocked-by`, RFC 7725 section 4)."""
    headers = {"Link": f'<{base_url}>; rel="blocked-by"', "Cache-Control": "no-cache"}
    text = "This file was taken down for legal reasons. It is not available here.\n"
    return Response(text, 451, headers, content_type="text/plain; charset=UTF-8")


def _unavailable(error: StoreError) -> Response:
    """Answer 503: when the list of takedowns cannot be read, no file is served."""
    log.error("/files/ answered 503: %s", error)
    text = "Files are not available now. Please come back later.\n"
    return Response(text, 503, {"Retry-After": "60"}, content_type="text/plain; charset=UTF-8")
