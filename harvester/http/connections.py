"""Connections to places that the guard allows, and sessions over them: below `fetching`, above the sockets.

A watchdog ends a request that takes too long, even where the server sends one byte a minute. If there is a proxy, every
connection is made to the proxy, and the proxy looks names up. A session is lent to one request at a time.
"""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ssl import SSLContext
from threading import Lock, Timer
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.cookies import RequestsCookieJar
from urllib3 import HTTPConnectionPool, PoolManager, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from gateway.core.errors import ConnectionFailed
from harvester.http.address_guard import Guard, Place

_CONTINUE, _SWITCHING, _OK = 100, 101, 200
_MOST_INFORMATIONAL = 20  # informational answers before the final one; a server sends one or two
MOST_IDLE = 64
_MOST_JARS = 256  # a search has far fewer works under way


class GuardedAdapter(HTTPAdapter):
    """requests' adapter over guarded connections. `tried` counts them; the watchdog can end the newest.

    Once `is_over` is set, no further address of a name is tried, and a connection that was being made is ended.
    """

    def __init__(self, guard: Guard, proxy: str = "", context: SSLContext | None = None) -> None:
        self.guard = guard
        self.proxy = proxy
        self.context = context
        self.tried = 0
        self.newest: socket.socket | None = None
        self.is_over = False
        super().__init__(max_retries=0)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:  # noqa: ANN401 - requests' own signature
        """Make the pools of guarded connections."""
        options |= {"num_pools": connections, "maxsize": maxsize, "block": block}
        self.poolmanager = _GuardedPools(self.connect, **options, **self._trust())

    def proxy_manager_for(self, proxy: str, **options: Any) -> ProxyManager:  # noqa: ANN401 - requests' own signature
        """Return the pools of connections to the proxy."""
        pools: ProxyManager | None = self.proxy_manager.get(proxy)
        if pools is None:
            trust = {**self._trust(), "proxy_ssl_context": self.context, "proxy_headers": self.proxy_headers(proxy)}
            pools = self.proxy_manager[proxy] = _ProxiedPools(self.connect, proxy_url=proxy, **options, **trust)
        return pools

    def cert_verify(self, conn: Any, url: str, verify: bool | str, cert: Any) -> None:  # noqa: ANN401 - requests' own
        """Verify the certificate of a proxy for plain requests too: requests looks at the scheme of the URL alone."""
        if self.proxy.startswith("https:") and url.startswith("http:"):
            super().cert_verify(conn, self.proxy, True, None)  # type: ignore[no-untyped-call]
        else:
            super().cert_verify(conn, url, verify, cert)  # type: ignore[no-untyped-call]

    def _trust(self) -> dict[str, SSLContext]:
        return {"ssl_context": self.context} if self.context else {}

    def connect(self, connection: HTTPConnection) -> socket.socket:
        """Return a socket that is connected to a place that the guard allows, or to the proxy.

        Raise AddressRefused, or urllib3's NameResolutionError, ConnectTimeoutError or NewConnectionError.
        """
        self.tried += 1
        try:
            places = self._places(connection.host.strip("[]"), connection.port or connection.default_port)
        except (socket.gaierror, UnicodeError) as error:
            raise NameResolutionError(connection.host, connection, error) from error  # type: ignore[arg-type]
        last: OSError = OSError("no address")
        for place in places:
            if self.is_over:
                break
            try:
                self.newest = newest = _connected(place, connection)
            except OSError as error:
                last = error
            else:
                if self.is_over:  # since it was begun: `break_off` did not see it
                    self.break_off()
                return newest
        if isinstance(last, TimeoutError):
            raise ConnectTimeoutError(connection, "no connection in time") from last
        raise NewConnectionError(connection, str(last)) from last

    def _places(self, host: str, port: int) -> Sequence[Place]:
        if self.proxy:  # the administrator named it
            return self.guard.resolve(host, port, type=socket.SOCK_STREAM)
        return self.guard.places(host, port)

    def break_off(self) -> None:
        """End the newest connection, and one that is being made. The thread that uses it gets an error at once."""
        self.is_over = True
        if self.newest is not None:
            try:
                # The plain socket: a shutdown of TLS would wait for the other side.
                socket.socket.shutdown(self.newest, socket.SHUT_RDWR)
            except OSError:
                return  # it has ended itself

    @contextmanager
    def watched(self, seconds: float) -> Iterator[Watchdog]:
        """End the connection when the block takes longer than so many seconds."""
        self.is_over = False
        watchdog = Watchdog(self, seconds)
        timer = Timer(seconds, watchdog.bite)
        timer.daemon = True
        timer.start()
        try:
            yield watchdog
        finally:
            timer.cancel()


class Watchdog:
    """The time limit of one request. `has_bitten` says whether it passed."""

    def __init__(self, adapter: GuardedAdapter, seconds: float) -> None:
        self.adapter = adapter
        self.seconds = seconds
        self.has_bitten = False

    def bite(self) -> None:
        """End the connection. The thread that uses it gets an error at once."""
        self.has_bitten = True
        self.adapter.break_off()


def _connected(place: Place, connection: HTTPConnection) -> socket.socket:
    family, kind, protocol, _, address = place
    sock = socket.socket(family, kind, protocol)
    try:
        for option in connection.socket_options or ():
            sock.setsockopt(*option)
        timeout = connection.timeout
        if isinstance(timeout, (int, float)):
            sock.settimeout(timeout)
        sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


class _FinalResponse(http.client.HTTPResponse):
    """A final answer. Informational ones before it are skipped: 102 Processing, 103 Early Hints (RFC 9110 §15.2).

    The standard library skips only 100 and returns the others. 101 counts as final: no request asks to switch.
    `folded` names the headers that had line folds.
    """

    folded: tuple[str, ...] = ()

    def begin(self) -> None:
        super().begin()
        self.folded = tuple(name.lower() for name, value in self.headers.items() if "\n" in value or "\r" in value)

    def _read_status(self) -> tuple[str, int, str]:
        for _ in range(_MOST_INFORMATIONAL):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not _CONTINUE <= status < _OK or status == _SWITCHING:
                return version, status, reason
            http.client.parse_headers(self.fp)
        raise http.client.HTTPException(f"more than {_MOST_INFORMATIONAL - 1} informational answers, and no other")


def folded_headers(raw: object) -> tuple[str, ...]:
    """Return the names of the headers of an answer that had line folds (RFC 9112 §5.2), in lower case.

    `raw` is the answer as urllib3 returns it, which removes the folds.
    """
    original = getattr(raw, "_original_response", None)
    return original.folded if isinstance(original, _FinalResponse) else ()


class _GuardedPools(PoolManager):
    """Pools whose connections are made by `connect`."""

    def __init__(self, connect: Callable[[HTTPConnection], socket.socket], **options: Any) -> None:  # noqa: ANN401 - urllib3's own
        self.connect = connect
        super().__init__(**options)

    def _new_pool(
        self, scheme: str, host: str, port: int, request_context: dict[str, Any] | None = None
    ) -> HTTPConnectionPool:
        pool = super()._new_pool(scheme, host, port, request_context)
        connect = self.connect

        class Guarded(HTTPSConnection if scheme == "https" else HTTPConnection):  # type: ignore[misc]
            response_class = _FinalResponse

            def _new_conn(self) -> socket.socket:
                return connect(self)

        pool.ConnectionCls = Guarded
        return pool


class _ProxiedPools(_GuardedPools, ProxyManager):
    """The same, of connections to a proxy."""


@dataclass(slots=True, eq=False)
class Channel:
    """A session with one host, its certificates and connections. Its cookies belong to the source `speaks_for`."""

    session: requests.Session
    adapter: GuardedAdapter
    place: Hashable = None
    speaks_for: str = ""


class Channels:
    """All sessions of one `Web`. Safe for threads."""

    def __init__(self) -> None:
        self._idle: list[Channel] = []  # what was used last is at the end
        self._lent: set[Channel] = set()
        self._jars: dict[str, RequestsCookieJar] = {}  # what was used last is at the end
        self._lock = Lock()
        self._is_broken_off = False

    @contextmanager
    def lent(self, place: Hashable, speaks_for: str, opened: Callable[[], Channel]) -> Iterator[Channel]:
        """Lend a session for a place to one request; open one when none is idle.

        It gets the cookies of the source `speaks_for`. Raise ConnectionFailed after `break_off`.
        """
        channel = self._taken(place, opened)
        try:
            if channel.speaks_for != speaks_for:
                channel.session.cookies = self._jar(speaks_for)
                channel.speaks_for = speaks_for
            yield channel
        finally:
            self._returned(channel)

    def _taken(self, place: Hashable, opened: Callable[[], Channel]) -> Channel:
        with self._lock:
            if self._is_broken_off:
                raise ConnectionFailed("All requests were cancelled.")
            channel = next((channel_ for channel_ in reversed(self._idle) if channel_.place == place), None)
            if channel is None:
                channel = opened()
                channel.place = place
            else:
                self._idle.remove(channel)
            self._lent.add(channel)
            return channel

    def _jar(self, speaks_for: str) -> RequestsCookieJar:
        with self._lock:
            jar = self._jars.pop(speaks_for, None)
            self._jars[speaks_for] = jar = RequestsCookieJar() if jar is None else jar
            if len(self._jars) > _MOST_JARS:
                del self._jars[next(iter(self._jars))]
            return jar

    def _returned(self, channel: Channel) -> None:
        with self._lock:
            if channel in self._lent:  # else `close` was called meanwhile
                self._lent.remove(channel)
                self._idle.append(channel)
            surplus, self._idle = self._idle[:-MOST_IDLE], self._idle[-MOST_IDLE:]
        for channel_ in surplus:
            channel_.session.close()

    def break_off(self) -> None:
        """Cancel every running request, from another thread, and allow no new one."""
        with self._lock:
            self._is_broken_off = True
            channels = list(self._lent)
        for channel in channels:
            channel.adapter.break_off()

    def close(self) -> None:
        """Close every session."""
        with self._lock:
            channels = [*self._idle, *self._lent]
            self._idle, self._lent = [], set()
        for channel in channels:
            channel.session.close()
