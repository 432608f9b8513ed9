"""Answers with pages: their headers, conditional requests (RFC 9110 §13), and the pages for errors."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from http import HTTPStatus

from flask import Blueprint, Response, abort, request

from gateway.pages.site import Site
from gateway.pages.style import Asset
from gateway.pages.templating import Pages

log = logging.getLogger("gateway.pages")

# A page loads its sheet, its logo and its script from us, sends its forms to us, and is in no frame.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_FRESH_SECONDS = 300
_ERROR_FRESH_SECONDS = 60
HTML = "text/html; charset=UTF-8"


def answer(
    body: str | bytes,
    content_type: str = HTML,
    *,
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    last_modified: int | None = None,
    fresh_seconds: int = _FRESH_SECONDS,
) -> Response:
    """Return an answer with a strong ETag of its bytes, or 304 if the client has them.

    `last_modified` is in seconds since 1970; None: it may still change in this second.
    """
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body  # half of a surrogate pair
    response = Response(content, status, headers, content_type=content_type)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
    response.cache_control.public = True
    response.cache_control.max_age = fresh_seconds if status < HTTPStatus.BAD_REQUEST else _ERROR_FRESH_SECONDS
    if status == HTTPStatus.OK:
        response.set_etag(blake2b(content, digest_size=16).hexdigest())
        if last_modified is not None:
            response.last_modified = datetime.fromtimestamp(last_modified, UTC)
        response.make_conditional(request)
    return response


def moved(address: str) -> Response:
    """Return a permanent redirect that keeps the method (308) to another spelling of the same address."""
    response = Response("", HTTPStatus.PERMANENT_REDIRECT, {"Location": address}, content_type="text/plain")
    response.autocorrect_location_header = False
    return response


def see_other(address: str) -> Response:
    """Return a redirect to another resource that answers the request (303)."""
    response = moved(address)
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def no_page(pages: Pages, status: int, sentence: str, **values: object) -> Response:
    """Return the page of an error: what is wrong, and what to do."""
    body = pages.render("error.html", status=int(status), sentence=sentence, **values)
    return answer(body, status=status)


def unavailable(pages: Pages, error: Exception) -> Response:
    """Return the page that says that the store fails (503), and log why."""
    log.error("A page was answered with 503 because the store failed: %s", error)
    texts = pages.texts.errors
    response = no_page(pages, HTTPStatus.SERVICE_UNAVAILABLE, texts.busy, hint=texts.busy_hint)
    response.headers["Retry-After"] = "60"
    response.headers["Cache-Control"] = "no-store"
    return response


# --- The addresses `/assets/…` ----------------------------------------------------------------------------------------

_YEAR_SECONDS = 31_536_000


def blueprint(site: Site, *further: Asset) -> Blueprint:
    """Return the Flask blueprint of the files that pages use; their names have a digest, so they are immutable."""
    blueprint = Blueprint("assets", __name__)
    files = {asset.name: asset for asset in (site.style, site.logo, site.icon, *further) if asset}

    @blueprint.route("/assets/<name>")
    def asset(name: str) -> Response:
        wanted = files.get(name)
        if wanted is None:
            abort(404)
        response = Response(wanted.content, content_type=wanted.content_type)
        response.headers["Cache-Control"] = f"public, max-age={_YEAR_SECONDS}, immutable"
        # A logo in SVG may have scripts; they never run, since nothing may.
        response.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return response

    return blueprint
