"""The answer of somebody whom we call: its body has a limit, and its status counts, whatever the body is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gateway.core.errors import AnswerTooLarge, TryLater
from harvester.http.messages import Fetch, Fetched, Request

MOST_ANSWER: Final = 65_536  # bytes


class Body:
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

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return no headers: the body is requested whole."""
        return ()

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
