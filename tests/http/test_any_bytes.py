"""Whatever comes over the connection: an answer, or an error of ours; never a library's exception."""

import gc
import socket
import warnings
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.core.errors import FetchError
from gateway.core.settings import load
from harvester.http.credentials import Access
from harvester.http.fetching import Web
from harvester.http.messages import Request
from tests.http.server import Server, serving

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


def _resolve(host: str, port: int, **options: Any) -> list[tuple[object, ...]]:
    """Know no name, and ask nobody."""
    if not host.replace(".", "").isdigit():
        raise socket.gaierror(socket.EAI_NONAME, "unknown")
    return socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST, **options)  # type: ignore[return-value]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Server]:
    with serving() as endpoint:
        yield endpoint
    with warnings.catch_warnings():
        # What broke an answer off is held by its traceback: it is collected here, and not in some later test.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@given(st.one_of(spoiled(), st.binary(max_size=200)))
def test_any_bytes_on_the_connection_are_an_answer_or_an_error_of_ours(endpoint: Server, given: bytes) -> None:
    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True
        handler.wfile.write(given)

    url = endpoint.say("/oai", say)
    settings = load(Path("/nowhere"), environ={}, options={"fetch_retries": 1, "fetch_read_timeout_seconds": 5.0})
    with Web(settings, {"x": Access(url)}, sleep=lambda _: None, resolve=_resolve) as web, suppress(FetchError):
        assert web(Request(url, "x")).url.startswith("http")
