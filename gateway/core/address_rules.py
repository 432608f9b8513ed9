"""The rules of the address guard: which addresses a foreign answer may lead to. Pure.

The guard of the harvester (`harvester.http.address_guard`) applies them to each request, and our hub to callbacks.

The operator of a repository, or of a redirect, controls the names that the harvester looks up. Without a guard they
could make it read pages that only the local network may read. Permissions of an administrator (`address` and `allow` of
a source, `--allow`) override these rules. `special_addresses` has the tables.
"""

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import NamedTuple, TypeAlias

from gateway.core.errors import ConfigurationError
from gateway.core.special_addresses import NAMEABLE, PUBLIC, RESERVED, blocks, embedding, local_names

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_IPV4_BITS = 0xFFFFFFFF
_ENTRY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\](?:/\d+)?|[^\s\[\]:]+)(?::(?P<port>[1-9]\d{0,4}))?")
_NAME = re.compile(r"(?!-)[\w-]+(?:\.[\w-]+)*\.?")
_MOST_PORT = 65_535


def parse_address(text: str) -> Address:
    """Return the IP address in a text, without its zone. Raise ValueError for anything else."""
    return ip_address(text.partition("%")[0])


@cache
def _networks() -> tuple[tuple[Network, str], ...]:
    """Return all blocks with their class, the longest first: it decides."""
    networks = ((ip_network(block.network), block.address_class) for block in blocks())
    return tuple(sorted(networks, key=lambda pair: -pair[0].prefixlen))


@cache
def _embedding() -> tuple[tuple[IPv6Network, tuple[tuple[int, bool], ...]], ...]:
    return tuple((IPv6Network(entry.network), entry.shifts) for entry in embedding())


@lru_cache(maxsize=1024)
def class_of(address: Address) -> str:
    """Return the class of an address: one of `special_addresses.CLASSES`.

    An IPv6 address that embeds IPv4 addresses has the class of the first of those that is not public.
    """
    alone = ip_network(address)
    if isinstance(address, IPv6Address) and all(network != alone for network, _ in _networks()):
        for network, shifts in _embedding():
            if address in network:
                classes = [class_of(_embedded(address, *shift)) for shift in shifts]
                return next((class_ for class_ in classes if class_ != PUBLIC), PUBLIC)
    return next((name for network, name in _networks() if address in network), RESERVED)


def _embedded(address: IPv6Address, shift: int, is_inverted: bool) -> IPv4Address:
    bits = int(address) >> shift & _IPV4_BITS
    return IPv4Address(bits ^ _IPV4_BITS if is_inverted else bits)


def class_of_all(addresses: Iterable[Address]) -> str:
    """Return the class of a host at these addresses: public where one is, else that of the first; empty without any."""
    classes = [class_of(address) for address in addresses]
    return PUBLIC if PUBLIC in classes else next(iter(classes), "")


def is_local_name(host: str) -> bool:
    """Return whether a name is valid in the local network only: it has no dot, or is one of `local_names`."""
    host = host.lower().rstrip(".")
    return "." not in host or any(host == name or host.endswith(f".{name}") for name in local_names())


class _Entry(NamedTuple):
    """An allowed target: a host or a network, at one port or at every port (0)."""

    host: str
    network: Network | None
    port: int

    def is_host(self, host: str) -> bool:
        """Return whether this is a host, by its name or its address, and no network that it is in."""
        if self.network is None:
            return self.host == host
        return self.network.prefixlen == self.network.max_prefixlen and str(self.network.network_address) == host


class Allowed:
    """The hosts, networks and ports that an administrator allows. Entries: HOST, ADDRESS or NETWORK, or with :PORT.

    Without a port every port is allowed. A name never allows link-local addresses or clouds' own addresses; those are
    allowed by address only. `*:PORT` allows a port at every public address.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        """Take entries such as `repo.example.org`, `10.1.2.3:8080`, `10.1.0.0/16` and `[fd00::1]:8080`.

        Raise ConfigurationError for an invalid entry.
        """
        self._entries = tuple(map(_entry, entries))

    def address(self, host: str, address: Address, port: int) -> bool:
        """Return whether this address may be reached at this port for the name `host`."""
        host = host.lower().rstrip(".")
        return any(
            address in entry.network if entry.network else entry.host == host and class_of(address) in NAMEABLE
            for entry in self._entries
            if entry.port in (0, port)
        )

    def name(self, host: str, port: int) -> bool:
        """Return whether this host is allowed by itself at this port, and not only as a part of a network."""
        host = host.lower().rstrip(".")
        return any(entry.is_host(host) for entry in self._entries if entry.port in (0, port))

    def port(self, port: int) -> bool:
        """Return whether this port is allowed at every public address."""
        return any(entry.host == "*" and entry.port == port for entry in self._entries)


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


_NO_ENTRY = "{!r} cannot be allowed. Write HOST, ADDRESS or NETWORK, followed by :PORT to allow one port only."


def are_allowable(entries: Collection[str]) -> bool:
    """Return whether every entry is valid for `Allowed`."""
    try:
        Allowed(entries)
    except ConfigurationError:
        return False
    return True


def check_database_url(text: str) -> None:
    """Raise ConfigurationError for no address of a PostgreSQL database, without the text: it may have a password."""
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ConfigurationError("it must begin with postgresql://, or be empty.")
