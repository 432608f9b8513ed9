"""A Fetch with a cache for one search: no request is repeated, whatever the answer was.

`answer_cache` stores what is valid for weeks. This cache also has refusals, errors, redirects with cookies, and files.
"""

from typing import TypeAlias

from gateway.core.errors import GatewayError
from harvester.fulltext.pages.landing_work import joined
from harvester.http.messages import Fetch, Fetched, Request
from harvester.http.urls import host_of

MOST_BYTES = 16_000_000  # of bodies, beside the last one, which is always kept

_Question: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...], bool]


class FetchOnce:
    """A Fetch over another one, for one search and one thread."""

    def __init__(self, fetch: Fetch, most_bytes: int = MOST_BYTES) -> None:
        """Take a Fetch, and the most bytes of cached bodies; beyond that, the oldest are removed."""
        self._fetch, self._most_bytes = fetch, most_bytes
        self._answers: dict[_Question, Fetched | GatewayError] = {}
        self._bytes = 0
        self.last_host = ""  # of the last request since it was reset
        self.redirects: dict[str, str] = {}  # targets, by the requested address

    def __call__(self, request: Request) -> Fetched:
        """Return the earlier answer in this search, or fetch. Raise the errors of `fetch`, also earlier ones."""
        self.last_host = host_of(request.url)
        if request.body or request.sink is not None:
            return self._fetch(request)
        question = (request.method, request.url, request.headers, request.follows)
        if question not in self._answers:
            try:
                self._keep(question, self._fetch(request))
            except GatewayError as error:
                self._keep(question, error)
        answer = self._answers[question]
        if isinstance(answer, GatewayError):
            raise answer.with_traceback(None)
        if answer.location:
            self.redirects[request.url] = joined(request.url, answer.location)
        return answer

    def way_to(self, host: str) -> tuple[str, ...]:
        """Return the other hosts that redirected to a host, perhaps by way of others, the nearest first."""
        reached = [host]
        for here in reached:  # it grows
            before = (host_of(url) for url, target in self.redirects.items() if host_of(target) == here)
            reached += {other: None for other in before if other not in reached}
        return tuple(dict.fromkeys(reached))[1:]

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
