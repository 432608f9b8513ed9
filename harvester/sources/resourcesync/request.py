"""One request to a source: for a ResourceSync document or any resource; and its answer as a page to store.

Failures of single resources, packages or lists are skipped while the source as a whole is available. A source that
always answers 503 for one resource must not end every run before the rest is requested.
"""

from dataclasses import replace
from http import HTTPStatus

from gateway.core.errors import AnswerTooSlow, ConnectionFailed, FetchError, RemoteRefuses, TryLater
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch, Fetched, Request, conditions, settled_date
from harvester.sources import Options
from harvester.sources.resourcesync.documents import Document, read

_NOT_KEPT = frozenset(("set-cookie", "set-cookie2"))  # headers with secrets
# Errors of one URL or of the whole server.
FAILURES = (AnswerTooSlow, ConnectionFailed, TryLater)

_SUSPICIOUS = 3  # consecutive failures: then a URL is requested that has worked before
_HOPELESS = 200  # consecutive failures, although that URL works
_WAITS_SECONDS = 120.0  # the longest wait for one resource


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
    fetched = fetch(Request(url, options.source, conditions(etag, modified) if address == url else ()))
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


class Endurance:
    """The count of consecutive failures in one set of resources, which limits the patience of the next request."""

    def __init__(self, options: Options, fetch: Fetch, known: str) -> None:
        self._options, self._fetch, self._known = options, fetch, known
        self._failures = 0

    def patient(self, request: Request) -> Request:
        """Return a request with limited patience: at most 120 seconds, and none after three consecutive failures."""
        is_hasty = self._failures >= _SUSPICIOUS
        return replace(request, waits_seconds=0.0 if is_hasty else _WAITS_SECONDS, patience=0 if is_hasty else None)

    def succeeded(self) -> None:
        """Reset the count."""
        self._failures = 0

    def failed(self, error: FetchError) -> None:
        """Count a failure. Raise the error when the source as a whole is failing, or after 200 consecutive failures.

        The third failure in a row requests a known document. Raise ConnectionFailed when that fails, too.
        """
        self._failures += 1
        if self._failures == _SUSPICIOUS:
            self._ask_whether_it_is_well()
        elif self._failures == _HOPELESS:
            raise type(error)(f"{error} The last {_HOPELESS} requests failed.") from error

    def _ask_whether_it_is_well(self) -> None:
        answer = self._fetch(Request(self._known, self._options.source))
        if answer.status != HTTPStatus.OK:
            raise ConnectionFailed(f"{status_clause(answer)}, like the requests before it; the server is failing.")
