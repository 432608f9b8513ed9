"""The two values at the seam to the network: what is asked, and what came back. Pure; `harvester.web` does the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias


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


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back, whatever its status. `body` is after Content-Encoding; `url` is where it came from at last."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    received_at: int

    def header(self, name: str) -> str:
        """Return the first header of that name, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")


Fetch: TypeAlias = Callable[[Request], Fetched]
