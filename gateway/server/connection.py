"""One HTTP/1.1 connection: it reads requests, answers them in order, and writes as fast as the client reads.

Every phase has a deadline. A thread is used only while the application makes an answer, or the next part of a long one.
The event loop makes brief answers itself.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import sys
import termios
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from enum import Enum, auto
from functools import partial
from http import HTTPStatus
from typing import Protocol, TypeAlias

from gateway.core.web import Proxies, client
from gateway.server.access_log import Entry
from gateway.server.application import Answer, Application, Environment, Threads, answer, environment, head, plain
from gateway.server.request import Limits, Refused, Request, RequestReader

log = logging.getLogger("gateway.server")

_AHEAD_BYTES = 65_536  # of pipelined requests: those that a client sends before it has the answer to the last one
_TOGETHER_BYTES = 65_536  # up to this size, head and body are one write
_LINGER_SECONDS = 5.0


# Returns whether a path is that of a page.
IsPage: TypeAlias = Callable[[str], bool]
# Returns whether a request is answered in about a millisecond, so that no thread is worth while.
IsBrief: TypeAlias = Callable[[Environment], bool]


class Phase(Enum):
    """The event for which a connection waits."""

    IDLE = auto()  # the next request
    HEAD = auto()  # the rest of a request line and header fields; or the first request
    BODY = auto()
    PAGE = auto()  # a thread for pages, and then the application
    ANSWERING = auto()  # the application
    WRITING = auto()  # the client, to take the answer
    LINGERING = auto()  # the client, to read a refusal and to close


class ConnectionOwner(Protocol):
    """The parts of the server that a connection needs: its limits, its threads, and the account of all connections."""

    limits: Limits
    proxies: Proxies
    log: Callable[[Entry], None]
    is_ending: bool

    @property
    def harvesters(self) -> Threads:
        """The threads for everything that is no page."""

    @property
    def pages(self) -> Threads:
        """The threads for pages."""

    def admit(self, connection: Connection) -> None:
        """Add a new connection; close another one if there are more than `limits.connections`."""

    def dismiss(self, connection: Connection) -> None:
        """Remove a connection that is closed."""

    def move_to_end(self, connection: Connection) -> None:
        """Note that the connection has begun a phase, so that it has waited for the shortest time."""

    def account(self, connection: Connection) -> None:
        """Note how many bytes the connection occupies; close another one if all occupy too much."""


class Connection(asyncio.Protocol):
    """One connection of a server.

    `since` is the time of the event loop, in seconds, at which `phase` began. `held_bytes` is the memory that the
    connection occupies, as the server last counted it. `peer` is the IP address of the peer, empty for a Unix socket.
    """

    def __init__(self, server: ConnectionOwner, application: Application, is_page: IsPage, is_brief: IsBrief) -> None:
        self._server = server
        self._application = application
        self._is_page, self._is_brief = is_page, is_brief
        self._limits = server.limits
        self._reader = RequestReader(server.limits)
        self._ahead = bytearray()
        self._task: asyncio.Task[None] | None = None
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._written = 0
        self._taken = 0
        self._is_last = False
        self._has_eof = False
        self._request_bytes = 0
        self.phase = Phase.HEAD
        self.since = 0.0
        self.held_bytes = 0
        self.peer = ""

    # --- what asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait for the first request."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._socket = transport.get_extra_info("socket")
        peer = transport.get_extra_info("peername")
        self.peer = peer[0] if isinstance(peer, tuple) else ""
        self._begin(Phase.HEAD)
        self._server.admit(self)

    def connection_lost(self, _error: Exception | None) -> None:
        """Release everything; a request that is being answered ends without its client."""
        self._may_write.set()
        self._reader.close()
        self._server.dismiss(self)

    def data_received(self, data: bytes) -> None:
        """Read the bytes, or keep them for later while a request is being answered."""
        if self._task is not None:
            self._ahead += data
            if len(self._ahead) > _AHEAD_BYTES:
                self._transport.pause_reading()
        elif self.phase is not Phase.LINGERING:
            self._read(data)

    def eof_received(self) -> bool:
        """Return whether the connection stays open: only while the last request is being answered."""
        self._has_eof = True
        return self._task is not None

    def pause_writing(self) -> None:
        """Pause the answer until the client has read more of it."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """Continue the answer."""
        self._may_write.set()

    # --- reading ---

    def _read(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
        except Refused as refusal:
            self._refuse(refusal.status, str(refusal))
            return
        except OSError as error:
            log.error("A request was refused: its body cannot be written to a temporary file: %s.", error.strerror)  # noqa: TRY400
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "The request cannot be stored now. Try again later.")
            return
        if self._reader.is_complete:
            self._take()
        else:
            self._await_rest()
        self._server.account(self)

    def _await_rest(self) -> None:
        phase = Phase.BODY if self._reader.has_head else Phase.HEAD if self._reader.has_begun else self.phase
        if phase is self.phase:
            return
        self._begin(phase)
        if phase is Phase.BODY and self._reader.expects_continue:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _take(self) -> None:
        """Answer the complete request, and keep the bytes after it."""
        request, self._ahead = self._reader.request(), bytearray(self._reader.rest)
        self._request_bytes = request.length + len(request.target)
        self._reader = RequestReader(self._limits)
        self._begin(Phase.ANSWERING)
        self._task = asyncio.get_running_loop().create_task(self._converse(request))

    # --- answering ---

    async def _converse(self, request: Request) -> None:
        loop = asyncio.get_running_loop()
        started, code, sent = loop.time(), 0, 0
        trusted = self._server.proxies
        origin = client(self.peer, request.header(trusted.header).decode("latin-1"), trusted)
        try:
            environ = environment(request, origin)
            threads = self._threads(environ)
            answer = await threads.answer(partial(self._answered, environ), is_brief=self._is_brief(environ))
            code = answer.code
            sent = await self._send(request, answer, threads.executor)
        except Exception:
            log.exception("An answer failed before its end; the connection was closed.")
            self._transport.abort()
        finally:
            request.body.close()
            self._log(request.target, request, origin, code, sent, loop.time() - started)
            self._task, self._request_bytes = None, 0
        self._go_on()

    def _threads(self, environ: Environment) -> Threads:
        """Return the threads that answer a request; a request for a page may be dropped to make room."""
        if not self._is_page(environ["PATH_INFO"]):
            return self._server.harvesters
        self._begin(Phase.PAGE)
        return self._server.pages

    def _answered(self, environ: Environment) -> Answer:
        """Return the answer, in a thread; the application is not called if the client has disconnected."""
        if self._transport.is_closing():
            return plain(HTTPStatus.REQUEST_TIMEOUT, "The client has disconnected.")
        return answer(self._application, environ)

    async def _send(self, request: Request, answer: Answer, executor: Executor) -> int:
        """Write an answer as fast as the client reads it; return how many bytes of the body were written."""
        self._is_last = request.is_last or self._server.is_ending or not answer.has_length
        self._begin(Phase.WRITING)
        body = b"" if request.method == "HEAD" else answer.body
        first = head(answer, request.version, is_last=self._is_last)
        for part in (first + body,) if len(body) < _TOGETHER_BYTES else (first, body):
            self._write(part)
        try:
            await self._may_write.wait()
            if answer.rest is None or request.method == "HEAD":
                return len(body)
            return await self._send_rest(answer, answer.rest, executor)
        finally:
            if answer.close is not None:
                await asyncio.get_running_loop().run_in_executor(executor, answer.close)

    async def _send_rest(self, answer: Answer, rest: Iterator[bytes], executor: Executor) -> int:
        sent = len(answer.body)
        while not self._transport.is_closing():
            part = await asyncio.get_running_loop().run_in_executor(executor, next, rest, b"")
            if not part:
                break
            sent += len(part)
            self._write(part)
            await self._may_write.wait()
        announced = {value for name, value in answer.headers if name.lower() == "content-length"}
        if announced - {str(sent)}:
            self._transport.abort()
        return sent

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)
            self._written += len(data)
            self._server.account(self)

    def _go_on(self) -> None:
        """Begin the next request, or close the connection."""
        if self._transport.is_closing():
            return
        if self._is_last or self._server.is_ending:
            self._linger() if self._ahead else self._transport.close()
            return
        self._begin(Phase.IDLE)
        data, self._ahead = bytes(self._ahead), bytearray()
        if not self._transport.is_reading():
            self._transport.resume_reading()
        if data:
            self._read(data)
        if self._has_eof and self._task is None:
            self._transport.close()

    # --- ending ---

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer a request that cannot be read, and close: the start of the next request is unknown."""
        self._begin(Phase.WRITING)
        answer = plain(status, sentence)
        self._write(head(answer, "HTTP/1.1", is_last=True) + answer.body)
        self._log(self._reader.line, None, self.peer, answer.code, len(answer.body), 0.0)
        self._linger()

    def _linger(self) -> None:
        """Close the sending half, and wait: the client may lose an answer if both halves close (RFC 9112 §9.6)."""
        if self._transport.is_closing():
            return
        self._begin(Phase.LINGERING)
        self._ahead.clear()
        if not self._transport.is_reading():
            self._transport.resume_reading()
        try:
            self._transport.write_eof()
        except OSError:  # the client has disconnected, and the event loop has not noticed it yet
            self._transport.abort()

    def end(self) -> None:
        """Close the connection because the server ends, unless a request has begun."""
        if self._task is None and not self._reader.has_begun and self.phase in (Phase.IDLE, Phase.HEAD):
            self._transport.close()

    def drop(self) -> None:
        """Close the connection to make room for others."""
        if self.phase is Phase.IDLE:
            self._transport.close()
        else:
            self._transport.abort()

    def check(self, now: float) -> None:
        """Close the connection if its phase has lasted too long; `now` is the time of the event loop in seconds."""
        if self.phase is Phase.WRITING:
            self._check_writing(now)
        elif self.phase not in (Phase.PAGE, Phase.ANSWERING) and now - self.since > self._seconds():
            self._expire()

    def _seconds(self) -> float:
        limits = self._limits
        return {Phase.IDLE: limits.idle_seconds, Phase.HEAD: limits.head_seconds, Phase.BODY: limits.body_seconds}.get(
            self.phase, _LINGER_SECONDS
        )

    def _expire(self) -> None:
        if self.phase is Phase.LINGERING:
            self._transport.abort()
        elif self._reader.has_begun:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive.")
        else:
            self._transport.close()

    def _check_writing(self, now: float) -> None:
        """Close the connection if the client has read too little of the answer since the last check."""
        seconds = now - self.since
        waiting = self._untaken_bytes()
        if waiting and seconds < self._limits.write_seconds:
            return
        taken = self._written - waiting - self._taken
        if waiting and taken < max(1, self._limits.write_bytes_per_second * seconds):
            self._transport.abort()
        else:
            self._begin(Phase.WRITING)

    def _untaken_bytes(self) -> int:
        """Return how many written bytes the client has not read, here and in the buffers of the system (tcp(7))."""
        try:
            queued = fcntl.ioctl(self._socket, termios.TIOCOUTQ, bytes(4))
        except (OSError, ValueError):  # it is closed
            queued = bytes(4)
        return self._transport.get_write_buffer_size() + int.from_bytes(queued, sys.byteorder)

    # --- accounting ---

    def _begin(self, phase: Phase) -> None:
        self.phase = phase
        self.since = asyncio.get_running_loop().time()
        self._taken = self._written - self._untaken_bytes() if phase is Phase.WRITING else 0
        self._server.move_to_end(self)

    def weigh(self) -> int:
        """Return how many bytes the connection occupies now."""
        waiting = self._request_bytes + len(self._ahead) + self._transport.get_write_buffer_size()
        return self._reader.held_bytes + waiting

    def _log(self, target: bytes, request: Request | None, origin: str, code: int, sent: int, seconds: float) -> None:
        if request is None:
            entry = Entry(origin, target, code, sent, seconds)
        else:
            line = b"%s %s %s" % (request.method.encode(), target, request.version.encode())
            agent = request.header(b"user-agent")
            entry = Entry(origin, line, code, sent, seconds, request.header(b"referer"), agent)
        self._server.log(entry)
