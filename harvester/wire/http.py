"""The two values at the seam to the network: what is asked, and what came back. Pure; `harvester.web` does the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias
from urllib.parse import quote

from harvester.wire.dates import http_second

_SETTLED_SECONDS = 60
_LEGAL = "%/:?#[]@!$&'()*+,;=~"  # in an address, beside letters and digits


class Sink(Protocol):
    """Takes the body of an answer piece by piece, where it may be too large to be held; it may have a part already."""

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return what this try is to ask with: `Range` and `If-Range` when the rest is enough."""
        ...

    def begin(self, answer: Fetched) -> bool:
        """Tell whether the body of an answer, which is given without it, is for the sink."""
        ...

    def write(self, part: bytes) -> None:
        """Take the next bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """One request, GET unless told. `source` names whose credentials, address permission and budget apply; empty: none.

    `body` is sent as it is; its Content-Type belongs into `headers`. `repetition` says how often this request has
    already brought an answer that could not be used: the fetcher pauses the longer before it. An answer whose body
    holds `mark` is an answer, whatever its status; without it a 500 may be a passing fault and is asked for again.
    Where it does not follow redirects (`follows`), a redirect is the answer.
    `patience` is how often it is repeated at most while it fails in passing, None: as the settings say; a server that
    asks to wait is waited for in any case. What `sink` takes is not in the answer.
    `waits_seconds` is how long it waits at most where a server asks to wait, None: as the settings say.
    `deadline_seconds` is how long one try may take at most, None: as the settings say; beyond it, it is not repeated.
    `permits` is told every address before it is asked, those that redirects lead to too; what it raises ends it all.
    """

    url: str
    source: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    method: str = "GET"
    body: bytes = b""
    repetition: int = 0
    mark: bytes = b""
    sink: Sink | None = None
    follows: bool = True
    patience: int | None = None
    waits_seconds: float | None = None
    deadline_seconds: float | None = None
    permits: Callable[[str], None] = lambda _url: None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back, whatever its status. `body` is after Content-Encoding; `url` is where it came from at last.

    `seconds` is how long it took from the request to the last byte, 0 when nobody measured.
    `robots` is what robots.txt said of the address, where it was asked. `note` is a sentence about a Content-Encoding
    that was none or another; `was_damaged`: the compressed form was damaged, and this came uncompressed.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    received_at: int
    seconds: float = 0.0
    robots: str = ""
    note: str = ""
    was_damaged: bool = False

    def header(self, name: str) -> str:
        """Return the first header of that name, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def location(self) -> str:
        """Where a redirect leads, or an empty string. Letters beyond ASCII are read as browsers read them.

        Headers come as if each byte were a letter of Latin-1; what servers send unquoted is UTF-8, or stays the bytes.
        """
        stated = self.header("Location").strip()
        sent = stated.encode("latin-1", "replace")
        try:
            return sent.decode()
        except UnicodeDecodeError:
            return quote(sent, safe=_LEGAL)


def settled_date(answer: Fetched) -> str:
    """Return the Last-Modified of an answer if it tells versions apart; else an empty string.

    Within the minute something may be replaced twice and keep its date (RFC 9110 §8.8.2.2).
    """
    modified = answer.header("Last-Modified").strip()
    sent, changed = http_second(answer.header("Date")), http_second(modified)
    return modified if sent is not None and changed is not None and sent - changed >= _SETTLED_SECONDS else ""


Fetch: TypeAlias = Callable[[Request], Fetched]
