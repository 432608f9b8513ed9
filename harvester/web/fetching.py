"""The one seam to the network: `Web` is a `Fetch`. Politeness, repetition, limits, redirects and credentials are here.

    request -> pause -> [ hop -> redirect ]* -> decode -> answer, or pause and again, or an error of ours

Nothing above it sleeps or repeats because of the network; nothing below it knows what is asked for.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from importlib.metadata import version
from io import BytesIO
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

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
from harvester.web.access import Access
from harvester.web.certificates import trusting
from harvester.web.channels import Channel, Channels
from harvester.web.connections import GuardedAdapter, Watchdog
from harvester.web.encodings import decoded, is_compressed_file
from harvester.web.faults import LIBRARY_ERRORS, Fault, fault_from
from harvester.web.guard import Guard, Own, Resolve
from harvester.web.pacing import Pace, Rate
from harvester.web.proxies import Proxies
from harvester.web.proxies import shown as shown_proxy
from harvester.web.retrying import Waiting, asks_to_wait, is_passing
from harvester.web.urls import Origin, clean, origin_of, shown
from harvester.wire.http import Fetch, Fetched, Request, Sink

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 10
_CHUNK = 1 << 20  # bytes read at once
_TRICKLE = 1 << 16  # of a body whose pace is looked at
_MOST_BESIDE = 10_000_000  # bytes of an answer that a sink does not take: a word about an error, or a redirect
_MOST_DIGITS = 18  # of a Content-Length
# What is said to every host that a redirect leads to; all else is for the one that was asked, keys among it.
_FOR_ANYBODY = frozenset(
    ("accept", "accept-encoding", "cache-control", "content-type", "if-modified-since", "if-none-match", "range")
)


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
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Take the settings, how each source is reached by name, and what is allowed besides public addresses.

        `pace` is shared with others who ask the same hosts. `ports` are those that strangers are asked at; none: any.
        `environ` may name proxies.
        """
        self.settings = settings
        self.access = dict(access or {})
        self.allow = tuple(allow)
        Allowed(self.allow)  # what cannot be allowed is refused now, not with the first request
        self.proxies = Proxies(environ)
        self.clock, self.monotonic, self.sleep, self.chance, self.resolve = clock, monotonic, sleep, chance, resolve
        self.ports = ports
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
        waiting = Waiting(
            self.settings,
            self.sleep,
            self.clock,
            self.chance,
            request.patience,
            shown(request.url),
            request.waits_seconds,
        )
        waiting.before_repetition(request.repetition)
        plain = False  # whether to ask for no compression, after a damaged one
        while True:
            try:
                fetched = self._followed(request, plain=plain)
            except Fault as fault:
                if not waiting.may_mend(fault):
                    self._note_gone(request, fault)
                    raise fault.error from fault.cause
                plain = plain or fault.was_compressed
                waiting.after_fault(at_once=fault.is_stale)
                continue
            fetched = replace(fetched, was_damaged=plain) if plain else fetched
            if not is_passing(fetched, request.mark):
                return fetched
            if not waiting.has_tries(is_busy=asks_to_wait(fetched)):
                if asks_to_wait(fetched):
                    raise TryLater(f"{shown(request.url)} still answers {fetched.status} after all repetitions.")
                return fetched
            waiting.after_answer(fetched)

    # -- one request, with its redirects -------------------------------------------------------------------------

    def _followed(self, request: Request, *, plain: bool) -> Fetched:
        url, method = clean(request.url), request.method
        for hop in range(_MOST_REDIRECTS + 1):
            try:
                request.permits(url)
                answer = self._hop(request, url, method, plain=plain)
            except AddressRefused as error:
                raise AddressRefused(
                    f"{shown(request.url)} leads to {shown(url)}: {error}" if hop else str(error)
                ) from error
            if not request.follows or answer.fetched.status not in _REDIRECTS or not answer.location:
                return answer.fetched
            url = self._redirected(request.source, url, answer.location)
            # 301 and 302 keep the method: a POST turned into a GET would lose its arguments.
            method = "GET" if answer.fetched.status == 303 and method != "HEAD" else method  # noqa: PLR2004
        raise RemoteRefuses(f"{shown(request.url)} redirects more than {_MOST_REDIRECTS} times.")

    def _redirected(self, source: str, url: str, location: str) -> str:
        """Return where a redirect leads: absolute, without user, password and the key that is ours to add."""
        try:
            target = clean(urljoin(url, location))
        except ValueError as error:
            raise RemoteRefuses(f"{shown(url)} redirects to {location[:200]!r}, which is no address.") from error
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
        origin = origin_of(url)
        headers, sent_url = self._dressed(request, url, origin, plain=plain)
        with self._lent(request.source, origin) as channel:
            self._take_turn(request.source, origin.host)
            return self._sent(channel, request, url, method, sent_url, headers)

    def _sent(
        self, channel: Channel, request: Request, url: str, method: str, sent_url: str, headers: dict[str, str]
    ) -> _Answer:
        tried = channel.adapter.tried
        setting = "fetch_file_deadline_seconds" if request.sink is not None else "fetch_deadline_seconds"
        seconds, own = self.settings.seconds(setting), request.deadline_seconds
        with channel.adapter.watched(seconds if own is None else min(seconds, own)) as watchdog:
            try:
                answer = self._exchange(channel, request, method, sent_url, url, headers)
            except ConnectionFailed as error:  # a damaged encoding: to be asked for again without
                raise _bitten(watchdog, request, url) or Fault(error, error.__cause__, was_compressed=True) from None
            except LIBRARY_ERRORS as error:
                fault = fault_from(error, _where(url, channel), is_reused=channel.adapter.tried == tried)
                fault.is_unheard = fault.is_unreached and not self._has_answered(origin_of(url))
                raise _bitten(watchdog, request, url) or fault from None
        if bitten := _bitten(watchdog, request, url):
            raise bitten  # headers that break off look like headers that end
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
            self._pace.note_answer(_server(origin_of(url)), began)
            limit = most_bytes(self.settings)
            limit = limit if request.sink is None else min(limit, _MOST_BESIDE)
            given = tuple(response.headers.items())
            head = Fetched(url, response.status_code, given, b"", int(self.clock()))
            if request.sink is not None and request.sink.begin(head):
                self._pour(response, request.sink, url)
                return _Answer(head, "")
            raw = self._read(response, url, limit)
            encoding = response.headers.get("Content-Encoding", "")
            body, note = decoded(raw, encoding, response.headers.get("Content-Type", ""), limit) if raw else (b"", "")
            credentials = self._credentials(request.source)
            if credentials is not None:
                given = tuple((name, credentials.blotted(value.encode()).decode()) for name, value in given)
                body = credentials.blotted(body)
            took = self.monotonic() - began
            fetched = Fetched(url, response.status_code, given, body, int(self.clock()), took, note=note)
            return _Answer(fetched, fetched.location)

    def _read(self, response: requests.Response, url: str, limit: int) -> bytes:
        """Read the body as it was sent. Raise AnswerTooLarge beyond the limit, AnswerTooSlow when it trickles."""
        announced = response.headers.get("Content-Length", "")
        is_announced = response.request.method != "HEAD" and announced.isdecimal()
        if is_announced and (len(announced) > _MOST_DIGITS or int(announced) > limit):
            raise AnswerTooLarge(f"The answer has more than {limit} bytes: {announced[:_MOST_DIGITS]}.")
        parts = BytesIO()  # which gives what it holds without a copy
        size, rate = 0, self._rate(url)
        while part := response.raw.read1(_CHUNK, decode_content=False):
            size += len(part)
            if size > limit:
                raise AnswerTooLarge(f"The answer has more than {limit} bytes.")
            parts.write(part)
            rate.check(size)
        return parts.getvalue()

    def _rate(self, url: str) -> Rate:
        return Rate(url, self.settings.number("fetch_min_bytes_per_second"), self.monotonic)

    def _pour(self, response: requests.Response, sink: Sink, url: str) -> None:
        """Give the body to a sink as it comes, without the encoding that it came in; AnswerTooSlow when it trickles."""
        is_encoded = bool(response.headers.get("Content-Encoding"))
        is_to_decode = is_encoded and not is_compressed_file(response.headers.get("Content-Type", ""))
        size, rate = 0, self._rate(url)
        # A whole chunk of a body that trickles would not be there for hours.
        read, most = (response.raw.read1, _TRICKLE) if rate.least else (response.raw.read, _CHUNK)
        while part := read(most, decode_content=is_to_decode):
            sink.write(part)
            size += len(part)
            rate.check(size)

    def _has_answered(self, origin: Origin) -> bool:
        return self._pace.has_answered(_server(origin), self.monotonic())

    def _note_gone(self, request: Request, fault: Fault) -> None:
        """Let the next request to a server that cannot be reached any more fail at once."""
        if fault.is_unreached:
            self._pace.note_gone(_server(origin_of(clean(request.url))))

    # -- what belongs to a source ---------------------------------------------------------------------------------

    def _credentials(self, source: str) -> Credentials | None:
        access = self.access.get(source)
        return access.credentials if access else None

    def _own(self, source: str, origin: Origin) -> Access | None:
        """Return the access of the source if this is its own origin, else None."""
        access = self.access.get(source)
        return access if access and origin_of(clean(access.url)).covers(origin) else None

    def _dressed(self, request: Request, url: str, origin: Origin, *, plain: bool) -> tuple[dict[str, str], str]:
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

    def _own_headers(self, request: Request, origin: Origin) -> dict[str, str]:
        """Return the headers of a request, for whom it asks; for whom a redirect leads to, only those for anybody."""
        is_asked = origin_of(clean(request.url)).covers(origin)
        return {name: value for name, value in request.headers if is_asked or name.lower() in _FOR_ANYBODY}

    def _lent(self, source: str, origin: Origin) -> AbstractContextManager[Channel]:
        """Lend a session: one of the source's own, or one of all those of which nothing is told but their names."""
        owner = source if source in self.access else ""
        return self._channels.lent((owner, origin), source, lambda: self._opened(owner, origin))

    def _opened(self, source: str, origin: Origin) -> Channel:
        adapter = self._adapter(source, origin)
        session = _Session()
        session.trust_env = False  # neither passwords from .netrc nor what else the environment says
        session.headers.clear()
        session.proxies = {origin.scheme: adapter.proxy} if adapter.proxy else {}
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        own = self._own(source, origin)
        if own is not None:
            session.verify = own.verify
            session.cert = own.credentials.client_certificate() if own.credentials else None
        return Channel(session, adapter, speaks_for=source)

    def _adapter(self, source: str, origin: Origin) -> GuardedAdapter:
        """Return what connects, through a proxy where there is one. Raise AddressRefused when it may not be asked."""
        access = self.access.get(source)
        allowed = Allowed((*self.allow, *(access.allow if access else ())))
        guard = Guard(allowed, self._place(source), self.resolve, self.ports)
        proxy = self.proxies.of(*origin)
        if proxy:
            guard.check_name(origin.host, origin.port)
        bundles = (self.settings.text("fetch_ca_bundle"), access.ca_bundle if access else "")
        return GuardedAdapter(guard, proxy, trusting([self.settings.instance / each for each in bundles if each]))

    def _place(self, source: str) -> Own | None:
        access = self.access.get(source)
        if access is None:
            return None
        own = origin_of(clean(access.url))
        return Own(own.host, own.port, source, access.classes)

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


def _server(origin: Origin) -> str:
    """Return a host and port as one text: what listens at one port says nothing of the others."""
    return f"{origin.host}:{origin.port}"


def _where(url: str, channel: Channel) -> str:
    """Return where a request went, for a sentence."""
    proxy = channel.adapter.proxy
    return f"{shown(url)} (through the proxy {shown_proxy(proxy)})" if proxy else shown(url)


def most_bytes(settings: Settings) -> int:
    """Return how many bytes an answer may have that is held in memory as a whole."""
    return min(settings.number("fetch_max_bytes"), settings.number("fetch_document_max_bytes"))


def _bitten(watchdog: Watchdog, request: Request, url: str) -> Fault | None:
    """Return the fault that the time was over, or None."""
    if not watchdog.has_bitten:
        return None
    sentence = f"{shown(url)} took longer than {watchdog.seconds:g} seconds."
    return Fault(AnswerTooSlow(sentence), is_passing=request.deadline_seconds is None)
