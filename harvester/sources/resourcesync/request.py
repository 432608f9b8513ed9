"""One request to a source: for a ResourceSync document or any resource; and its answer as a page to store."""

from __future__ import annotations

from http import HTTPStatus

from gateway.core.errors import ConnectionFailed, RemoteRefuses
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch, Fetched, Request, settled_date
from harvester.sources import Options
from harvester.sources.resourcesync.documents import Document, read

_NOT_KEPT = frozenset(("set-cookie", "set-cookie2"))  # headers with secrets


def asked(options: Options, fetch: Fetch, url: str) -> tuple[Fetched, Document]:
    """Return an answer and its document. Raise the errors of `fetch`, `read` and `refuse_status`."""
    fetched = fetch(Request(url, options.source))
    refuse_status(fetched)
    return fetched, read(fetched.body, fetched.url, options.most_bytes)


def asked_again(options: Options, fetch: Fetch, url: str, known: tuple[str, ...]) -> tuple[Fetched, Document | None]:
    """Return as `asked` does; None for the document when it is the `known` one of `validators_of` (RFC 9110 §13).

    Raise ConnectionFailed or RemoteRefuses for a status that is an error, and the errors of `fetch` and `read`.
    """
    address, etag, modified = known or ("", "", "")
    pairs = (("If-None-Match", etag), ("If-Modified-Since", modified))
    fetched = fetch(Request(url, options.source, tuple(pair for pair in pairs if pair[1] and address == url)))
    if fetched.status == HTTPStatus.NOT_MODIFIED and address == url:
        return fetched, None
    refuse_status(fetched)
    return fetched, read(fetched.body, fetched.url, options.most_bytes)


def validators_of(url: str, fetched: Fetched) -> tuple[str, ...]:
    """Return URL, ETag and Last-Modified of a document; an empty tuple when both are missing."""
    validators = url, fetched.header("ETag"), settled_date(fetched)
    return validators if any(validators[1:]) else ()


def refuse_status(fetched: Fetched) -> None:
    """Raise ConnectionFailed for a status of 500 or more, RemoteRefuses for other errors of HTTP."""
    if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise ConnectionFailed(f"{status_clause(fetched)}; the server is failing.")
    if fetched.status != HTTPStatus.OK:
        raise RemoteRefuses(f"{status_clause(fetched)}.")


def status_clause(fetched: Fetched) -> str:
    """Return a clause about the status of an answer."""
    phrase = next((f" ({status.phrase})" for status in HTTPStatus if status == fetched.status), "")
    return f"{fetched.url} answers with HTTP status {fetched.status}{phrase}"


def kept(options: Options, cursor: Cursor, verb: str, fetched: Fetched) -> RawPage:
    """Return an answer as a page to store."""
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
    """Return the headers without those that contain secrets."""
    return tuple(pair for pair in fetched.headers if pair[0].lower() not in _NOT_KEPT)
