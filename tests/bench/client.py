"""The least of an OAI-PMH client that a bench needs: a kept connection, whole answers, the next token; and load."""

import html
import http.client
import re
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from typing import NamedTuple, Self
from urllib.parse import quote, urlencode, urlsplit

_TOKEN = re.compile(rb"<resumptionToken\b[^>]*>([^<]+)</resumptionToken>")


class Listed(NamedTuple):
    """One page of a list: the address it was asked at, its bytes, and how long it took, in seconds."""

    url: str
    body: bytes
    seconds: float


class Client:
    """Asks one server, over one connection."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def ask(self, url: str) -> Listed:
        """Return the answer to one request."""
        started = time.perf_counter()
        self._connection.request("GET", url.partition(urlsplit(url).netloc)[2])
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, body[:500]
        return Listed(url, body, time.perf_counter() - started)

    def walk(self, verb: str = "ListRecords", **arguments: str) -> Iterator[Listed]:
        """Return the pages of a list, from the first request to the last token."""
        url = f"{self.url}?{urlencode({'verb': verb, **arguments})}"
        while url:
            page = self.ask(url)
            yield page
            match = _TOKEN.search(page.body[-4096:])
            token = quote(html.unescape(match[1].decode())) if match else ""
            url = f"{self.url}?verb={verb}&resumptionToken={token}" if token else ""


_CONNECTIONS = 4


def rate(urls: Sequence[str], seconds: float, headers: Sequence[str] = ()) -> float:
    """Return the answers per second that a server gives to requests for these URLs in turn."""
    started = time.monotonic()

    def ask(number: int) -> int:
        with Connection(urls[0]) as connection:
            for count, url in enumerate(islice(cycle(urls), number, None)):
                parts = urlsplit(url)
                assert connection.get(f"{parts.path}?{parts.query}".rstrip("?"), headers) == 200, url
                if time.monotonic() > started + seconds:
                    return count + 1
        raise AssertionError

    with ThreadPoolExecutor(_CONNECTIONS) as threads:
        return sum(threads.map(ask, range(_CONNECTIONS))) / (time.monotonic() - started)


class Connection:
    """One connection that is kept; it reads the length of a body and throws the body away."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host = parts.netloc
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80))
        self._buffer = memoryview(bytearray(1 << 20))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._socket.close()

    def get(self, path: str, headers: Sequence[str] = ()) -> int:
        """Return the status of the answer, when all of it has arrived."""
        lines = (f"GET {path} HTTP/1.1", f"Host: {self._host}", *headers)
        self._socket.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        head, separator, body = b"", b"", b""
        while not separator:
            received = self._socket.recv(1 << 16)
            assert received, "the server closed the connection"
            head += received
            head, separator, body = head.partition(b"\r\n\r\n") if b"\r\n\r\n" in head else (head, b"", b"")
        length = re.search(rb"(?i)content-length: *([0-9]+)", head)
        assert length, head
        left = int(length[1]) - len(body)
        while left:
            left -= self._socket.recv_into(self._buffer, min(left, len(self._buffer)))
        return int(head.split(b" ", 2)[1])
