"""The one seam to the network: `Web` is a `Fetch`. Politeness, repetition, limits, redirects and credentials are here.

    request -> pause -> [ hop -> redirect ]* -> decode -> answer, or pause and again, or an error of ours

Nothing above it sleeps or repeats because of the network; nothing below it knows what is asked for.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib.metadata import version
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

import requests
import urllib3

from gateway.errors import (
    AddressRefused,
    AnswerTooLarge,
    AnswerTooSlow,
    ConnectionFailed,
    RemoteRefuses,
    TryLater,
)
from gateway.settings import Settings
from harvester.addresses import Allowed
from harvester.credentials import Credentials
from harvester.web.channels import Channel, Channels
from harvester.web.connections import Guard, GuardedAdapter, Resolve, Watchdog
from harvester.web.encodings import decoded, is_compressed_file
from harvester.web.faults import LIBRARY_ERRORS, Fault, fault_from
from harvester.web.pacing import Pace
from harvester.web.retrying import Waiting, asks_to_wait, is_passing
from harvester.wire.http import Fetch, Fetched, Request, Sink, without_keys

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 10
_CHUNK = 1 << 20  # bytes read at once
_MOST_BESIDE = 10_000_000  # bytes of an answer that a sink does not take: a word about an error, or a redirect
_GRACE_SECONDS = 10.0  # in which a body may be as slow as it likes
# What is said to every host that a redirect leads to; all else is for the one that was asked, keys among it.
_FOR_ANYBODY = frozenset(
    ("accept", "accept-encoding", "cache-control", "content-type", "if-modified-since", "if-none-match", "range")
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")  # with one of them requests would quote all that is quoted again
_SAFE = "%/:?#[]@!$&'()*+,;=~-._"  # what `quote` leaves alone in an address that is mostly right


@dataclass(frozen=True, slots=True)
class Access:
    """How one source is reached: its own address, credentials, pace (None: the setting), and whether TLS is verified.

    The host of `url` may be at any address, and credentials go to its origin only.
    """

    url: str
    credentials: Credentials | None = None
    delay_seconds: float | None = None
    verify: bool = True


class _Origin(NamedTuple):
    scheme: str
    host: str
    port: int

    def covers(self, other: _Origin) -> bool:
        """Tell whether credentials for this origin may go to the other: the same, or its encrypted side."""
        upgraded = _Origin("https", self.host, _DEFAULT_PORTS["https"])
        return other == self or (self == _Origin("http", self.host, _DEFAULT_PORTS["http"]) and other == upgraded)


class _Session(requests.Session):
    """A session that does not look where a redirect leads: that is decided here, and its body has a limit too."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: not followed."""


@dataclass(frozen=True, slots=True)
class _Answer:
    fetched: Fetched
    location: str


class Web:
    """Fetches. One instance serves all sources, and any number of threads.

    Returns the answer whatever its final status; raises AddressRefused, ConnectionFailed, AnswerTooLarge,
    AnswerTooSlow, TryLater or RemoteRefuses (too many redirects) when there is none, and ConfigurationError when a
    secret is not where it should be. No secret is ever in what it returns, raises or logs.
    """

    def __init__(
        self,
        settings: Settings,
        access: Mapping[str, Access] | None = None,
        *,
        allow: Iterable[str] = (),
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        resolve: Resolve | None = None,
        pace: Pace | None = None,
        ports: Collection[int] = (),
    ) -> None:
        """Take the settings, how each source is reached by name, and what is allowed besides public addresses.

        `pace` is shared with others who ask the same hosts. `ports` are those that are asked, besides a source's own;
        none: any.
        """
        self.settings = settings
        self.access = dict(access or {})
        self.allowed = Allowed(allow)
        self.clock, self.monotonic, self.sleep, self.chance, self.resolve = clock, monotonic, sleep, chance, resolve
        self.ports = frozenset(ports)
        self._channels = Channels()
        self._pace = pace or Pace()
        if not all(each.verify for each in self.access.values()):
            # The administrator said so; a warning with every request would tell nothing new.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._channels.close()

    def break_off(self) -> None:
        """End every request that is under way, from another thread, and let none begin: they raise ConnectionFailed."""
        self._channels.break_off()

    def fetcher(self, source: str) -> Fetch:
        """Return a Fetch that speaks for one source, whatever the request says."""
        return lambda request: self(replace(request, source=source))

    def __call__(self, request: Request) -> Fetched:
        """Bring the answer to one request."""
        waiting = Waiting(self.settings, self.sleep, self.clock, self.chance, request.patience, _shown(request.url))
        waiting.before_repetition(request.repetition)
        plain = False  # whether to ask for no compression, after a damaged one
        while True:
            try:
                fetched = self._followed(request, plain=plain)
            except Fault as fault:
                if not fault.is_passing or not waiting.has_tries():
                    raise fault.error from fault.cause
                plain = plain or fault.was_compressed
                waiting.after_fault(at_once=fault.is_stale)
                continue
            if not is_passing(fetched, request.mark):
                return fetched
            if not waiting.has_tries(is_busy=asks_to_wait(fetched)):
                if asks_to_wait(fetched):
                    raise TryLater(f"{_shown(request.url)} still answers {fetched.status} after all repetitions.")
                return fetched
            waiting.after_answer(fetched)

    # -- one request, with its redirects -------------------------------------------------------------------------

    def _followed(self, request: Request, *, plain: bool) -> Fetched:
        url, method = _clean(request.url), request.method
        for hop in range(_MOST_REDIRECTS + 1):
            try:
                request.permits(url)
                answer = self._hop(request, url, method, plain=plain)
            except AddressRefused as error:
                raise AddressRefused(
                    f"{_shown(request.url)} leads to {_shown(url)}: {error}" if hop else str(error)
                ) from error
            if not request.follows or answer.fetched.status not in _REDIRECTS or not answer.location:
                return answer.fetched
            url = self._redirected(request.source, url, answer.location)
            # 301 and 302 keep the method: a POST turned into a GET would lose its arguments.
            method = "GET" if answer.fetched.status == 303 and method != "HEAD" else method  # noqa: PLR2004
        raise RemoteRefuses(f"{_shown(request.url)} redirects more than {_MOST_REDIRECTS} times.")

    def _redirected(self, source: str, url: str, location: str) -> str:
        """Return where a redirect leads: absolute, without user, password and the key that is ours to add."""
        try:
            target = _clean(urljoin(url, location))
        except ValueError as error:
            raise RemoteRefuses(f"{_shown(url)} redirects to {location[:200]!r}, which is no address.") from error
        credentials = self._credentials(source)
        if credentials is None or credentials.kind != "query":
            return target
        parts = urlsplit(target)
        kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != credentials.name]
        if len(kept) == len(parse_qsl(parts.query, keep_blank_values=True)):
            return target
        return urlunsplit(parts._replace(query=urlencode(kept)))

    def _hop(self, request: Request, url: str, method: str, *, plain: bool) -> _Answer:
        """Send one request and read its answer whole, in the time it may take."""
        origin = _origin(url)
        if self.ports and origin.port not in self.ports and self._own(request.source, origin) is None:
            raise AddressRefused(f"{_shown(url)} is at port {origin.port}, which is not among those that are asked.")
        headers, sent_url = self._dressed(request, url, origin, plain=plain)
        with self._lent(request.source, origin) as channel:
            self._take_turn(request.source, origin.host)
            return self._sent(channel, request, url, method, sent_url, headers)

    def _sent(
        self, channel: Channel, request: Request, url: str, method: str, sent_url: str, headers: dict[str, str]
    ) -> _Answer:
        tried = channel.adapter.tried
        deadline = "fetch_file_deadline_seconds" if request.sink is not None else "fetch_deadline_seconds"
        with channel.adapter.watched(self.settings.seconds(deadline)) as watchdog:
            try:
                answer = self._exchange(channel, request, method, sent_url, url, headers)
            except ConnectionFailed as error:  # a damaged encoding: to be asked for again without
                raise _bitten(watchdog, url) or Fault(error, error.__cause__, was_compressed=True) from None
            except LIBRARY_ERRORS as error:
                is_reused = channel.adapter.tried == tried
                raise _bitten(watchdog, url) or fault_from(error, _shown(url), is_reused=is_reused) from None
        if fault := _bitten(watchdog, url):
            raise fault  # headers that break off look like headers that end
        return answer

    def _exchange(
        self, channel: Channel, request: Request, method: str, sent_url: str, url: str, headers: dict[str, str]
    ) -> _Answer:
        timeouts = (
            self.settings.seconds("fetch_connect_timeout_seconds"),
            self.settings.seconds("fetch_read_timeout_seconds"),
        )
        began = self.monotonic()
        with channel.session.request(
            method,
            sent_url,
            data=(request.body or None) if method == request.method else None,
            headers=headers,
            stream=True,
            allow_redirects=False,
            timeout=timeouts,
        ) as response:
            limit = self.settings.number("fetch_max_bytes")
            limit = limit if request.sink is None else min(limit, _MOST_BESIDE)
            given = tuple(response.headers.items())
            head = Fetched(url, response.status_code, given, b"", int(self.clock()))
            if request.sink is not None and request.sink.begin(head):
                _pour(response, request.sink)
                return _Answer(head, "")
            raw = self._read(response, url, limit)
            encoding = response.headers.get("Content-Encoding", "")
            body = decoded(raw, encoding, response.headers.get("Content-Type", ""), limit) if raw else b""
            credentials = self._credentials(request.source)
            if credentials is not None:
                given = tuple((name, credentials.blotted(value.encode()).decode()) for name, value in given)
                body = credentials.blotted(body)
            took = self.monotonic() - began
            fetched = Fetched(url, response.status_code, given, body, int(self.clock()), took)
            return _Answer(fetched, fetched.location)

    def _read(self, response: requests.Response, url: str, limit: int) -> bytes:
        """Read the body as it was sent. Raise AnswerTooLarge beyond the limit, AnswerTooSlow when it trickles."""
        announced = response.headers.get("Content-Length", "")
        if response.request.method != "HEAD" and announced.isdecimal() and int(announced) > limit:
            raise AnswerTooLarge(f"The answer has more than {limit} bytes: {announced}.")
        parts: list[bytes] = []
        size, least = 0, self.settings.number("fetch_min_bytes_per_second")
        began = self.monotonic() if least else 0.0
        while part := response.raw.read1(_CHUNK, decode_content=False):
            size += len(part)
            if size > limit:
                raise AnswerTooLarge(f"The answer has more than {limit} bytes.")
            parts.append(part)
            took = self.monotonic() - began if least else 0.0
            if took > _GRACE_SECONDS and size < least * took:
                raise AnswerTooSlow(f"{_shown(url)} sends less than {least} bytes a second.")
        return b"".join(parts)

    # -- what belongs to a source ---------------------------------------------------------------------------------

    def _credentials(self, source: str) -> Credentials | None:
        access = self.access.get(source)
        return access.credentials if access else None

    def _own(self, source: str, origin: _Origin) -> Access | None:
        """Return the access of the source if this is its own origin, else None."""
        access = self.access.get(source)
        return access if access and _origin(_clean(access.url)).covers(origin) else None

    def _dressed(self, request: Request, url: str, origin: _Origin, *, plain: bool) -> tuple[dict[str, str], str]:
        """Return headers and address as they are sent: with credentials for the source's own origin, else without."""
        email = self.settings.text("admin_email")
        headers = {
            "User-Agent": self.settings.text("fetch_user_agent") or f"oai-gateway/{_VERSION} (mailto:{email})",
            "From": email,
            "Accept": "text/xml, application/xml;q=0.9, */*;q=0.5",
            "Accept-Encoding": "identity" if plain else "gzip;q=1.0, deflate;q=0.8, identity;q=0.5",
            **self._own_headers(request, origin),
            **dict(request.sink.headers() if request.sink is not None else ()),
        }
        own = self._own(request.source, origin)
        if own is None or own.credentials is None:
            return headers, url
        headers.update(own.credentials.headers())
        pair = own.credentials.argument()
        if pair is None:
            return headers, url
        parts = urlsplit(url)
        query = "&".join(filter(None, (parts.query, urlencode([pair]))))
        return headers, urlunsplit(parts._replace(query=query))

    def _own_headers(self, request: Request, origin: _Origin) -> dict[str, str]:
        """Return the headers of a request, for whom it asks; for whom a redirect leads to, only those for anybody."""
        is_asked = _origin(_clean(request.url)).covers(origin)
        return {name: value for name, value in request.headers if is_asked or name.lower() in _FOR_ANYBODY}

    def _lent(self, source: str, origin: _Origin) -> AbstractContextManager[Channel]:
        """Lend a session: one of the source's own, or one of all those of which nothing is told but their names."""
        owner = source if source in self.access else ""
        return self._channels.lent((owner, origin), source, lambda: self._opened(owner, origin))

    def _opened(self, source: str, origin: _Origin) -> Channel:
        access = self.access.get(source)
        hosts = frozenset((_origin(_clean(access.url)).host,)) if access else frozenset[str]()
        adapter = GuardedAdapter(Guard(self.allowed, hosts, self.resolve))
        session = _Session()
        session.trust_env = False  # neither passwords from .netrc nor proxies that nobody here configured
        session.headers.clear()
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        own = self._own(source, origin)
        if own is not None:
            session.verify = own.verify
            session.cert = own.credentials.client_certificate() if own.credentials else None
        return Channel(session, adapter, speaks_for=source)

    def _take_turn(self, source: str, host: str) -> None:
        """Keep the pause between two requests to one host, whichever sources they are for."""
        access = self.access.get(source)
        delay = access.delay_seconds if access else None
        if delay is None:
            delay = self.settings.seconds("fetch_delay_seconds")
        seconds = self._pace.turn(host, delay, self.monotonic())
        if seconds > 0:
            self.sleep(seconds)


_VERSION = version("oai-gateway")


def _bitten(watchdog: Watchdog, url: str) -> Fault | None:
    """Return the fault that the time was over, or None."""
    if not watchdog.has_bitten:
        return None
    return Fault(AnswerTooSlow(f"{_shown(url)} took longer than {watchdog.seconds:g} seconds."))


def _pour(response: requests.Response, sink: Sink) -> None:
    """Give the body to a sink as it comes, without the encoding that it came in."""
    is_encoded = bool(response.headers.get("Content-Encoding"))
    is_to_decode = is_encoded and not is_compressed_file(response.headers.get("Content-Type", ""))
    while part := response.raw.read(_CHUNK, decode_content=is_to_decode):
        sink.write(part)


def _clean(url: str) -> str:
    """Return the address without user, password and fragment, legally written. Raise AddressRefused for no address."""
    try:
        parts = urlsplit(url.strip())
        _origin_of(parts)
    except ValueError as error:
        raise AddressRefused(f"{_shown(url)} is no address of the web: {error}.") from error
    host = parts.netloc.rpartition("@")[2]
    path, query = (_STRAY_PERCENT.sub("%25", quote(part, safe=_SAFE)) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, host, path, query, ""))


def _origin(url: str) -> _Origin:
    return _origin_of(urlsplit(url))


def _origin_of(parts: SplitResult) -> _Origin:
    if parts.scheme not in _DEFAULT_PORTS:
        raise ValueError(f"its scheme is {parts.scheme or 'missing'!r}, not http or https")
    if not parts.hostname:
        raise ValueError("it names no host")
    return _Origin(parts.scheme, parts.hostname.lower().rstrip("."), parts.port or _DEFAULT_PORTS[parts.scheme])


def _shown(url: str) -> str:
    """Return the address as a sentence may show it: without user, password and keys, and not too long."""
    scheme, separator, rest = without_keys(url).partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"[:300]
