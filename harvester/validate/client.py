"""The conversation with a provider: each request once, within limits. Only this module sends requests."""

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Generic, TypeAlias, TypeVar
from urllib.parse import parse_qsl, urlencode

from gateway.core import xmlio
from gateway.core.errors import FetchError, GatewayError
from gateway.core.xmlio import Element
from gateway.core.xmltext import is_legal
from harvester.http.messages import Fetch, Fetched, Request, Sink
from harvester.validate.answer import Answer
from harvester.validate.check import Evidence, Shown, Undecided

Clock: TypeAlias = Callable[[], float]
Headers: TypeAlias = tuple[tuple[str, str], ...]

FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)

# A body with these bytes is an answer, even with a status after which a request would be repeated.
_MARK = b"OAI-PMH"

# The legal arguments of each verb (OAI-PMH 2.0 §4); the checks send others to be refused.
ARGUMENTS: Mapping[str, frozenset[str]] = {
    "GetRecord": frozenset({"identifier", "metadataPrefix"}),
    "Identify": frozenset(),
    "ListIdentifiers": frozenset({"from", "until", "metadataPrefix", "set", "resumptionToken"}),
    "ListMetadataFormats": frozenset({"identifier"}),
    "ListRecords": frozenset({"from", "until", "metadataPrefix", "set", "resumptionToken"}),
    "ListSets": frozenset({"resumptionToken"}),
}


@dataclass(frozen=True, slots=True)
class MostRequests:
    """The limits of any check. `bytes` bounds the bodies of all answers together."""

    requests: int
    seconds: float
    bytes: float = inf


@dataclass(frozen=True, slots=True)
class Limits(MostRequests):
    """The limits of a validation, and the numbers of common practice.

    If a list has more than `pages` answers, only the first are read, and checks that need the whole list are skipped.
    The numbers of practice are those of OpenAIRE's and BASE's guidelines. They are 100 records in an incomplete answer,
    and tokens valid for a day (an hour less, because clocks differ).
    """

    requests: int = 400
    seconds: float = 1800.0
    pages: int = 10  # of one list
    sets: int = 5  # whose members are checked
    formats: int = 6  # whose records are checked
    least_page: int = 100  # records in an incomplete answer
    token_seconds: int = 23 * 3600  # lifetime of a token


def essence(media_type: str) -> str:
    """Return a media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


class Answered:
    """One request and its answer. `refusal` is the error when there was no answer."""

    def __init__(self, request: Request, fetched: Fetched | None, refusal: FetchError | None = None) -> None:
        self.request = request
        self.fetched = fetched
        self.refusal = refusal

    @property
    def body(self) -> bytes:
        """The bytes of the answer; empty when there is none."""
        return b"" if self.fetched is None else self.fetched.body

    @property
    def status(self) -> int:
        """The HTTP status; 0 without an answer."""
        return 0 if self.fetched is None else self.fetched.status

    def header(self, name: str) -> str:
        """Return an HTTP header of the answer, or an empty string."""
        return "" if self.fetched is None else self.fetched.header(name)

    @property
    def media_type(self) -> str:
        """The media type of the answer, without parameters, in lower case."""
        return essence(self.header("Content-Type"))

    @property
    @abstractmethod
    def asked(self) -> str:
        """The request in one line."""

    @property
    @abstractmethod
    def came(self) -> str:
        """The answer in one line."""

    def evidence(self, finding: str = "") -> Evidence:
        """Return the request and the answer in one line each, with a finding."""
        return Evidence(self.asked, self.came, finding)


class Exchange(Answered):
    """One request of OAI-PMH and its answer."""

    def __init__(
        self, request: Request, query: str, fetched: Fetched | None, refusal: FetchError | None = None
    ) -> None:
        super().__init__(request, fetched, refusal)
        self.arguments = tuple(parse_qsl(query, keep_blank_values=True, errors="replace"))

    @property
    def has_body(self) -> bool:
        """Return whether there is an answer that should be a document."""
        return self.fetched is not None and self.request.method != "HEAD"

    @cached_property
    def _read(self) -> tuple[Answer | None, str]:
        if not self.has_body:
            return None, ""
        try:
            return Answer(xmlio.parse(self.body)), ""
        except GatewayError as error:
            return None, str(error)

    @property
    def answer(self) -> Answer | None:
        """The parsed answer; None when there is none or it is not XML."""
        return self._read[0]

    @property
    def not_xml(self) -> str:
        """Why the body is not XML; empty when it is XML or missing."""
        return self._read[1]

    @property
    def verb(self) -> str:
        """The verb of the request, if it is legal and the only one; else empty."""
        verbs = [value for key, value in self.arguments if key == "verb"]
        return verbs[0] if len(verbs) == 1 and verbs[0] in ARGUMENTS else ""

    @property
    def is_legal(self) -> bool:
        """Return whether every argument is legal for the verb, occurs once, and has a value of XML characters."""
        keys = [key for key, _ in self.arguments]
        known = ARGUMENTS.get(self.verb, frozenset()) | {"verb"}
        return (
            bool(self.verb)
            and len(keys) == len(set(keys))
            and known.issuperset(keys)
            and all(value and is_legal(value) for _, value in self.arguments)
        )

    def holds(self, verb: str) -> bool:
        """Return whether the answer has an element named after the verb."""
        return self.answer is not None and self.answer.content(verb) is not None

    def content(self, verb: str) -> Element:
        """Return the element named after the verb. Raise Undecided when there is none."""
        content = self.read().content(verb)
        if content is None:
            raise Undecided(f"{self.asked} brought {self.came}.")
        return content

    def read(self) -> Answer:
        """Return the answer. Raise Undecided when there is none."""
        if self.answer is None:
            raise Undecided(f"{self.asked} brought {self.came}.")
        return self.answer

    @property
    def asked(self) -> str:
        """The request in one line."""
        if not self.request.body:
            return self.request.url if self.request.method == "GET" else f"{self.request.method} {self.request.url}"
        return f"{self.request.method} {self.request.url} with {_shortened(self.request.body)}"

    @property
    def came(self) -> str:
        """The answer in one line."""
        if self.fetched is None:
            return f"no answer: {self.refusal or type(self.refusal).__name__}"
        head = f"HTTP {self.status}, {self.header('Content-Type') or 'no Content-Type'}"
        if self.answer is None:
            return f"{head}: {_shortened(self.body)}" if self.body else f"{head}, no body"
        if self.answer.errors:
            return f"{head}: " + "; ".join(" ".join(error).strip() for error in self.answer.errors)
        return f"{head}: {_described(self.answer)}"


def _described(answer: Answer) -> str:
    names = [str(child.tag).rpartition("}")[2] for child in answer.children]
    size = f" with {answer.size} entries" if answer.size else ""
    return f"{names[-1]}{size}" if names else "an empty document"


def _shortened(body: bytes) -> str:
    line = " ".join(body[:400].decode("utf-8", "replace").split())
    return line if len(line) <= 160 else f"{line[:160]} …"  # noqa: PLR2004  (a readable line)


LimitsT = TypeVar("LimitsT", bound=MostRequests)


class Requests(Generic[LimitsT]):
    """The requests of one check, within limits. `sent` and `received` are the numbers of requests and of bytes."""

    def __init__(self, fetch: Fetch, limits: LimitsT, clock: Clock = time.monotonic) -> None:
        self.limits = limits
        self.consulted: list[Shown] = []  # the answers that a check has asked for
        self.sent = self.received = 0
        self._fetch = fetch
        self._clock = clock
        self._started = clock()

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return self._clock() - self._started

    def left(self) -> float:
        """Return the seconds that are left. Raise Undecided when a limit is reached."""
        seconds, limits = self.seconds, self.limits
        if self.sent >= limits.requests:
            raise Undecided(f"The limit of {limits.requests} requests was reached.")
        if seconds >= limits.seconds:
            raise Undecided(f"The limit of {limits.seconds:g} seconds was reached.")
        if self.received >= limits.bytes:
            raise Undecided(f"The limit of {limits.bytes} bytes was reached.")
        return limits.seconds - seconds

    def request(self, url: str, accept: str, method: str = "GET", sink: Sink | None = None) -> Request:
        """Return a request that is repeated once, and takes no longer than is left. Raise Undecided at a limit."""
        left = max(1.0, self.left())
        limits = {"patience": 1, "waits_seconds": min(left, 30.0), "deadline_seconds": left}
        headers = (("Accept", accept or "*/*"),)
        return Request(url.partition("#")[0], headers=headers, method=method, sink=sink, **limits)  # type: ignore[arg-type]

    def send(self, request: Request) -> tuple[Fetched | None, FetchError | None]:
        """Return the answer to a request, or the error that came instead."""
        self.sent += 1
        try:
            return self._fetch(request), None
        except FetchError as error:
            return None, error


class Conversation(Requests[Limits]):
    """The requests to one base URL. The same request is sent once, unless a new answer is wanted.

    `ask` raises Undecided when a limit is reached. A request without an answer is an Exchange with a refusal.
    """

    def __init__(self, base_url: str, fetch: Fetch, limits: Limits, clock: Clock = time.monotonic) -> None:
        super().__init__(fetch, limits, clock)
        self.base_url = base_url
        self.exchanges: list[Exchange] = []
        self._known: dict[tuple[str, str, Headers], Exchange] = {}

    def ask(self, query: str, *, method: str = "GET", headers: Headers = (), again: bool = False) -> Exchange:
        """Return the exchange of a request; a stored one unless `again`. Raise Undecided at a limit."""
        key = (method, query, headers)
        if again or key not in self._known:
            self._known[key] = self._put(query, method, headers)
        exchange = self._known[key]
        self.consulted.append(exchange)
        return exchange

    def _put(self, query: str, method: str, headers: Headers) -> Exchange:
        self.left()
        request = self._request(query, method, headers)
        exchange = Exchange(request, query, *self.send(request))
        self.exchanges.append(exchange)
        return exchange

    def _request(self, query: str, method: str, headers: Headers) -> Request:
        if method == "POST":
            body = query.encode("ascii")
            return Request(self.base_url, headers=(*FORM, *headers), method=method, body=body, mark=_MARK)
        url = f"{self.base_url}?{query}" if query else self.base_url
        return Request(url, headers=headers, method=method, mark=_MARK)


def encoded(arguments: Mapping[str, str]) -> str:
    """Return the arguments as a query; a trailing underscore of a key (`from_`) is dropped."""
    return urlencode({key.rstrip("_"): value for key, value in arguments.items()})
