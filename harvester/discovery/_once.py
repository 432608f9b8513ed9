"""A Fetch for one search, which asks for nothing twice: whatever an address answered, it answered it to all steps.

What holds for weeks is kept elsewhere; here are also refusals, faults and redirects that give cookies, and files.
"""

from __future__ import annotations

from typing import TypeAlias

from gateway.errors import GatewayError
from harvester.wire.http import Fetch, Fetched, Request
from harvester.wire.urls import host_of

MOST_BYTES = 16_000_000  # of bodies, beside the last one, which is kept however long it is

_Question: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...], bool]


class Once:
    """A Fetch over another one. It is of one search, and of one thread."""

    def __init__(self, fetch: Fetch, most_bytes: int = MOST_BYTES) -> None:
        """Take what fetches, and how many bytes of bodies are kept. Of more, the oldest are asked for again."""
        self._fetch, self._most_bytes = fetch, most_bytes
        self._answers: dict[_Question, Fetched | GatewayError] = {}
        self._bytes = 0
        self.last_host = ""  # of the last request since somebody emptied it

    def __call__(self, request: Request) -> Fetched:
        """Return what was answered in this search before, or ask. Raise what asking raises, or raised before."""
        self.last_host = host_of(request.url)
        if request.body or request.sink is not None:
            return self._fetch(request)
        question = (request.method, request.url, request.headers, request.follows)
        if question not in self._answers:
            self._keep(question, self._asked(request))
        answer = self._answers[question]
        if isinstance(answer, GatewayError):
            raise answer.with_traceback(None)
        return answer

    def _asked(self, request: Request) -> Fetched | GatewayError:
        try:
            return self._fetch(request)
        except GatewayError as error:
            return error

    def _keep(self, question: _Question, answer: Fetched | GatewayError) -> None:
        self._answers[question] = answer
        size = _size(answer)
        for older in tuple(self._answers)[:-1]:
            if self._bytes <= self._most_bytes:
                break
            if _size(self._answers[older]):
                self._bytes -= _size(self._answers.pop(older))
        self._bytes += size


def _size(answer: Fetched | GatewayError) -> int:
    return len(answer.body) if isinstance(answer, Fetched) else 0
