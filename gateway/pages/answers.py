"""Answers with pages: their headers, conditional requests (RFC 9110 §13), and the pages for errors."""

from __future__ import annotations

import json
import logging
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from http import HTTPStatus
from typing import Any, Final, Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from flask import Blueprint, Response, abort, request

from gateway.pages.site import Asset, Site
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


# --- The addresses `/assets/…` ---------------------------------------------------------------------------------------

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


# --- Headers with conditions and ranges that RFC 9110 wants to be ignored; they are removed before anything reads them

_DATES: Final = ("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_IF_RANGE")
_ONE_RANGE: Final = re.compile(r"bytes=\s*(\d{0,19})-(\d{0,19})\s*", re.IGNORECASE | re.ASCII)
_MOST_CHARACTERS: Final = 100  # of a date


def clean_conditions(environ: MutableMapping[str, Any]) -> None:
    """Remove from a WSGI environment what is to be ignored (RFC 9110).

    * Dates that are none (§13.1.3, §13.1.4). An entity tag in If-Range stays.
    * `If-Match: *`: all that we answer with 200 exists (§13.1.1).
    * Range of another method than GET, of another unit than bytes, or one that ends before it begins (§14.1.1, §14.2).
      Several ranges are ignored too, as a server may do. A range that cannot be satisfied stays.
    """
    for name in _DATES:
        if name in environ and not _is_condition(environ[name], may_be_tag=name == "HTTP_IF_RANGE"):
            del environ[name]
    if environ.get("HTTP_IF_MATCH", "").strip() == "*":
        del environ["HTTP_IF_MATCH"]
    if "HTTP_RANGE" in environ and not (environ.get("REQUEST_METHOD") == "GET" and _is_range(environ["HTTP_RANGE"])):
        del environ["HTTP_RANGE"]
        environ.pop("HTTP_IF_RANGE", None)


def _is_condition(value: str, *, may_be_tag: bool) -> bool:
    if may_be_tag and value.rstrip().endswith('"'):
        return True
    with suppress(TypeError, ValueError, OverflowError):
        return len(value) <= _MOST_CHARACTERS and bool(parsedate_to_datetime(value))
    return False


def _is_range(value: str) -> bool:
    match = _ONE_RANGE.fullmatch(value)
    if match is None or not (match[1] or match[2]):
        return False
    return not (match[1] and match[2]) or int(match[1]) <= int(match[2])


# --- Data as JSON, and tables in pages -------------------------------------------------------------------------------

T = TypeVar("T")

SHOWN_ROWS = 50  # of a table of sources, formats or sets
_JSON = "application/json"


def plain(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return named tuples as JSON has them."""
    return [as_object(row) for row in rows]


def as_object(row: Any) -> dict[str, Any]:  # noqa: ANN401 - any named tuple
    """Return a named tuple as JSON has it: an object, and those in it likewise."""
    return {name: as_object(value) if hasattr(value, "_asdict") else value for name, value in row._asdict().items()}


def as_json(data: Mapping[str, Any]) -> Response:
    """Answer with data."""
    return answer(json.dumps(data, ensure_ascii=False, indent=1) + "\n", _JSON)


def table(pages: Pages, place: str, rows: Sequence[T], key: Callable[[T], str]) -> Response:
    """Answer with the page of a table that the argument `after` asks for; `place` is its address and its template."""
    after = request.args.get("after", "")
    if after and after not in map(key, rows) and not may_be_key(after):
        return no_such_page(pages, after)
    return table_page(pages, place, part_of(sorted(rows, key=key), key, after, SHOWN_ROWS))


def table_page(pages: Pages, place: str, part: Part[T]) -> Response:
    """Answer with a page of a table; `place` is its address and its template."""
    base = f"{pages.site.root}/{place}"
    body = pages.render(
        f"{place}.html",
        place=place,
        rows=part.entries,
        previous_url="" if part.previous is None else _page_after(base, part.previous),
        next_url="" if part.following is None else _page_after(base, part.following),
    )
    return answer(body)


def missing(pages: Pages, sentence: str, asked: str) -> Response:
    """Answer that there is no such thing."""
    return no_page(pages, HTTPStatus.NOT_FOUND, sentence, asked=asked)


# What may have been a name or a setSpec when a page was made; `-1` was none.
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.!~*'():-]*")


def may_be_key(after: str) -> bool:
    """Return whether a page of a list may begin after this key although the list does not have it any more."""
    return _KEY.fullmatch(after) is not None


def no_such_page(pages: Pages, after: str) -> Response:
    """Answer that no page of a list begins after this key."""
    return no_page(pages, HTTPStatus.BAD_REQUEST, pages.texts.errors.bad, asked=f"after={after}")


def _page_after(base: str, key: str) -> str:
    """Return the address of the page of a list after a key; an empty one is the first page."""
    return f"{base}?{urlencode({'after': key})}" if key else base


# --- One page of a list that is in memory, found by a key and not by a number. Pure ----------------------------------


class Part(NamedTuple, Generic[T]):
    """A page of a list. `previous` and `following` are the keys after which other pages begin; None: there is none."""

    entries: Sequence[T]
    previous: str | None
    following: str | None


def part_of(entries: Sequence[T], key: Callable[[T], str], after: str, size: int) -> Part[T]:
    """Return the `size` entries after a key, of a list that is sorted by its keys. An empty key is the beginning."""
    keys = [key(entry) for entry in entries]
    first = bisect_right(keys, after) if after else 0
    last = first + size
    previous = None if not first else keys[first - size - 1] if first > size else ""
    return Part(entries[first:last], previous, keys[last - 1] if last < len(entries) else None)
