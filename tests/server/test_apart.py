"""A process of its own answers on the sockets of a busy one, until that one goes on, or is gone."""

import os
import socket

import pytest

from gateway.server.request import Limits
from gateway.server.serve import answering_apart

pytestmark = [
    pytest.mark.slow,  # it forks
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]


def application(_environ, start_response):
    start_response("503 Service Unavailable", [("Content-Length", "4"), ("Retry-After", "60")])
    return (b"busy",)


def test_the_process_ends_if_the_work_fails(monkeypatch):
    fork, children = os.fork, list[int]()
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with pytest.raises(ZeroDivisionError), answering_apart([listener], application, Limits()):
            raise ZeroDivisionError
        with pytest.raises(ChildProcessError):
            os.waitpid(children[0], os.WNOHANG)
