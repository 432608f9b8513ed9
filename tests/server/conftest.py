"""A web server of ours in a thread, with an application of the test, and clients that misbehave."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from gateway.server.access_log import Entry
from gateway.server.request import Limits
from gateway.server.server import Server

HELLO = b"hello"
PAGE = b"x" * 8_000_000  # more than the buffers of the system hold


def application(environ, start_response):
    """Answer with a few bytes, a page, a stream of parts, or the body of the request."""
    path = environ["PATH_INFO"]
    body = environ["wsgi.input"].read()
    if path == "/slow":
        time.sleep(0.5)
    answers = {"/page": [PAGE], "/stream": (PAGE[:1_000_000] for _ in range(64)), "/echo": [body]}
    start_response("200 OK", lengths(path, body))
    return answers.get(path, [HELLO])


def lengths(path: str, body: bytes) -> list[tuple[str, str]]:
    length = {"/page": len(PAGE), "/stream": 64_000_000, "/echo": len(body), "/unknown": None}.get(path, len(HELLO))
    return [] if length is None else [("Content-Length", str(length))]


class Served(NamedTuple):
    """A server that runs: its port, what it logged, and how to end it."""

    port: int
    entries: list[Entry]
    server: Server
    call: Callable[..., object]

    def connect(self, sent: bytes = b"", receive_bytes: int = 0) -> socket.socket:
        connection = socket.socket()
        if receive_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        connection.settimeout(240)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection

    def ask(self, sent: bytes) -> bytes:
        """Return everything that is answered until the server closes the connection."""
        with self.connect(sent) as connection:
            return everything(connection)


def everything(connection: socket.socket) -> bytes:
    received = bytearray()
    while part := connection.recv(1 << 20):
        received += part
    return bytes(received)


@pytest.fixture
def serving() -> Callable[..., Iterator[Served]]:
    return _serving  # type: ignore[return-value]


def _is_brief(environ) -> bool:
    return environ["PATH_INFO"].startswith("/brief")


@contextmanager
def _serving(
    threads: int = 2, app=application, wrapped=lambda listener: listener, page_threads: int = 1, **limits: float
) -> Iterator[Served]:
    entries: list[Entry] = []
    server = Server(Limits(**limits), threads, entries.append, page_threads=page_threads)  # type: ignore[arg-type]
    with socket.create_server(("127.0.0.1", 0), backlog=1000) as listener:
        server.listen(wrapped(listener), app, lambda path: path.startswith("/pages"), _is_brief)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_until_complete, args=(server.run(),))
        thread.start()
        try:
            yield Served(listener.getsockname()[1], entries, server, loop.call_soon_threadsafe)
        finally:
            server.limits = server.limits._replace(grace_seconds=0.2)
            if thread.is_alive():
                loop.call_soon_threadsafe(server.end)
            thread.join(240)
            loop.run_until_complete(asyncio.sleep(0.01))
            for task in asyncio.all_tasks(loop):  # as `asyncio.run` does it in a worker
                task.cancel()
            loop.run_until_complete(asyncio.sleep(0.01))
            loop.close()
