"""OAI-PMH over HTTP: reads the arguments, compresses, answers conditional requests, and sends 503 if the store fails.

OAI-PMH 2.0 §3.1: GET and POST, `text/xml`, compression by Accept-Encoding; errors of the protocol are sent with HTTP
200. The Host header is not used, and no state is kept between two requests.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from time import monotonic
from typing import TypeAlias

from flask import Blueprint, Request, Response, request

from gateway.errors import StoreError
from gateway.oaipmh import verbs
from gateway.oaipmh.arguments import Arguments, parse, refused
from gateway.oaipmh.identity import COMPRESSIONS, Repository
from gateway.pieces import Part, deflate, gzip, zstd
from gateway.store.base import Store

log = logging.getLogger("gateway.oaipmh")

CONTENT_TYPE = "text/xml; charset=UTF-8"
_FORM = "application/x-www-form-urlencoded"
_RETRY_AFTER_SECONDS = 60

# A page takes 2 ms. An answer that takes much longer waits for a disk, and should not delay the others.
_LONGEST_TURN_SECONDS = 0.05

_ENCODERS: Mapping[str, Callable[[Sequence[Part]], bytes]] = {"gzip": gzip, "deflate": deflate, "zstd": zstd}

# A body that is too long is still read, up to so many times our limit. If a server answers and closes while the client
# still writes, the client loses the answer (RFC 9112 §9.6).
_PATIENCE = 16


Observe: TypeAlias = Callable[[str, str, float, int], None]


def blueprint(store: Store, repository: Repository, max_bytes: int, observe: Observe | None = None) -> Blueprint:
    """Return the Flask blueprint of `/oai`; `max_bytes` is the allowed length of the arguments of a request.

    `observe` is called after each answer. It gets the verb, the code of the first error (or an empty string), the
    duration in seconds, and the length in bytes.
    """
    face = Blueprint("oaipmh", __name__)
    turns = Lock()

    @face.route("/oai", methods=["GET", "POST"])  # Flask adds HEAD
    @face.route("/oai/", methods=["GET", "POST"])  # many people write it so, and few harvesters follow a redirect
    def oai() -> Response:
        began = monotonic()
        arguments = _arguments(request, max_bytes)
        with _turn(turns), store.view() as view:
            answer = verbs.answer(view, repository, arguments)
        response = _respond(answer, request)
        if observe is not None:
            observe(arguments.verb, answer.error, monotonic() - began, response.content_length or 0)
        return response

    face.register_error_handler(StoreError, _unavailable)
    return face


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
    coding = _coding(asked)
    body = _ENCODERS[coding](answer.parts) if coding else answer.body()
    response = Response(body, content_type=CONTENT_TYPE)
    response.vary.add("Accept-Encoding")
    if answer.is_cacheable:
        response.set_etag(answer.tag(), weak=True)
        response.cache_control.no_cache = True
        if answer.last_modified is not None:
            response.last_modified = datetime.fromtimestamp(answer.last_modified, UTC)
        response.make_conditional(asked)
    if coding and response.status_code == 200:  # noqa: PLR2004 - a 304 has no body to encode
        response.content_encoding = coding
    return response


def _coding(asked: Request) -> str:
    """Return the content coding that the client prefers (RFC 9110 §12.5.3); at equal quality, ours before identity."""
    accepted = asked.accept_encodings
    if not accepted:
        return ""
    best = max(COMPRESSIONS, key=accepted.quality)
    quality = accepted.quality(best)
    return best if quality > 0 and quality >= accepted.quality("identity") else ""


def _unavailable(error: StoreError) -> Response:
    log.error(
        "/oai answered 503 because the store failed: %s (%s). Harvesters try again after %d seconds; "
        "`gateway check` checks the store.",
        error,
        type(error).__name__,
        _RETRY_AFTER_SECONDS,
        exc_info=error,
    )
    text = "The repository cannot answer now. Try again later.\n"
    headers = {"Retry-After": str(_RETRY_AFTER_SECONDS)}
    return Response(text, 503, headers, content_type="text/plain; charset=UTF-8")
