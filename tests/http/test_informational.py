"""Informational answers before the one that is meant (RFC 9110 §15.2, RFC 8297): skipped, and not without a limit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from gateway.errors import ConnectionFailed
from harvester.http.messages import Request
from tests.rows import each_row

_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
_FINAL = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 4\r\n\r\n<a/>"


@contextmanager
def _saying(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Serve one connection after the other with these bytes for each request, and return the address and what came."""
    asked: list[bytes] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                connection.settimeout(60)
                with connection, suppress(OSError):
                    while request := connection.recv(65_536):
                        asked.append(request)
                        connection.sendall(answers[min(len(asked), len(answers)) - 1])

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/", asked
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


@each_row("before", [_HINTS, _CONTINUE, _PROCESSING, _HINTS + _HINTS, _CONTINUE + _PROCESSING + _HINTS, _HINTS * 19])
def test_informational_answers_are_skipped_and_the_connection_goes_on(make, before: bytes):
    with _saying(before + _FINAL) as (url, asked):
        made = make(url)
        for number in (1, 2):
            fetched = made.web(Request(url, "x"))
            assert (fetched.status, fetched.body, len(asked)) == (200, b"<a/>", number)
            assert fetched.header("Link") == ""
        made.web.close()


def test_informational_answers_without_end_are_an_error(make):
    with _saying(_HINTS * 20 + _FINAL) as (url, _):
        made = make(url, {"fetch_retries": 0})
        with pytest.raises(ConnectionFailed, match="informational"):
            made.web(Request(url, "x"))
        made.web.close()


def test_switch_of_protocols_that_nobody_asked_for_is_the_answer(make):
    with _saying(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n") as (url, _):
        made = make(url)
        assert made.web(Request(url, "x")).status == 101
        made.web.close()
