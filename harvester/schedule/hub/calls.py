"""The requests of a hub to its subscribers (WebSub, 2018, §5.3 and §7), and calls of many of them at once.

The threads of a round are divided among the networks of subscribers: a slow network must not delay the others. A
network is that of the callback, and that from which the subscription was asked for.
"""

import hmac
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from hashlib import sha256
from time import monotonic
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlencode, urlsplit, urlunsplit

from gateway.core.address_rules import class_of, parse_address
from gateway.core.errors import AddressRefused, GatewayError
from gateway.core.model import HubDenial, HubMode, HubRequest, Subscriber
from gateway.core.special_addresses import PUBLIC
from gateway.hub.topics import network_of
from harvester.http.messages import Body, Request
from harvester.runtime.interrupts import Stop, StopAsked

DEADLINE_SECONDS: Final = 15.0
_FIRST_WAIT_SECONDS: Final = 60
_LONGEST_WAIT_SECONDS: Final = 6 * 3_600
_MOST_DOUBLINGS: Final = 16


class Content(NamedTuple):
    """What is delivered of a topic: an empty body says that the subscriber must request the topic itself."""

    body: bytes
    content_type: str


def host_of(callback: str) -> str:
    """Return the host of a callback, for messages: the rest of it may be a secret."""
    return urlsplit(callback).hostname or "nowhere"


def verification(asked: HubRequest, challenge: str, body: Body) -> Request:
    """Return the request that verifies the intent of a subscriber (§5.3). The query of the callback is kept."""
    fields = {"hub.mode": asked.mode.value, "hub.topic": asked.topic, "hub.challenge": challenge}
    if asked.mode is HubMode.SUBSCRIBE:
        fields["hub.lease_seconds"] = str(asked.lease_seconds)
    return _with_fields(asked.callback, fields, body)


def _with_fields(callback: str, fields: dict[str, str], body: Body) -> Request:
    parts = urlsplit(callback)
    query = "&".join(filter(None, (parts.query, urlencode(fields))))
    return _bounded(Request(urlunsplit(parts._replace(query=query)), sink=body))


def denial(denied: HubDenial, body: Body) -> Request:
    """Return the request that informs a subscriber of the end of its subscription (§5.2)."""
    return _with_fields(
        denied.callback, {"hub.mode": "denied", "hub.topic": denied.topic, "hub.reason": denied.reason}, body
    )


def delivery(subscriber: Subscriber, content: Content, links: str, body: Body) -> Request:
    """Return the request that delivers a topic (§7), signed if the subscriber has a secret (§7.1)."""
    headers = [("Content-Type", content.content_type), ("Link", links)]
    if subscriber.secret:
        digest = hmac.new(subscriber.secret.encode(), content.body, sha256).hexdigest()
        headers.append(("X-Hub-Signature", f"sha256={digest}"))
    return _bounded(Request(subscriber.callback, "", tuple(headers), "POST", content.body, sink=body))


def is_success(status: int) -> bool:
    """Return whether a status means that the subscriber has accepted; a redirect does not (§7)."""
    return 200 <= status < 300  # noqa: PLR2004


def wait_after(failures: int) -> int:
    """Return the seconds to wait after so many failures in a row: a minute, doubled each time, at most six hours."""
    return min(_FIRST_WAIT_SECONDS << min(max(failures - 1, 0), _MOST_DOUBLINGS), _LONGEST_WAIT_SECONDS)


def _bounded(request: Request) -> Request:
    """Return a request that is sent once, but for a connection that the subscriber has closed meanwhile."""
    return replace(
        request, follows=False, patience=1, waits_seconds=0.0, deadline_seconds=DEADLINE_SECONDS, may_be_refused=True
    )


# --- The calls of many subscribers at once, and how each one ended ----------------------------------------------------

Networks: TypeAlias = tuple[str, ...]

# With the deadline of a call, a round then takes 20 seconds because of one network, and the next one begins at once.
_CALL_SECONDS: Final = 5.0
_SHARE: Final = 4  # one network has a quarter of the threads
_LABELS: Final = 2  # of a name; subdomains cost nothing
_SECOND_LEVEL: Final = ("ac", "co", "com", "edu", "gob", "gov", "gv", "net", "or", "org")  # `ac.uk`, `edu.au`
_COUNTRY_LETTERS: Final = 2
_LONGEST_PROBLEM = 300
_URL = re.compile(r"https?://[^/\s]\S*")
_BEHIND = ".,:;)'\""

Called = TypeVar("Called")


def networks_of(callback: str, asked_from: str = "") -> Networks:
    """Return the networks of a subscription: of its callback, and the one from which it was asked for, if public.

    That of a name is its registered domain, as far as can be seen. A network that is not public is that of a proxy.
    """
    host = host_of(callback)
    networks = {network_of(host) or _domain(host)}
    if asked_from and class_of(parse_address(asked_from.partition("/")[0])) == PUBLIC:
        networks.add(asked_from)
    return tuple(sorted(networks))


def _domain(host: str) -> str:
    labels = host.lower().rstrip(".").split(".")
    is_deep = len(labels[-1]) == _COUNTRY_LETTERS and labels[-2:-1] and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-_LABELS - bool(is_deep) :])


class Shares:
    """What the networks have of one round: some threads, and some seconds. One thread uses it."""

    def __init__(self, threads: int, clock: Callable[[], float] = monotonic) -> None:
        self.threads = threads
        self._most, self._clock = max(1, threads // _SHARE), clock
        self._running: Counter[str] = Counter()
        self._begun: dict[str, float] = {}

    def is_over(self, networks: Networks) -> bool:
        """Return whether one of the networks has had its seconds: the rest of its calls is for the next round."""
        now = self._clock()
        return any(now - self._begun.get(network, now) >= _CALL_SECONDS for network in networks)

    def has_thread(self, networks: Networks) -> bool:
        """Return whether another call of these networks may begin now."""
        return all(self._running[network] < self._most for network in networks)

    def begin(self, networks: Networks) -> None:
        """Count a call that begins."""
        for network in networks:
            self._begun.setdefault(network, self._clock())
            self._running[network] += 1

    def end(self, networks: Networks) -> None:
        """Count a call that has ended."""
        self._running.subtract(networks)


class Result(NamedTuple):
    """How a call ended: an HTTP status (0: there was none), and what is wrong; empty: nothing.

    `is_final`: another try would end in the same way. `is_stopped`: it was not made, or broken off.
    """

    status: int = 0
    problem: str = ""
    is_final: bool = False
    is_stopped: bool = False


class Calls:
    """The calls of one round, in the threads of a pool. No network delays the calls of the others for long."""

    def __init__(self, pool: ThreadPoolExecutor, stop: Stop, shares: Shares) -> None:
        self._pool, self._stop, self.shares = pool, stop, shares
        self.left = 0

    def results(
        self, call: Callable[[Called], Result], called: Iterable[Called], networks: Callable[[Called], Networks]
    ) -> Iterator[tuple[Called, Result]]:
        """Call each one in a thread, and yield the results as they come.

        Of a network that has had its share of the round, the rest is not called: `left` counts those.
        """
        queue = _Queue(called, networks, self.shares)
        running: dict[Future[Result], tuple[Called, Networks]] = {}

        def unless_stopped(one: Called) -> Result:
            return Result(is_stopped=True) if self._stop.is_asked else call(one)

        while True:
            while len(running) < self.shares.threads and (ready := queue.next()) is not None:
                self.shares.begin(ready[1])
                running[self._pool.submit(unless_stopped, ready[0])] = ready
            if not running:
                break
            for ended in wait(running, return_when=FIRST_COMPLETED).done:
                one, of = running.pop(ended)
                self.shares.end(of)
                yield one, _result(ended)
        self.left += queue.left


class _Queue(Generic[Called]):
    """Those who are to be called, so that those who wait for a thread of their network are behind all others."""

    def __init__(self, called: Iterable[Called], networks: Callable[[Called], Networks], shares: Shares) -> None:
        self._called, self._networks, self._shares = iter(called), networks, shares
        self._waiting: dict[Networks, deque[Called]] = {}
        self.left = 0

    def next(self) -> tuple[Called, Networks] | None:
        """Return who is called next, and its networks; None if nobody can be called before a call has ended."""
        for networks, waiting in list(self._waiting.items()):
            if self._shares.is_over(networks):
                self.left += len(self._waiting.pop(networks))
            elif self._shares.has_thread(networks):
                one = waiting.popleft()
                if not waiting:
                    del self._waiting[networks]
                return one, networks
        for one in self._called:
            networks = self._networks(one)
            if self._shares.is_over(networks):
                self.left += 1
            elif self._shares.has_thread(networks):
                return one, networks
            else:
                self._waiting.setdefault(networks, deque()).append(one)
        return None


def _result(ended: Future[Result]) -> Result:
    error = ended.exception()
    if error is None:
        return ended.result()
    if isinstance(error, (KeyboardInterrupt, StopAsked)):
        return Result(is_stopped=True)
    if isinstance(error, GatewayError):
        return Result(
            problem=_URL.sub(_host, str(error))[:_LONGEST_PROBLEM], is_final=isinstance(error, AddressRefused)
        )
    raise error


def _host(url: re.Match[str]) -> str:
    """Return the host and port of an address in a message, and the punctuation behind it."""
    address = url[0].rstrip(_BEHIND)
    return address.split("/", 3)[2].partition("?")[0] + url[0][len(address) :]
