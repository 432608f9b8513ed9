"""Calls the WSGI application (PEP 3333) in a thread: makes an environment of a request, and an answer of the result.

The Host header never reaches the application, so no answer can contain it. Headers with an underscore are dropped: the
application cannot distinguish them from headers with a hyphen.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import IO, Any, TypeAlias
from urllib.parse import unquote_to_bytes

from gateway.server.answer import Answer, plain
from gateway.server.request import Request

log = logging.getLogger("gateway.server")

Environment: TypeAlias = dict[str, Any]
Application: TypeAlias = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]

_WHOLE_BYTES = 1 << 20  # of a longer body, further parts are made only as fast as the client reads
_PART_BYTES = 1 << 18
_DROPPED = (b"host", b"transfer-encoding", b"content-length", b"content-type", b"connection", b"expect")


class _FileParts:
    """The parts of a file, for `wsgi.file_wrapper`; Werkzeug seeks in it for a range."""

    def __init__(self, file: IO[bytes], _size: int = 0) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if part := self._file.read(_PART_BYTES):
            return part
        raise StopIteration

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, *place: int) -> int:
        return self._file.seek(*place)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


def environment(request: Request, client: str) -> Environment:
    """Return the WSGI environment of a request (PEP 3333); `client` is the IP address of the client, or empty."""
    target = _origin_form(request.target)
    path, _, query = target.partition(b"?")
    environ: Environment = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
        "RAW_URI": target.decode("latin-1"),  # as sent: a path can be spelled in several ways
        "CONTENT_TYPE": request.header(b"content-type").decode("latin-1"),
        "CONTENT_LENGTH": str(request.length),
        "REMOTE_ADDR": client,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": request.version,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": request.body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": _FileParts,
    }
    for name, value in request.headers:
        if name not in _DROPPED and b"_" not in name:
            key = "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
            text = value.decode("latin-1")
            environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


def _origin_form(target: bytes) -> bytes:
    """Return the path and query of a target; a host in it (RFC 9112 §3.2.2) is ignored."""
    if target.startswith(b"/"):
        return target
    _, has_host, rest = target.partition(b"://")
    if not has_host:
        return target
    at = min((place for place in (rest.find(b"/"), rest.find(b"?")) if place >= 0), default=len(rest))
    return rest[at:] if rest[at : at + 1] == b"/" else b"/" + rest[at:]


def answer(application: Application, environ: Environment) -> Answer:
    """Return the answer of the application; an exception in it is logged and answered with HTTP 500."""
    try:
        return _called(application, environ)
    except Exception:
        log.exception("A %s request failed; it was answered with HTTP 500.", environ["REQUEST_METHOD"])
        return plain(HTTPStatus.INTERNAL_SERVER_ERROR, "The repository failed to answer.")


def _called(application: Application, environ: Environment) -> Answer:
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _failure: object = None) -> None:
        begun[:] = [(status, headers)]

    returned = application(environ, start_response)
    if isinstance(returned, tuple):  # the body is in memory already
        return Answer(*begun[0], b"".join(returned))
    close: Callable[[], object] = getattr(returned, "close", lambda: None)
    try:
        parts = iter(returned)
        body, is_whole = _begin(parts)
    except BaseException:
        close()
        raise
    status, headers = begun[0]
    if is_whole:
        close()
        return Answer(status, headers, body)
    return Answer(status, headers, body, parts, close)


def _begin(parts: Iterator[bytes]) -> tuple[bytes, bool]:
    """Return the first bytes of the body, at least `_WHOLE_BYTES` if there are so many, and whether they are all."""
    read: list[bytes] = []
    size = 0
    for part in parts:
        read.append(part)
        size += len(part)
        if size >= _WHOLE_BYTES:
            return b"".join(read), False
    return b"".join(read), True
