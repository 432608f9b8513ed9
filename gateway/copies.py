"""The face `/files/`: our own copies of files that were found, as far as a published DIDL names them, and nothing else.

They are other people's documents: a browser is told to keep them, and to run nothing in them.
"""

from __future__ import annotations

import re
from mimetypes import guess_extension
from pathlib import Path

from flask import Blueprint, Response, abort, send_file

from gateway.settings import place_of_copy
from gateway.store.base import Store

_DIGEST = re.compile(r"[0-9a-f]{64}")


def blueprint(store: Store, instance: Path) -> Blueprint:
    """Return the face `/files/<SHA-256>`."""
    face = Blueprint("copies", __name__)

    @face.route("/files/<digest>")
    def copy(digest: str) -> Response:
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
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Content-Security-Policy"] = "sandbox"
        return response

    return face
