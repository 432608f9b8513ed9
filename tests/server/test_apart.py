"""A process of its own answers on the sockets of a busy one, until that one goes on, or is gone."""

from __future__ import annotations

import http.client
import os
import signal
import socket
from contextlib import closing
from time import monotonic, sleep

import pytest

from gateway.server.apart import answering_apart
from gateway.server.limits import Limits

pytestmark = [
    pytest.mark.slow,  # it forks
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]


def application(_environ, start_response):
    start_response("503 Service Unavailable", [("Content-Length", "4"), ("Retry-After", "60")])
    return (b"busy",)


def answer(port: int, path: str = "/") -> tuple[int, str | None, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=240)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.headers["Retry-After"], response.read()


def test_requests_are_answered_while_this_process_does_something_else():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with answering_apart([listener], application, Limits()):
            assert answer(port) == (503, "60", b"busy")
            assert answer(port, "/healthz") == (503, "60", b"busy")
        with socket.create_connection(("127.0.0.1", port)):  # it waits in the socket
            listener.setblocking(True)
            listener.settimeout(240)
            listener.accept()[0].close()


def test_the_process_ends_if_the_work_fails(monkeypatch):
    fork, children = os.fork, list[int]()
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with pytest.raises(ZeroDivisionError), answering_apart([listener], application, Limits()):
            raise ZeroDivisionError
        with pytest.raises(ChildProcessError):
            os.waitpid(children[0], os.WNOHANG)


def test_the_process_ends_with_its_parent():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        parent = os.fork()
        if parent == 0:
            with answering_apart([listener], application, Limits()):
                sleep(600)
            os._exit(0)
        assert answer(port)[0] == 503
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        listener.close()
        ends = monotonic() + 240
        while _is_answered(port):
            assert monotonic() < ends
            sleep(0.05)


def _is_answered(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=240).close()
    except ConnectionRefusedError:
        return False
    return True
