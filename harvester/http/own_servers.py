"""Refuses names that lead to our own servers: a hub must not call itself. The address guard judges the rest."""

from __future__ import annotations

import socket
from collections.abc import Iterable

from gateway.core.address_rules import Allowed
from gateway.core.errors import AddressRefused
from harvester.http.address_guard import Place, Resolve
from harvester.http.origins import origin_of


def elsewhere(own: Iterable[str], allowed: Allowed, resolve: Resolve | None = None) -> Resolve:
    """Return a resolver that raises AddressRefused for a name at an address and port of one of the URLs `own`.

    A server at port 80 is the one at port 443. An allowed name is not refused. `resolve` is the resolver in use (None:
    the system's).
    """
    look_up: Resolve = resolve or socket.getaddrinfo
    origins = {origin_of(url) for url in own}
    servers = {(origin.host, origin.port) for origin in origins}

    def resolved(host: str, port: int, **options: object) -> list[Place]:
        places = list(look_up(host, port, **options))
        if not allowed.name(host, port) and any(_is_at(places, port, server, look_up) for server in servers):
            raise AddressRefused(f"{host} port {port} leads back to this hub.")
        return places

    return resolved


def _is_at(places: list[Place], port: int, server: tuple[str, int], resolve: Resolve) -> bool:
    host, own_port = server
    if port != own_port and {port, own_port} != {80, 443}:
        return False
    try:
        own = {str(place[4][0]) for place in resolve(host, own_port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False
    return any(str(place[4][0]) in own for place in places)
