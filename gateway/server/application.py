"""Calls the WSGI application (PEP 3333) in a thread: makes an environment of a request, and an answer of the result.

The Host header never reaches the application, so no answer can contain it. Headers with an underscore are dropped: the
application cannot distinguish them from headers with a hyphen. The server itself answers a request that cannot be read.

There are threads for harvesters, and a share of their own for pages. Only one thread of Python computes at a time, so a
page that computes delays every harvester. While harvesters are being answered, pages compute for at most `PAGE_SHARE`
of the time: after a page, the next one waits.
"""

import asyncio
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from math import ceil, inf
from time import thread_time, time
from typing import IO, Any, Final, NamedTuple, Protocol, TypeAlias
from urllib.parse import unquote_to_bytes

from gateway.core.web import SECURITY_HEADERS
from gateway.server.request import Request

_KEPT = 200
_LINE_ENDS = re.compile(r"[\r\n\0]")
_OURS = ("connection", "date", "server", "keep-alive", "transfer-encoding")
log = logging.getLogger("gateway.server")

Environment: TypeAlias = dict[str, Any]
Application: TypeAlias = Callable[[Environment, Callable[..., Any]], Iterable[bytes]]

_WHOLE_BYTES = 1 << 20  # of a longer body, further parts are made only as fast as the client reads
_PART_BYTES = 1 << 18
_DROPPED = (b"host", b"transfer-encoding", b"content-length", b"content-type", b"connection", b"expect")


class Answer(NamedTuple):
    """One HTTP answer: `status` is the code and the phrase, `body` the first bytes of the body.

    `rest` gives the parts after them, None if there are none. `close` is called after the last part (PEP 3333).
    """

    status: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    rest: Iterator[bytes] | None = None
    close: Callable[[], object] | None = None

    @property
    def code(self) -> int:
        """The HTTP status code."""
        return int(self.status[:3])

    @property
    def has_length(self) -> bool:
        """Return whether the client knows the end of the body before the connection is closed (RFC 9112 §6.3)."""
        named = {name.lower() for name, _ in self.headers}
        return "content-length" in named or self.code in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


def plain(status: HTTPStatus, sentence: str, *more: tuple[str, str]) -> Answer:
    """Return an answer of the server itself: one sentence as plain text, never cached. `more` are further headers."""
    body = f"{sentence}\n".encode()
    headers = (
        ("Content-Type", "text/plain; charset=UTF-8"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        *more,
    )
    return Answer(f"{status.value} {status.phrase}", headers, body)


def head(answer: Answer, version: str, *, is_last: bool) -> bytes:
    """Return the status line and the headers of an answer as bytes, with the empty line after them (RFC 9112 §2.1).

    `is_last` says that the server closes the connection after it. Missing security headers are added.
    """
    first = f"{version} {answer.status}\r\nDate: {_date(int(time()))}\r\n"
    last = "Connection: close\r\n\r\n" if is_last else "Connection: keep-alive\r\n\r\n"
    return (first + _fields(tuple(answer.headers)) + last).encode("latin-1")


@lru_cache(_KEPT)
def _fields(headers: tuple[tuple[str, str], ...]) -> str:
    """Return header fields as text; most answers of a kind have the same ones."""
    named = {name.lower() for name, _ in headers}
    missing = [(name, value) for name, value in SECURITY_HEADERS if name.lower() not in named]
    fields = [f"{name}: {value}" for name, value in (*headers, *missing) if name.lower() not in _OURS]
    assert not _LINE_ENDS.search("".join(fields)), "a line end in a header would begin another header"
    return "".join(f"{field}\r\n" for field in fields)


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


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


# --- The threads that make answers --------------------------

PAGE_SHARE: Final = 0.1  # of the time, while harvesters are being answered; measured by `tests.bench.page_storm`
# A harvester asks for the next page of a list in at most a hundred times what the answer took, and in a second.
# A probe of a supervisor, which takes a fraction of a millisecond, so counts for a moment only.
_NEXT_PAGE_TIMES = 100
_NEXT_PAGE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 5.0  # after one page
_LOOP_SECONDS = 0.0005  # that the event loop needs to read a request and to write the answer
_POLL_SECONDS = 0.1
_BRIEF_SECONDS = 0.02  # a brief answer that takes longer waits for a disk, or has very large records
# After such an answer, threads make them for a hundred times as long. So all others wait for a hundredth of the time.
_NOT_BRIEF_TIMES = 100
_NOT_BRIEF_SECONDS = 1.0  # at least
_NOT_BRIEF_MOST_SECONDS = 600.0  # the whole process may have been stopped
_BUSY = "Too many pages are being requested. Try again in some seconds."

Make = Callable[[], Answer]


class Threads(Protocol):
    """Threads that make answers. `executor` runs what follows a long answer: its next part, and its end."""

    executor: Executor

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:
        """Return the answer that `make` returns, which is called in a thread, unless the answer `is_brief`."""


class HarvesterThreads:
    """The threads for everything that is no page.

    A page of a list takes less time than to hand it to a thread and back. So the event loop makes brief answers itself.
    After one that was not brief, threads make them for a hundred times as long, and at least for a second.
    """

    def __init__(self, threads: int) -> None:
        self.executor: Executor = ThreadPoolExecutor(threads, "answers")
        self._running = 0
        self._active_until = -inf
        self._brief_from = -inf

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:
        """Return the answer that `make` returns; it is called in a thread, unless the answer `is_brief`."""
        loop = asyncio.get_running_loop()
        begun_at = loop.time()
        if is_brief and begun_at >= self._brief_from:
            return self._brief(make, begun_at)
        self._running += 1
        try:
            return await loop.run_in_executor(self.executor, make)
        finally:
            self._running -= 1
            now = loop.time()
            expected = _NEXT_PAGE_SECONDS if is_brief else min((now - begun_at) * _NEXT_PAGE_TIMES, _NEXT_PAGE_SECONDS)
            self._active_until = max(self._active_until, now + expected)

    def _brief(self, make: Make, begun_at: float) -> Answer:
        try:
            return make()
        finally:
            now = asyncio.get_running_loop().time()
            self._active_until = max(self._active_until, now + _NEXT_PAGE_SECONDS)
            if (took := now - begun_at) > _BRIEF_SECONDS:
                pause = min(took * _NOT_BRIEF_TIMES, _NOT_BRIEF_MOST_SECONDS)
                self._brief_from = now + max(pause, _NOT_BRIEF_SECONDS)

    def are_active(self) -> bool:
        """Return whether an answer is being made, or the next request of a harvester is expected."""
        return self._running > 0 or asyncio.get_running_loop().time() < self._active_until


class PageThreads:
    """The threads for pages, which harvesters never wait for. A request waits at most `wait_seconds` for a thread.

    A refusal is never sent at once: a client that repeats its request at once would cost as much as a page.
    """

    def __init__(self, threads: int, harvesters: HarvesterThreads, wait_seconds: float) -> None:
        self.executor: Executor = ThreadPoolExecutor(threads, "pages")
        self._harvesters = harvesters
        self._wait_seconds = wait_seconds
        self._free = asyncio.Semaphore(threads)
        self._may_begin_at = -inf

    async def answer(self, make: Make, *, is_brief: bool = False) -> Answer:  # noqa: ARG002 - no page is
        """Return the answer that `make` returns, which is called in a thread; 503 if none is free for too long."""
        try:
            async with asyncio.timeout(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            return plain(HTTPStatus.SERVICE_UNAVAILABLE, _BUSY, ("Retry-After", str(ceil(self._wait_seconds))))
        try:
            await self._pause()
            return await self._made(make)
        finally:
            self._free.release()

    async def _pause(self) -> None:
        """Wait for the end of the pause after the last page, or until no harvester is active."""
        loop = asyncio.get_running_loop()
        while (seconds := self._may_begin_at - loop.time()) > 0 and self._harvesters.are_active():  # noqa: ASYNC110 - time is no event
            await asyncio.sleep(min(seconds, _POLL_SECONDS))

    async def _made(self, make: Make) -> Answer:
        loop = asyncio.get_running_loop()
        answer, computed_seconds = await loop.run_in_executor(self.executor, _timed, make)
        pause = min((computed_seconds + _LOOP_SECONDS) * (1 / PAGE_SHARE - 1), _LONGEST_PAUSE_SECONDS)
        self._may_begin_at = max(self._may_begin_at, loop.time()) + pause
        return answer


def _timed(make: Make) -> tuple[Answer, float]:
    """Return an answer, and how many seconds this thread has computed for it."""
    begun_at = thread_time()
    return make(), thread_time() - begun_at
