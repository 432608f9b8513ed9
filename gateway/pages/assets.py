"""The addresses `/assets/…`: the style sheet, the logo, the icon and scripts, which never change under their names."""

from __future__ import annotations

from flask import Blueprint, Response, abort

from gateway.pages.site import Site
from gateway.pages.style import Asset

_YEAR_SECONDS = 31_536_000


def blueprint(site: Site, *further: Asset) -> Blueprint:
    """Return the Flask blueprint of the files that pages use; their names have a digest, so they are immutable."""
    face = Blueprint("assets", __name__)
    files = {asset.name: asset for asset in (site.style, site.logo, site.icon, *further) if asset}

    @face.route("/assets/<name>")
    def asset(name: str) -> Response:
        wanted = files.get(name)
        if wanted is None:
            abort(404)
        response = Response(wanted.content, content_type=wanted.content_type)
        response.headers["Cache-Control"] = f"public, max-age={_YEAR_SECONDS}, immutable"
        # A logo in SVG may have scripts; they never run, since nothing may.
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return response

    return face
