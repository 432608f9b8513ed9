"""The least of an OAI-PMH client that a bench needs: one kept connection, whole answers, the next token by its tag."""

import html
import http.client
import re
import time
from collections.abc import Iterator
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
