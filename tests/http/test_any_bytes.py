"""Whatever comes over the connection: an answer, or an error of ours; never a library's exception."""

from __future__ import annotations

import gc
import socket
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import FetchError
from gateway.settings import load
from harvester.http.access import Access
from harvester.http.fetching import Web
from harvester.http.messages import Request

_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 10\r\nConnection: close\r\n\r\n<OAI-PMH/>"
_WORDS = st.sampled_from(
    [
        *(b"HTTP/1.1", b"HTTP/9.9", b" 200 ", b" 302 ", b" 999 ", b"\r\n", b"\n", b"\r\n\r\n", b"\x00", b"\xff", b": "),
        *(b"Content-Length: -1", b"Content-Length: 5", b"Content-Length: x", b"Transfer-Encoding: chunked"),
        *(b"Content-Encoding: gzip", b"Content-Encoding: br", b"Content-Encoding: deflate", b"Set-Cookie: a"),
        *(b"Location: http://[", b"Location: //", b"Location: \xe9", b"Location: file:///etc/passwd", b"5\r\nabcde"),
        *(b"Location: http://127.0.0.1:99999/", b"Location: http://x\x00.org/", b"fffffffff\r\n", b"-1\r\n"),
    ]
)


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """Draw an answer of HTTP with a few places cut out or filled with words of the protocol."""
    answer = _ANSWER
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(answer)))
        gone = draw(st.sampled_from([0, 0, 1, 4, 30]))
        answer = answer[:at] + draw(st.one_of(_WORDS, st.binary(max_size=4))) + answer[at + gone :]
    return answer


@dataclass
class _Said:
    url: str
    bytes: bytes = b""


@contextmanager
def _saying() -> Iterator[_Said]:
    """Answer every connection with the same bytes, whatever is asked."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        endpoint = _Said(f"http://127.0.0.1:{listening.getsockname()[1]}/oai")

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    connection.settimeout(1)  # who asks may leave a connection open, and never say so
                    with connection, suppress(OSError):
                        connection.recv(65_536)
                        connection.sendall(endpoint.bytes)
                        connection.shutdown(socket.SHUT_WR)
                        connection.recv(1)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield endpoint
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def _resolve(host: str, port: int, **options: Any) -> list[tuple[object, ...]]:
    """Know no name, and ask nobody."""
    if not host.replace(".", "").isdigit():
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, **options)  # type: ignore[return-value]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[_Said]:
    with _saying() as endpoint:
        yield endpoint
    with warnings.catch_warnings():
        # What broke an answer off is held by its traceback: it is collected here, and not in some later test.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@given(st.one_of(spoiled(), st.binary(max_size=200)))
def test_any_bytes_on_the_connection_are_an_answer_or_an_error_of_ours(endpoint: _Said, given: bytes) -> None:
    endpoint.bytes = given
    settings = load(Path("/nowhere"), environ={}, options={"fetch_retries": 1, "fetch_read_timeout_seconds": 5.0})
    with (
        Web(settings, {"x": Access(endpoint.url)}, sleep=lambda _: None, resolve=_resolve) as web,
        suppress(FetchError),
    ):
        assert web(Request(endpoint.url, "x")).url.startswith("http")
