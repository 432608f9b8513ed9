"""One request to a source: for a ResourceSync document or any resource; and its answer as a page to store.

Failures of single resources, packages or lists are skipped while the source as a whole is available. A source that
always answers 503 for one resource must not end every run before the rest is requested.
"""

from dataclasses import replace
from http import HTTPStatus
from typing import TypeAlias

from gateway.core.errors import (
    AddressRefused,
    AnswerTooLarge,
    AnswerTooSlow,
    ConnectionFailed,
    FetchError,
    RemoteRefuses,
    TryLater,
    UnusableRecord,
)
from gateway.core.model import Cursor, RawPage
from harvester.http.messages import Fetch, Fetched, Request, conditions, settled_date
from harvester.sources import Options
from harvester.sources.resourcesync.documents import Document, read
from harvester.sources.resourcesync.entries import Entry
from harvester.sources.resourcesync.fixity import fault_of
from harvester.sources.resourcesync.package import Package

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


# --- the bytes of a resource, from the web or from a package; they are verified before they are read --------------

# The answer (None: none), and the reason why it cannot be used (empty: it can).
Supplied: TypeAlias = tuple[Fetched | None, str]

# Errors of one URL that do not concern others.
REFUSALS = (AddressRefused, RemoteRefuses, AnswerTooLarge)


class FromWeb:
    """A supplier that fetches each resource, or one of its duplicates."""

    most_at_once = 10  # resources of a bundle: at most these are fetched again after a kill

    def __init__(self, options: Options, fetch: Fetch, endurance: Endurance) -> None:
        self._options, self._fetch, self._endurance = options, fetch, endurance

    def supply(self, own: Entry) -> Supplied:
        """Return a fetched resource.

        Raise ConnectionFailed or AnswerTooSlow when the whole server is failing, and TryLater when it is overloaded.
        """
        problems = []
        duplicates = (link.href for link in own.related("duplicate") if link.href.lower().startswith("http"))
        for url in (own.loc, *duplicates):
            fetched, problem = self._asked(own, url)
            if not problem:
                return fetched, ""
            problems.append(problem)
        return None, problems[0]

    def _asked(self, own: Entry, url: str) -> Supplied:
        try:
            fetched = self._fetch(self._endurance.patient(Request(url, self._options.source)))
        except REFUSALS as error:
            return None, str(error)
        except FAILURES as error:
            self._endurance.failed(error)
            return None, str(error)
        if fetched.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self._endurance.failed(ConnectionFailed(f"{status_clause(fetched)}."))
        else:
            self._endurance.succeeded()
        if fetched.status != HTTPStatus.OK:
            return None, f"{status_clause(fetched)}."
        is_encoded = bool(own.encoding or fetched.header("Content-Encoding"))
        return fetched, fault_of(fetched.body, None if is_encoded else own.length, own.digests)


class FromPackage:
    """A supplier that reads resources from a package, and fetches those missing or unusable there."""

    most_at_once = 500  # a kill needs no new requests

    def __init__(self, package: Package, received_at: int, web: FromWeb) -> None:
        self._package, self._received_at, self._web = package, received_at, web

    def supply(self, own: Entry) -> Supplied:
        """Return a resource; the reason why it is unusable names both package and web. Raise as `FromWeb` does."""
        fetched, problem = self._read(own) if own.path else (None, "")
        if fetched is not None:
            return fetched, ""
        fetched, other = self._web.supply(own)
        return fetched, f"In its package: {problem} On the web: {other}" if problem and other else other

    def _read(self, own: Entry) -> Supplied:
        """Return a file of the package, or the reason why it is unusable."""
        try:
            body = self._package.read(own.path)
        except UnusableRecord as error:
            return None, str(error)
        if problem := fault_of(body, None if own.encoding else own.length, own.digests):
            return None, problem
        headers = (("Content-Type", own.type),) if own.type else ()
        return Fetched(own.loc, HTTPStatus.OK, headers, body, self._received_at), ""


ResourceSupplier: TypeAlias = FromWeb | FromPackage
