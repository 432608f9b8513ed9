"""The one seam to the network: `Web` is a `Fetch`. It does pauses, repetition, limits, redirects and credentials.

    request -> pause -> [ hop -> redirect ]* -> decode -> answer, or pause and repeat, or an error of ours

No code above it sleeps or repeats because of the network. No code below it knows the purpose of a request.
"""

import logging
import os
import random
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import Self
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

import requests
import urllib3
from urllib3.util.ssl_ import create_urllib3_context

from gateway.core import errors
from gateway.core.address_rules import Allowed
from gateway.core.names import source_of
from gateway.core.settings import Settings
from harvester.http.address_guard import Guard, Own, Proxies, Resolve, shown_proxy
from harvester.http.connections import Channel, Channels, GuardedAdapter, Watchdog, folded_headers
from harvester.http.content_encoding import decoded, is_compressed_file
from harvester.http.credentials import Access, Credentials
from harvester.http.messages import Fetch, Fetched, Request, Sink
from harvester.http.retrying import LIBRARY_ERRORS, Fault, Pace, Rate, Waiting, asks_to_wait, fault_from, is_passing
from harvester.http.urls import Origin, clean, origin_of, shown

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_MOST_REDIRECTS = 10
_CHUNK = 1 << 20  # bytes read at once
_TRICKLE = 1 << 16  # the same, where the pace of the body is measured
_MOST_BESIDE = 10_000_000  # bytes of an answer that a sink does not take: an error page or a redirect
_MOST_DIGITS = 18  # of a Content-Length
# Headers that are sent to every host of a redirect. Others, such as keys, are sent to the first host only.
_FOR_ANYBODY = frozenset(
    ("accept", "accept-encoding", "cache-control", "content-type", "if-modified-since", "if-none-match", "range")
)
log = logging.getLogger("harvester")


class _Session(requests.Session):
    """A session that follows no redirect: `Web` does, with limits."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: not followed."""


@dataclass(frozen=True, slots=True)
class _Answer:
    fetched: Fetched
    location: str


class Web:
    """Fetches. One instance serves all sources, and any number of threads.

    A call returns the answer with its final status, whatever that is. Without an answer it raises AddressRefused,
    ConnectionFailed, AnswerTooLarge, AnswerTooSlow, TryLater or RemoteRefuses (too many redirects). It raises
    ConfigurationError when a secret is missing. Answers, errors and logs contain no secrets.
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
        """`access` says how each source is reached, by name; `allow` what is allowed besides public addresses.

        `pace` may be shared between instances. `ports` are those allowed at other hosts than a source; empty: all.
        `environ` may name proxies. Raise ConfigurationError for an invalid entry of `allow` or address of a proxy.
        """
        self.settings = settings
        self.access = dict(access or {})
        self.allow = tuple(allow)
        Allowed(self.allow)  # refuses invalid entries now, not at the first request
        self.proxies = Proxies(environ)
        self.clock, self.monotonic, self.sleep, self.chance, self.resolve = clock, monotonic, sleep, chance, resolve
        self.ports = ports
        self._channels = Channels()
        self._pace = pace or Pace()
        if not all(source_access.verify for source_access in self.access.values()):
            # The administrator chose this; a warning with every request is noise.
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
        """Return the answer to one request. Raise the errors that the class names."""
        waiting = Waiting(request, self.settings, self.sleep, self.clock, self.chance)
        waiting.before_repetition()
        plain = False  # whether to ask for no compression, after a damaged one
        while True:
            try:
                fetched = self._followed(request, plain=plain)
            except Fault as fault:
                if not waiting.may_mend(fault):
                    if fault.is_unreached:  # the next request fails at once
                        self._pace.note_gone(_server(origin_of(clean(request.url))))
                    raise fault.error from fault.cause
                plain = plain or fault.was_compressed
                waiting.after_fault(at_once=fault.is_stale)
                continue
            fetched = replace(fetched, was_damaged=plain) if plain else fetched
            if not is_passing(fetched, request.mark):
                return fetched
            if not waiting.has_tries(is_busy=asks_to_wait(fetched)):
                if asks_to_wait(fetched):
                    raise errors.TryLater(f"{shown(request.url)} still answers {fetched.status} after all repetitions.")
                return fetched
            waiting.after_answer(fetched)

    # -- one request, with its redirects -------------------------------------------------------------------------

    def _followed(self, request: Request, *, plain: bool) -> Fetched:
        url, method = clean(request.url), request.method
        for hop in range(_MOST_REDIRECTS + 1):
            try:
                request.permits(url)
                answer = self._hop(request, url, method, plain=plain)
            except errors.AddressRefused as error:
                raise errors.AddressRefused(
                    f"{shown(request.url)} redirects to {shown(url)}: {error}" if hop else str(error)
                ) from error
            if not request.follows or answer.fetched.status not in _REDIRECTS or not answer.location:
                return answer.fetched
            url = self._redirected(request.source, url, answer.location)
            # 301 and 302 keep the method: a POST turned into a GET would lose its arguments.
            method = "GET" if answer.fetched.status == 303 and method != "HEAD" else method  # noqa: PLR2004
        raise errors.RemoteRefuses(f"{shown(request.url)} redirects more than {_MOST_REDIRECTS} times.")

    def _redirected(self, source: str, url: str, location: str) -> str:
        """Return the absolute target of a redirect, without user, password and the secret argument."""
        try:
            target = clean(urljoin(url, location))
        except ValueError as error:
            raise errors.RemoteRefuses(
                f"{shown(url)} redirects to {location[:200]!r}, which is not a valid URL."
            ) from error
        credentials = self._credentials(source)
        if credentials is None or credentials.kind != "query":
            return target
        parts = urlsplit(target)
        kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != credentials.name]
        if len(kept) == len(parse_qsl(parts.query, keep_blank_values=True)):
            return target
        return urlunsplit(parts._replace(query=urlencode(kept)))

    def _hop(self, request: Request, url: str, method: str, *, plain: bool) -> _Answer:
        """Send one request and read its whole answer before the deadline."""
        origin = origin_of(url)
        headers, sent_url = self._dressed(request, url, origin, plain=plain)
        owner = self._owner(request.source)  # all sources without an `Access` share a session
        with self._channels.lent((owner, origin), request.source, lambda: self._opened(owner, origin)) as channel:
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
            except errors.ConnectionFailed as error:  # a damaged encoding: the repetition asks for none
                raise _bitten(watchdog, request, url) or Fault(error, error.__cause__, was_compressed=True) from None
            except LIBRARY_ERRORS as error:
                proxy = channel.adapter.proxy
                where = f"{shown(url)} (through the proxy {shown_proxy(proxy)})" if proxy else shown(url)
                fault = fault_from(error, where, is_reused=channel.adapter.tried == tried)
                has_answered = self._pace.has_answered(_server(origin_of(url)), self.monotonic())
                fault.never_answered = fault.is_unreached and not has_answered
                raise _bitten(watchdog, request, url) or fault from None
        if bitten := _bitten(watchdog, request, url):
            raise bitten  # truncated headers look like complete ones
        return answer

    def _exchange(
        self, channel: Channel, request: Request, method: str, sent_url: str, url: str, headers: dict[str, str]
    ) -> _Answer:
        timeouts = (
            self.settings.seconds("fetch_connect_timeout_seconds"),
            self.settings.seconds("fetch_read_timeout_seconds"),
        )
        began = self.monotonic()
        session = channel.session  # it adds nothing else to a request, so its own preparation is skipped
        content = (request.body or None) if method == request.method else None
        sent = requests.Request(method, sent_url, headers=headers, data=content, cookies=session.cookies).prepare()
        with session.send(sent, stream=True, allow_redirects=False, timeout=timeouts) as response:
            self._pace.note_answer(_server(origin_of(url)), began)
            limit = most_bytes(self.settings)
            limit = limit if request.sink is None else min(limit, _MOST_BESIDE)
            given = tuple(response.headers.items())
            folded = folded_headers(response.raw)
            head = Fetched(url, response.status_code, given, b"", int(self.clock()), folded=folded)
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
            now = int(self.clock())
            fetched = Fetched(url, head.status, given, body, now, took, note=note, folded=folded)
            return _Answer(fetched, fetched.location)

    def _read(self, response: requests.Response, url: str, limit: int) -> bytes:
        """Return the body as sent. Raise AnswerTooLarge beyond the limit, AnswerTooSlow below the least rate."""
        announced = response.headers.get("Content-Length", "")
        is_announced = response.request.method != "HEAD" and announced.isdecimal()
        if is_announced and (len(announced) > _MOST_DIGITS or int(announced) > limit):
            raise errors.AnswerTooLarge(f"The answer has more than {limit} bytes: {announced[:_MOST_DIGITS]}.")
        parts = BytesIO()  # returns its content without a copy
        size, rate = 0, self._rate(url)
        while part := response.raw.read1(_CHUNK, decode_content=False):
            size += len(part)
            if size > limit:
                raise errors.AnswerTooLarge(f"The answer has more than {limit} bytes.")
            parts.write(part)
            rate.check(size)
        return parts.getvalue()

    def _rate(self, url: str) -> Rate:
        return Rate(url, self.settings.number("fetch_min_bytes_per_second"), self.monotonic)

    def _pour(self, response: requests.Response, sink: Sink, url: str) -> None:
        """Write the decoded body to a sink piece by piece. Raise AnswerTooSlow below the least rate."""
        is_encoded = bool(response.headers.get("Content-Encoding"))
        is_to_decode = is_encoded and not is_compressed_file(response.headers.get("Content-Type", ""))
        size, rate = 0, self._rate(url)
        # A whole chunk of a slow body could take hours.
        read, most = (response.raw.read1, _TRICKLE) if rate.least else (response.raw.read, _CHUNK)
        while part := read(most, decode_content=is_to_decode):
            sink.write(part)
            size += len(part)
            rate.check(size)

    # -- what belongs to a source ---------------------------------------------------------------------------------

    def _owner(self, source: str) -> str:
        """Return the source whose access applies: the one that is named, or that of the item; empty: none."""
        names = (source, source_of(source))
        return next((name for name in names if name in self.access), "")

    def _credentials(self, source: str) -> Credentials | None:
        access = self.access.get(self._owner(source))
        return access.credentials if access else None

    def _own(self, source: str, origin: Origin) -> Access | None:
        """Return the access of the source if this is its own origin, else None."""
        access = self.access.get(self._owner(source))
        return access if access and access.url and origin_of(clean(access.url)).covers(origin) else None

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
        """Return the headers of a request for its own origin; for other origins only those in `_FOR_ANYBODY`."""
        is_asked = origin_of(clean(request.url)).covers(origin)
        return {name: value for name, value in request.headers if is_asked or name.lower() in _FOR_ANYBODY}

    def _opened(self, source: str, origin: Origin) -> Channel:
        adapter = self._adapter(source, origin)
        session = _Session()
        session.trust_env = False  # no passwords from .netrc, no proxies of the environment
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
        """Return the adapter, through a proxy where there is one. Raise AddressRefused when the host is not allowed."""
        access = self.access.get(self._owner(source))
        allowed = Allowed((*self.allow, *(access.allow if access else ())))
        guard = Guard(allowed, self._place(source), self.resolve, self.ports)
        proxy = self.proxies.of(*origin)
        if proxy:
            guard.check_name(origin.host, origin.port)
        bundles = (self.settings.text("fetch_ca_bundle"), access.ca_bundle if access else "")
        return GuardedAdapter(guard, proxy, trusting([self.settings.instance / bundle for bundle in bundles if bundle]))

    def _place(self, source: str) -> Own | None:
        access = self.access.get(self._owner(source))
        if access is None or not access.url:
            return None
        own = origin_of(clean(access.url))
        return Own(own.host, own.port, source, access.classes)

    def _take_turn(self, source: str, host: str) -> None:
        """Wait for the pause between two requests to one host, of any source."""
        access = self.access.get(self._owner(source))
        delay = access.delay_seconds if access else None
        if delay is None:
            delay = self.settings.seconds("fetch_delay_seconds")
        seconds = self._pace.turn(host, delay, self.monotonic())
        if seconds > 0:
            self.sleep(seconds)


_VERSION = version("oai-gateway")


def _server(origin: Origin) -> str:
    """Return host and port as one text. Each port is a server of its own."""
    return f"{origin.host}:{origin.port}"


def most_bytes(settings: Settings) -> int:
    """Return how many bytes an answer that is read into memory may have."""
    return min(settings.number("fetch_max_bytes"), settings.number("fetch_document_max_bytes"))


def _bitten(watchdog: Watchdog, request: Request, url: str) -> Fault | None:
    """Return a fault when the deadline has passed, else None."""
    if not watchdog.has_bitten:
        return None
    sentence = f"{shown(url)} took longer than {watchdog.seconds:g} seconds."
    return Fault(errors.AnswerTooSlow(sentence), is_passing=request.deadline_seconds is None)


# --- Private certificate authorities that are trusted besides the public ones ----------------------------------------


def trusting(bundles: Sequence[Path]) -> ssl.SSLContext | None:
    """Return a TLS context that trusts these PEM files besides the public authorities; None without a file.

    Raise ConfigurationError when a file cannot be read or has no certificate.
    """
    if not bundles:
        return None
    context = create_urllib3_context()
    for bundle in bundles:
        try:
            context.load_verify_locations(cafile=bundle)
        except ssl.SSLError as error:
            raise errors.ConfigurationError(f"The ca_bundle {bundle} has no certificate in PEM format.") from error
        except OSError as error:
            raise errors.ConfigurationError(f"The ca_bundle {bundle} cannot be read: {error.strerror}.") from error
    return context


def logged(fetch: Fetch) -> Fetch:
    """Return a Fetch that logs one line per request at level DEBUG, and raises the errors of `fetch`."""

    def asked(request: Request) -> Fetched:
        began = monotonic()
        try:
            fetched = fetch(request)
        except errors.GatewayError as error:
            log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), error, monotonic() - began)
            raise
        facts = f"{fetched.status}, {len(fetched.body)} bytes"
        log.debug("%s %s: %s (%.1f s)", request.method, shown(request.url), facts, monotonic() - began)
        return fetched

    return asked
