"""The values at the seam to the network: a request, its answer, and sinks of bodies. Pure; `fetching` does the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias
from urllib.parse import quote

from gateway.core.errors import AnswerTooLarge, TryLater
from gateway.core.typed_links import Link, links_of_header
from harvester.http.dates import http_second

_SETTLED_SECONDS = 60
_LEGAL = "%/:?#[]@!$&'()*+,;=~"  # in an address, beside letters and digits
MOST_ANSWER: Final = 65_536  # bytes


class Sink(Protocol):
    """Takes the body of an answer piece by piece, where it may be too large for memory. It may have a part already."""

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return headers for this try: `Range` and `If-Range` for the missing rest (RFC 9110 §14.2, §13.1.5)."""
        return ()

    def begin(self, answer: Fetched) -> bool:
        """Return whether the sink takes the body of this answer, which is passed without its body."""

    def write(self, part: bytes) -> None:
        """Take the next bytes."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request; the default method is GET. None in a limit means: as the settings say.

    `source` names the source whose credentials, allowed addresses and budget apply; empty: none.
    `body` is sent unchanged; its Content-Type belongs into `headers`.
    `repetition` counts earlier answers to this request that could not be used: each makes the pause longer.
    `mark`: a body that contains these bytes is an answer, whatever its status. Without it a 500 is repeated.
    `sink` takes the body, which is then missing in the answer. Without `follows`, a redirect is the answer.
    `patience` is the most repetitions after passing faults; it does not count waits that a server asks for.
    `waits_seconds` is the longest wait that a server may ask for.
    `deadline_seconds` is the longest time for one try; a try that exceeds it is not repeated.
    `permits` is called with every address before it is requested, also those of redirects; its errors end the request.
    `suits` returns whether an answer can be read; an answer that cannot is not cached.
    `may_be_refused`: a refusal is expected here and does not count against the host.
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
    suits: Callable[[Fetched], bool] = lambda _fetched: True
    may_be_refused: bool = False


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer with any status. `body` is decoded; `url` is the address after all redirects.

    `received_at` is in Unix time. `seconds` is the time from the request to the last byte; 0 when not measured.
    `robots` is the verdict of robots.txt on the address, where it was asked. `note` is a sentence about a wrong
    Content-Encoding; `was_damaged`: the compressed form was damaged, and this one was sent uncompressed. `age_seconds`
    is how long a cache of ours had stored the answer. `folded` names the headers that had line folds, in lower case.
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
    age_seconds: float = 0.0
    folded: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        """Return the first header of that name, in any case of letters, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def links(self) -> tuple[Link, ...]:
        """Return the links of all `Link` headers (RFC 8288 §3), without the unreadable ones."""
        return tuple(links_of_header((value for key, value in self.headers if key.lower() == "link"), self.url))

    @property
    def location(self) -> str:
        """Return the target of a redirect (RFC 9110 §10.2.2), or an empty string.

        The library decodes headers as Latin-1. Unquoted bytes are read as UTF-8, or else percent-encoded.
        """
        stated = self.header("Location").strip()
        sent = stated.encode("latin-1", "replace")
        try:
            return sent.decode()
        except UnicodeDecodeError:
            return quote(sent, safe=_LEGAL)


Fetch: TypeAlias = Callable[[Request], Fetched]


def settled_date(answer: Fetched) -> str:
    """Return the Last-Modified of an answer if it is a strong validator; else an empty string.

    A file may be replaced twice within a second and keep its date (RFC 9110 §8.8.2.2). The limit of a minute allows for
    a date from another clock.
    """
    modified = answer.header("Last-Modified").strip()
    sent, changed = http_second(answer.header("Date")), http_second(modified)
    return modified if sent is not None and changed is not None and sent - changed >= _SETTLED_SECONDS else ""


def conditions(entity_tag: str, modified: str) -> tuple[tuple[str, str], ...]:
    """Return the fields of a request that is answered in full only if a resource has changed (RFC 9110 §13.1)."""
    pairs = (("If-None-Match", entity_tag), ("If-Modified-Since", modified))
    return tuple(pair for pair in pairs if pair[1])


class Body(Sink):
    """Takes the body of an answer up to a limit, and its status. `takes` returns whether a status has a body for us."""

    def __init__(self, most: int = MOST_ANSWER, takes: Callable[[int], bool] = lambda _status: True) -> None:
        self.status = 0
        self._most, self._takes = most, takes
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def content(self) -> bytes:
        """The bytes so far."""
        return b"".join(self._parts)

    def begin(self, answer: Fetched) -> bool:
        """Return whether the body is taken."""
        self.status = answer.status
        return self._takes(answer.status)

    def write(self, part: bytes) -> None:
        """Take the next bytes. Raise AnswerTooLarge beyond the limit."""
        self._size += len(part)
        if self._size > self._most:
            raise AnswerTooLarge(f"The answer has more than {self._most} bytes.")
        self._parts.append(part)


def status_of(fetch: Fetch, request: Request, body: Body) -> int:
    """Return the status of the answer to a request whose body is taken, even if that asks to wait or is too long."""
    try:
        return fetch(request).status
    except (AnswerTooLarge, TryLater):
        if not body.status:
            raise
        return body.status
