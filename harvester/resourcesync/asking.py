"""One question to a source: a document of ResourceSync, or any resource, and the answer as the page to keep."""

from __future__ import annotations

from http import HTTPStatus

from gateway.errors import ConnectionFailed, RemoteRefuses
from gateway.model import Cursor, RawPage
from harvester.sources import Options
from harvester.wire.http import Fetch, Fetched, Request, settled_date
from harvester.wire.resourcesync import Document, read

_NOT_KEPT = frozenset(("set-cookie", "set-cookie2"))  # headers that are somebody's secret


def asked(options: Options, fetch: Fetch, url: str) -> tuple[Fetched, Document]:
    """Return a document and how it arrived. Raise what `fetch` and `read` raise, and what an error of HTTP means."""
    fetched = fetch(Request(url, options.source))
    refuse_status(fetched)
    return fetched, read(fetched.body, fetched.url, options.most_bytes)


def asked_again(options: Options, fetch: Fetch, url: str, known: tuple[str, ...]) -> tuple[Fetched, Document | None]:
    """Return a document as `asked` does, or None when it is the one that is known by `validators_of`."""
    address, etag, modified = known or ("", "", "")
    pairs = (("If-None-Match", etag), ("If-Modified-Since", modified))
    fetched = fetch(Request(url, options.source, tuple(each for each in pairs if each[1] and address == url)))
    if fetched.status == HTTPStatus.NOT_MODIFIED and address == url:
        return fetched, None
    refuse_status(fetched)
    return fetched, read(fetched.body, fetched.url, options.most_bytes)


def validators_of(url: str, fetched: Fetched) -> tuple[str, ...]:
    """Return by what a document is known again; nothing when its server does not say."""
    found = url, fetched.header("ETag"), settled_date(fetched)
    return found if any(found[1:]) else ()


def refuse_status(fetched: Fetched) -> None:
    """Raise RemoteRefuses or ConnectionFailed for an error of HTTP."""
    if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(f"{told(fetched)}; the server is ill.")
    if fetched.status != HTTPStatus.OK:
        raise RemoteRefuses(f"{told(fetched)}.")


def told(fetched: Fetched) -> str:
    """Return an answer's status in words."""
    phrase = next((f" ({each.phrase})" for each in HTTPStatus if each == fetched.status), "")
    return f"{fetched.url} answers with HTTP status {fetched.status}{phrase}"


def kept(options: Options, cursor: Cursor, verb: str, fetched: Fetched) -> RawPage:
    """Return an answer as the page to keep."""
    return RawPage(
        options.source,
        verb,
        fetched.url,
        fetched.received_at,
        fetched.status,
        headers_of(fetched),
        fetched.body,
        cursor.metadata_prefix,
        cursor.set_spec,
    )


def headers_of(fetched: Fetched) -> tuple[tuple[str, str], ...]:
    """Return the headers that may be kept."""
    return tuple(pair for pair in fetched.headers if pair[0].lower() not in _NOT_KEPT)
