"""The WSGI application (PEP 3333), called in a thread: a request becomes an environment, and what it returns an answer.

The Host header never reaches the application, so no answer can contain it. Headers with an underscore are dropped: they
would be taken for others.
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

_WHOLE_BYTES = 1 << 20  # a longer body, in several parts, is read on only as the client takes it
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
    """Return what the application is told of a request; `client` is the address of the client."""
    path, _, query = _origin_form(request.target).partition(b"?")
    environ: Environment = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query.decode("latin-1"),
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
    """Return the path and query of a target that may name a host as well (RFC 9112 §3.2.2); the host is ignored."""
    if target.startswith(b"/"):
        return target
    _, has_host, rest = target.partition(b"://")
    if not has_host:
        return target
    at = min((place for place in (rest.find(b"/"), rest.find(b"?")) if place >= 0), default=len(rest))
    return rest[at:] if rest[at : at + 1] == b"/" else b"/" + rest[at:]


def answer(application: Application, environ: Environment) -> Answer:
    """Call the application and return its answer; a failure is logged and answered with 500."""
    try:
        return _called(application, environ)
    except Exception:
        log.exception("%s failed; it was answered with 500.", environ["REQUEST_METHOD"])
        return plain(HTTPStatus.INTERNAL_SERVER_ERROR, "The repository failed to answer.")


def _called(application: Application, environ: Environment) -> Answer:
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _failure: object = None) -> None:
        begun[:] = [(status, headers)]

    returned = application(environ, start_response)
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
    """Return the body as far as it is to be read at once, and whether that is all of it."""
    read: list[bytes] = []
    size = 0
    for part in parts:
        read.append(part)
        size += len(part)
        if size >= _WHOLE_BYTES:
            return b"".join(read), False
    return b"".join(read), True
