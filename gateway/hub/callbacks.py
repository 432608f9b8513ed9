"""Which callbacks a request may name. Pure: the fetcher of the harvester judges the addresses of names later."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv6Address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from gateway.core.address_rules import Address, Allowed, class_of, is_local_name, parse_address
from gateway.core.addresses import is_address
from gateway.core.special_addresses import PUBLIC
from gateway.hub.topics import MOST_TEXT

_LEGAL: Final = re.compile(r"[A-Za-z0-9\-._~:/?@!$&'()*+,;=%\[\]]*")
_NUMBER: Final = re.compile(r"(?i)\d+|0x[0-9a-f]*")
_PORTS: Final = {"http": 80, "https": 443}
_FIRST_FREE_PORT: Final = 1024  # below it are the services of a machine, such as mail


def refusal(callback: str, own: Collection[str], allow: Allowed) -> str:
    """Return why a callback is refused, as a sentence; empty if it may be tried.

    `own` are addresses of this site. `allow` has the hosts, addresses and networks that may be private. A host that it
    has by itself may also be that of this site, where another site may be.
    """
    if len(callback) > MOST_TEXT or not _LEGAL.fullmatch(callback) or not is_address(callback):
        return f"hub.callback is no legal http or https address of at most {MOST_TEXT} characters."
    place = _place(callback)
    if place is None or "@" in urlsplit(callback).netloc:
        return "hub.callback must have a host and a possible port, and no user."
    if allow.name(*place):
        return ""
    if any(_is_same(place, _place(address)) for address in own):
        return "hub.callback leads back to this hub."
    address = _literal(place[0])
    return "" if address is not None and allow.address(place[0], address, place[1]) else _doubt(*place)


def _doubt(host: str, port: int) -> str:
    """Return why a host is no public one; empty if it may be."""
    if port < _FIRST_FREE_PORT and port not in _PORTS.values():
        return f"hub.callback has the port {port}, where no subscriber listens."
    return "" if _is_public(host) else "hub.callback is in a private network."


def _place(url: str) -> tuple[str, int] | None:
    """Return host and port of an address; None if it has none."""
    try:
        parts: SplitResult = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
        return ((parts.hostname or "").rstrip("."), port) if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None


def _is_same(place: tuple[str, int], other: tuple[str, int] | None) -> bool:
    """Return whether two places are one server; a server at port 80 is the one at port 443."""
    return other is not None and (place == other or (place[0] == other[0] and {place[1], other[1]} == {80, 443}))


def _is_public(host: str) -> bool:
    """Return whether a host may be public: a name that is not local, or a literal address that is."""
    address = _literal(host)
    if address is not None:
        return class_of(address) == PUBLIC
    if ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2]):  # `127.1`, `0x7f000001` and the like
        return False
    return not is_local_name(host)


def _literal(host: str) -> Address | None:
    try:
        return parse_address(host)
    except ValueError:
        return None


def network_of(address: str) -> str:
    """Return the network of a client, as far as one customer has it: /24, or /48; empty without an address."""
    parsed = _literal(address)
    if parsed is None:
        return ""
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return str(ip_network(f"{parsed}/{24 if parsed.version == 4 else 48}", strict=False))  # noqa: PLR2004
