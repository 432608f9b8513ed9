"""Connections that go only where the guard lets them: below `web`, above the sockets.

A name is looked up once, the address found is judged, and that very address is connected to; so a name that answers
differently a moment later (DNS rebinding) gains nothing. A watchdog ends what takes longer than it may, even a server
that sends one byte a minute.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import Any, TypeAlias

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError

from gateway.errors import AddressRefused
from harvester.addresses import Allowed, parse_address

# What `socket.getaddrinfo` gives: family, type, protocol, canonical name, socket address.
Place: TypeAlias = tuple[Any, ...]
Resolve: TypeAlias = Callable[..., Sequence[Place]]


class Guard:
    """Judges where a connection may go. `own_hosts` may be anywhere: the administrator named them."""

    def __init__(
        self, allowed: Allowed, own_hosts: frozenset[str] = frozenset(), resolve: Resolve | None = None
    ) -> None:
        """Take what is allowed besides public addresses, and the resolver; None: the system's."""
        self.allowed = allowed
        self.own_hosts = own_hosts
        self.resolve = resolve or socket.getaddrinfo

    def places(self, host: str, port: int) -> list[Place]:
        """Look a host up and return where it may be reached. Raise AddressRefused when there is no such place."""
        found = list(self.resolve(host, port, type=socket.SOCK_STREAM))
        if host.lower().rstrip(".") in self.own_hosts or self.allowed.has_host(host):
            return found
        refusals = {str(place[4][0]): self.allowed.refusal(parse_address(str(place[4][0]))) for place in found}
        good = [place for place in found if not refusals[str(place[4][0])]]
        if not good:
            told = ", ".join(f"{address} ({kind})" for address, kind in refusals.items()) or "nowhere"
            raise AddressRefused(
                f"{host} is at {told}; such addresses are reached only when a source's own url names that host."
            )
        return good


class GuardedAdapter(HTTPAdapter):
    """requests' adapter over guarded connections. `tried` counts them; the newest can be ended by the watchdog.

    When its time `is_over`, no further place of a name is tried.
    """

    def __init__(self, guard: Guard) -> None:
        """Take the guard that every new connection asks."""
        self.guard = guard
        self.tried = 0
        self.newest: socket.socket | None = None
        self.is_over = False
        super().__init__(max_retries=0)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **options: Any) -> None:  # noqa: ANN401 - requests' own signature
        """Make the pools, whose connections are ours."""
        self.poolmanager = _GuardedPools(self.connect, num_pools=connections, maxsize=maxsize, block=block, **options)

    def connect(self, connection: HTTPConnection) -> socket.socket:
        """Return a socket that is connected to a place the guard has judged."""
        self.tried += 1
        try:
            places = self.guard.places(connection.host.strip("[]"), connection.port or connection.default_port)
        except (socket.gaierror, UnicodeError) as error:
            raise NameResolutionError(connection.host, connection, error) from error  # type: ignore[arg-type]
        last: OSError = OSError("no address")
        for place in places:
            if self.is_over:
                break
            try:
                self.newest = _connected(place, connection)
            except OSError as error:
                last = error
            else:
                return self.newest
        if isinstance(last, TimeoutError):
            raise ConnectTimeoutError(connection, "no connection in time") from last
        raise NewConnectionError(connection, str(last)) from last

    def break_off(self) -> None:
        """End the newest connection; whoever waits for it gets an error at once."""
        if self.newest is not None:
            try:
                # Of the plain socket, not of TLS above it: that one would wait for the other side.
                socket.socket.shutdown(self.newest, socket.SHUT_RDWR)
            except OSError:
                return  # it has ended itself

    @contextmanager
    def watched(self, seconds: float) -> Iterator[Watchdog]:
        """Break the connection off when the block takes longer than this."""
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
    """Knows whether the time is over."""

    def __init__(self, adapter: GuardedAdapter, seconds: float) -> None:
        """Take the adapter whose newest connection is to be ended after so many seconds."""
        self.adapter = adapter
        self.seconds = seconds
        self.has_bitten = False

    def bite(self) -> None:
        """End the connection; whoever waits for it gets an error at once."""
        self.has_bitten = self.adapter.is_over = True
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


class _GuardedPools(PoolManager):
    """Pools whose connections are made by a function of ours."""

    def __init__(self, connect: Callable[[HTTPConnection], socket.socket], **options: Any) -> None:  # noqa: ANN401 - urllib3's own
        self.connect = connect
        super().__init__(**options)

    def _new_pool(
        self, scheme: str, host: str, port: int, request_context: dict[str, Any] | None = None
    ) -> HTTPConnectionPool:
        pool = super()._new_pool(scheme, host, port, request_context)
        connect = self.connect

        class Plain(HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return connect(self)

        class Secure(HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return connect(self)

        pool.ConnectionCls = Secure if scheme == "https" else Plain
        return pool
