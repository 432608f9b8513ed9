"""OAI-PMH over HTTP: reads the arguments, compresses, answers conditional requests, and sends 503 if the store fails.

OAI-PMH 2.0 §3.1: GET and POST, `text/xml`, compression by Accept-Encoding; errors of the protocol are sent with HTTP
200. The Host header is not used, and no state is kept between two requests.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import formatdate
from functools import lru_cache, partial
from http import HTTPStatus
from threading import Lock
from time import monotonic
from typing import Any, TypeAlias, TypeVar

from flask import Blueprint, Request, Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from gateway.core.errors import StoreDamaged, StoreError
from gateway.core.pieces import Part, deflate, gzip, identity, zstd
from gateway.oaipmh import verbs
from gateway.oaipmh.arguments import Arguments, parse, refused
from gateway.oaipmh.identity import COMPRESSIONS, Repository
from gateway.store.base import Store

log = logging.getLogger("gateway.oaipmh")

CONTENT_TYPE = "text/xml; charset=UTF-8"
_FORM = "application/x-www-form-urlencoded"
_RETRY_AFTER_SECONDS = 60

# A page takes 2 ms. An answer that takes much longer waits for a disk, and should not delay the others.
_LONGEST_TURN_SECONDS = 0.05

ADDRESSES = ("/oai", "/oai/")  # many people write the second, and few harvesters follow a redirect
_BRIEF = ("GetRecord", "Identify", "ListIdentifiers", "ListMetadataFormats", "ListRecords")
_BRIEF_BYTES = 4_000  # of arguments; to read a megabyte of them takes two seconds
_ENCODERS: Mapping[str, Callable[[Sequence[Part]], bytes]] = {
    "": identity,
    "gzip": gzip,
    "deflate": deflate,
    "zstd": zstd,
}
_HEADERS_KEPT = 100  # clients have few ways to write an Accept-Encoding
_CONDITIONS = frozenset(("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_IF_MATCH", "HTTP_RANGE"))

# A body that is too long is still read, up to so many times our limit. If a server answers and closes while the client
# still writes, the client loses the answer (RFC 9112 §9.6).
_PATIENCE = 16


Observe: TypeAlias = Callable[[str, str, float, int], None]
Application: TypeAlias = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Headers: TypeAlias = list[tuple[str, str]]
T = TypeVar("T", Response, tuple[bytes, Headers])


class Endpoint:
    """OAI-PMH over HTTP, for Flask (`blueprint`) and beside it (`direct`).

    `observe` is called after each answer. It gets the verb, the code of the first error (or an empty string), the
    duration in seconds, and the length in bytes.
    """

    def __init__(self, store: Store, repository: Repository, max_bytes: int, observe: Observe | None = None) -> None:
        self._store, self._repository, self._max_bytes, self._observe = store, repository, max_bytes, observe
        self._turns = Lock()

    def blueprint(self) -> Blueprint:
        """Return the Flask blueprint of `/oai`."""
        blueprint = Blueprint("oaipmh", __name__)
        for address in ADDRESSES:
            blueprint.add_url_rule(address, "oai", self._oai, methods=["GET", "POST"])  # Flask adds HEAD
        blueprint.register_error_handler(StoreError, _unavailable)
        return blueprint

    def _oai(self) -> Response:
        return self._answered(_arguments(request, self._max_bytes), lambda answer: _respond(answer, request))

    def direct(self, application: Application, headers: Sequence[tuple[str, str]]) -> Application:
        """Return a WSGI application that answers brief requests itself; Flask would take as long as the list.

        It leaves all others to `application`, and those with conditions. `headers` are those of every answer. The first
        request of a list of all times may be a topic of our hub, whose links `application` adds.
        """

        def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            raw = environ.get("QUERY_STRING", "")
            if not is_brief(environ) or len(raw) > self._max_bytes or not _CONDITIONS.isdisjoint(environ):
                return application(environ, start_response)
            arguments = parse(raw.encode("latin-1"))
            if arguments.verb not in _BRIEF or _may_be_topic(arguments):
                return application(environ, start_response)
            try:
                body, own = self._answered(arguments, partial(_encoded, environ.get("HTTP_ACCEPT_ENCODING", "")))
            except StoreError:  # it is answered by the handler of the blueprint
                return application(environ, start_response)
            start_response("200 OK", [*own, *headers])
            return (body,)

        return answer

    def _answered(self, arguments: Arguments, finish: Callable[[verbs.Answer], T]) -> T:
        began = monotonic()
        with _turn(self._turns), self._store.view() as view:
            answer = verbs.answer(view, self._repository, arguments)
        finished = finish(answer)
        if self._observe is not None:
            size = (finished.content_length or 0) if isinstance(finished, Response) else len(finished[0])
            self._observe(arguments.verb, answer.error, monotonic() - began, size)
        return finished


def is_brief(environ: Mapping[str, Any]) -> bool:
    """Return whether a request (PEP 3333) is a GET request whose answer takes a millisecond.

    ListSets is not brief: to count the sets may take long. Nor are arguments that are very long.
    """
    is_ours = environ["PATH_INFO"] in ADDRESSES and environ["REQUEST_METHOD"] == "GET"
    query = environ.get("QUERY_STRING", "")
    return is_ours and len(query) <= _BRIEF_BYTES and any(f"verb={verb}" in query for verb in _BRIEF)


def _may_be_topic(arguments: Arguments) -> bool:
    """Return whether somebody may subscribe to the address of a request: it asks for all records of a list."""
    is_part = (arguments.resumption_token, arguments.from_, arguments.until) != (None, None, None)
    return arguments.verb == "ListRecords" and not is_part


@contextmanager
def _turn(turns: Lock) -> Iterator[None]:
    """Let one thread at a time make an answer; a thread that has waited for `_LONGEST_TURN_SECONDS` continues.

    Reading and unpacking a record releases the interpreter's lock twice. With one thread, that costs nothing. With four
    busy threads, each record costs two switches of thread, and all four answer a third of what one answers.
    """
    has_turn = turns.acquire(timeout=_LONGEST_TURN_SECONDS)
    try:
        yield
    finally:
        if has_turn:
            turns.release()


def _arguments(asked: Request, max_bytes: int) -> Arguments:
    raw = asked.query_string
    if asked.method == "POST":
        if asked.mimetype not in ("", _FORM):
            return refused(f"The Content-Type of a POST must be {_FORM}.")
        body = _body(asked, max_bytes)
        raw = raw + b"&" + body if raw else body
    if len(raw) > max_bytes:
        return refused(f"The arguments are longer than {max_bytes} bytes.")
    return parse(raw)


def _body(asked: Request, max_bytes: int) -> bytes:
    body = asked.stream.read(max_bytes + 1)
    if len(body) > max_bytes:
        for _ in range(_PATIENCE):
            if not asked.stream.read(max_bytes):
                break
    return body


def _respond(answer: verbs.Answer, asked: Request) -> Response:
    body, headers = _encoded(asked.headers.get("Accept-Encoding", ""), answer)
    response = Response(body, headers=headers)
    if answer.is_cacheable:
        response.make_conditional(asked)
        response.headers.pop("Date", None)  # the web server writes it
        if response.status_code == HTTPStatus.NOT_MODIFIED:  # it has no body that is encoded
            del response.headers["Content-Encoding"]
    return response


def _encoded(accepted: str, answer: verbs.Answer) -> tuple[bytes, Headers]:
    """Return the body of an answer in the coding that the client prefers, and its headers."""
    coding = _coding(accepted)
    try:
        body = _ENCODERS[coding](answer.parts)
        return body, list(_headers(answer, len(body), coding))
    except ValueError as error:
        raise StoreDamaged(f"A block of the store is damaged. {error}") from error


def _headers(answer: verbs.Answer, size: int, coding: str) -> Iterator[tuple[str, str]]:
    yield from (("Content-Type", CONTENT_TYPE), ("Content-Length", str(size)), ("Vary", "Accept-Encoding"))
    if coding:
        yield "Content-Encoding", coding
    if answer.is_cacheable:
        yield from (("ETag", f'W/"{answer.tag()}"'), ("Cache-Control", "no-cache"))
        if answer.last_modified is not None:
            yield "Last-Modified", formatdate(answer.last_modified, usegmt=True)


@lru_cache(_HEADERS_KEPT)
def _coding(header: str) -> str:
    """Return the content coding that the client prefers (RFC 9110 §12.5.3); at equal quality, ours before identity."""
    accepted = parse_accept_header(header, Accept)
    if not accepted:
        return ""
    best = max(COMPRESSIONS, key=accepted.quality)
    quality = accepted.quality(best)
    return best if quality > 0 and quality >= accepted.quality("identity") else ""


def _unavailable(error: StoreError) -> Response:
    log.error(
        "/oai answered 503 because the store failed: %s (%s). Harvesters try again after %d seconds; "
        "`gateway check%s` checks the store.",
        error,
        type(error).__name__,
        _RETRY_AFTER_SECONDS,
        " --whole" if isinstance(error, StoreDamaged) else "",
        exc_info=error,
    )
    text = "The repository cannot answer now. Try again later.\n"
    headers = {"Retry-After": str(_RETRY_AFTER_SECONDS)}
    return Response(text, 503, headers, content_type="text/plain; charset=UTF-8")
