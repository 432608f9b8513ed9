"""The requests of a check of typed links: each request once, within limits. Only this module sends requests."""

import re
import time
from dataclasses import dataclass
from functools import cached_property

from gateway.core.errors import AddressRefused, AnswerTooLarge, TryLater
from harvester.http.messages import Fetch
from harvester.validate.client import Answered, Clock, MostRequests, Requests

_OK, _NO_MORE = 200, 300
_MOST_SHOWN = 300  # characters of a header in a line of the report
# These say nothing of the server: the address may be private, or the answer larger than we read.
_OURS = (AddressRefused, AnswerTooLarge, TryLater)
_CHARSET = re.compile(r"(?i);\s*charset\s*=\s*\"?([A-Za-z0-9_:.-]+)")


@dataclass(frozen=True, slots=True)
class Limits(MostRequests):
    """The limits of a check, and the sizes of a header of common practice.

    `links` bounds how many targets of one relation are visited.
    """

    requests: int = 100
    seconds: float = 300.0
    links: int = 10
    bytes: int = 50_000_000
    large_header: int = 4096
    most_header: int = 8190  # Apache accepts so many bytes in a field of an application behind it


class Visit(Answered):
    """One request and its answer, with its links."""

    @property
    def url(self) -> str:
        """The address that answered, after all redirects."""
        return self.request.url if self.fetched is None else self.fetched.url

    @property
    def is_success(self) -> bool:
        """Return whether the status is one of success."""
        return _OK <= self.status < _NO_MORE

    @property
    def is_failure(self) -> bool:
        """Return whether the server fails or cannot be reached, through no limit and no guard of ours."""
        return not self.is_success and not isinstance(self.refusal, _OURS)

    @property
    def ended(self) -> str:
        """The status, or that there is no answer, for a sentence."""
        return f"HTTP {self.status}" if self.status else "no answer"

    @cached_property
    def link_header(self) -> str:
        """The values of all `Link` headers as one (RFC 9110 §5.3), as received; empty when there is none."""
        headers = () if self.fetched is None else self.fetched.headers
        return ", ".join(value for name, value in headers if name.lower() == "link")

    @property
    def has_folds(self) -> bool:
        """Return whether a `Link` header had line folds."""
        return self.fetched is not None and "link" in self.fetched.folded

    @property
    def charset(self) -> str:
        """The charset that Content-Type states, in lower case; empty when there is none."""
        match = _CHARSET.search(self.header("Content-Type"))
        return match[1].lower() if match else ""

    @property
    def asked(self) -> str:
        """The request in one line."""
        accept = dict(self.request.headers).get("Accept", "")
        return f"{self.request.method} {self.request.url}" + (f" (Accept: {accept})" if accept else "")

    @property
    def came(self) -> str:
        """The answer in one line."""
        if self.fetched is None:
            return f"no answer: {self.refusal}"
        came = f"HTTP {self.status}, {self.header('Content-Type') or 'no Content-Type'}"
        if not self.link_header:
            return f"{came}, no Link header"
        shown = " ".join(self.link_header[:_MOST_SHOWN].split())
        return f"{came}, Link: {shown}{' …' if len(self.link_header) > _MOST_SHOWN else ''}"


class Visits(Requests[Limits]):
    """The requests of one check. The same request is sent once. `ask` raises Undecided when a limit is reached."""

    def __init__(self, fetch: Fetch, limits: Limits, clock: Clock = time.monotonic) -> None:
        super().__init__(fetch, limits, clock)
        self._known: dict[tuple[str, str, str], Visit] = {}

    def ask(self, url: str, *, method: str = "GET", accept: str = "") -> Visit:
        """Return the visit of an address. Raise Undecided at a limit."""
        url = url.partition("#")[0]
        key = (method, url, accept)
        if key not in self._known:
            self._known[key] = self._visit(url, method, accept)
        self.consulted.append(self._known[key])
        return self._known[key]

    def _visit(self, url: str, method: str, accept: str) -> Visit:
        request = self.request(url, accept, method)
        visit = Visit(request, *self.send(request))
        self.received += len(visit.body)
        return visit
