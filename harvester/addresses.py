"""The address guard: which addresses a foreign answer may send us to. Pure; `web.guard` asks it before connecting.

Whoever controls a repository, or a redirect of it, controls the names we look up. Without a guard they could make the
harvester read what only this machine's network may read. What an administrator allows (`address` and `allow` of a
source, `--allow`) stands above it. `special_addresses` has the tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import NamedTuple, TypeAlias

from gateway.errors import ConfigurationError
from harvester.special_addresses import BLOCKS, EMBEDDING, LOCAL_NAMES, NAMEABLE, PUBLIC, RESERVED

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# The longest block first: it decides.
_BLOCKS = tuple(
    sorted(((ip_network(each.network), each.address_class) for each in BLOCKS), key=lambda pair: -pair[0].prefixlen)
)
_EXACT = frozenset(network.network_address for network, _ in _BLOCKS if network.prefixlen == network.max_prefixlen)
_EMBEDDING = tuple((IPv6Network(each.network), each.shifts) for each in EMBEDDING)
_IPV4_BITS = 0xFFFFFFFF
_ENTRY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\](?:/\d+)?|[^\s\[\]:]+)(?::(?P<port>[1-9]\d{0,4}))?")
_NAME = re.compile(r"(?!-)[\w-]+(?:\.[\w-]+)*\.?")
_MOST_PORT = 65_535


def parse_address(text: str) -> Address:
    """Return an address as the system's resolver writes it, without its zone."""
    return ip_address(text.partition("%")[0])


@lru_cache(maxsize=1024)
def class_of(address: Address) -> str:
    """Return the class of an address: one of `special_addresses.CLASSES`.

    An IPv6 address that embeds IPv4 addresses has the class of the first of those that is not public.
    """
    if isinstance(address, IPv6Address) and address not in _EXACT:
        for network, shifts in _EMBEDDING:
            if address in network:
                classes = [class_of(_embedded(address, *each)) for each in shifts]
                return next((each for each in classes if each != PUBLIC), PUBLIC)
    return next((name for network, name in _BLOCKS if address in network), RESERVED)


def _embedded(address: IPv6Address, shift: int, is_inverted: bool) -> IPv4Address:
    bits = int(address) >> shift & _IPV4_BITS
    return IPv4Address(bits ^ _IPV4_BITS if is_inverted else bits)


def class_of_all(addresses: Iterable[Address]) -> str:
    """Return the class of a host at these addresses: public where one is, else that of the first; empty without any."""
    classes = [class_of(each) for each in addresses]
    return PUBLIC if PUBLIC in classes else next(iter(classes), "")


def is_local_name(host: str) -> bool:
    """Tell whether a name means something in the own network only: it has no dot, or is one of the local names."""
    host = host.lower().rstrip(".")
    return "." not in host or any(host == name or host.endswith(f".{name}") for name, _ in LOCAL_NAMES)


class _Entry(NamedTuple):
    """What is allowed: a host or a network, at one port or at every port (0)."""

    host: str
    network: Network | None
    port: int


class Allowed:
    """The hosts, networks and ports that an administrator allows. Entries: HOST, ADDRESS or NETWORK, each with :PORT.

    Without a port every port is allowed. A name allows what people name, so nothing link-local and no cloud's own
    address: those are allowed by address only. `*:PORT` allows a port at every public address.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Take entries such as `repo.example.org`, `10.1.2.3:8080`, `10.1.0.0/16` and `[fd00::1]:8080`.

        Raise ConfigurationError for what is no such entry.
        """
        self._entries = tuple(map(_entry, entries))

    def address(self, host: str, address: Address, port: int) -> bool:
        """Tell whether this address may be reached at this port for the name `host`."""
        host = host.lower().rstrip(".")
        return any(
            address in each.network if each.network else each.host == host and class_of(address) in NAMEABLE
            for each in self._entries
            if each.port in (0, port)
        )

    def name(self, host: str, port: int) -> bool:
        """Tell whether this host may be asked at this port by its name, through a proxy."""
        host = host.lower().rstrip(".")
        return any(each.host == host for each in self._entries if each.port in (0, port))

    def port(self, port: int) -> bool:
        """Tell whether this port may be asked at every public address."""
        return any(each.host == "*" and each.port == port for each in self._entries)


def _entry(text: str) -> _Entry:
    try:
        return _Entry("", ip_network(text, strict=False), 0)
    except ValueError:
        match = _ENTRY.fullmatch(text)
    if match is None or int(match["port"] or 1) > _MOST_PORT:
        raise ConfigurationError(_NO_ENTRY.format(text))
    host, port = re.sub(r"[\[\]]", "", match["host"]), int(match["port"] or 0)
    try:
        return _Entry("", ip_network(host, strict=False), port)
    except ValueError:
        if not (host == "*" and port) and not _NAME.fullmatch(host):
            raise ConfigurationError(_NO_ENTRY.format(text)) from None
    return _Entry(host.lower().rstrip("."), None, port)


_NO_ENTRY = "{!r} cannot be allowed: write HOST, ADDRESS or NETWORK, and :PORT behind it where only one port is meant."


def are_allowable(entries: Collection[str]) -> bool:
    """Tell whether each of these can be allowed."""
    try:
        Allowed(entries)
    except ConfigurationError:
        return False
    return True
